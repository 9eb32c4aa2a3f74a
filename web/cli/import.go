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
	"inkfeed/domain/importing"
	"inkfeed/domain/picture"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/web/cli/config"
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
		}, "`policy` for template code that cannot be translated: draft (keep it and import the post as a draft), "+
			"keep or remove"),
		config.Flag("language", "", config.Text(&options.Language),
			"read texts that are not in UTF-8 in the legacy encoding of this `language`, such as cs or tr, unless the "+
				"export names another"),
		config.Flag("report", "", config.Text(&reportTo),
			"write everything that was not kept to this `file`; the screen shows one line for each kind"),
		config.Flag("authors", "", config.Text(&authors.file),
			"give the posts of several authors to several users, as this YAML `file` maps them (author: username)"),
		config.Switch("create-authors", &authors.create, "create an account for each author missing from that file, "+
			"add it there, and print a link to choose a password; requires --url"),
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
		case authors.create && authors.url == "":
			return errors.New("--create-authors needs --url, for the links that it prints")
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
		if blog.Site != nil {
			return fmt.Errorf("%s has the pages of a site, not a blog: import it at /admin/pages/import", c.Operands[0])
		}
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.Open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		files, err := c.OpenFiles()
		if err != nil {
			return err
		}
		if !dryRun {
			if err := files.Prepare(ctx); err != nil {
				return c.ExplainFilesError(err)
			}
		}
		user, owners, err := authors.users(ctx, store, blog, username, dryRun, out.stdout)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s of %s: %s\n", c.Operands[0], blog.Format, postsAndDrafts(blog))
		for _, note := range blog.Notes {
			fmt.Fprintln(out.stdout, note)
		}
		bar, post, pictureDone := progress.NewImportBar(out.stderr, int64(len(blog.Posts)))
		importer := importing.Importer{User: user, Owners: owners, Users: store.Users, Posts: store.Posts,
			Drafts: store.Drafts.WithoutQuota(), Records: store.Imports, Redirects: store.Redirects,
			Images: store.Images, Files: files, Maker: picture.NewMaker(nil), Now: now, DryRun: dryRun,
			Try: patiently, Progress: post, ClaimsAll: true,
			PictureDone: pictureDone}
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
		fmt.Fprintln(w, "No problems found.")
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
