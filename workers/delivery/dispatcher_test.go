package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// refused returns an answer of a receiver.
func refused(fault domain.DeliveryFault) *domain.DeliveryError {
	return &domain.DeliveryError{Fault: fault, Answer: "No."}
}

func TestDispatcherDeliversWhatIsStored(t *testing.T) {
	t.Run("at once, in order, and to each destination by one worker", func(t *testing.T) {
		bubble(t, 3, func(w *world) {
			w.store.add("a", "1", "2", "3")
			w.after(time.Second)
			w.received("1", "2", "3")
			if len(w.store.all()) > 0 || w.store.destination("a").Owner != "" ||
				!w.store.destination("a").Due.IsZero() {
				w.Errorf("left: %+v, %+v", w.store.all(), w.store.destination("a"))
			}
		})
	})
	t.Run("within an interval if another instance stored it and ended", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.store.with(func() { w.store.wake = nil })
			w.store.add("a", "1")
			w.after(31 * time.Second)
			w.received("1")
		})
	})
	t.Run("while more is stored, and nothing twice", func(t *testing.T) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		bubble(t, 3, func(w *world) {
			w.network.with(func() { w.network.limit = 2 })
			w.store.with(func() { w.store.latency = time.Millisecond })
			for i := range 500 {
				w.store.add(fmt.Sprint("host/", random.IntN(5)), fmt.Sprint(i))
				time.Sleep(time.Duration(random.Int64N(int64(8 * time.Millisecond))))
			}
			w.after(25 * time.Second) // less than an interval: no delivery waits for the next look
			got := w.network.ids()
			slices.Sort(got)
			if len(got) != 500 || len(slices.Compact(got)) != 500 {
				w.Errorf("%d deliveries were received", len(got))
			}
		})
	})
	t.Run("although replicas lag behind", func(t *testing.T) {
		bubble(t, 2, func(w *world) {
			w.store.with(func() { w.store.lagging, w.store.latency = true, time.Millisecond })
			for i := range 100 { // the second delivery comes at any step of the work for the first
				w.store.add(fmt.Sprint("host", i), fmt.Sprint(i, " first"))
				time.Sleep(time.Duration(i) * 200 * time.Microsecond)
				w.store.add(fmt.Sprint("host", i), fmt.Sprint(i, " second"))
			}
			w.after(20 * time.Second)
			if n := len(w.network.ids()); n != 200 {
				w.Errorf("%d of 200 were received", n)
			}
		})
	})
	t.Run("once, although answers of the storage are lost", func(t *testing.T) {
		for step := range 40 { // of the work for the first delivery, at which the second comes, and another instance
			bubble(t, 1, func(w *world) {
				w.store.with(func() { w.store.losing, w.store.latency = true, time.Millisecond })
				w.network.set("a", func(context.Context, domain.Delivery) error {
					time.Sleep(3 * time.Millisecond)
					return nil
				})
				w.store.add("a", "first")
				time.Sleep(time.Duration(step) * 500 * time.Microsecond)
				w.store.add("a", "second")
				w.start()
				w.after(20 * time.Second)
				w.received("first", "second")
			})
		}
	})
	t.Run("with rests after those that are not urgent", func(t *testing.T) {
		bubble(t, 0, func(w *world) {
			w.options.Rest = func(took time.Duration) time.Duration { return 2 * took }
			w.start()
			for _, name := range []string{"a", domain.UrgentMail} {
				w.network.set(hostOf(name), func(context.Context, domain.Delivery) error {
					time.Sleep(time.Second)
					return nil
				})
			}
			w.store.add("a", "a1", "a2")
			w.store.add(domain.UrgentMail, "u1", "u2")
			w.after(2500 * time.Millisecond)
			got := w.network.ids()
			slices.Sort(got)
			if !slices.Equal(got, []string{"a1", "u1", "u2"}) {
				w.Errorf("received %q", got)
			}
		})
	})
	t.Run("however many wait, a bounded number at a time", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.with(func() { w.network.limit = 4 })
			w.network.set("host", func(context.Context, domain.Delivery) error {
				time.Sleep(10 * time.Millisecond)
				return nil
			})
			for i := range 1000 {
				w.store.add(fmt.Sprint("host/", i%20), fmt.Sprint(i))
			}
			w.after(time.Minute)
			if got := len(w.network.ids()); got != 1000 || w.network.most != 4 {
				w.Errorf("received %d in %d sessions at a time", got, w.network.most)
			}
		})
	})
}

func TestDispatcherRepeatsFailedAttempts(t *testing.T) {
	// failing makes the receiver fail so many times.
	failing := func(w *world, host string, times int, err error) {
		w.network.set(host, func(context.Context, domain.Delivery) error {
			if times--; times >= 0 {
				return err
			}
			return nil
		})
	}
	t.Run("after pauses that grow, until it is accepted", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			failing(w, "a", 3, refused(domain.RefusedForNow))
			w.store.add("a", "1")
			w.after(10 * time.Second)
			if d := w.store.delivery("1"); d.Attempts != 1 || d.Answer != "No." || time.Until(d.Next) > 30*time.Second {
				w.Errorf("after the first attempt: %+v", d)
			}
			w.after(5 * time.Minute)
			w.received("1")
		})
	})
	t.Run("no earlier than the receiver asked for", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			failing(w, "a", 1, &domain.DeliveryError{Fault: domain.RefusedForNow, Answer: "Later.", After: time.Hour})
			w.store.add("a", "1")
			w.after(59 * time.Minute)
			w.received()
			w.after(2 * time.Minute)
			w.received("1")
		})
	})
	t.Run("behind fresh deliveries", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.set("a", func(_ context.Context, d domain.Delivery) error {
				if d.Fresh() && strings.HasPrefix(d.ID, "failing") {
					return refused(domain.RefusedForNow)
				}
				time.Sleep(400 * time.Millisecond)
				return nil
			})
			w.store.add("a", "failing1", "failing2", "failing3")
			w.after(time.Second)
			w.store.with(func() {
				for id, d := range w.store.deliveries {
					d.Next = time.Now()
					w.store.deliveries[id] = d
				}
			})
			w.store.add("a", "fresh1")
			w.after(600 * time.Millisecond) // the first repeated one is under way
			w.store.add("a", "fresh2", "fresh3")
			w.after(time.Minute)
			got := w.network.ids()
			if len(got) != 6 || got[0] != "fresh1" || got[2] != "fresh2" || got[3] != "fresh3" {
				w.Errorf("received %q", got)
			}
		})
	})
	t.Run("and drops what is refused for good, with the answer", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			failing(w, "a", 1, refused(domain.Refused))
			w.store.add("a", "1", "2")
			w.after(time.Second)
			w.received("2")
			if d := w.store.droppedOne("1"); d.Answer != "No." || d.Dropped.IsZero() || d.Attempts != 1 {
				w.Errorf("dropped: %+v", d)
			}
		})
	})
	t.Run("and drops what would be repeated after it has expired", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			failing(w, "a", 1000, refused(domain.RefusedForNow))
			w.store.add("a", "1")
			w.after(25 * time.Hour)
			if d := w.store.droppedOne("1"); d.Attempts < 10 || d.Attempts > 30 {
				w.Errorf("dropped: %+v", d)
			}
		})
	})
	t.Run("and goes on if the transport panics, or the server itself fails", func(t *testing.T) {
		for _, fail := range []func() error{func() error { panic("a defect") },
			func() error { return errors.New("secret of ada@example.org") }} {
			bubble(t, 1, func(w *world) {
				first := true
				w.network.set("a", func(context.Context, domain.Delivery) error {
					if first {
						first = false
						return fail()
					}
					return nil
				})
				w.store.add("a", "1", "2")
				w.after(time.Second)
				w.received("2")
				if d := w.store.delivery("1"); d.Attempts != 1 || strings.Contains(d.Answer, "ada") {
					w.Errorf("left: %+v", d)
				}
				w.after(time.Minute)
				w.received("2", "1")
			})
		}
	})
}

func TestDispatcherLeavesFailingReceiversAlone(t *testing.T) {
	t.Run("until one attempt succeeds, and counts no attempts at what they have not seen", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.with(func() { w.network.limit = 4 })
			w.network.kill("a", refused(domain.ReceiverFailed))
			for i := range 100 {
				w.store.add(fmt.Sprint("a/", i%20), fmt.Sprint(i))
			}
			w.after(time.Hour)
			if n := w.network.openedTo("a"); n < 12 || n > 40 {
				w.Errorf("%d attempts in an hour", n)
			}
			for _, d := range w.store.all() {
				if d.Attempts > 0 {
					w.Errorf("an attempt was counted: %+v", d)
				}
			}
			w.network.kill("a", nil)
			w.after(5*time.Minute + time.Second)
			if n := len(w.network.ids()); n != 100 {
				w.Errorf("%d of 100 were received", n)
			}
		})
	})
	t.Run("and delivers to all destinations again as soon as one attempt has succeeded", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.with(func() { w.network.limit = 4 })
			w.network.kill("a", refused(domain.ReceiverFailed))
			w.network.set("a", func(context.Context, domain.Delivery) error {
				time.Sleep(time.Second)
				return nil
			})
			for i := range 100 {
				w.store.add(fmt.Sprint("a/", i%4), fmt.Sprint(i))
			}
			w.after(200 * time.Millisecond)
			w.network.kill("a", nil)
			w.after(4 * time.Second)
			if w.network.most != 4 {
				w.Errorf("%d sessions at a time", w.network.most)
			}
		})
	})
	t.Run("also after a restart", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.kill("a", refused(domain.ReceiverFailed))
			w.store.add("a", "1")
			w.after(time.Hour)
			w.stop(0)
			before := w.network.openedTo("a")
			w.start()
			w.after(time.Minute)
			if n := w.network.openedTo("a") - before; n > 2 {
				w.Errorf("%d attempts in the minute after the restart", n)
			}
			if d := w.store.destination("a"); d.Failures < 10 || d.Answer != "No." || d.Paused.IsZero() {
				w.Errorf("stored: %+v", d)
			}
		})
	})
	t.Run("as long as they ask for", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.kill("a", &domain.DeliveryError{Fault: domain.ReceiverFailed, After: time.Hour})
			w.store.add("a", "1")
			w.after(59 * time.Minute)
			if n := w.network.openedTo("a"); n != 1 {
				w.Errorf("%d attempts", n)
			}
		})
	})
	t.Run("and delivers others although each attempt at one breaks the connection", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.set("a", func(_ context.Context, d domain.Delivery) error {
				if d.ID == "poison" {
					return refused(domain.ConnectionBroke)
				}
				return nil
			})
			w.store.add("a", "poison", "1", "2")
			w.after(time.Second)
			w.received("1", "2")
			if d := w.store.delivery("poison"); d.Attempts != 1 {
				w.Errorf("left: %+v", d)
			}
		})
	})
}

func TestDispatcherIsNotDelayedByFailingReceivers(t *testing.T) {
	bubble(t, 1, func(w *world) {
		w.network.set("host0", func(ctx context.Context, _ domain.Delivery) error {
			time.Sleep(10 * time.Second)
			return nil
		})
		w.network.kill("host1", refused(domain.ReceiverFailed))
		for i := range 50 {
			for n := range 20 {
				w.store.add(fmt.Sprint("host", i), fmt.Sprintf("host%d.%d", i, n))
			}
		}
		begin := time.Now()
		for i := range 600 { // ten minutes with new deliveries, also to those two
			w.store.add(fmt.Sprint("host", i%50), fmt.Sprintf("host%d.later%d", i%50, i))
			w.after(time.Second)
		}
		created := make(map[string]time.Time)
		for i := range 600 {
			created[fmt.Sprintf("host%d.later%d", i%50, i)] = begin.Add(time.Duration(i) * time.Second)
		}
		received := 0
		for _, r := range w.network.received {
			if strings.HasPrefix(r.id, "host0.") || strings.HasPrefix(r.id, "host1.") {
				continue
			}
			received++
			at := begin
			if later, ok := created[r.id]; ok {
				at = later
			}
			if delay := r.at.Sub(at); delay >= time.Second {
				w.Errorf("%s was delayed by %v", r.id, delay)
			}
		}
		if want := 48*20 + 600*48/50; received != want {
			w.Errorf("%d of %d were received", received, want)
		}
	})
}

func TestDispatcherOwnsItsDestinations(t *testing.T) {
	t.Run("until the storage does not answer it any more, although it can renew", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.store.with(func() { w.store.hanging = true })
			w.store.add("a", "1")
			w.after(time.Second)
			w.store.with(func() { w.store.hanging = false })
			w.after(2 * time.Minute)
			w.received("1")
		})
	})
	t.Run("in turns: many fresh deliveries to one do not delay those to others", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.set("a", func(context.Context, domain.Delivery) error {
				time.Sleep(100 * time.Millisecond)
				return nil
			})
			for i := range 1000 { // 25 seconds of work for each
				w.store.add(fmt.Sprint("a/", i%4), fmt.Sprint(i))
			}
			w.after(time.Second)
			w.store.add("a/other", "other")
			w.after(45 * time.Second)
			if !slices.Contains(w.network.ids(), "other") {
				w.Error("another destination waits for all of them")
			}
		})
	})
	t.Run("until its process dies, and another one goes on after a while", func(t *testing.T) {
		bubble(t, 0, func(w *world) {
			w.store.add("a", "1", "2")
			d := w.store.destination("a")
			if ok, err := w.store.Claim(t.Context(), d, "a dead process"); !ok || err != nil {
				w.Fatal(err)
			}
			w.start()
			w.after(14 * time.Second)
			w.received()
			w.store.add("a", "3") // a change of the destination is no sign of life
			w.after(17 * time.Second)
			w.received("1", "2", "3")
		})
	})
	t.Run("while an attempt lasts", func(t *testing.T) {
		bubble(t, 2, func(w *world) {
			w.network.set("a", func(ctx context.Context, _ domain.Delivery) error {
				time.Sleep(50 * time.Second)
				return nil
			})
			w.store.add("a", "1")
			w.after(3 * time.Minute)
			w.received("1")
		})
	})
	t.Run("and stops before another process can take them over, if it cannot renew", func(t *testing.T) {
		bubble(t, 2, func(w *world) {
			var stopped time.Duration
			w.network.set("a", func(ctx context.Context, d domain.Delivery) error {
				w.store.mu.Lock()
				first := w.store.cut == ""
				if first {
					w.store.cut = w.store.destinations["a"].Owner
				}
				w.store.mu.Unlock()
				if !first {
					return nil
				}
				begin := time.Now()
				<-ctx.Done()
				stopped = time.Since(begin)
				return ctx.Err()
			})
			w.store.add("a", "1", "2")
			w.after(3 * time.Minute)
			w.received("1", "2")
			if stopped == 0 || stopped > 15*time.Second {
				w.Errorf("it stopped after %v", stopped)
			}
		})
	})
	t.Run("and gives them up within the grace period when it is stopped", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.set("a", func(ctx context.Context, _ domain.Delivery) error {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(time.Hour):
					return nil
				}
			})
			w.network.set("b", func(context.Context, domain.Delivery) error {
				time.Sleep(time.Second)
				return nil
			})
			w.store.add("a", "1")
			w.store.add("b", "2", "3")
			w.after(500 * time.Millisecond)
			if took := w.stop(0); took > 3*time.Second {
				w.Errorf("it stopped after %v", took)
			}
			w.received("2") // the attempt that had begun
			for _, d := range []domain.Destination{w.store.destination("a"), w.store.destination("b")} {
				if d.Owner != "" || d.Due.IsZero() {
					w.Errorf("left: %+v", d)
				}
			}
			if d := w.store.delivery("1"); d.Attempts != 0 {
				w.Errorf("left: %+v", d)
			}
			w.network.set("a", nil)
			w.start()
			w.after(2 * time.Second)
			w.received("2", "1", "3")
		})
	})
}

func TestDispatcherRecordsWhatWasAccepted(t *testing.T) {
	t.Run("and what turns out to be nothing, which says nothing about the receiver", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.set("a", func(_ context.Context, d domain.Delivery) error {
				if d.ID == "nothing" {
					return domain.NewError(domain.NotFound, "There is no such user.")
				}
				return refused(domain.ConnectionBroke)
			})
			w.store.add("a", "broken")
			w.after(time.Minute)
			before := w.store.destination("a").Failures
			w.store.add("a", "nothing")
			w.after(10 * time.Minute)
			w.received()
			if d := w.store.delivery("nothing"); d.ID != "" {
				w.Errorf("left: %+v", d)
			}
			if n := w.store.destination("a").Failures; n < before || before == 0 {
				w.Errorf("%d failures, %d before", n, before)
			}
		})
	})
	t.Run("before it delivers anything else, however long the storage fails", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.network.set("a", func(_ context.Context, d domain.Delivery) error {
				w.store.setDown(d.ID == "1")
				return nil
			})
			w.store.add("a", "1", "2")
			w.after(5 * time.Second)
			w.received("1")
			w.store.setDown(false)
			w.after(20 * time.Second)
			w.received("1", "2")
		})
	})
	t.Run("and lists due deliveries again once the storage answers", func(t *testing.T) {
		bubble(t, 1, func(w *world) {
			w.store.setDown(true)
			w.after(time.Hour)
			w.store.add("a", "1")
			w.store.setDown(false)
			w.after(31 * time.Second)
			w.received("1")
		})
	})
}
