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
	"strings"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
	"inkfeed/web/config"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

func setupImport(flags *flag.FlagSet, c *config.Config) func(context.Context, output) error {
	username := flags.String("as", "", "import for the `user` of that name, who has signed up before")
	var options portable.Options
	flags.StringVar(&options.Uploads, "uploads", "", "take pictures that the export does without from this `folder`, such as wp-content/uploads")
	flags.Func("templates", "what to do with posts with template code that cannot be translated:\nimport them as a `draft`, keep the code, or remove it (default draft)",
		func(name string) (err error) {
			options.Templates, err = portable.ParseTemplatePolicy(name)
			return err
		})
	reportTo := flags.String("report", "", "write each thing that could not be kept to this `file`; the screen shows one line for each kind")
	dryRun := flags.Bool("dry-run", false, "say what would be done, and write nothing")
	c.ObeyStore(flags)
	c.ObeyMedia(flags)
	c.ObeyIntervals(flags)
	c.Operand = config.Operand{Name: "DIR|FILE"}
	c.Checking(func() error {
		if *username == "" {
			return errors.New("--as: whose posts are these? Name the user")
		}
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
		user, err := store.Users.ByName(ctx, *username)
		if domain.Is(err, domain.NotFound) || err == nil && !strings.EqualFold(user.Username, *username) {
			return fmt.Errorf("--as: there is no user %q: sign up first", *username)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s of %s: %s\n", flags.Arg(0), blog.Format, postsAndDrafts(blog))
		files, err := c.OpenFiles()
		if err == nil && !*dryRun {
			err = files.Prepare(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.MediaSetting(), err)
		}
		bar := progress.NewBar(out.stderr, int64(len(blog.Posts)), "posts")
		importer := importing.Importer{User: user, Users: store.Users, Posts: store.Posts, Drafts: store.Drafts, Records: store.Imports,
			Redirects: store.Redirects, Images: store.Images, Files: files,
			Maker: picture.NewMaker(), Now: now, DryRun: *dryRun, Try: patiently, Progress: func() { bar.Add(1) }}
		report, err := importer.Import(ctx, blog)
		err = errors.Join(err, bar.Close())
		if !*dryRun && err == nil {
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
