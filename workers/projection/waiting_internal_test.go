package projection

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/changefeed"
)

// lagging is a processor with a fixed lag.
type lagging struct {
	Processor
	lags []changefeed.RangeLag
	err  error
}

func (l lagging) Lag(context.Context) ([]changefeed.RangeLag, error) { return l.lags, l.err }

func TestWaitingIsReported(t *testing.T) {
	t.Run("names the ranges that are behind and the owners of their leases", func(t *testing.T) {
		got := Processors{
			"users": lagging{err: errors.New("throttled")},
			"posts": lagging{lags: []changefeed.RangeLag{
				{Range: feeds.Range{MaxExclusive: "1F"}, Owner: "me", Transactions: 1, Age: time.Second},
				{Range: feeds.Range{MinInclusive: "1F", MaxExclusive: "2F"}, Owner: "web-1", Transactions: 2000,
					Age: time.Minute},
				{Range: feeds.Range{MinInclusive: "2F", MaxExclusive: "3F"}, Transactions: 3, Age: time.Hour},
				{Range: feeds.Range{MinInclusive: "3F", MaxExclusive: "FF"}, Owner: "web-1"},
			}},
		}.waitingFor(t.Context(), changefeed.Options{Instance: "me", Expiration: time.Minute,
			AcquireInterval: 13 * time.Second})
		want := []string{
			"waiting: cannot estimate the lag of users: throttled",
			"waiting: posts 00-1F: 1 transaction, 1s",
			"waiting: posts 1F-2F: 2,000 transactions, 1m0s; web-1 owns the lease; if it has stopped, this process " +
				"takes over within 1m13s",
			"waiting: posts 2F-3F: 3 transactions, 1h0m0s; no instance owns the lease yet",
		}
		if !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
	})
	t.Run("reports about every ten seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start, reports := time.Now(), 0
			err := WaitUntil(t.Context(), slog.New(slog.DiscardHandler),
				func(context.Context) (bool, error) { return time.Since(start) > time.Minute, nil },
				func(context.Context) { reports++ })
			if err != nil || reports != 5 {
				t.Errorf("%d reports in a minute, error %v", reports, err)
			}
		})
	})
}

func TestWaitingSurvivesErrors(t *testing.T) {
	waitUntil := func(ctx context.Context, log io.Writer, done func(context.Context) (bool, error)) error {
		return WaitUntil(ctx, slog.New(slog.NewTextHandler(log, nil)), done, func(context.Context) {})
	}
	t.Run("an error is logged, and the wait goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start, calls := time.Now(), 0
			var log strings.Builder
			err := waitUntil(t.Context(), &log, func(context.Context) (bool, error) {
				if calls++; time.Since(start) < 9*time.Minute {
					return false, errors.New("throttled")
				}
				return true, nil
			})
			if err != nil {
				t.Errorf("the wait ends with the error %v", err)
			}
			if logged := strings.Count(log.String(), "error=throttled"); logged != calls-1 || logged == 0 {
				t.Errorf("%d of %d errors are logged", logged, calls-1)
			}
			if calls > 60 {
				t.Errorf("%d calls in nine minutes without an answer", calls)
			}
		})
	})
	t.Run("the wait fails after ten minutes without success", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start, permanent := time.Now(), errors.New("the key was revoked")
			err := waitUntil(t.Context(), io.Discard, func(context.Context) (bool, error) {
				if time.Since(start) < time.Minute {
					return false, nil
				}
				return false, permanent
			})
			if took := time.Since(start); err != permanent || took < 10*time.Minute || took > 12*time.Minute {
				t.Errorf("error %v after %v", err, took)
			}
		})
	})
	for name, failure := range map[string]error{
		"the wait ends with its context":                   nil,
		"the wait ends with its context also after errors": errors.New("throttled"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
				defer cancel()
				err := waitUntil(ctx, io.Discard, func(context.Context) (bool, error) { return false, failure })
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
	t.Run("an error that the end of the context causes is not logged", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var log strings.Builder
			err := waitUntil(ctx, &log, func(ctx context.Context) (bool, error) { cancel(); return false, ctx.Err() })
			if !errors.Is(err, context.Canceled) || log.Len() > 0 {
				t.Errorf("error %v, the log is %s", err, log.String())
			}
		})
	})
}
