package changefeed

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
)

// silence makes a number of calls hang until their contexts end, as if their answers never came.
type silence struct{ calls atomic.Int32 }

func (s *silence) swallow(ctx context.Context) error {
	if s.calls.Add(-1) < 0 {
		return nil
	}
	<-ctx.Done()
	return &domain.Error{Kind: domain.Unavailable, Err: ctx.Err()}
}

type silentFeed struct {
	*feedtest.Feed
	container, read silence
}

func (f *silentFeed) Container(ctx context.Context) (string, error) {
	if err := f.container.swallow(ctx); err != nil {
		return "", err
	}
	return f.Feed.Container(ctx)
}

func (f *silentFeed) Read(ctx context.Context, r feeds.Range, continuation string,
	limit int) (feeds.Batch[int], error) {
	if err := f.read.swallow(ctx); err != nil {
		return feeds.Batch[int]{}, err
	}
	return f.Feed.Read(ctx, r, continuation, limit)
}

type silentLeases struct {
	*fakeLeases
	replace silence
}

func (s *silentLeases) Replace(ctx context.Context, l feeds.Lease) (feeds.Lease, error) {
	if err := s.replace.swallow(ctx); err != nil {
		return feeds.Lease{}, err
	}
	return s.fakeLeases.Replace(ctx, l)
}

type silentLetters struct {
	*fakeLetters
	put silence
}

func (d *silentLetters) Put(ctx context.Context, l feeds.DeadLetter) error {
	if err := d.put.swallow(ctx); err != nil {
		return err
	}
	return d.fakeLetters.Put(ctx, l)
}

// TestAnAnswerThatNeverComes lets calls hang, as on a connection that was cut without notice. The processor must not
// wait for them while it renews its leases, because then no instance would read the range.
func TestAnAnswerThatNeverComes(t *testing.T) {
	for name, lose := range map[string]func(*silentFeed, *silentLeases, *silentLetters){
		"about the container's id": func(f *silentFeed, _ *silentLeases,
			_ *silentLetters) {
			f.container.calls.Store(1)
		},
		"to a read of the feed": func(f *silentFeed, _ *silentLeases,
			_ *silentLetters) {
			f.read.calls.Store(1)
		},
		"to the write of a lease": func(_ *silentFeed, l *silentLeases,
			_ *silentLetters) {
			l.replace.calls.Store(1)
		},
		"to the write of a dead letter": func(_ *silentFeed, _ *silentLeases,
			d *silentLetters) {
			d.put.calls.Store(1)
		},
		"to several calls, one by one": func(f *silentFeed, l *silentLeases, _ *silentLetters) {
			f.read.calls.Store(2)
			l.replace.calls.Store(2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				feed := &silentFeed{Feed: feedtest.New(1)}
				leases := &silentLeases{fakeLeases: newFakeLeases()}
				letters := &silentLetters{fakeLetters: &fakeLetters{}}
				lose(feed, leases, letters)
				feed.WriteBroken(0, 1, errDead)
				feed.Write(0, 2)
				seen := &collector{}
				defer start(t, NewProcessor("p", feed, leases, letters, seen, Options{Instance: "a"}))()
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				if got := seen.all(); !slices.Equal(got, []int{2}) || !slices.Equal(letters.items(), []string{"1"}) {
					t.Errorf("projected %v, dead letters %v", got, letters.items())
				}
			})
		})
	}

	t.Run("to a renewal does not cost the lease", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			feed, leases := feedtest.New(1), &silentLeases{fakeLeases: newFakeLeases()}
			p := NewProcessor("p", feed, leases, &fakeLetters{}, &collector{}, Options{Instance: "a"})
			defer start(t, p)()
			synctest.Wait()
			leases.replace.calls.Store(1)
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			if l := leases.get(parseRange("0-1")); l.Epoch != 1 || time.Since(l.Renewed) > 17*time.Second {
				t.Errorf("the lease is %+v", l)
			}
		})
	})
}
