package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
	"inkfeed/web"
	"inkfeed/web/config"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

func setupImport(flags *flag.FlagSet, c *config.Config) func(context.Context, output) error {
	username := flags.String("as", "", "import for the `user` of that name, who has signed up before")
	var options portable.Options
	flags.StringVar(&options.Uploads, "uploads", "", "take pictures that the export does without from this `folder`, such as wp-content/uploads")
	flags.Func("templates", "what to do with template code that cannot be translated, a `policy`: draft (keep it and import the post as a draft), keep or remove (default draft)",
		func(name string) (err error) {
			options.Templates, err = portable.ParseTemplatePolicy(name)
			return err
		})
	reportTo := flags.String("report", "", "write each thing that could not be kept to this `file`; the screen shows one line for each kind")
	var authors authorFlags
	flags.StringVar(&authors.file, "authors", "",
		"give the posts of several authors to several users, as this YAML `file` maps them (author: username)")
	flags.BoolVar(&authors.create, "create-authors", false,
		"make an account for each author whom that file lacks, add it there, and print a link to choose a password")
	dryRun := flags.Bool("dry-run", false, "say what would be done, and write nothing")
	c.ObeyStore(flags)
	c.ObeyMedia(flags)
	c.ObeyIntervals(flags)
	c.ObeyURL(flags, &authors.url)
	c.Operand = config.Operand{Name: "DIR|FILE"}
	c.Checking(func() error {
		switch {
		case *username == "" && authors.file == "":
			return errors.New("--as: whose posts are these? Name the user, or several with --authors")
		case authors.create && authors.file == "":
			return errors.New("--create-authors: name a file for the usernames with --authors")
		}
		options.Authors = authors.file != ""
		return nil
	})
	return func(ctx context.Context, out output) error {
		now := time.Now()
		blog, closeBlog, err := portable.Open(flags.Arg(0), options, now)
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
		user, owners, err := authors.users(ctx, store, blog, *username, *dryRun, out.stdout)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s of %s: %s\n", flags.Arg(0), blog.Format, postsAndDrafts(blog))
		for _, note := range blog.Notes {
			fmt.Fprintln(out.stdout, note)
		}
		files, err := c.OpenFiles()
		if err == nil && !*dryRun {
			err = files.Prepare(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.MediaSetting(), err)
		}
		bar, post, pictureDone := progress.NewImportBar(out.stderr, int64(len(blog.Posts)))
		importer := importing.Importer{User: user, Owners: owners, Users: store.Users, Posts: store.Posts, Drafts: store.Drafts, Records: store.Imports,
			Redirects: store.Redirects, Images: store.Images, Files: files,
			Maker: picture.NewMaker(), Now: now, DryRun: *dryRun, Try: patiently, Progress: post, PictureDone: pictureDone}
		report, err := importer.Import(ctx, blog)
		err = errors.Join(err, bar.Close())
		if report.Written && err == nil {
			err = projection.CatchUp(ctx, store, c.Workers(logger), int64(report.New+report.Changed+report.Comments), out.stderr)
		}
		told := tellImport(out.stdout, report, *reportTo, *dryRun)
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
	return domain.Count(len(b.Posts)-drafts, "post", "posts") + ", " + domain.Count(drafts, "draft", "drafts")
}

// tellImport prints what an import did and what it could not keep. It writes the problems
// one by one to a file, if one is named.
func tellImport(w io.Writer, r importing.Report, file string, dryRun bool) error {
	if err := r.WriteSummary(w, dryRun); err != nil {
		return err
	}
	if r.Held > 0 {
		fmt.Fprintln(w, domain.Count(r.Held, "post is a draft because it has", "posts are drafts because they have"),
			"template code that is not known. Edit and publish the drafts, or import again with --templates keep or --templates remove.")
	}
	if len(r.Problems) == 0 {
		fmt.Fprintln(w, "Everything was kept.")
	} else {
		fmt.Fprintf(w, "What could not be kept, or not as it was, in %s (%s):\n", domain.Count(len(r.Problems), "place", "places"),
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

// authorFlags are the flags that say who gets the posts of which author.
type authorFlags struct {
	file   string
	create bool
	url    string // of the site
}

// users finds the users who get the posts of a blog: owners by author, and user for the rest.
// Without a map of authors everything is the user's who is named by --as.
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
		what := "there is no user for " + domain.Count(len(unknown), "author", "authors") + " of the posts"
		if missing {
			what = "the file is not there yet"
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
			return user, nil, fmt.Errorf("--authors: %s: %s of no known author: name a user for that with --as, or by the entry %q",
				f.file, domain.Count(a.Posts, "post is", "posts are"), "*")
		case ok && a.ID != "":
			if owners[a.ID], err = userNamed(ctx, store, username); err != nil {
				return user, nil, fmt.Errorf("--authors: %s: %w", f.file, err)
			}
		}
		if user.ID == "" {
			user = owners[a.ID] // who gets nothing besides
		}
	}
	return user, owners, nil
}

func userNamed(ctx context.Context, store *cosmos.Store, name string) (domain.User, error) {
	user, err := store.Users.ByName(ctx, name)
	if domain.Is(err, domain.NotFound) || err == nil && domain.NameKey(user.Username) != domain.NameKey(name) {
		return user, fmt.Errorf("there is no user %q: sign up first", name)
	}
	return user, err
}

// invitedFor is how long the authors of an import have to choose a password.
const invitedFor = 30 * 24 * time.Hour

// accounts makes an account for each of some authors. Each is in the map of authors before the
// next is made, so that an import that is repeated finds it.
func (f authorFlags) accounts(
	ctx context.Context, store *cosmos.Store, authors []portable.Author, dryRun bool, w io.Writer,
) (made map[string]domain.User, err error) {
	made = make(map[string]domain.User)
	names := make(map[string]bool)
	for _, a := range authors {
		u, err := importing.NewAccount(a, time.Now())
		if err == nil {
			_, err = store.Users.AccountByName(ctx, u.Username)
			taken := err == nil || names[domain.NameKey(u.Username)]
			if domain.Is(err, domain.NotFound) {
				err = nil
			}
			if taken {
				err = fmt.Errorf("the username %s is taken", u.Username)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("--create-authors: %q: %s: write a username into %s", a.ID, plainly(err), f.file)
		}
		names[domain.NameKey(u.Username)] = true
		u.Trusted = true // by the person who imports what they wrote
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
			return nil, fmt.Errorf("--authors: the account %s is made, but not noted: %w", u.Username, err)
		}
		invited := domain.NewAuditEntry(domain.User{}, domain.AuditInvite, time.Now()).About(u)
		if err := store.Audit.Record(ctx, invited); err != nil {
			return nil, err
		}
		credentials, err := store.Users.Credentials(ctx, u.ID)
		if err != nil {
			return nil, err
		}
		link, err := web.PasswordLink(ctx, store.Secrets, u.ID, credentials.Version, invitedFor)
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
