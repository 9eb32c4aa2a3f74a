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

// importCommand holds the flags of the command import.
type importCommand struct {
	*config.Config
	options            portable.Options
	authors            authorFlags
	username, reportTo string
	dryRun             bool
	missingPictures    portable.PicturePolicy
}

func setupImport(c *config.Config) func(context.Context, output) error {
	i := &importCommand{Config: c}
	c.Bind(
		config.Flag("as", "", config.Text(&i.username), "import the posts for this `user`, who must have an account"),
		config.Flag("uploads", "", config.Text(&i.options.Uploads),
			"take pictures that the export lacks from this `folder`, such as wp-content/uploads"),
		config.Flag("templates", "draft", func(name string) (err error) {
			i.options.Templates, err = portable.ParseTemplatePolicy(name)
			return err
		}, "`policy` for template code that cannot be translated: draft (keep it and import the post as a draft), "+
			"keep or remove"),
		config.Flag("missing-pictures", "auto", func(name string) (err error) {
			i.missingPictures, err = portable.ParsePicturePolicy(name)
			return err
		}, "`policy` for public posts with pictures that the export lacks: publish (with placeholders), draft, "+
			"or auto (publish if fewer than one picture in ten is missing, otherwise draft)"),
		config.Flag("language", "", config.Text(&i.options.Language),
			"read texts that are not in UTF-8 in the legacy encoding of this `language`, such as cs or tr, unless the "+
				"export names another"),
		config.Flag("report", "", config.Text(&i.reportTo),
			"write everything that was not kept to this `file`; the screen shows one line for each kind"),
		config.Flag("authors", "", config.Text(&i.authors.file),
			"give the posts of several authors to several users, as this YAML `file` maps them (author: username)"),
		config.Switch("create-authors", &i.authors.create, "create an account for each author missing from that file, "+
			"add it there, and print a link to choose a password; requires --url"),
		config.Switch("dry-run", &i.dryRun, "show what the import would do, and write nothing"))
	c.BindStore()
	c.BindMedia()
	c.BindIntervals()
	c.BindURL(&i.authors.url)
	c.Operand = "DIR|FILE"
	c.AddCheck(i.check)
	return i.run
}

// check checks the flags, and tells the readers whether authors are kept apart.
func (i *importCommand) check() error {
	switch {
	case i.username == "" && i.authors.file == "":
		return errors.New("--as is missing: name the user who gets the posts, or several users with --authors")
	case i.authors.create && i.authors.file == "":
		return errors.New("--create-authors needs --authors, which names the file for the usernames")
	case i.authors.create && i.authors.url == "":
		return errors.New("--create-authors needs --url, for the links that it prints")
	}
	i.options.Authors = i.authors.file != ""
	return nil
}

// run opens the export and the storage.
func (i *importCommand) run(ctx context.Context, out output) error {
	now := time.Now()
	blog, closeBlog, err := formats.Open(i.Operands[0], i.options, now)
	if err != nil {
		return err
	}
	defer closeBlog()
	if blog.Site != nil {
		return fmt.Errorf("%s has the pages of a site, not a blog: import it at /admin/pages/import", i.Operands[0])
	}
	logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, closeStore, err := i.Open(ctx, cosmos.Options{Existing: true}, logger)
	if err != nil {
		return err
	}
	defer closeStore()
	files, err := i.OpenFiles()
	if err != nil {
		return err
	}
	if !i.dryRun {
		if err := files.Prepare(ctx); err != nil {
			return i.ExplainFilesError(err)
		}
	}
	importer := importing.Importer{Users: store.Users, Profiles: store.Profiles, Posts: store.Posts,
		Drafts: store.Drafts.WithoutQuota(), Records: store.Imports, Redirects: store.Redirects, Images: store.Images,
		Files: files, Maker: picture.NewMaker(nil), Now: now, DryRun: i.dryRun, Try: patiently, ClaimsAll: true,
		MissingPictures: i.missingPictures}
	importer.User, importer.Owners, err = i.authors.users(ctx, store, blog, i.username, i.dryRun, out.stdout)
	if err != nil {
		return err
	}
	report, err := i.importBlog(ctx, importer, blog, out)
	if report.Written && err == nil {
		changes := int64(report.New + report.Changed + report.Comments)
		err = projection.CatchUp(ctx, store, i.Workers(logger), changes, out.stderr)
	}
	told := tellImport(out.stdout, report, i.reportTo, i.dryRun)
	if err == nil {
		err = report.Check()
	}
	return errors.Join(err, told)
}

// importBlog imports a blog and shows the progress.
func (i *importCommand) importBlog(ctx context.Context, importer importing.Importer, blog *portable.Blog, out output) (
	importing.Report, error) {
	fmt.Fprintf(out.stdout, "%s of %s: %s\n", i.Operands[0], blog.Format, postsAndDrafts(blog))
	for _, note := range blog.Notes {
		fmt.Fprintln(out.stdout, note)
	}
	bar, post, pictureDone := progress.NewImportBar(out.stderr, int64(len(blog.Posts)))
	importer.Progress, importer.PictureDone = post, pictureDone
	report, err := importer.Import(ctx, blog)
	return report, errors.Join(err, bar.Close())
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
	if r.Missing > 0 {
		fmt.Fprintf(w, "%s of %s in the posts are not in the export. ", plaintext.Grouped(r.Missing),
			plaintext.Count(r.Shown, "picture", "pictures"))
		if r.Lacking > 0 {
			fmt.Fprintf(w, "%s for that reason.\n", plaintext.Count(r.Lacking, "post is a draft", "posts are drafts"))
		} else {
			fmt.Fprintln(w, "Public posts have placeholders for them.")
		}
		fmt.Fprintln(w, "Add the pictures and import again, or choose with --missing-pictures publish or draft.")
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
