// Package tailer follows the change feed of a container for one process, without leases.
package tailer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/loop"
)

// Reasons for a tailer to restart, besides ErrLost.
var (
	errRecreated = errors.New("the container was replaced by a new one")
	errRestored  = errors.New("the container was restored to an older state")
)

// Tailer follows a change feed for this process alone. Unlike a changefeed.Processor it shares nothing with other
// processes: it has no leases, it reads every feed range, and its follower stores how far it has come.
type Tailer[T any] struct {
	name     string
	feed     Feed[T]
	follower Follower[T]
	options  Options

	following chan struct{} // holds an element during a call of the follower
	passed    loop.Signal   // set after each read

	mu      sync.Mutex
	readers map[feeds.Range]*tailReader[T]
	began   time.Time // when Run began, or when the last readers were stopped
}

// New returns a tailer. The name appears in logs and metrics.
func New[T any](name string, feed Feed[T], follower Follower[T], o Options) *Tailer[T] {
	o = o.withDefaults()
	o.Logger = o.Logger.With("tailer", name)
	t := &Tailer[T]{name: name, feed: feed, follower: follower, options: o,
		following: make(chan struct{}, 1), passed: loop.NewSignal(), readers: make(map[feeds.Range]*tailReader[T])}
	o.Activity.WakeOnUse(t)
	return t
}

// Run follows the feed until the context ends. It logs failures and tries again; they never end Run.
func (t *Tailer[T]) Run(ctx context.Context) {
	t.mu.Lock()
	t.began = time.Now()
	t.mu.Unlock()
	forget := false
	failures := loop.NewFailureLog(t.options.Logger, "cannot follow the change feed")
	for pause := loop.NewBackoffUpTo(t.options.MaxBackoff); ctx.Err() == nil; {
		reviewed, err := t.live(ctx, forget)
		switch {
		case ctx.Err() != nil:
			return
		case needsRestart(err):
			t.options.Logger.Warn("reading the change feed from the beginning", "reason", err)
		default:
			failures.Failed(err)
		}
		forget = errors.Is(err, errRestored) || forget && !reviewed
		if reviewed {
			failures.Succeeded()
			pause = loop.NewBackoffUpTo(t.options.MaxBackoff)
		}
		loop.Wait(ctx, pause)
	}
}

// needsRestart reports whether the tailer has to ask its follower for the marks again.
func needsRestart(err error) bool {
	return errors.Is(err, errRecreated) || errors.Is(err, errRestored) || errors.Is(err, ErrLost)
}

// live follows one container, until that is replaced or the follower has lost its data. If forget is set, the follower
// starts without data. The result reviewed reports whether the feed ranges have been checked successfully.
func (t *Tailer[T]) live(ctx context.Context, forget bool) (reviewed bool, err error) {
	container, err := t.begin(ctx, forget)
	if err != nil {
		return false, err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer func() { end(nil); t.stopAll() }()
	failures := loop.NewFailureLog(t.options.Logger, "cannot check the feed ranges")
	for pause := loop.NewBackoffUpTo(t.options.MaxBackoff); ; {
		wait := t.options.Activity.Interval(t.options.ReviewInterval)
		err := t.review(ctx, end, container)
		switch {
		case ctx.Err() != nil:
			return reviewed, context.Cause(ctx)
		case needsRestart(err):
			return reviewed, err
		case err != nil:
			failures.Failed(err)
			if !reviewed { // no reader runs yet
				wait = min(wait, pause.NextBackOff())
			}
		default:
			failures.Succeeded()
			reviewed = true
		}
		select {
		case <-ctx.Done():
			return reviewed, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// begin makes the follower belong to the present container, and makes the readers for its marks.
func (t *Tailer[T]) begin(ctx context.Context, forget bool) (container string, err error) {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	followed, marks, err := t.follower.Marks(ctx)
	if err != nil {
		return "", fmt.Errorf("read the marks of the follower: %w", err)
	}
	if container, err = t.feed.Container(ctx); err != nil {
		return "", fmt.Errorf("read the id of the container: %w", err)
	}
	if forget || followed != container || len(marks) == 0 {
		marks = nil
		if err := t.follower.Begin(ctx, container); err != nil {
			return "", fmt.Errorf("reset the follower: %w", err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range marks {
		t.readers[m.Range] = newTailReader(t, m)
	}
	return container, nil
}

// review brings the readers in line with the ranges of the container, and starts them.
func (t *Tailer[T]) review(ctx context.Context, end context.CancelCauseFunc, container string) error {
	answering, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	current, err := t.feed.Container(answering)
	if err != nil {
		return err
	}
	if current != container {
		return errRecreated
	}
	ranges, err := t.feed.FeedRanges(answering)
	if err != nil {
		return err
	}
	plan := changefeed.PlanLeases(t.asLeases(), ranges, container)
	for _, s := range plan.Split {
		if err := t.split(ctx, s); err != nil {
			return err
		}
	}
	if len(plan.Create) > 0 {
		var marks []Mark
		for _, r := range plan.Create {
			marks = append(marks, Mark{Range: r})
		}
		if err := t.replace(ctx, nil, marks); err != nil {
			return err
		}
	}
	t.startAll(ctx, end)
	return nil
}

// asLeases returns the ranges of the readers in the form that changefeed.PlanLeases takes.
func (t *Tailer[T]) asLeases() []feeds.Lease {
	t.mu.Lock()
	defer t.mu.Unlock()
	var leases []feeds.Lease
	for r := range t.readers {
		leases = append(leases, feeds.Lease{Range: r})
	}
	return leases
}

// split replaces the reader of a range by readers of its parts, each with the continuation narrowed to the part. If the
// continuation cannot be narrowed, the reader continues undivided, because the SDK follows splits by itself.
func (t *Tailer[T]) split(ctx context.Context, s changefeed.LeaseSplit) error {
	t.mu.Lock()
	reader := t.readers[s.Lease.Range]
	t.mu.Unlock()
	reader.stop()
	mark := reader.reached()
	var parts []Mark
	for _, r := range s.Into {
		continuation, err := t.feed.Narrow(mark.Continuation, r)
		if err != nil {
			t.options.Logger.Debug("cannot split the continuation of a range, reading it undivided",
				"range", changefeed.RangeName(mark.Range), "error", err)
			return nil
		}
		// The LSN may belong to one part only, so it is not passed on.
		parts = append(parts, Mark{Range: r, Continuation: continuation, Read: mark.Read, Complete: mark.Complete})
	}
	return t.replace(ctx, []feeds.Range{mark.Range}, parts)
}

// replace replaces readers, which must not run, by new ones.
func (t *Tailer[T]) replace(ctx context.Context, ranges []feeds.Range, marks []Mark) error {
	if err := t.exclusively(ctx, func() error { return t.follower.Replace(ctx, ranges, marks) }); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range ranges {
		delete(t.readers, r)
	}
	for _, m := range marks {
		t.readers[m.Range] = newTailReader(t, m)
	}
	return nil
}

// exclusively calls the follower when no other call is under way.
func (t *Tailer[T]) exclusively(ctx context.Context, call func() error) error {
	select {
	case t.following <- struct{}{}:
		defer func() { <-t.following }()
		return call()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startAll starts the readers that do not run.
func (t *Tailer[T]) startAll(ctx context.Context, end context.CancelCauseFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.readers {
		r.start(ctx, end)
	}
}

// stopAll stops and discards all readers.
func (t *Tailer[T]) stopAll() {
	t.mu.Lock()
	readers := t.readers
	t.readers = make(map[feeds.Range]*tailReader[T])
	t.began = time.Now()
	t.mu.Unlock()
	for _, r := range readers {
		r.stop()
	}
}

// Wake makes the tailer look for changes now instead of at its next poll. It never blocks.
func (t *Tailer[T]) Wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.readers {
		r.awake.Set()
	}
}

// CatchUp looks for changes now, and waits until those that existed when it was called are applied, or the context
// ends. Only one call at a time may wait.
func (t *Tailer[T]) CatchUp(ctx context.Context) {
	called := time.Now()
	t.Wake()
	for t.Current().Before(called) {
		select {
		case <-ctx.Done():
			return
		case <-t.passed:
		}
	}
}

// decoded returns the changes that can be decoded, and logs the others. An index without one item is better than none.
func decoded[T any](changes []feeds.Change[T], log *slog.Logger) []feeds.Change[T] {
	return slices.DeleteFunc(slices.Clone(changes), func(c feeds.Change[T]) bool {
		if c.Err != nil {
			log.Warn("cannot decode a change, skipping it", "item", c.Item.ID, "partition", c.Item.PartitionKey,
				"error", c.Err)
		}
		return c.Err != nil
	})
}
