package tailer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/loop"
)

// tailReader reads one range for a tailer.
type tailReader[T any] struct {
	t     *Tailer[T]
	log   *slog.Logger
	awake loop.Signal

	cancel context.CancelFunc // nil while the reader does not run
	done   chan struct{}

	mu      sync.Mutex
	mark    Mark
	begun   time.Time
	drained bool      // whether the last read reached the end
	current time.Time // when the last read began that reached the end
	poll    time.Time // when the next read begins at the latest, after one that reached the end

	restored loop.Restoration
	changed  time.Time // when the last applied change was made
}

func newTailReader[T any](t *Tailer[T], m Mark) *tailReader[T] {
	return &tailReader[T]{t: t, log: t.options.Logger.With("range", changefeed.RangeName(m.Range)),
		awake: loop.NewSignal(), mark: m, begun: time.Now()}
}

// start runs the reader, unless it runs already. It calls end with the error if the feed has to be read again.
func (r *tailReader[T]) start(ctx context.Context, end context.CancelCauseFunc) {
	if r.cancel != nil {
		return
	}
	ctx, r.cancel = context.WithCancel(ctx)
	r.done = make(chan struct{})
	go func() {
		defer close(r.done)
		if err := r.run(ctx); err != nil {
			end(err)
		}
	}()
}

// stop stops the reader and waits for its end. The reader may be started again.
func (r *tailReader[T]) stop() {
	if r.cancel != nil {
		r.cancel()
		<-r.done
		r.cancel = nil
	}
}

// reached returns the mark up to which changes have been applied.
func (r *tailReader[T]) reached() Mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mark
}

// run reads page after page. It returns nil when the context ends, and otherwise the reason to restart the tailer.
func (r *tailReader[T]) run(ctx context.Context) error {
	o := &r.t.options
	stored := time.Time{} // when the mark was stored last
	failures := loop.NewFailureLog(r.log, "cannot read the change feed")
	for pause := loop.NewBackoffUpTo(o.MaxBackoff); ; {
		at, asked := r.reached(), time.Now()
		page, err := r.next(ctx, at)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			failures.Failed(err)
			loop.Wait(ctx, pause)
			continue
		}
		failures.Succeeded()
		if r.wasRestored(page.LSN) {
			return errRestored
		}
		mark := Mark{Range: at.Range, Continuation: page.Continuation, LSN: max(at.LSN, page.LSN),
			Read: time.Now(), Complete: at.Complete || page.AtEnd()}
		if mark.Continuation == "" {
			mark.Continuation = at.Continuation
		}
		changes := decoded(page.Changes, r.log)
		if len(changes) > 0 || mark.Complete != at.Complete || time.Since(stored) >= o.KeepInterval {
			if err := r.follow(ctx, changes, mark); err != nil || ctx.Err() != nil {
				return err
			}
			stored = time.Now()
		}
		r.pass(mark, page, asked)
		if page.Empty() {
			loop.Wait(ctx, pause)
			continue
		}
		pause = loop.NewBackoffUpTo(o.MaxBackoff)
		if page.AtEnd() {
			poll := o.Activity.Interval(o.PollInterval)
			r.expectNext(time.Now().Add(poll))
			loop.Idle(ctx, nil, r.awake, poll, o.Pause)
		}
	}
}

// next reads a page.
func (r *tailReader[T]) next(ctx context.Context, at Mark) (feeds.Batch[T], error) {
	ctx, cancel := context.WithTimeout(ctx, r.t.options.AnswerTimeout)
	defer cancel()
	return r.t.feed.Read(ctx, at.Range, at.Continuation, r.t.options.PageSize)
}

// follow passes changes to the follower until it succeeds. It returns ErrLost, or nil if it succeeded or the context
// ended.
func (r *tailReader[T]) follow(ctx context.Context, changes []feeds.Change[T], m Mark) error {
	for pause := loop.NewBackoff(); ; {
		err := r.t.exclusively(ctx, func() error { return r.t.follower.Follow(ctx, changes, m) })
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrLost):
			return err
		case ctx.Err() != nil:
			return nil
		}
		r.log.Error("cannot apply changes", "changes", len(changes), "error", err)
		if !loop.Wait(ctx, pause) {
			return nil
		}
	}
}

// pass records that a page has been applied.
func (r *tailReader[T]) pass(m Mark, page feeds.Batch[T], asked time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mark, r.drained = m, page.AtEnd()
	if page.AtEnd() {
		r.current = asked
	}
	if n := len(page.Changes); n > 0 {
		r.changed = page.Changes[n-1].Modified
	}
	r.t.passed.Set()
}

// expectNext records when the next read begins at the latest.
func (r *tailReader[T]) expectNext(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.poll = at
}

// wasRestored reports whether the LSN of the range shows that the container was restored.
func (r *tailReader[T]) wasRestored(lsn int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.restored.Read(lsn != 0 && lsn < r.mark.LSN)
}

func (r *tailReader[T]) currentAt() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// behind returns the lag of the range: see Tailer.Behind.
func (r *tailReader[T]) behind() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := r.mark.Read
	if since.IsZero() {
		since = r.begun
	}
	silent := time.Since(since)
	switch {
	case r.drained && time.Since(r.poll) <= r.t.options.PollInterval+loop.AnswerTimeout:
		return 0
	case !r.drained && !r.changed.IsZero():
		return max(time.Since(r.changed), 0)
	}
	return silent
}
