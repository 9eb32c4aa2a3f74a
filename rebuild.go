package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/workers"
)

func setupRebuild(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	c.obeyStore(flags)
	c.obeyIntervals(flags)
	projector := flags.String("projector", "all", "replay this `projector`: posts (the copies of posts, and names on all that was written), users (reserved names, and names on all that was written) or all")
	return func(ctx context.Context, out output) error {
		if *projector != "all" && !slices.Contains(projections[:], *projector) {
			return fmt.Errorf("--projector: %q is none of posts, users, all", *projector)
		}
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		start := time.Now()
		r := &rebuild{c: c, store: store, markdown: domain.NewMarkdown(), options: c.workers(logger), log: out.stderr, all: *projector == "all"}
		for _, name := range projections {
			if *projector != "all" && *projector != name {
				continue
			}
			if err := r.run(ctx, name); err != nil {
				return fmt.Errorf("rebuild of %s: %w", name, err)
			}
		}
		if err := r.settle(ctx, logger); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "Rebuilt %s after %s: %d changes replayed, %d orphaned copies removed.\n",
			*projector, time.Since(start).Round(time.Second), r.replayed.Load(), r.orphans)
		if n := r.letters.Load(); n > 0 {
			return fmt.Errorf("%d items could not be projected: see inkfeed deadletters list", n)
		}
		return nil
	}
}

// rebuild replays projectors from the beginning, under processor names of their
// own, so that those of the live ones lose nothing.
type rebuild struct {
	c        *config
	store    *cosmos.Store
	markdown *domain.Markdown
	options  workers.Options
	log      io.Writer
	all      bool // both projectors are replayed

	orphans           int
	replayed, letters atomic.Int64
}

func rebuildName(projection string) string { return "rebuild." + projection }

func (r *rebuild) run(ctx context.Context, name string) error {
	if err := r.claim(ctx, name); err != nil {
		return err
	}
	total, err := r.prepare(ctx, name)
	if err == nil {
		err = r.replay(ctx, name, total)
	}
	// Interrupted or not: the next rebuild begins at the beginning.
	cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, r.deleteLeases(cleaning, name))
}

// claim removes the leases that a rebuild left behind when it was killed. While
// they may be those of one that is running, it refuses.
func (r *rebuild) claim(ctx context.Context, name string) error {
	leases, err := r.store.Leases.List(ctx, rebuildName(name))
	if err != nil {
		return err
	}
	for _, l := range leases {
		age := time.Since(l.Renewed)
		if l.Owner != "" && l.Owner != r.options.Instance && age < r.options.Expiration {
			return fmt.Errorf("one is running on %s, which renewed its lease %s ago; if it was killed, wait for %s",
				l.Owner, age.Round(time.Second), (r.options.Expiration - age).Round(time.Second))
		}
	}
	return r.deleteLeases(ctx, name)
}

func (r *rebuild) deleteLeases(ctx context.Context, name string) error {
	leases, err := r.store.Leases.List(ctx, rebuildName(name))
	if err != nil {
		return err
	}
	for _, l := range leases {
		if err := r.store.Leases.Delete(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// prepare mends what replaying does not come by, and says how much there is to
// replay.
func (r *rebuild) prepare(ctx context.Context, name string) (total int, err error) {
	if name == "users" {
		return r.store.Users.Count(ctx)
	}
	items, err := r.store.Items(ctx, "users") // the copies are less than that
	if err != nil {
		return 0, err
	}
	bar := newBar(r.log, int64(items), "copies")
	done := 0
	r.orphans, err = r.store.SweepOrphans(ctx, func(copies int) {
		advance(bar, int64(copies-done))
		done = copies
	})
	if err == nil {
		err = r.store.RepairFeed(ctx, r.markdown)
	}
	if err := errors.Join(err, bar.Finish(), bar.Close()); err != nil {
		return 0, err
	}
	return r.store.Items(ctx, "posts")
}
