package fanout_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/fanout"
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a storage of the followers of one source, and of their timelines.
type world struct {
	mu        sync.Mutex
	followers []string             // in the order of their follows
	former    map[string]time.Time // when others have left
	merged    bool
	entries   map[string]int // the posts in each timeline
	markers   map[string]int // merged sources in each timeline
	positions []string
	failures  int                      // of the next calls of AddEntry
	onAdd     func(followers []string) // called before entries are added
	onMerge   error                    // the result of Merge, which takes place
	dropped   bool                     // an administrator has dropped the delivery
	largest   int                      // number of followers in a call
}

func newWorld(followers int) *world {
	w := &world{former: make(map[string]time.Time), entries: make(map[string]int), markers: make(map[string]int)}
	for i := range followers {
		w.followers = append(w.followers, fmt.Sprintf("u%05d", i))
	}
	return w
}

func (w *world) Followers(context.Context, domain.Source) (domain.Followers, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return domain.Followers{Count: len(w.followers), Merged: w.merged}, nil
}

func (w *world) Merge(context.Context, domain.Source) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.merged = true
	return w.onMerge
}

func (w *world) Refresh(context.Context, domain.Source) error { return nil }

func (w *world) FollowersAfter(_ context.Context, _ domain.Source, after domain.Place, limit int) (
	ids []string, last domain.Place, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range w.followers {
		if place := domain.PlaceOf(begin, id); place > after && len(ids) < limit {
			ids, last = append(ids, id), place
		}
	}
	return ids, last, nil
}

func (w *world) FormerBetween(_ context.Context, _ domain.Source, after, to domain.Place, since time.Time) (
	ids []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, left := range w.former {
		if place := domain.PlaceOf(begin, id); place > after && (to == "" || place <= to) && !left.Before(since) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (w *world) AddEntry(_ context.Context, followers []string, e domain.TimelineEntry) error {
	if w.onAdd != nil {
		w.onAdd(followers)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.largest = max(w.largest, len(followers))
	for i, id := range followers {
		if w.failures > 0 && i > 0 {
			w.failures--
			return errors.New("no storage")
		}
		if e.PostID == "" {
			w.markers[id] = 1
		} else {
			w.entries[id] = 1
		}
	}
	return nil
}

func (w *world) RemoveEntry(_ context.Context, former []string, _ domain.TimelineEntry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range former {
		delete(w.entries, id)
		delete(w.markers, id)
	}
	return nil
}

func (w *world) Advance(_ context.Context, d domain.Delivery) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.positions = append(w.positions, d.Position)
	if w.dropped {
		return &domain.Error{Kind: domain.NotFound}
	}
	return nil
}

func (w *world) leave(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.followers = slices.DeleteFunc(w.followers, func(f string) bool { return f == id })
	w.former[id] = time.Now()
	delete(w.entries, id)
	delete(w.markers, id)
}

func delivery() domain.Delivery {
	return domain.NewsDelivery(domain.TimelineEntry{Source: domain.AuthorSource("ada"), PostID: "p", AuthorID: "ada",
		Created: time.Now()}, 1, time.Now())
}

// deliver makes one delivery and reports whether it was done.
func deliver(ctx context.Context, w *world, d domain.Delivery, o fanout.Options) (done int, err error) {
	session, err := fanout.New(w, w, o).Open(ctx, d.Destination)
	if err != nil {
		return 0, err
	}
	err = session.Deliver(ctx, d, func() { done++ })
	return done, err
}

func TestPostsReachAllFollowers(t *testing.T) {
	options := fanout.Options{MergeAbove: 10_000, Step: 100}
	t.Run("once, in steps whose size does not depend on their number", func(t *testing.T) {
		w := newWorld(1050)
		if done, err := deliver(t.Context(), w, delivery(), options); done != 1 || err != nil {
			t.Fatal(done, err)
		}
		if len(w.entries) != 1050 || len(w.positions) != 11 || w.largest > 100 {
			t.Errorf("%d entries, %d positions, at most %d at once", len(w.entries), len(w.positions), w.largest)
		}
	})
	t.Run("unless an administrator drops the delivery", func(t *testing.T) {
		w := newWorld(300)
		w.dropped = true
		done, err := deliver(t.Context(), w, delivery(), options)
		if e, ok := errors.AsType[*domain.DeliveryError](err); !ok || e.Fault != domain.Refused || done != 0 {
			t.Errorf("done %d, %v", done, err)
		}
		if len(w.entries) != 100 {
			t.Errorf("%d entries", len(w.entries))
		}
	})
	t.Run("also if a process dies: another one goes on at the position", func(t *testing.T) {
		w := newWorld(1000)
		ctx, kill := context.WithCancel(t.Context())
		synctest.Test(t, func(t *testing.T) {
			d := delivery()
			w.onAdd = func([]string) {
				if len(w.positions) == 4 {
					kill()
					w.failures = 1000
				}
			}
			if done, err := deliver(ctx, w, d, options); done != 0 || err == nil {
				t.Fatal(done, err)
			}
			w.failures, w.onAdd = 0, nil
			begun := len(w.entries)
			d.Position = w.positions[len(w.positions)-1]
			clear(w.entries)
			if done, err := deliver(t.Context(), w, d, options); done != 1 || err != nil {
				t.Fatal(done, err)
			}
			if len(w.entries) != 600 || begun < 400 {
				t.Errorf("%d before, %d after", begun, len(w.entries))
			}
		})
	})
	t.Run("after a moment if the storage fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(300)
			w.failures = 3
			done, err := deliver(t.Context(), w, delivery(), options)
			if done != 1 || err != nil || len(w.entries) != 300 {
				t.Error(done, err, len(w.entries))
			}
		})
	})
	t.Run("but none who has left meanwhile", func(t *testing.T) {
		w := newWorld(300)
		w.onAdd = func(followers []string) {
			if len(followers) > 10 {
				w.leave(followers[10])
			}
		}
		if _, err := deliver(t.Context(), w, delivery(), options); err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(w.entries)); !slices.Equal(got, w.followers) {
			t.Errorf("%d entries for %d followers", len(got), len(w.followers))
		}
	})
	t.Run("also in a step that a process did not end", func(t *testing.T) {
		w := newWorld(300)
		ctx, kill := context.WithCancel(t.Context())
		synctest.Test(t, func(t *testing.T) {
			w.onAdd = func([]string) {
				if len(w.entries) > 150 {
					kill()
					w.failures = 1000
				}
			}
			d := delivery()
			if _, err := deliver(ctx, w, d, options); err == nil {
				t.Fatal("it did not fail")
			}
			w.failures, w.onAdd = 0, nil
			late := "u00164" // got the post, and the projector has cleaned the timeline before
			if w.entries[late] == 0 {
				t.Fatal("it has no entry")
			}
			w.leave(late)
			w.entries[late] = 1
			d.Position = w.positions[len(w.positions)-1]
			if _, err := deliver(t.Context(), w, d, options); err != nil || w.entries[late] != 0 {
				t.Error(err, w.entries[late])
			}
		})
	})
	t.Run("and rests after a few", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, rests := newWorld(640), 0
			o := options
			o.Rest = func(time.Duration) time.Duration { rests++; return time.Second }
			start := time.Now()
			if _, err := deliver(t.Context(), w, delivery(), o); err != nil || rests < 10 {
				t.Fatal(err, rests)
			}
			if took := time.Since(start); took != time.Duration(rests)*time.Second {
				t.Errorf("took %s", took)
			}
		})
	})
}

func TestSourcesWithManyFollowersAreMerged(t *testing.T) {
	options := fanout.Options{MergeAbove: 200, Step: 100}
	t.Run("from the first post above the threshold on", func(t *testing.T) {
		w := newWorld(201)
		for range 2 {
			if done, err := deliver(t.Context(), w, delivery(), options); done != 1 || err != nil {
				t.Fatal(done, err)
			}
		}
		if len(w.entries) != 0 || len(w.markers) != 201 || !w.merged || len(w.positions) != 4 {
			t.Errorf("%d entries, %d markers, %d positions", len(w.entries), len(w.markers), len(w.positions))
		}
	})
	t.Run("also if that was interrupted", func(t *testing.T) {
		w := newWorld(201)
		w.merged = true
		d := delivery()
		d.Position = "merge " + string(domain.PlaceOf(begin, "u00099"))
		if done, err := deliver(t.Context(), w, d, options); done != 1 || err != nil || len(w.markers) != 101 {
			t.Error(done, err, len(w.markers))
		}
	})
	t.Run("also if that was interrupted before the first marker", func(t *testing.T) {
		w := newWorld(201)
		w.onMerge = errors.New("the process dies")
		if done, err := deliver(t.Context(), w, delivery(), options); done != 0 || err == nil {
			t.Fatal(done, err)
		}
		w.onMerge = nil
		d := delivery()
		d.Position = w.positions[0]
		if done, err := deliver(t.Context(), w, d, options); done != 1 || err != nil || len(w.markers) != 201 {
			t.Error(done, err, len(w.markers))
		}
	})
	t.Run("and tags above a hundredth of it", func(t *testing.T) {
		for followers, merged := range map[int]bool{2: false, 3: true} {
			w, d := newWorld(followers), delivery()
			d.News.Source = domain.TagSource("go")
			if _, err := deliver(t.Context(), w, d, options); err != nil || w.merged != merged {
				t.Errorf("%d followers: merged %t, error %v", followers, w.merged, err)
			}
		}
	})
	t.Run("and not below it", func(t *testing.T) {
		w := newWorld(200)
		if _, err := deliver(t.Context(), w, delivery(), options); err != nil || w.merged || len(w.entries) != 200 {
			t.Error(err, w.merged, len(w.entries))
		}
	})
}

func TestDeliveriesThatAreOfNoUse(t *testing.T) {
	t.Run("too old for timelines", func(t *testing.T) {
		d := delivery()
		d.News.Created = time.Now().Add(-domain.TimelineTime - time.Hour)
		done, err := deliver(t.Context(), newWorld(1), d, fanout.Options{})
		if done != 0 || !domain.Is(err, domain.NotFound) {
			t.Error(done, err)
		}
	})
	t.Run("without a post", func(t *testing.T) {
		d := delivery()
		d.News = nil
		_, err := deliver(t.Context(), newWorld(1), d, fanout.Options{})
		if e, ok := errors.AsType[*domain.DeliveryError](err); !ok || e.Fault != domain.Refused {
			t.Error(err)
		}
	})
}
