package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/workers"
)

// replay runs the projector until it has come by all that there was when it began.
// What changes meanwhile is the live projector's.
func (r *rebuild) replay(ctx context.Context, name string, total int) error {
	bar := newBar(r.log, int64(total), name)
	options := r.options
	options.OnProjected = func(n int) {
		r.replayed.Add(int64(n))
		advance(bar, int64(n))
	}
	p := r.processor(name, options)
	var running projectors
	working, stop := context.WithCancel(ctx)
	running.start(working, map[string]processor{name: p})
	begin := time.Now()
	err := waitUntil(ctx, func(ctx context.Context) (bool, error) { return passed(ctx, p, begin) },
		func(ctx context.Context) {
			lags, err := p.Lag(ctx)
			if err != nil {
				return
			}
			for _, lag := range lags {
				say(bar, "to replay: "+describe(name, lag))
			}
		})
	stop()
	running.wait()
	return errors.Join(err, bar.Finish(), bar.Close())
}

// settle runs the live projectors until they have passed this moment: what was
// corrected shows in the change feeds, and has copies of its own. On a quiet blog it
// waits until there is nothing left at all.
func (r *rebuild) settle(ctx context.Context, logger *slog.Logger) error {
	begin := time.Now()
	return runWorkers(ctx, r.c, r.store, unknown, logger, r.log, func(ctx context.Context, processors map[string]processor) (bool, error) {
		ok, err := caughtUp(ctx, processors)
		if ok || err != nil || time.Since(begin) < clockSkew {
			return ok, err
		}
		for _, name := range projections {
			if ok, err := passed(ctx, processors[name], begin); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// passed tells whether a processor has projected all that was written before a
// moment. Unlike CaughtUp it becomes true while others go on writing.
func passed(ctx context.Context, p processor, moment time.Time) (bool, error) {
	lags, err := p.Lag(ctx)
	if err != nil {
		return false, err
	}
	slices.SortFunc(lags, func(a, b workers.RangeLag) int { return cmp.Compare(a.Range.MinInclusive, b.Range.MinInclusive) })
	end := ""
	for _, lag := range lags {
		if lag.Transactions > 0 && lag.Age+clockSkew > time.Since(moment) || lag.Range.MinInclusive != end {
			return false, nil // or the leases are only being made
		}
		end = lag.Range.MaxExclusive
	}
	return end == "FF", nil
}

// clockSkew is how far the clocks of this machine and of the storage may differ, a second
// included that the times of changes leave out.
const clockSkew = 5 * time.Second

func (r *rebuild) processor(name string, options workers.Options) processor {
	letters := &rebuildLetters{to: r.store.DeadLetters, count: &r.letters}
	if name == "posts" {
		return workers.NewProcessor(rebuildName(name), r.store.Posts.Changes(), r.store.Leases, letters,
			rewritingProjector(r.store, r.markdown), options)
	}
	var projector workers.Projector[domain.UserChange] = usersProjector(r.store, options.Logger)
	if !r.all { // otherwise replaying posts compares all names, at a lower price
		projector = respreading{projector}
	}
	return workers.NewProcessor(rebuildName(name), r.store.Users.Changes(), r.store.Leases, letters, projector, options)
}

// respreading takes no user's name as spread.
type respreading struct {
	workers.Projector[domain.UserChange]
}

func (p respreading) Project(ctx context.Context, changes []domain.UserChange) error {
	unspread := slices.Clone(changes)
	for i := range unspread {
		unspread[i].User.SpreadVersion = 0
	}
	return p.Projector.Project(ctx, unspread)
}

// rebuildLetters files what a rebuild cannot project under the live processor,
// where an operator looks for it and which retries it.
type rebuildLetters struct {
	to    workers.DeadLetters
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
