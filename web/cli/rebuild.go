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
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
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
		"users (reserved usernames, and usernames on posts, comments and likes) or all"))
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
			return fmt.Errorf("%s could not be projected: see inkfeed deadletters list", plaintext.Count(n, "item", "items"))
		}
		return nil
	}
}

// rebuild replays projectors from the beginning, under processor names of their
// own, so that those of the live ones lose nothing.
type rebuild struct {
	store    *cosmos.Store
	markdown *markdown.Renderer
	options  changefeed.Options
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
	var total int
	err := r.holding(ctx, name, func() (err error) {
		total, err = r.prepare(ctx, name)
		return err
	})
	if err == nil {
		err = r.replay(ctx, name, total)
	}
	// Interrupted or not: the next rebuild begins at the beginning.
	cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, r.deleteLeases(cleaning, name))
}

// claim makes a lease of all that is to be replayed, which the processor divides when
// it begins, in the place of those that a rebuild left behind when it was killed. While
// they may be those of one that is running, it refuses.
func (r *rebuild) claim(ctx context.Context, name string) error {
	leases, err := r.store.Leases.List(ctx, rebuildName(name))
	if err != nil {
		return err
	}
	for _, l := range leases {
		if err := r.mayTake(l); err != nil {
			return err
		}
	}
	if err := r.deleteLeases(ctx, name); err != nil {
		return err
	}
	mine := domain.Lease{Processor: rebuildName(name), Range: wholeRange, Owner: r.options.Instance, Renewed: time.Now()}
	if err := r.store.Leases.Create(ctx, mine); err != nil {
		return err
	}
	made, err := r.store.Leases.Read(ctx, mine.Processor, wholeRange)
	if err != nil {
		return err
	}
	return r.mayTake(made) // another one may have been faster
}

// wholeRange is the feed range of a whole container.
var wholeRange = domain.FeedRange{MaxExclusive: "FF"}

func (r *rebuild) mayTake(l domain.Lease) error {
	age := time.Since(l.Renewed)
	if l.Owner == "" || l.Owner == r.options.Instance || age.Abs() >= r.options.Expiration {
		return nil
	}
	return fmt.Errorf("one is running on %s, which renewed its lease %s ago; if it was killed, wait for %s",
		l.Owner, age.Round(time.Second), (r.options.Expiration - age).Round(time.Second))
}

// holding renews what claim made until do is done.
func (r *rebuild) holding(ctx context.Context, name string, do func() error) error {
	ctx, stop := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(r.options.RenewInterval):
				l, err := r.store.Leases.Read(ctx, rebuildName(name), wholeRange)
				if err == nil && l.Owner == r.options.Instance {
					l.Renewed = time.Now()
					_, _ = r.store.Leases.Replace(ctx, l) // or the next time
				}
			}
		}
	})
	defer renewing.Wait()
	defer stop()
	return do()
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
	bar := progress.NewBar(r.log, int64(items), "copies")
	done := 0
	r.orphans, err = r.store.Copies.SweepOrphans(ctx, func(copies int) {
		progress.Advance(bar, int64(copies-done))
		done = copies
	})
	if err == nil {
		err = r.store.Feed.Repair(ctx, r.markdown)
	}
	if err := errors.Join(err, bar.Finish(), bar.Close()); err != nil {
		return 0, err
	}
	return r.store.Items(ctx, "posts")
}

// replay runs the projector until it has come by all that there was when it began.
// What changes meanwhile is the live projector's.
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
	err := projection.WaitUntil(ctx, func(ctx context.Context) (bool, error) { return passed(ctx, p, begin) },
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

// settle runs the live projectors until they have passed this moment: what was
// corrected shows in the change feeds, and has copies of its own. On a quiet blog it
// waits until there is nothing left at all.
func (r *rebuild) settle(ctx context.Context) error {
	begin := time.Now()
	return projection.RunUntil(ctx, r.store, r.options, progress.Unknown, r.log, func(ctx context.Context, processors projection.Processors) (bool, error) {
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
	})
}

// passed tells whether a processor has projected all that was written before a
// moment. Unlike CaughtUp it becomes true while others go on writing.
func passed(ctx context.Context, p projection.Processor, moment time.Time) (bool, error) {
	lags, err := p.Lag(ctx)
	if err != nil {
		return false, err
	}
	slices.SortFunc(lags, func(a, b changefeed.RangeLag) int { return cmp.Compare(a.Range.MinInclusive, b.Range.MinInclusive) })
	end := ""
	for _, lag := range lags {
		if lag.Transactions > 0 && lag.Age+clockSkew > time.Since(moment) || lag.Range.MinInclusive != end {
			return false, nil // or the leases are only being made
		}
		end = lag.Range.MaxExclusive
	}
	return end == wholeRange.MaxExclusive, nil
}

// clockSkew is how far the clocks of this machine and of the storage may differ, a second
// included that the times of changes leave out.
const clockSkew = 5 * time.Second

func (r *rebuild) processor(name string, options changefeed.Options) projection.Processor {
	letters := &rebuildLetters{to: r.store.DeadLetters, count: &r.letters}
	if name == "posts" {
		return changefeed.NewProcessor(rebuildName(name), r.store.Posts.Changes(), r.store.Leases, letters,
			projection.RewritingPosts(r.store, r.markdown), options)
	}
	var projector changefeed.Projector[domain.UserChange] = projection.Users(r.store, options.Logger)
	if !r.all { // otherwise replaying posts compares all names, at a lower price
		projector = respreading{projector}
	}
	return changefeed.NewProcessor(rebuildName(name), r.store.Users.Changes(), r.store.Leases, letters, projector, options)
}

// respreading takes no user's name as spread.
type respreading struct {
	changefeed.Projector[domain.UserChange]
}

func (p respreading) Project(ctx context.Context, changes []domain.UserChange) error {
	unspread := slices.Clone(changes)
	for i := range unspread {
		if user := unspread[i].User; user != nil {
			again := *user
			again.SpreadVersion = 0
			unspread[i].User = &again
		}
	}
	return p.Projector.Project(ctx, unspread)
}

// rebuildLetters files what a rebuild cannot project under the live processor,
// where an operator looks for it and which retries it.
type rebuildLetters struct {
	to    changefeed.DeadLetters
	count *atomic.Int64
}

func (l *rebuildLetters) Put(ctx context.Context, letter domain.DeadLetter) error {
	letter.Processor = strings.TrimPrefix(letter.Processor, rebuildName(""))
	if err := l.to.Put(ctx, letter); err != nil {
		return err
	}
	l.count.Add(1)
	return nil
}
