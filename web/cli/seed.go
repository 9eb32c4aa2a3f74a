package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos"
	"inkfeed/cosmos/posts"
	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/sample"
	"inkfeed/web/cli/config"
	"inkfeed/web/credential"
	"inkfeed/web/uploads"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

// SamplePassword is the password of every sample user.
const SamplePassword = "lantern-garden-violin"

// seedWriters is the number of concurrent writes. It is large enough for the engine to sync many writes at a time.
const seedWriters = 32

func setupSeed(c *config.Config) func(context.Context, output) error {
	var (
		users  int
		seed   uint64
		beside bool
	)
	c.Bind(
		config.Flag("users", "20", config.Int(&users, 1, 1_000_000), "`number` of users to create"),
		config.Flag("seed", "1", config.Uint64(&seed), "random `seed`; the same seed creates the same data"),
		config.Switch("beside-users", &beside, "write sample data even if there are real users"))
	c.BindStore()
	c.BindMedia()
	c.BindIntervals()
	return func(ctx context.Context, out output) error {
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.Open(ctx, cosmos.Options{}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		if !beside {
			if err := refuseBesideUsers(ctx, store.Users); err != nil {
				return err
			}
		}
		if err := store.BeginIfNew(ctx); err != nil {
			return err
		}
		start := time.Now()
		day, err := dayOf(ctx, store.Users, seed)
		if err != nil {
			return err
		}
		files, err := c.OpenFiles()
		if err != nil {
			return err
		}
		blog := sample.New(seed, users, day)
		if err := seedUsers(ctx, store, files, blog, out.stderr); err != nil {
			return err
		}
		items, err := seedPosts(ctx, store.Posts, blog, out.stderr)
		if err != nil {
			return err
		}
		if err := seedDrafts(ctx, store.Drafts, blog); err != nil {
			return err
		}
		changes := int64(items + len(blog.Users))
		if err := projection.CatchUp(ctx, store, c.Workers(logger), changes, out.stderr); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "Created %s and %s posts, comments and likes in %s.\n",
			plaintext.Count(len(blog.Users), "user", "users"), plaintext.Grouped(items),
			time.Since(start).Round(time.Second))
		fmt.Fprintf(out.stdout, "Log in as any of them, for example %s with the password %s.\n",
			blog.Users[0].Username, SamplePassword)
		return nil
	}
}

// refuseBesideUsers returns an error if people have signed up, because sample accounts have a public password and
// cannot be removed together.
func refuseBesideUsers(ctx context.Context, users *cosmos.Users) error {
	name, err := users.RealUser(ctx)
	if err != nil || name == "" {
		return err
	}
	return fmt.Errorf("there are real users, such as %s: sample posts would appear among theirs, and the sample "+
		"accounts have a public password; use an empty --data folder, or --beside-users to write them anyway", name)
}

// dayOf returns the day of the data: today, or that of an earlier run with the same seed, so that repeating it writes
// nothing twice.
func dayOf(ctx context.Context, users *cosmos.Users, seed uint64) (time.Time, error) {
	today := sample.Today()
	first := sample.New(seed, 1, today).Users[0]
	stored, err := users.Account(ctx, first.ID)
	if domain.Is(err, domain.NotFound) {
		return today, nil
	}
	return today.Add(stored.Created.Sub(first.Created)), err
}

// seedUsers creates the accounts, with the pictures to which the posts refer.
func seedUsers(ctx context.Context, store *cosmos.Store, files picture.Files, blog *sample.Blog, w io.Writer) error {
	hash, err := credential.HashPassword(ctx, SamplePassword) // hashed once, because hashing is slow by design
	if err != nil {
		return err
	}
	maker := picture.NewMaker(nil)
	pictures := uploads.NewUploads(uploads.Store{Images: store.Images, Files: files}, maker)
	bar := progress.NewBar(w, int64(len(blog.Users)), "users")
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(seedWriters)
	for i := range blog.Users {
		group.Go(func() error {
			defer bar.Add(1)
			return seedUser(groupCtx, maker, pictures, blog, i, func() error {
				return store.Accounts.Create(groupCtx, blog.Users[i], hash)
			})
		})
	}
	return explainTaken(errors.Join(group.Wait(), bar.Close()))
}

// seedUser creates a user with an avatar, and covers for the user's posts. The name of the avatar is known before the
// avatar is stored, so the account is written once.
func seedUser(ctx context.Context, maker *picture.Maker, pictures *uploads.Uploads, blog *sample.Blog, i int,
	create func() error) error {
	user := &blog.Users[i]
	avatar, covers := blog.Draw(i)
	if avatar != nil {
		made, err := maker.MakeAvatar(ctx, user.ID, avatar)
		if err != nil {
			return err
		}
		user.Avatar = made.Name.String()
	}
	return patiently(ctx, func() error {
		blog.Covers[i] = nil
		err := create()
		if err == nil && avatar != nil {
			_, err = pictures.SaveAvatar(ctx, *user, uploads.NewUpload(avatar, ""))
		}
		for _, drawing := range covers {
			if err != nil {
				return err
			}
			var image domain.Image
			image, err = pictures.SavePicture(ctx, *user, uploads.NewUpload(drawing.File, drawing.Alt))
			blog.Covers[i] = append(blog.Covers[i], domain.Cover{Image: image.Name, Alt: drawing.Alt})
		}
		return err
	})
}

// Time limit and pause of retries while the storage is throttled.
const (
	seedPatience = 5 * time.Minute
	seedPause    = time.Second
)

// patiently retries a write while the storage is unavailable, because filling a small account exceeds its throughput.
func patiently(ctx context.Context, write func() error) error {
	for start := time.Now(); ; {
		err := write()
		if !domain.Is(err, domain.Unavailable) || ctx.Err() != nil || time.Since(start) > seedPatience {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(seedPause):
		}
	}
}

// explainTaken adds the likely cause to the error of a rejected username.
func explainTaken(err error) error {
	if domain.Is(err, domain.Invalid) {
		return fmt.Errorf("%w (this blog has sample data of another --seed, or a user of that name: use the same "+
			"--seed, or an empty --data folder)", err)
	}
	return err
}

func seedPosts(ctx context.Context, posts *posts.Posts, blog *sample.Blog, w io.Writer) (items int, err error) {
	bar := progress.NewBar(w, int64(blog.CountPosts()), "posts")
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(seedWriters)
	for post := range blog.Posts() {
		if groupCtx.Err() != nil {
			break
		}
		items += 1 + len(post.Comments) + len(post.Likes)
		group.Go(func() error {
			defer bar.Add(1)
			return patiently(groupCtx, func() error {
				if err := posts.Import(groupCtx, post.Post, post.Comments, post.Likes); err != nil {
					return err
				}
				return posts.ImportVersions(groupCtx, post.ID, post.Versions)
			})
		})
	}
	return items, errors.Join(group.Wait(), bar.Close())
}

// seedDrafts saves the sample drafts, except those that were edited since.
func seedDrafts(ctx context.Context, drafts *cosmos.Drafts, blog *sample.Blog) error {
	for _, d := range blog.Drafts() {
		err := patiently(ctx, func() error {
			_, err := drafts.Save(ctx, d)
			return err
		})
		if err != nil && !domain.Is(err, domain.Conflict) {
			return err
		}
	}
	return nil
}
