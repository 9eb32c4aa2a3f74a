package workers

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/changefeed"
)

// fixedLag is an Estimator with a fixed result.
type fixedLag struct {
	lags  []changefeed.RangeLag
	err   error
	hangs bool // until the context ends
	calls atomic.Int32
}

func (s *fixedLag) RecentLag(ctx context.Context) ([]changefeed.RangeLag, error) {
	s.calls.Add(1)
	if s.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.lags, s.err
}

// fixedCount is a DeadLetterCounter with a fixed number.
type fixedCount struct {
	n   int
	err error
}

func (p *fixedCount) Count(_ context.Context, atMost int) (int, error) {
	return min(p.n, atMost), p.err
}

// catchingUp is a tailer that has not reached the end of its feed for the given time.
type catchingUp time.Duration

func (c catchingUp) Name() string              { return "pages-posts" }
func (c catchingUp) CatchingUp() time.Duration { return time.Duration(c) }

func TestLagReportNamesTailersThatNeverReachedTheEnd(t *testing.T) {
	for age, want := range map[time.Duration][]string{
		0:           nil,
		time.Minute: nil,
		5*time.Minute + 100*time.Millisecond: {
			"catching up: pages-posts has not reached the end of its change feed in 5m0s",
		},
	} {
		w := NewLagReport(time.Minute, map[string]changefeed.Estimator{"posts": &fixedLag{}}, &fixedCount{},
			catchingUp(0), catchingUp(age))
		if got := w.Behind(t.Context()); !slices.Equal(got, want) {
			t.Errorf("after %v it reports %q, want %q", age, got, want)
		}
	}
}

func TestLagReport(t *testing.T) {
	watch := func(posts *fixedLag, deadLetters *fixedCount) *LagReport {
		return &LagReport{limit: time.Minute, deadLetters: deadLetters, lines: []string{"before"},
			last:       time.Now().Add(-checkInterval),
			estimators: map[string]changefeed.Estimator{"posts": posts, "users": &fixedLag{}}}
	}
	reports := func(t *testing.T, w *LagReport, want ...string) {
		t.Helper()
		if got := w.Behind(t.Context()); !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
	}
	late := changefeed.RangeLag{Range: feeds.Range{MaxExclusive: "1F"}, Transactions: 1234,
		Age: 5*time.Minute + 10*time.Second}
	throttled := errors.New("throttled")
	for name, tt := range map[string]struct {
		posts       *fixedLag
		deadLetters *fixedCount
		want        []string
	}{
		"reports nothing without a lag": {&fixedLag{lags: []changefeed.RangeLag{{}}}, &fixedCount{}, nil},
		"reports nothing up to the limit": {
			&fixedLag{lags: []changefeed.RangeLag{{Transactions: 7, Age: time.Minute}}}, &fixedCount{}, nil},
		"reports a range and its lag": {&fixedLag{lags: []changefeed.RangeLag{{}, late}}, &fixedCount{},
			[]string{"lagging: posts 00-1F: 1,234 transactions, 5m10s"}},
		"counts dead letters":      {&fixedLag{}, &fixedCount{n: 2}, []string{"dead letters: 2"}},
		"counts up to a hundred":   {&fixedLag{}, &fixedCount{n: 100}, []string{"dead letters: 100"}},
		"counts at most a hundred": {&fixedLag{}, &fixedCount{n: 101}, []string{"dead letters: more than 100"}},
		"reports failures as unknown": {&fixedLag{err: throttled}, &fixedCount{err: throttled},
			[]string{"lag of posts: unknown", "dead letters: unknown"}},
		"reports a lag beside an error": {
			&fixedLag{lags: []changefeed.RangeLag{late}, err: throttled}, &fixedCount{},
			[]string{"lag of posts: unknown", "lagging: posts 00-1F: 1,234 transactions, 5m10s"}},
	} {
		t.Run(name, func(t *testing.T) { reports(t, watch(tt.posts, tt.deadLetters), tt.want...) })
	}
	t.Run("checks again only after some seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			posts, deadLetters := &fixedLag{}, &fixedCount{}
			w := watch(posts, deadLetters)
			reports(t, w)
			deadLetters.n = 1
			time.Sleep(checkInterval - time.Millisecond)
			reports(t, w)
			time.Sleep(time.Millisecond)
			reports(t, w, "dead letters: 1")
			if n := posts.calls.Load(); n != 2 {
				t.Errorf("%d checks", n)
			}
		})
	})
	t.Run("does not wait long for a check that hangs, and begins no second one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			posts := &fixedLag{hangs: true}
			w := watch(posts, &fixedCount{})
			start := time.Now()
			reports(t, w, "before")
			reports(t, w, "before")
			if d := time.Since(start); d != 2*checkWait {
				t.Errorf("two callers waited %s", d)
			}
			if n := posts.calls.Load(); n != 1 {
				t.Errorf("%d checks", n)
			}
			time.Sleep(checkTimeout)
			reports(t, w, "lag of posts: unknown")
		})
	})
	t.Run("does not report the result of an old check", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			posts := &fixedLag{}
			w := watch(posts, &fixedCount{})
			reports(t, w)
			time.Sleep(time.Hour)
			posts.hangs = true
			reports(t, w, "lag: unknown", "dead letters: unknown")
			synctest.Wait()
			posts.hangs = false
			time.Sleep(checkTimeout + checkInterval)
			reports(t, w)
		})
	})
	t.Run("finishes a check whose caller has gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := watch(&fixedLag{}, &fixedCount{n: 3})
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			w.Behind(gone)
			synctest.Wait()
			reports(t, w, "dead letters: 3")
		})
	})
}
