package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
	"inkfeed/web/cli/config"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

func setupRebuild(c *config.Config) func(context.Context, output) error {
	c.BindStore()
	c.BindMedia()
	c.BindIntervals()
	var projector string
	c.Bind(config.Flag("projector", "all", func(text string) error {
		if projector = text; text != "all" && !slices.Contains(projection.Names(), text) {
			return fmt.Errorf("%q is not posts, users or all", text)
		}
		return nil
	}, "replay this `projector`: posts (copies of posts, and usernames on posts, comments and likes), "+
		"users (reserved usernames, the list of accounts, and usernames on posts, comments and likes) or all"))
	return func(ctx context.Context, out output) error {
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.Open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		start := time.Now()
		r := &rebuild{store: store, markdown: markdown.New(), options: c.Workers(logger), log: out.stderr,
			all: projector == "all"}
		for _, name := range projection.Names() {
			if projector != "all" && projector != name {
				continue
			}
			if err := r.run(ctx, name); err != nil {
				return fmt.Errorf("rebuild of %s: %w", name, err)
			}
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "Rebuilt %s after %s: %s replayed, %s removed.\n", projector,
			time.Since(start).Round(time.Second), plaintext.Count(r.replayed.Load(), "change", "changes"),
			plaintext.Count(r.orphans, "orphaned copy", "orphaned copies"))
		if n := r.letters.Load(); n > 0 {
			return fmt.Errorf("%s could not be projected: see inkfeed deadletters list",
				plaintext.Count(n, "item", "items"))
		}
		return nil
	}
}

// rebuild replays projectors from the beginning of the change feeds. It uses processor names of its own, so that the
// live processors keep their checkpoints.
type rebuild struct {
	store    *cosmos.Store
	markdown *markdown.Renderer
	options  changefeed.Options
	log      io.Writer
	all      bool // both projectors are replayed

	orphans           int
	replayed, letters atomic.Int64
}

func (r *rebuild) run(ctx context.Context, name string) error {
	if err := r.claim(ctx, name); err != nil {
		return err
	}
	var total int
	err := r.holding(ctx, name, func() (err error) {
		total, err = r.prepare(ctx, name)
		return err
	})
	if err == nil {
		err = r.replay(ctx, name, total)
	}
	// The next rebuild starts from the beginning, even after an interruption.
	cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, r.deleteLeases(cleaning, name))
}

// prepare repairs copies that a replay does not reach, such as copies of deleted posts, and returns the number of
// items to replay.
func (r *rebuild) prepare(ctx context.Context, name string) (total int, err error) {
	if name == "users" {
		if err := r.store.Redirects.ListImporters(ctx); err != nil {
			return 0, err
		}
		if err := r.store.Drafts.Recount(ctx); err != nil {
			return 0, err
		}
		if err := r.store.Follows.Repair(ctx); err != nil {
			return 0, err
		}
		if err := r.store.Subscriptions.Repair(ctx); err != nil {
			return 0, err
		}
		if err := r.store.AccountRows.Repair(ctx); err != nil {
			return 0, err
		}
		return r.store.Users.CountItems(ctx)
	}
	items, err := r.store.Items(ctx, "users") // an upper limit of the number of copies
	if err != nil {
		return 0, err
	}
	bar := progress.NewBar(r.log, int64(items), "copies")
	done := 0
	r.orphans, err = r.store.Copies.SweepOrphans(ctx, func(copies int) {
		progress.Advance(bar, int64(copies-done))
		done = copies
	})
	if err == nil {
		err = r.store.Feed.Repair(ctx, r.markdown)
	}
	if err == nil {
		err = projection.RewritingPosts(r.store, r.markdown).RemoveEndedReviews(ctx)
	}
	if err == nil {
		err = projection.RewritingPosts(r.store, r.markdown).RepairCommentRows(ctx)
	}
	if err := errors.Join(err, bar.Finish(), bar.Close()); err != nil {
		return 0, err
	}
	return r.store.Items(ctx, "posts")
}

// replay runs the projector until it has processed all changes up to its start. The live projector processes later
// changes.
func (r *rebuild) replay(ctx context.Context, name string, total int) error {
	bar := progress.NewBar(r.log, int64(total), name)
	options := r.options
	options.OnProjected = func(n int) {
		r.replayed.Add(int64(n))
		progress.Advance(bar, int64(n))
	}
	p := r.processor(name, options)
	working, stop := context.WithCancel(ctx)
	wait := projection.Processors{name: p}.Start(working)
	begin := time.Now()
	err := projection.WaitUntil(ctx, options.Logger,
		func(ctx context.Context) (bool, error) { return passed(ctx, p, begin) },
		func(ctx context.Context) {
			lags, err := p.Lag(ctx)
			if err != nil {
				return
			}
			for _, lag := range lags {
				progress.Say(bar, fmt.Sprintf("to replay: %s %s", name, lag))
			}
		})
	stop()
	wait()
	return errors.Join(err, bar.Finish(), bar.Close())
}

// settle runs the live projectors until they have processed all changes up to now, because the corrections are
// changes that have copies themselves. If no one else writes, it waits until no change is left.
func (r *rebuild) settle(ctx context.Context) error {
	begin := time.Now()
	settled := func(ctx context.Context, processors projection.Processors) (bool, error) {
		ok, err := processors.CaughtUp(ctx)
		if ok || err != nil || time.Since(begin) < clockSkew {
			return ok, err
		}
		for _, name := range projection.Names() {
			if ok, err := passed(ctx, processors[name], begin); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	return projection.RunUntil(ctx, r.store, r.options, progress.Unknown, r.log, settled)
}

// passed reports whether a processor has projected all changes before a moment. Unlike CaughtUp it becomes true while
// other processes keep writing.
func passed(ctx context.Context, p projection.Processor, moment time.Time) (bool, error) {
	lags, err := p.Lag(ctx)
	if err != nil {
		return false, err
	}
	slices.SortFunc(lags, func(a, b changefeed.RangeLag) int {
		return cmp.Compare(a.Range.MinInclusive, b.Range.MinInclusive)
	})
	end := ""
	for _, lag := range lags {
		if lag.Transactions > 0 && lag.Age+clockSkew > time.Since(moment) || lag.Range.MinInclusive != end {
			return false, nil // the range lags behind, or not all leases exist yet
		}
		end = lag.Range.MaxExclusive
	}
	return end == wholeRange.MaxExclusive, nil
}

// clockSkew is the maximum difference between the clocks of this machine and of the storage. It includes one second,
// because the times of changes are in whole seconds.
const clockSkew = 5 * time.Second

func (r *rebuild) processor(name string, options changefeed.Options) projection.Processor {
	letters := &rebuildLetters{to: r.store.DeadLetters, count: &r.letters}
	if name == "posts" {
		return changefeed.NewProcessor(rebuildName(name), r.store.Posts.Changes(), r.store.Leases, letters,
			projection.RewritingPosts(r.store, r.markdown), options)
	}
	projector := projection.Users(r.store, options.Logger)
	projector.Notifications = nil
	projector.Rewrite = !r.all // the replay of posts compares all names for fewer request units
	return changefeed.NewProcessor(rebuildName(name), r.store.Users.Changes(), r.store.Leases, letters, projector,
		options)
}

// rebuildLetters stores the dead letters of a rebuild under the name of the live processor, so that operators find them
// and can retry them.
type rebuildLetters struct {
	to    changefeed.DeadLetters
	count *atomic.Int64
}

func (l *rebuildLetters) Put(ctx context.Context, letter feeds.DeadLetter) error {
	letter.Processor = strings.TrimPrefix(letter.Processor, rebuildName(""))
	if err := l.to.Put(ctx, letter); err != nil {
		return err
	}
	l.count.Add(1)
	return nil
}
