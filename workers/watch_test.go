package workers

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/changefeed"
)

// standing is a fixed answer about lag.
type standing struct {
	lags  []changefeed.RangeLag
	err   error
	hangs bool // for as long as the context lets it
	asked atomic.Int32
}

func (s *standing) RecentLag(ctx context.Context) ([]changefeed.RangeLag, error) {
	s.asked.Add(1)
	if s.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.lags, s.err
}

// pile is that many dead letters.
type pile struct {
	n   int
	err error
}

func (p *pile) Count(_ context.Context, atMost int) (int, error) { return min(p.n, atMost), p.err }

// catching is a tailer that has not reached the end of its feed for the given time.
type catching time.Duration

func (c catching) Name() string              { return "pages-posts" }
func (c catching) CatchingUp() time.Duration { return time.Duration(c) }

func TestWatchReportsTailersThatNeverReachedTheEnd(t *testing.T) {
	for age, want := range map[time.Duration][]string{
		0:                                    nil,
		time.Minute:                          nil,
		5*time.Minute + 100*time.Millisecond: {"catching up: pages-posts has not reached the end of its change feed in 5m0s"},
	} {
		w := NewWatch(time.Minute, map[string]Estimator{"posts": &standing{}}, &pile{}, catching(0), catching(age))
		if got := w.Behind(t.Context()); !slices.Equal(got, want) {
			t.Errorf("after %v it says %q, want %q", age, got, want)
		}
	}
}

func TestWatch(t *testing.T) {
	watch := func(posts *standing, letters *pile) *Watch {
		return &Watch{limit: time.Minute, letters: letters, lines: []string{"before"}, last: time.Now().Add(-lookAgain),
			estimators: map[string]Estimator{"posts": posts, "users": &standing{}}}
	}
	says := func(t *testing.T, w *Watch, want ...string) {
		t.Helper()
		if got := w.Behind(t.Context()); !slices.Equal(got, want) {
			t.Errorf("says %q, want %q", got, want)
		}
	}
	late := changefeed.RangeLag{Range: domain.FeedRange{MaxExclusive: "1F"}, Transactions: 1234, Age: 5*time.Minute + 10*time.Second}
	for name, c := range map[string]struct {
		posts   *standing
		letters *pile
		want    []string
	}{
		"is silent when all is well": {&standing{lags: []changefeed.RangeLag{{}}}, &pile{}, nil},
		"is silent up to the limit":  {&standing{lags: []changefeed.RangeLag{{Transactions: 7, Age: time.Minute}}}, &pile{}, nil},
		"names the range and how far it is behind": {&standing{lags: []changefeed.RangeLag{{}, late}}, &pile{},
			[]string{"lagging: posts 00-1F: 1,234 transactions, 5m10s"}},
		"counts dead letters":           {&standing{}, &pile{n: 2}, []string{"dead letters: 2"}},
		"counts up to a hundred":        {&standing{}, &pile{n: 100}, []string{"dead letters: 100"}},
		"counts no more than a hundred": {&standing{}, &pile{n: 101}, []string{"dead letters: more than 100"}},
		"says what it cannot find out":  {&standing{err: errors.New("throttled")}, &pile{err: errors.New("throttled")}, []string{"lag of posts: unknown", "dead letters: unknown"}},
		"says what it knows in spite of it": {&standing{lags: []changefeed.RangeLag{late}, err: errors.New("throttled")}, &pile{},
			[]string{"lag of posts: unknown", "lagging: posts 00-1F: 1,234 transactions, 5m10s"}},
	} {
		t.Run(name, func(t *testing.T) { says(t, watch(c.posts, c.letters), c.want...) })
	}
	t.Run("looks again only after some seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			posts, letters := &standing{}, &pile{}
			w := watch(posts, letters)
			says(t, w)
			letters.n = 1
			time.Sleep(lookAgain - time.Millisecond)
			says(t, w)
			time.Sleep(time.Millisecond)
			says(t, w, "dead letters: 1")
			if n := posts.asked.Load(); n != 2 {
				t.Errorf("%d looks", n)
			}
		})
	})
	t.Run("keeps nobody waiting for a look that hangs, and begins no second one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			posts := &standing{hangs: true}
			w := watch(posts, &pile{})
			start := time.Now()
			says(t, w, "before")
			says(t, w, "before")
			if d := time.Since(start); d != 2*lookWait {
				t.Errorf("two askers waited %s", d)
			}
			if n := posts.asked.Load(); n != 1 {
				t.Errorf("%d looks", n)
			}
			time.Sleep(lookTimeout)
			says(t, w, "lag of posts: unknown")
		})
	})
	t.Run("does not pass off an old look as a new one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			posts := &standing{}
			w := watch(posts, &pile{})
			says(t, w)
			time.Sleep(time.Hour)
			posts.hangs = true
			says(t, w, "lag: unknown", "dead letters: unknown")
			synctest.Wait()
			posts.hangs = false
			time.Sleep(lookTimeout + lookAgain)
			says(t, w)
		})
	})
	t.Run("goes on looking when the asker has gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := watch(&standing{}, &pile{n: 3})
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			w.Behind(gone)
			synctest.Wait()
			says(t, w, "dead letters: 3")
		})
	})
}
