package workers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"inkfeed/workers/changefeed"
)

// Estimator says how far a processor is behind, also when it cannot look now.
type Estimator interface {
	RecentLag(ctx context.Context) ([]changefeed.RangeLag, error)
}

// LetterCounter counts the dead letters, until it has come to atMost.
type LetterCounter interface {
	Count(ctx context.Context, atMost int) (int, error)
}

// TailerStatus reports whether a tailer has reached the end of its change feed.
type TailerStatus interface {
	Name() string
	CatchingUp() time.Duration
}

// Watch tells what the workers of all instances are behind with. However often it is
// asked, it looks seldom, and nobody who asks waits long for a look.
type Watch struct {
	limit      time.Duration // of the age of a change that is not projected
	estimators map[string]Estimator
	letters    LetterCounter
	tailers    []TailerStatus

	mu      sync.Mutex
	lines   []string // of the last look
	last    time.Time
	looking chan struct{} // closed at the end of the look that is under way; nil: none is
}

const (
	lookAgain   = 5 * time.Second
	lookTimeout = 10 * time.Second
	lookWait    = 2 * time.Second  // for a look; then the one before must do
	lookKeep    = 10 * time.Second // for so long
)

// NewWatch returns a Watch of processors, by name, of dead letters and of tailers. The limit is the
// greatest age of a change that is not projected, and the longest time for a tailer to reach the
// end of its feed.
func NewWatch(limit time.Duration, processors map[string]Estimator, letters LetterCounter,
	tailers ...TailerStatus) *Watch {
	return &Watch{limit: limit, estimators: processors, letters: letters, tailers: tailers}
}

// Behind is a line for each range and thing that is behind, and nothing when all is
// well. It never fails: what cannot be found out is said to be unknown.
func (w *Watch) Behind(ctx context.Context) []string {
	if looking := w.begin(ctx); looking != nil {
		select {
		case <-looking:
		case <-ctx.Done():
		case <-time.After(lookWait):
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.last) > lookKeep {
		return []string{"lag: unknown", "dead letters: unknown"}
	}
	return w.lines
}

// begin looks, if nobody does and the last look is old. The look does not end with
// the request that began it: others wait for it as well.
func (w *Watch) begin(ctx context.Context) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.looking == nil && time.Since(w.last) >= lookAgain {
		done := make(chan struct{})
		w.looking = done
		go func() {
			defer close(done)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
			defer cancel()
			lines := w.look(ctx)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.lines, w.last, w.looking = lines, time.Now(), nil
		}()
	}
	return w.looking
}

func (w *Watch) look(ctx context.Context) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(w.estimators)) {
		lags, err := w.estimators[name].RecentLag(ctx)
		if err != nil {
			lines = append(lines, "lag of "+name+": unknown")
		}
		for _, lag := range lags {
			if lag.Age > w.limit {
				lines = append(lines, fmt.Sprintf("lagging: %s %s", name, lag))
			}
		}
	}
	for _, t := range w.tailers {
		if since := t.CatchingUp(); since > w.limit {
			lines = append(
				lines,
				fmt.Sprintf("catching up: %s has not reached the end of its change feed in %v", t.Name(),
					since.Round(time.Second)),
			)
		}
	}
	switch waiting, err := w.letters.Count(ctx, countedLetters+1); {
	case err != nil:
		lines = append(lines, "dead letters: unknown")
	case waiting > countedLetters:
		lines = append(lines, fmt.Sprintf("dead letters: more than %d", countedLetters))
	case waiting > 0:
		lines = append(lines, fmt.Sprintf("dead letters: %d", waiting))
	}
	return lines
}

// countedLetters is how many dead letters are counted at most.
const countedLetters = 100
