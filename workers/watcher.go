package workers

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/workers/loop"
)

// watchInterval is the time between two reads of a watched state. A read costs one request unit.
const watchInterval = 5 * time.Second

// watcher knows the current state of something that every page depends on. Reading it for each page would cost more
// than most pages do.
type watcher[T any] struct {
	get func(context.Context) (T, error)
	// newer reports whether a state is newer than another, and replaced is called after a newer state came.
	newer    func(state, than *T) bool
	replaced func(by, old *T)
	failures *loop.FailureLog // used by Read
	current  *atomic.Pointer[T]
	writing  *sync.Mutex // held while current and the pages that depend on it change
	restored loop.Restoration
	woken    loop.Signal
	activity *loop.Activity
}

// newWatcher returns a watcher with the zero state.
func newWatcher[T any](what string, get func(context.Context) (T, error), activity *loop.Activity,
	logger *slog.Logger) watcher[T] {
	w := watcher[T]{get: get, failures: loop.NewFailureLog(logger, "cannot read "+what),
		current: new(atomic.Pointer[T]), writing: new(sync.Mutex), woken: loop.NewSignal(), activity: activity}
	w.current.Store(new(T))
	return w
}

// Current returns the state. The caller must not change it.
func (w *watcher[T]) Current() *T { return w.current.Load() }

// Apply sets a state that was just read or written. It ignores one that is older than the current one, unless the
// storage was restored.
func (w *watcher[T]) Apply(state T) {
	w.writing.Lock()
	defer w.writing.Unlock()
	old := w.current.Load()
	if restored := w.restored.Read(w.newer(old, &state)); restored || w.newer(&state, old) {
		w.current.Store(&state)
		w.replaced(&state, old)
	}
}

// Wake makes the watcher read the state now.
func (w *watcher[T]) Wake() { w.woken.Set() }

// Read reads the state once, before Run. It gives up when the context ends; then Run goes on trying.
func (w *watcher[T]) Read(ctx context.Context) {
	switch err := w.update(ctx); {
	case err == nil:
		w.failures.Succeeded()
	case !errors.Is(ctx.Err(), context.Canceled):
		w.failures.Failed(err)
	}
}

// Run reads the state until the context ends. While it cannot be read, the last known state stays.
func (w *watcher[T]) Run(ctx context.Context) {
	for ctx.Err() == nil {
		w.Read(ctx)
		select {
		case <-ctx.Done():
		case <-w.woken:
		case <-time.After(w.activity.Interval(watchInterval)):
		}
	}
}

func (w *watcher[T]) update(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	state, err := w.get(ctx)
	if err == nil {
		w.Apply(state)
	}
	return err
}
