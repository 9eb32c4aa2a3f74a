// Package schedule carries out scheduled items at their time: it publishes posts, deletes accounts, and continues the
// renames and deletions of accounts that wait for their budgets.
package schedule

import (
	"context"
	"iter"
	"log/slog"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/workers/loop"
)

// Items stores the scheduled items of one kind.
type Items interface {
	// Upcoming lists the items due before a time, the earliest first. It reads no further than the sequence is
	// followed. An error ends the sequence and comes without an item.
	Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.ScheduledItem, error]
	// Done deletes an item, unless it was stored again since it was read.
	Done(ctx context.Context, item domain.ScheduledItem) error
}

// Task is a kind of scheduled work. Several instances may run it for the same item at once, so both functions must be
// idempotent.
type Task struct {
	// Name says in logs what the task does, as in "publish post".
	Name  string
	Items Items
	// Run carries out an item. The kind of its error decides what follows:
	//
	//   - NotFound: there is nothing to do at that time. The item is dropped when it is staleTime old.
	//   - Unavailable: the item is tried again, for as long as it takes.
	//   - Internal: the item is abandoned after maxAttempts.
	//   - Any other kind: the item is abandoned at once.
	Run func(ctx context.Context, item domain.ScheduledItem) error
	// Abandon cancels an item that cannot be carried out, and records the problem for its user.
	Abandon func(ctx context.Context, item domain.ScheduledItem, problem locale.Stored) error

	metrics *taskMetrics
}

// Scheduler runs a task for items when they are due. Every instance of the program runs one. They share no lease,
// because a task has the same effect however many run it. All read one logical partition, at intervals and first of all
// when they start, so an item that came due while none ran is carried out then.
type Scheduler struct {
	task     Task
	options  Options
	woken    loop.Signal
	failures map[itemKey]*failure // of the items that were due in the last turn
}

// Options tunes a scheduler. Zero values mean the defaults.
type Options struct {
	// Interval is the time between two looks for items that other instances stored: 2 s. Items it knows already run at
	// their time, and an item that this instance stores wakes the scheduler.
	Interval time.Duration
	// Activity makes the interval at least loop.IdleInterval while the instance is idle. Nil: it never does.
	Activity *loop.Activity
	Metrics  *Metrics     // nil records nothing
	Logger   *slog.Logger // nil discards
}

const (
	// turnLimit is the greatest number of items that run in one turn.
	turnLimit = 100
	// waitingLimit is the greatest number of items read in one turn, and remembered until the next. It is much greater
	// than turnLimit, because items that keep failing must not delay those that follow.
	waitingLimit = 10_000
	// staleTime is the age at which an item is dropped whose task finds nothing to do. A younger one stays, because a
	// replica may not have received the draft or user yet.
	staleTime = time.Minute
	// maxAttempts is the number of attempts at an item that fails for an unknown reason.
	maxAttempts = 5
	// attemptTimeout ends an attempt that gets no answer.
	attemptTimeout = time.Minute
)

func newScheduler(task Task, o Options) *Scheduler {
	if o.Interval == 0 {
		o.Interval = 2 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = o.Logger.With("task", task.Name)
	s := &Scheduler{task: task, options: o, woken: loop.NewSignal(), failures: make(map[itemKey]*failure)}
	o.Activity.WakeOnUse(s)
	return s
}

// Wake makes the scheduler look for items now. It never blocks.
func (s *Scheduler) Wake() { s.woken.Set() }

// Run carries out items as they come due, until the context ends.
func (s *Scheduler) Run(ctx context.Context) {
	failures := loop.NewFailureLog(s.options.Logger, "cannot list scheduled items")
	pause := loop.NewBackoff()
	for ctx.Err() == nil {
		wait := s.interval()
		next, then, err := s.turn(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			wait = max(wait, pause.NextBackOff())
			failures.Failed(err)
		case then == turnAgain:
			wait = 0
		case then == awaitInterval:
		case !next.IsZero():
			wait = min(wait, max(0, time.Until(next)))
		}
		if err == nil {
			failures.Succeeded()
			pause = loop.NewBackoff()
		}
		select {
		case <-ctx.Done():
		case <-s.woken:
		case <-time.After(wait):
		}
	}
}

// interval returns the time until the next look at the latest.
func (s *Scheduler) interval() time.Duration {
	return s.options.Activity.Interval(s.options.Interval)
}

// afterTurn is what a scheduler does after a turn.
type afterTurn int

const (
	awaitNext     afterTurn = iota // wait until the next item is due, but no longer than an interval
	turnAgain                      // at once, because more items may be due
	awaitInterval                  // because no item of a full turn got an answer
)

// turn runs the task for the items that are due. It returns the time of the next item, if it has read that.
func (s *Scheduler) turn(ctx context.Context) (next time.Time, then afterTurn, err error) {
	due, next, more, err := s.due(ctx)
	if err != nil {
		return time.Time{}, awaitNext, err
	}
	batch := due[:min(turnLimit, len(due))]
	var answered, done atomic.Int64
	_ = loop.InParallel(ctx, batch, func(ctx context.Context, item domain.ScheduledItem) error {
		switch s.handle(ctx, item, s.failures[keyOf(item)]) {
		case itemDone:
			done.Add(1)
			answered.Add(1)
		case nothingToDo:
			answered.Add(1)
		}
		return nil
	})
	switch {
	case len(batch) == turnLimit && answered.Load() == 0:
		return next, awaitInterval, nil // more attempts would add to the load of a storage that refuses all of them
	case more, len(due) > turnLimit && done.Load() > 0:
		return next, turnAgain, nil
	}
	return next, awaitNext, nil
}
