package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/names"
	"inkfeed/domain/picture"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/web/cli/config"
	"inkfeed/web/credential"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

func setupImport(c *config.Config) func(context.Context, output) error {
	var (
		options            portable.Options
		authors            authorFlags
		username, reportTo string
		dryRun             bool
	)
	c.Bind(
		config.Flag("as", "", config.Text(&username), "import the posts for this `user`, who must have an account"),
		config.Flag("uploads", "", config.Text(&options.Uploads),
			"take pictures that the export lacks from this `folder`, such as wp-content/uploads"),
		config.Flag("templates", "draft", func(name string) (err error) {
			options.Templates, err = portable.ParseTemplatePolicy(name)
			return err
		}, "`policy` for template code that cannot be translated: draft (keep it and import the post as a draft), keep or remove"),
		config.Flag("report", "", config.Text(&reportTo),
			"write everything that was not kept to this `file`; the screen shows one line for each kind"),
		config.Flag("authors", "", config.Text(&authors.file),
			"give the posts of several authors to several users, as this YAML `file` maps them (author: username)"),
		config.Switch("create-authors", &authors.create, "create an account for each author missing from that file, "+
			"add it there, and print a link to choose a password"),
		config.Switch("dry-run", &dryRun, "show what the import would do, and write nothing"))
	c.BindStore()
	c.BindMedia()
	c.BindIntervals()
	c.BindURL(&authors.url)
	c.Operand = "DIR|FILE"
	c.AddCheck(func() error {
		switch {
		case username == "" && authors.file == "":
			return errors.New("--as is missing: name the user who gets the posts, or several users with --authors")
		case authors.create && authors.file == "":
			return errors.New("--create-authors needs --authors, which names the file for the usernames")
		}
		options.Authors = authors.file != ""
		return nil
	})
	return func(ctx context.Context, out output) error {
		now := time.Now()
		blog, closeBlog, err := formats.Open(c.Operands[0], options, now)
		if err != nil {
			return err
		}
		defer closeBlog()
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.Open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		user, owners, err := authors.users(ctx, store, blog, username, dryRun, out.stdout)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s of %s: %s\n", c.Operands[0], blog.Format, postsAndDrafts(blog))
		for _, note := range blog.Notes {
			fmt.Fprintln(out.stdout, note)
		}
		files, err := c.OpenFiles()
		if err == nil && !dryRun {
			err = files.Prepare(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.MediaSetting(), err)
		}
		bar, post, pictureDone := progress.NewImportBar(out.stderr, int64(len(blog.Posts)))
		importer := importing.Importer{User: user, Owners: owners, Users: store.Users, Posts: store.Posts,
			Drafts: store.Drafts, Records: store.Imports, Redirects: store.Redirects, Images: store.Images, Files: files,
			Maker: picture.NewMaker(), Now: now, DryRun: dryRun, Try: patiently, Progress: post, PictureDone: pictureDone}
		report, err := importer.Import(ctx, blog)
		err = errors.Join(err, bar.Close())
		if report.Written && err == nil {
			changes := int64(report.New + report.Changed + report.Comments)
			err = projection.CatchUp(ctx, store, c.Workers(logger), changes, out.stderr)
		}
		told := tellImport(out.stdout, report, reportTo, dryRun)
		if err == nil {
			err = report.Check()
		}
		return errors.Join(err, told)
	}
}

func postsAndDrafts(b *portable.Blog) string {
	drafts := 0
	for _, p := range b.Posts {
		if p.Status == portable.Draft || p.Status == portable.Scheduled {
			drafts++
		}
	}
	return plaintext.Count(len(b.Posts)-drafts, "post", "posts") + ", " + plaintext.Count(drafts, "draft", "drafts")
}

// tellImport prints what an import did and what it could not keep. It writes the problems
// one by one to a file, if one is named.
func tellImport(w io.Writer, r importing.Report, file string, dryRun bool) error {
	if err := r.WriteSummary(w, dryRun); err != nil {
		return err
	}
	if r.Held > 0 {
		fmt.Fprintln(w, plaintext.Count(r.Held, "post is a draft because it has", "posts are drafts because they have"),
			"template code that is not known.",
			"Edit and publish the drafts, or import again with --templates keep or --templates remove.")
	}
	if len(r.Problems) == 0 {
		fmt.Fprintln(w, "Everything was kept.")
	} else {
		fmt.Fprintf(w, "%s not kept, or changed (%s):\n", plaintext.Count(len(r.Problems), "thing was", "things were"),
			cmp.Or(file, "--report FILE lists each"))
	}
	if err := r.WriteProblems(w); err != nil || file == "" {
		return err
	}
	if err := writeReport(file, r); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

func writeReport(file string, r importing.Report) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	lines := bufio.NewWriter(f)
	return errors.Join(r.WriteAllProblems(lines), lines.Flush(), f.Close())
}

// authorFlags are the flags that assign the authors of a blog to users.
type authorFlags struct {
	file   string
	create bool
	url    string // of the site
}

// users finds the users who get the posts of a blog: owners maps authors to users, and user gets the rest.
// Without a map of authors, the user named by --as gets everything.
func (f authorFlags) users(
	ctx context.Context, store *cosmos.Store, blog *portable.Blog, as string, dryRun bool, w io.Writer,
) (user domain.User, owners map[string]domain.User, err error) {
	if as != "" {
		if user, err = userNamed(ctx, store, as); err != nil {
			return user, nil, fmt.Errorf("--as: %w", err)
		}
	}
	if f.file == "" {
		return user, nil, nil
	}
	text, err := os.ReadFile(f.file)
	missing := errors.Is(err, os.ErrNotExist)
	if err != nil && !missing {
		return user, nil, fmt.Errorf("--authors: %w", err)
	}
	m, err := importing.ParseAuthorMap(text)
	if err != nil {
		return user, nil, fmt.Errorf("--authors: %s: %w", f.file, err)
	}
	authors := blog.Authors()
	unknown := m.Unknown(authors)
	if len(unknown) > 0 && !f.create {
		what := plaintext.Count(len(unknown), "author has", "authors have") + " no user"
		if missing {
			what = "the file does not exist yet"
		}
		return user, nil, fmt.Errorf("--authors: %s: %s. Fill in the usernames, or use --create-authors:\n\n%s",
			f.file, what, m.Template(authors))
	}
	if owners, err = f.accounts(ctx, store, unknown, dryRun, w); err != nil {
		return user, nil, err
	}
	if username, ok := m.Default(); ok && as == "" {
		if user, err = userNamed(ctx, store, username); err != nil {
			return user, nil, fmt.Errorf("--authors: %s: %w", f.file, err)
		}
	}
	for _, a := range authors {
		username, ok := m.User(a)
		switch {
		case a.ID == "" && user.ID == "":
			return user, nil, fmt.Errorf("--authors: %s: %s no known author: name a user for them with --as, or in the entry %q",
				f.file, plaintext.Count(a.Posts, "post has", "posts have"), "*")
		case ok && a.ID != "":
			if owners[a.ID], err = userNamed(ctx, store, username); err != nil {
				return user, nil, fmt.Errorf("--authors: %s: %w", f.file, err)
			}
		}
		if user.ID == "" {
			user = owners[a.ID] // the importer needs a user; this one gets no further posts
		}
	}
	return user, owners, nil
}

func userNamed(ctx context.Context, store *cosmos.Store, name string) (domain.User, error) {
	user, err := store.Users.ByName(ctx, name)
	if domain.Is(err, domain.NotFound) || err == nil && names.NameKey(user.Username) != names.NameKey(name) {
		return user, fmt.Errorf("there is no user %q: sign up first", name)
	}
	return user, err
}

// invitedFor is how long the authors of an import have to choose a password.
const invitedFor = 30 * 24 * time.Hour

// accounts creates an account for each of the authors. It adds each account to the map of authors before
// it creates the next, so that a repeated import finds them.
func (f authorFlags) accounts(
	ctx context.Context, store *cosmos.Store, authors []portable.Author, dryRun bool, w io.Writer,
) (made map[string]domain.User, err error) {
	made = make(map[string]domain.User)
	taken := make(map[string]bool)
	for _, a := range authors {
		u, err := importing.NewAccount(a, time.Now())
		if err == nil {
			_, err = store.Users.AccountByName(ctx, u.Username)
			found := err == nil || taken[names.NameKey(u.Username)]
			if domain.Is(err, domain.NotFound) {
				err = nil
			}
			if found {
				err = fmt.Errorf("the username %s is taken", u.Username)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("--create-authors: %q: %s: write a username into %s", a.ID, plainly(err), f.file)
		}
		taken[names.NameKey(u.Username)] = true
		u.Trusted = true // the operator imports and so vouches for these posts
		made[a.ID] = u
	}
	if dryRun || len(authors) == 0 {
		return made, nil
	}
	fmt.Fprintf(w, "Send each author the link to choose a password. It works once, within %d days:\n", invitedFor/(24*time.Hour))
	for _, a := range authors {
		u := made[a.ID]
		if err := store.Users.CreateWith(ctx, u, domain.Credentials{}); err != nil {
			return nil, fmt.Errorf("--create-authors: %q: %s", a.ID, plainly(err))
		}
		if err := f.remember(a.ID, u.Username); err != nil {
			return nil, fmt.Errorf("--authors: the account %s was created, but could not be added to the file: %w", u.Username, err)
		}
		invited := domain.NewAuditEntry(domain.User{}, domain.AuditInvite, time.Now()).About(u)
		if err := store.Audit.Record(ctx, invited); err != nil {
			return nil, err
		}
		credentials, err := store.Users.Credentials(ctx, u.ID)
		if err != nil {
			return nil, err
		}
		link, err := credential.PasswordLink(ctx, store.Secrets, u.ID, credentials.Version, invitedFor)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(w, "  %s (%s): %s\n", u.Username, a.ID, f.url+link)
	}
	return made, nil
}

// remember adds an author to the map.
func (f authorFlags) remember(author, username string) error {
	file, err := os.OpenFile(f.file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	line := importing.Entry(author, username) + "\n"
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Sync(), file.Close())
}
