package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/workers"
)

func setupVerify(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	wait := flags.Bool("wait", false, "let the workers catch up first (a minute longer, if a server on the account was killed just now: its leases must expire)")
	return func(ctx context.Context, out output) error {
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		if *wait {
			if err := drain(ctx, c, store, logger, out.stderr); err != nil {
				return err
			}
		}
		return verify(ctx, store, out)
	}
}

// verify fails when there is a violation, so that a script can tell.
func verify(ctx context.Context, store *cosmos.Store, out output) error {
	start := time.Now()
	ctx, usage := cosmos.WithUsage(ctx)
	bar, err := newItemsBar(ctx, store, out.stderr)
	if err != nil {
		return err
	}
	counts, err := store.Verify(ctx, domain.NewMarkdown(), bar.set,
		func(v cosmos.Violation) { fmt.Fprintln(out.stdout, v) }, "posts", "users")
	if err := errors.Join(err, bar.Close()); err != nil {
		return err
	}
	if counts.Violations > 0 {
		return fmt.Errorf("%d violations in %d items", counts.Violations, counts.Items)
	}
	fmt.Fprintf(out.stdout, "No violation in %d items: every count, copy and name of %d users and %d posts is right. That took %s and %.0f RU.\n",
		counts.Items, counts.Users, counts.Posts, time.Since(start).Round(time.Second), usage.Charge())
	return nil
}

// itemsBar shows how many of a store's items were read.
type itemsBar struct {
	*progressbar.ProgressBar
	total int // or unknown
}

func newItemsBar(ctx context.Context, store *cosmos.Store, w io.Writer) (*itemsBar, error) {
	total, err := store.CountItems(ctx)
	if total == 0 {
		total = unknown
	}
	return &itemsBar{newBar(w, int64(total), "items"), total}, err
}

// set also corrects the total, which on an account can be out of date.
func (b *itemsBar) set(items int) {
	if b.total != unknown && items > b.total {
		b.total = items
		b.ChangeMax(items)
	}
	b.Set(items)
}

// tellInterval is how often somebody who waits is told for what.
const tellInterval = 10 * time.Second

// drain runs the workers until all changes are projected.
func drain(ctx context.Context, c *config, store *cosmos.Store, logger *slog.Logger, w io.Writer) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	bar := newBar(w, unknown, "views")
	var p projectors
	p.start(working, store, domain.NewMarkdown(), workers.Options{Instance: c.instance(), Logger: logger,
		OnProjected: func(n int) { bar.Add(n) }})
	p.started.Go(func() {
		tell(working, tellInterval, func() {
			if text := p.behind(working); working.Err() == nil {
				bar.Clear()
				fmt.Fprintf(w, "waiting for the workers: %s\n", text)
			}
		})
	})
	err := p.waitCaughtUp(ctx)
	stop()
	p.wait()
	return errors.Join(err, bar.Finish(), bar.Close())
}

// tell says something every interval until the context ends.
func tell(ctx context.Context, interval time.Duration, say func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
			say()
		}
	}
}

// behind says how far the workers are behind.
func (p *projectors) behind(ctx context.Context) string {
	var list []string
	for _, processor := range []struct {
		name     string
		caughtUp func(context.Context) (bool, error)
	}{{"users", p.users.CaughtUp}, {"posts", p.posts.CaughtUp}} {
		switch done, err := processor.caughtUp(ctx); {
		case err != nil:
			list = append(list, fmt.Sprintf("%s: %v", processor.name, err))
		case !done:
			list = append(list, processor.name+" has changes to project")
		}
	}
	if len(list) == 0 {
		return "they are about to be done"
	}
	return strings.Join(list, ", ")
}
