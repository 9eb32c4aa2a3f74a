package schedule

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/workers/loop"
)

// desk is a schedule in memory with its drafts.
type desk struct {
	mu         sync.Mutex
	entries    []domain.ScheduledItem
	drafts     map[string]time.Time // the scheduled times
	fail       map[string]error     // returned by PublishScheduled, by post
	down       error                // returned by Upcoming
	abandonErr error
	published  []string
	abandoned  []string
	attempts   map[string]int
	looks      int // the number of calls of Upcoming
}

func newDesk() *desk {
	return &desk{drafts: make(map[string]time.Time), fail: make(map[string]error), attempts: make(map[string]int)}
}

// schedule schedules a draft for a time from now.
func (d *desk) schedule(postID string, in time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drafts[postID] = time.Now().Add(in)
	d.entries = append(d.entries, domain.ScheduledItem{PostID: postID, UserID: "u", At: time.Now().Add(in)})
}

func (d *desk) Upcoming(_ context.Context, before time.Time) iter.Seq2[domain.ScheduledItem, error] {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.looks++
	list, down := slices.Clone(d.entries), d.down
	slices.SortStableFunc(list, func(a, b domain.ScheduledItem) int { return a.At.Compare(b.At) })
	return func(yield func(domain.ScheduledItem, error) bool) {
		if down != nil {
			yield(domain.ScheduledItem{}, down)
			return
		}
		for _, e := range list {
			if !e.At.Before(before) || !yield(e, nil) {
				return
			}
		}
	}
}

func (d *desk) countLooks() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.looks
}

func (d *desk) Done(_ context.Context, e domain.ScheduledItem) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = slices.DeleteFunc(d.entries, func(other domain.ScheduledItem) bool { return other == e })
	return nil
}

func (d *desk) PublishScheduled(_ context.Context, e domain.ScheduledItem) (domain.Post, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attempts[e.PostID]++
	if err := d.fail[e.PostID]; err != nil {
		if err.Error() == "panic" {
			panic("no such thing")
		}
		return domain.Post{}, err
	}
	if at, ok := d.drafts[e.PostID]; !ok || !at.Equal(e.At) {
		return domain.Post{}, domain.NewError(domain.NotFound, "no draft")
	}
	delete(d.drafts, e.PostID)
	d.published = append(d.published, fmt.Sprintf("%s after %s", e.PostID, time.Since(e.At)))
	return domain.Post{}, nil
}

func (d *desk) AbandonPublication(_ context.Context, e domain.ScheduledItem, problem locale.Stored) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.abandonErr != nil {
		return d.abandonErr
	}
	d.abandoned = append(d.abandoned, e.PostID+": "+problem.String())
	return nil
}

// scheduling runs a number of schedulers while it calls do with the first.
func scheduling(t *testing.T, d *desk, instances int, m *Metrics, do func(first *Scheduler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		var first *Scheduler
		for range instances {
			s := NewPublisher(d, d, Options{Metrics: m})
			running.Go(func() { s.Run(ctx) })
			if first == nil {
				first = s
			}
		}
		do(first)
		stop()
		running.Wait()
	})
}

// is fails unless these posts were published, in any order, because those of one turn are published concurrently.
func (d *desk) is(t *testing.T, entries int, published ...string) {
	t.Helper()
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if got := slices.Sorted(slices.Values(d.published)); !slices.Equal(got, published) || len(d.entries) != entries {
		t.Errorf("published %q, want %q; %d entries are left, want %d", got, published, len(d.entries), entries)
	}
}

func TestScheduler(t *testing.T) {
	t.Run("publishes exactly at a time between two looks", func(t *testing.T) {
		d := newDesk()
		scheduling(t, d, 1, nil, func(*Scheduler) {
			d.schedule("p", 2500*time.Millisecond) // between two looks
			time.Sleep(2499 * time.Millisecond)
			d.is(t, 1)
			time.Sleep(time.Millisecond)
			d.is(t, 0, "p after 0s")
		})
	})
	t.Run("finds an item of another instance within its interval", func(t *testing.T) {
		d := newDesk()
		scheduling(t, d, 1, nil, func(*Scheduler) {
			time.Sleep(time.Second)
			d.schedule("p", time.Millisecond)
			time.Sleep(time.Second)
			d.is(t, 0, "p after 999ms")
		})
	})
	t.Run("looks once a minute while the instance is idle, and still publishes exactly at the time",
		func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, activity := newDesk(), loop.NewActivity(time.Minute)
				s := NewPublisher(d, d, Options{Activity: activity})
				ctx, stop := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() { s.Run(ctx) })
				time.Sleep(5*time.Minute + time.Second)
				synctest.Wait()
				looks := d.countLooks()
				d.schedule("p", 150*time.Second)
				time.Sleep(150*time.Second - time.Millisecond)
				d.is(t, 1)
				if more := d.countLooks() - looks; more > 3 {
					t.Errorf("%d looks in two and a half minutes", more)
				}
				time.Sleep(time.Millisecond)
				d.is(t, 0, "p after 0s")
				time.Sleep(time.Minute)
				d.schedule("q", time.Second)
				activity.Use()
				time.Sleep(time.Second)
				d.is(t, 0, "p after 0s", "q after 0s")
				stop()
				running.Wait()
			})
		})
	t.Run("looks at once when it is woken", func(t *testing.T) {
		d := newDesk()
		scheduling(t, d, 1, nil, func(s *Scheduler) {
			time.Sleep(time.Second)
			d.schedule("p", 0)
			s.Wake()
			d.is(t, 0, "p after 0s")
		})
	})
	t.Run("publishes at the start all posts that came due while no scheduler ran", func(t *testing.T) {
		d, m := newDesk(), NewMetrics(prometheus.NewRegistry())
		synctest.Test(t, func(*testing.T) {
			for i := range 2*turnLimit + 1 {
				d.schedule(fmt.Sprint("p", i), -time.Hour)
			}
		})
		scheduling(t, d, 1, m, func(*Scheduler) {
			synctest.Wait()
			if len(d.published) != 2*turnLimit+1 || len(d.entries) != 0 {
				t.Errorf("%d published, %d entries are left", len(d.published), len(d.entries))
			}
		})
		if late := testutil.CollectAndCount(m.posts.late); late != 1 {
			t.Errorf("%d metrics of the delay", late)
		}
	})
	t.Run("publishes once when several instances run", func(t *testing.T) {
		d := newDesk()
		scheduling(t, d, 5, nil, func(*Scheduler) {
			d.schedule("p", 5*time.Second)
			time.Sleep(time.Hour)
			d.is(t, 0, "p after 0s")
		})
	})
	t.Run("does not publish a rescheduled draft at its old time, and drops the item", func(t *testing.T) {
		d := newDesk()
		scheduling(t, d, 1, nil, func(*Scheduler) {
			d.schedule("p", 5*time.Second)
			d.schedule("p", 2*time.Minute)
			d.schedule("gone", 5*time.Second)
			d.mu.Lock()
			delete(d.drafts, "gone")
			d.mu.Unlock()
			time.Sleep(30 * time.Second) // a replica may not have the draft yet
			d.is(t, 3)
			time.Sleep(40 * time.Second)
			d.is(t, 1)
			time.Sleep(time.Minute)
			d.is(t, 0, "p after 0s")
		})
	})
	t.Run("abandons a draft that breaks a rule at once, with the reason", func(t *testing.T) {
		d, m := newDesk(), NewMetrics(nil)
		d.fail["p"] = domain.JoinErrors(domain.FieldError("title", "The title can't be empty."),
			domain.FieldError("tags", "Too many tags."))
		scheduling(t, d, 1, m, func(*Scheduler) {
			d.schedule("p", time.Second)
			time.Sleep(time.Minute)
			d.is(t, 0)
		})
		if want := []string{"p: Too many tags. The title can't be empty."}; !slices.Equal(d.abandoned, want) ||
			d.attempts["p"] != 1 {
			t.Errorf("abandoned %q after %d attempts, want %q", d.abandoned, d.attempts["p"], want)
		}
		if n := testutil.ToFloat64(m.posts.abandoned); n != 1 {
			t.Errorf("%v items were abandoned", n)
		}
	})
	t.Run("tries again for as long as the storage is unavailable", func(t *testing.T) {
		d := newDesk()
		d.fail["p"], d.down = domain.NewError(domain.Unavailable, "throttled"), nil
		scheduling(t, d, 1, nil, func(*Scheduler) {
			d.schedule("p", time.Second)
			time.Sleep(time.Hour)
			d.is(t, 1)
			d.mu.Lock()
			delete(d.fail, "p")
			d.mu.Unlock()
			time.Sleep(loop.MaxBackoff + 2*time.Second)
			synctest.Wait()
			if len(d.published) != 1 || len(d.abandoned) != 0 {
				t.Errorf("published %q, abandoned %q", d.published, d.abandoned)
			}
		})
	})
	t.Run("tries again for as long as the items cannot be listed", func(t *testing.T) {
		d := newDesk()
		d.down = errors.New("no connection")
		scheduling(t, d, 1, nil, func(*Scheduler) {
			d.schedule("p", time.Second)
			time.Sleep(10 * time.Minute)
			d.is(t, 1)
			d.mu.Lock()
			d.down = nil
			d.mu.Unlock()
			time.Sleep(loop.MaxBackoff)
			synctest.Wait()
			if len(d.published) != 1 {
				t.Errorf("published %q", d.published)
			}
		})
	})
	for name, err := range map[string]error{"fails": errors.New("no idea"), "panics": errors.New("panic")} {
		t.Run("abandons an item that "+name+" for an unknown reason after some attempts, and carries out others",
			func(t *testing.T) {
				d := newDesk()
				d.fail["p"] = err
				scheduling(t, d, 1, nil, func(*Scheduler) {
					d.schedule("p", 5*time.Second) // after the first look, in any order
					d.schedule("q", 5*time.Second)
					time.Sleep(10 * time.Minute)
					d.is(t, 0, "q after 0s")
				})
				if len(d.abandoned) != 1 || !strings.Contains(d.abandoned[0], "on our side") ||
					d.attempts["p"] != maxAttempts {
					t.Errorf("abandoned %q after %d attempts", d.abandoned, d.attempts["p"])
				}
			})
	}
	t.Run("tries with growing pauses an item that cannot be abandoned", func(t *testing.T) {
		d := newDesk()
		d.fail["p"], d.abandonErr = domain.FieldError("title", "Empty."), errors.New("no idea")
		scheduling(t, d, 1, nil, func(*Scheduler) {
			d.schedule("p", time.Second)
			time.Sleep(time.Hour)
			d.is(t, 1)
		})
		if n := d.attempts["p"]; n < 100 || n > 300 {
			t.Errorf("%d attempts in an hour", n)
		}
	})
	// stuck schedules n items that always fail with an error; nil means that there is nothing to do.
	stuck := func(d *desk, n int, in time.Duration, err error) {
		for i := range n {
			id := fmt.Sprint("stuck", i)
			d.schedule(id, in)
			d.mu.Lock()
			delete(d.drafts, id)
			d.fail[id] = err
			d.mu.Unlock()
		}
	}
	throttled := domain.NewError(domain.Unavailable, "throttled")
	t.Run("is not delayed by many items with nothing to do", func(t *testing.T) {
		d := newDesk()
		scheduling(t, d, 1, nil, func(*Scheduler) {
			stuck(d, 3*turnLimit, 5*time.Second, nil)
			d.schedule("p", 5*time.Second+time.Millisecond)
			d.schedule("q", 8*time.Second)
			time.Sleep(20 * time.Second)
			d.is(t, 3*turnLimit, "p after 0s", "q after 0s")
		})
		if n := d.attempts["stuck0"]; n < 2 || n > 10 {
			t.Errorf("one of the failing items was tried %d times", n)
		}
	})
	t.Run("tries one turn of items an interval while the storage refuses all, and reaches later items",
		func(t *testing.T) {
			d := newDesk()
			scheduling(t, d, 1, nil, func(*Scheduler) {
				stuck(d, 3*turnLimit, 5*time.Second, throttled)
				d.schedule("p", 5*time.Second+time.Millisecond)
				d.schedule("q", 8*time.Second)
				time.Sleep(5 * time.Second)
				for turn := range 3 {
					synctest.Wait()
					tried := 0
					d.mu.Lock()
					for _, n := range d.attempts {
						tried += n
					}
					d.mu.Unlock()
					if want := (turn + 1) * turnLimit; tried != want {
						t.Errorf("%d attempts after %d turns, want %d", tried, turn+1, want)
					}
					time.Sleep(2 * time.Second)
				}
				time.Sleep(9 * time.Second)
				d.is(t, 3*turnLimit, "p after 5.999s", "q after 3s")
			})
			if n := d.attempts["stuck0"]; n < 2 || n > 10 {
				t.Errorf("one of the failing items was tried %d times", n)
			}
		})
	t.Run("continues at once if one of many attempts is answered", func(t *testing.T) {
		d := newDesk()
		scheduling(t, d, 1, nil, func(*Scheduler) {
			d.schedule("first", 5*time.Second)
			stuck(d, turnLimit-1, 5*time.Second, throttled)
			d.schedule("p", 5*time.Second+time.Millisecond)
			time.Sleep(20 * time.Second)
			d.is(t, turnLimit-1, "first after 0s", "p after 0s")
		})
	})
	t.Run("remembers attempts and pauses of an item while many come before it", func(t *testing.T) {
		d := newDesk()
		d.fail["p"] = errors.New("no idea")
		scheduling(t, d, 1, nil, func(s *Scheduler) {
			d.schedule("p", time.Second)
			time.Sleep(4 * time.Second) // some attempts, not the last
			synctest.Wait()
			p := keyOf(d.entries[0])
			known := *s.failures[p]
			stuck(d, turnLimit, -time.Hour, throttled) // stored late, by another instance
			s.Wake()
			synctest.Wait()
			f := s.failures[p]
			if f == nil || f.attempts != known.attempts || !f.next.Equal(known.next) {
				t.Errorf("it remembers %+v, want %+v", f, known)
			}
		})
	})
	t.Run("remembers a bounded number of items", func(t *testing.T) {
		d := newDesk()
		scheduling(t, d, 1, nil, func(s *Scheduler) {
			d.mu.Lock()
			for i := range waitingLimit + 2*turnLimit {
				d.entries = append(d.entries, domain.ScheduledItem{PostID: fmt.Sprint("stuck", i), UserID: "u",
					At: time.Now()})
			}
			d.mu.Unlock()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if n := len(s.failures); n != waitingLimit {
				t.Errorf("it remembers %d items", n)
			}
		})
	})
}
