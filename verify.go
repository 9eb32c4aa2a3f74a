package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/schollz/progressbar/v3"

	"inkfeed/cosmos"
	"inkfeed/domain"
)

func setupVerify(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	wait := flags.Bool("wait", false, "let the workers catch up first (a minute longer, if a server on the account was killed just now: its leases must expire)")
	c.obeyStore(flags)
	c.obeyMedia(flags)
	c.obeyIntervals(flags)
	return func(ctx context.Context, out output) error {
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		if *wait {
			if err := catchUp(ctx, c, store, unknown, logger, out.stderr); err != nil {
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
		return fmt.Errorf("%s in %s", domain.Count(counts.Violations, "violation", "violations"), domain.Count(counts.Items, "item", "items"))
	}
	fmt.Fprintf(out.stdout, "No violation in %s: every count, copy and name of %s and %s is right. That took %s and %.0f RU.\n",
		domain.Count(counts.Items, "item", "items"), domain.Count(counts.Users, "user", "users"), domain.Count(counts.Posts, "post", "posts"), time.Since(start).Round(time.Second), usage.Charge())
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
