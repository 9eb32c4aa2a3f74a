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

// DeadLetterCounter counts dead letters, but no more than atMost.
type DeadLetterCounter interface {
	Count(ctx context.Context, atMost int) (int, error)
}

// TailerStatus reports whether a tailer has reached the end of its change feed.
type TailerStatus interface {
	Name() string
	CatchingUp() time.Duration
}

// LagReport reports what the workers of all instances are behind with. It caches each check for a few seconds, however
// often it is called, and no caller waits long for one.
type LagReport struct {
	limit       time.Duration // see NewLagReport
	estimators  map[string]changefeed.Estimator
	deadLetters DeadLetterCounter
	tailers     []TailerStatus

	mu       sync.Mutex
	lines    []string // the result of the last check
	last     time.Time
	checking chan struct{} // closed at the end of the current check; nil if none is under way
}

const (
	checkInterval = 5 * time.Second // minimum time between two checks
	checkTimeout  = 10 * time.Second
	checkWait     = 2 * time.Second  // time to wait for a check; then the result of the one before is used
	checkMaxAge   = 10 * time.Second // age beyond which a result is not used
	// maxCountedLetters is the greatest number of dead letters that is reported exactly.
	maxCountedLetters = 100
)

// NewLagReport returns a LagReport of processors by name, of dead letters and of tailers. The limit is the greatest age
// of a change that is not projected, and the longest time for a tailer to reach the end of its feed.
func NewLagReport(limit time.Duration, processors map[string]changefeed.Estimator, deadLetters DeadLetterCounter,
	tailers ...TailerStatus) *LagReport {
	return &LagReport{limit: limit, estimators: processors, deadLetters: deadLetters, tailers: tailers}
}

// Behind returns a line for each feed range and each worker that is behind, and for dead letters. It returns none if
// nothing needs attention. It never fails: a value that cannot be determined is reported as unknown.
func (w *LagReport) Behind(ctx context.Context) []string {
	if checking := w.begin(ctx); checking != nil {
		select {
		case <-checking:
		case <-ctx.Done():
		case <-time.After(checkWait):
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.last) > checkMaxAge {
		return []string{"lag: unknown", "dead letters: unknown"}
	}
	return w.lines
}

// begin starts a check, unless one is under way or the last one is recent. It returns a channel that is closed at the
// end of the check. The check does not end with the request that began it, because others wait for it too.
func (w *LagReport) begin(ctx context.Context) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.checking == nil && time.Since(w.last) >= checkInterval {
		done := make(chan struct{})
		w.checking = done
		go func() {
			defer close(done)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
			defer cancel()
			lines := w.check(ctx)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.lines, w.last, w.checking = lines, time.Now(), nil
		}()
	}
	return w.checking
}

// check estimates the lags, asks the tailers and counts the dead letters.
func (w *LagReport) check(ctx context.Context) []string {
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
			lines = append(lines, fmt.Sprintf("catching up: %s has not reached the end of its change feed in %v",
				t.Name(), since.Round(time.Second)))
		}
	}
	switch count, err := w.deadLetters.Count(ctx, maxCountedLetters+1); {
	case err != nil:
		lines = append(lines, "dead letters: unknown")
	case count > maxCountedLetters:
		lines = append(lines, fmt.Sprintf("dead letters: more than %d", maxCountedLetters))
	case count > 0:
		lines = append(lines, fmt.Sprintf("dead letters: %d", count))
	}
	return lines
}
