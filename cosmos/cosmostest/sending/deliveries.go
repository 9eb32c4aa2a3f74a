package sending

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// freshDelivery returns a delivery that was created some seconds ago, and expires in an hour.
func freshDelivery(destination string, ago int) domain.Delivery {
	created := domain.Timestamp(time.Now().Add(-time.Duration(ago) * time.Second))
	return domain.Delivery{ID: domain.NewID(), Destination: destination, Kind: domain.DeliverMail,
		UserID: domain.NewID(), Sealed: []byte{0, 255, 1}, Created: created, Next: created,
		Expires: domain.Timestamp(time.Now().Add(time.Hour))}
}

// destination returns a destination that no other test uses.
func destination() string { return "mail:" + domain.NewID() }

// waiting fails unless these deliveries wait at a destination, in this order.
func (s *suite) waiting(t *testing.T, destination string, want ...domain.Delivery) {
	t.Helper()
	got := fixture.Must[[]domain.Delivery](t)(s.Deliveries.Waiting(t.Context(), destination, 100))
	if !slices.EqualFunc(got, want, func(a, b domain.Delivery) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("waiting:\n%+v\nwant\n%+v", got, want)
	}
}

// due returns a destination as Due lists it, and its place in the list, or -1.
func (s *suite) due(t *testing.T, name string, before time.Time) (domain.Destination, int) {
	t.Helper()
	list := fixture.Must[[]domain.Destination](t)(s.Deliveries.Due(t.Context(), before))
	at := slices.IndexFunc(list, func(d domain.Destination) bool { return d.Name == name })
	if at < 0 {
		return domain.Destination{}, -1
	}
	return list[at], at
}

// claim makes a worker the owner of a destination that is due, and returns it.
func (s *suite) claim(t *testing.T, name, owner string) domain.Destination {
	t.Helper()
	d, at := s.due(t, name, time.Now())
	if at < 0 || !fixture.Must[bool](t)(s.Deliveries.Claim(t.Context(), d, owner)) {
		t.Fatalf("%s cannot be claimed: %+v", name, d)
	}
	return fixture.Must[domain.Destination](t)(s.Deliveries.Destination(t.Context(), name))
}

func (s *suite) deliveries(t *testing.T) {
	fixture.Run(t, "wait in the order of their creation, repeated ones behind fresh ones", func(t *testing.T) {
		name := destination()
		old, mid, young := freshDelivery(name, 30), freshDelivery(name, 20), freshDelivery(name, 10)
		fixture.Check(t, s.Deliveries.Put(t.Context(), young, old, mid))
		s.waiting(t, name, old, mid, young)
		old.Attempts, old.Answer, old.Next = 1, "Try later.", domain.Timestamp(time.Now().Add(time.Minute))
		fixture.Check(t, s.Deliveries.Retry(t.Context(), old))
		s.waiting(t, name, mid, young, old)
		mid.Attempts, mid.Next = 3, domain.Timestamp(time.Now())
		fixture.Check(t, s.Deliveries.Retry(t.Context(), mid))
		s.waiting(t, name, young, mid, old)
		young.Attempts, young.Answer, young.Dropped = 1, "No such mailbox.", time.Now()
		fixture.Check(t, s.Deliveries.Drop(t.Context(), young))
		s.waiting(t, name, mid, old)
	})
	fixture.Run(t, "are stored once, and not again while they are remembered", func(t *testing.T) {
		name := destination()
		d := freshDelivery(name, 1)
		d.Remember = true
		for range 2 {
			fixture.Check(t, s.Deliveries.Put(t.Context(), d))
			s.waiting(t, name, d)
		}
		for range 2 { // a repeated call records nothing else
			fixture.Check(t, s.Deliveries.Done(t.Context(), d))
			fixture.Check(t, s.Deliveries.Put(t.Context(), d))
			s.waiting(t, name)
		}
	})
	fixture.Run(t, "are deleted when they are done, unless they are remembered", func(t *testing.T) {
		name := destination()
		d := freshDelivery(name, 1)
		fixture.Check(t, s.Deliveries.Put(t.Context(), d))
		for range 2 {
			fixture.Check(t, s.Deliveries.Done(t.Context(), d))
		}
		fixture.Check(t, s.Deliveries.Retry(t.Context(), d)) // decided by another worker meanwhile
		s.waiting(t, name)
		fixture.Check(t, s.Deliveries.Put(t.Context(), d))
		s.waiting(t, name, d)
	})
	fixture.Run(t, "keep how far they have come, until they are done or dropped", func(t *testing.T) {
		name := destination()
		d := freshDelivery(name, 1)
		d.Remember = true
		fixture.Check(t, s.Deliveries.Put(t.Context(), d))
		d.Position = "some place"
		fixture.Check(t, s.Deliveries.Advance(t.Context(), d))
		s.waiting(t, name, d)
		fixture.Must[int](t)(s.Deliveries.GiveUp(t.Context(), name, []string{d.ID}))
		d.Position = "a later place"
		fixture.WantKind(t, s.Deliveries.Advance(t.Context(), d), domain.NotFound) // by a worker, which then stops
		fixture.Must[int](t)(s.Deliveries.Repeat(t.Context(), name, []string{d.ID}))
		list := fixture.Must[[]domain.Delivery](t)(s.Deliveries.Waiting(t.Context(), name, 2))
		if len(list) != 1 || list[0].Position != "some place" {
			t.Errorf("after it was dropped: %+v", list)
		}
		fixture.Check(t, s.Deliveries.Done(t.Context(), d))
		fixture.WantKind(t, s.Deliveries.Advance(t.Context(), d), domain.NotFound)
		s.waiting(t, name)
	})
	fixture.Run(t, "cost about 12 RU each, from being stored to being deleted, if there are many", func(t *testing.T) {
		const many, batch = 400, 100
		name := destination()
		list := make([]domain.Delivery, many)
		for i := range list {
			list[i] = freshDelivery(name, many-i)
			list[i].Sealed = make([]byte, 100)
		}
		usage := s.Cost(t, func(ctx context.Context) error {
			for some := range slices.Chunk(list, batch) {
				if err := s.Deliveries.Put(ctx, some...); err != nil {
					return err
				}
			}
			due, _ := s.due(t, name, time.Now())
			if _, err := s.Deliveries.Claim(ctx, due, "w"); err != nil {
				return err
			}
			for range many / batch {
				some, err := s.Deliveries.Waiting(ctx, name, batch)
				if err != nil {
					return err
				}
				for _, one := range some {
					if err := s.Deliveries.Done(ctx, one); err != nil {
						return err
					}
				}
			}
			d, err := s.Deliveries.Destination(ctx, name)
			d.Due = time.Time{}
			if err == nil {
				_, err = s.Deliveries.Release(ctx, d)
			}
			return err
		})
		t.Logf("%.2f RU for each delivery, %d requests for %d", usage.Charge()/many, usage.Requests(), many)
		if usage.Charge() > 12.2*many || usage.Requests() > 2*many+20 {
			t.Errorf("%.2f RU for each delivery, %d requests for %d", usage.Charge()/many, usage.Requests(), many)
		}
	})
	fixture.Run(t, "about an account are erased with it", func(t *testing.T) {
		mine, other := freshDelivery(domain.UrgentMail, 1), freshDelivery(domain.UrgentMail, 1)
		fixture.Check(t, s.Deliveries.Put(t.Context(), mine, other))
		made := freshDelivery(domain.UrgentMail, 1)
		made.UserID, made.Remember = mine.UserID, true
		fixture.Check(t, s.Deliveries.Put(t.Context(), made))
		fixture.Check(t, s.Deliveries.Done(t.Context(), made))
		for range 2 {
			fixture.Check(t, s.Deliveries.Erase(t.Context(), mine.UserID))
			s.waiting(t, domain.UrgentMail, other)
			fixture.Check(t, s.Deliveries.Put(t.Context(), mine, made)) // by a projector that is late
			s.waiting(t, domain.UrgentMail, other)
		}
		fixture.Check(t, s.Deliveries.Done(t.Context(), other))
	})
}

func (s *suite) destinations(t *testing.T) {
	fixture.Run(t, "are due from when a delivery is stored, those with fresh ones first", func(t *testing.T) {
		first, second := destination(), destination()
		fixture.Check(t, s.Deliveries.Put(t.Context(), freshDelivery(second, 1)))
		d := s.claim(t, second, "w")
		d.Due, d.Fresh = domain.Timestamp(time.Now().Add(time.Minute)), false
		if !fixture.Must[bool](t)(s.Deliveries.Release(t.Context(), d)) {
			t.Error("not released")
		}
		if _, at := s.due(t, second, time.Now()); at >= 0 {
			t.Error("it is due before its time")
		}
		fixture.Check(t, s.Deliveries.Put(t.Context(), freshDelivery(first, 1)))
		got, at := s.due(t, second, time.Now().Add(2*time.Minute))
		if _, before := s.due(t, first, time.Now().Add(2*time.Minute)); before > at || at < 0 ||
			!got.Due.Equal(d.Due) || got.Fresh || got.Owner != "" {
			t.Errorf("place %d after %d: %+v", at, before, got)
		}
		fixture.Check(t, s.Deliveries.Put(t.Context(), freshDelivery(second, 1)))
		if got, at := s.due(t, second, time.Now()); at < 0 || !got.Fresh {
			t.Errorf("a fresh delivery does not make it due: %+v", got)
		}
	})
	fixture.Run(t, "have one owner, who renews and releases them", func(t *testing.T) {
		name := destination()
		fixture.Check(t, s.Deliveries.Put(t.Context(), freshDelivery(name, 1)))
		unclaimed, _ := s.due(t, name, time.Now())
		first := s.claim(t, name, "first")
		for _, stale := range []domain.Destination{unclaimed, {Name: destination(), ETag: first.ETag}} {
			if fixture.Must[bool](t)(s.Deliveries.Claim(t.Context(), stale, "second")) {
				t.Errorf("claimed as it was before: %+v", stale)
			}
		}
		if fixture.Must[bool](t)(s.Deliveries.Renew(t.Context(), name, "second")) {
			t.Error("another worker renewed")
		}
		if !fixture.Must[bool](t)(s.Deliveries.Renew(t.Context(), name, "first")) {
			t.Error("the owner cannot renew")
		}
		renewed, _ := s.due(t, name, time.Now())
		if renewed.Renewals <= first.Renewals || renewed.Owner != "first" {
			t.Errorf("renewed: %+v, before %+v", renewed, first)
		}
		renewed.Due, renewed.Failures, renewed.Answer = time.Time{}, 2, "Down."
		renewed.Paused = domain.Timestamp(time.Now().Add(time.Minute))
		if !fixture.Must[bool](t)(s.Deliveries.Release(t.Context(), renewed)) {
			t.Error("the owner cannot release")
		}
		if fixture.Must[bool](t)(s.Deliveries.Renew(t.Context(), name, "first")) {
			t.Error("renewed after the release")
		}
		got := fixture.Must[domain.Destination](t)(s.Deliveries.Destination(t.Context(), name))
		if got.Owner != "" || !got.Due.IsZero() || got.Failures != 2 || got.Answer != "Down." ||
			!got.Paused.Equal(renewed.Paused) {
			t.Errorf("released: %+v", got)
		}
	})
	fixture.Run(t, "are not released after a delivery was stored that the owner has not seen", func(t *testing.T) {
		name := destination()
		fixture.Check(t, s.Deliveries.Put(t.Context(), freshDelivery(name, 1)))
		d := s.claim(t, name, "w")
		fixture.Check(t, s.Deliveries.Put(t.Context(), freshDelivery(name, 1)))
		d.Due = time.Time{}
		if fixture.Must[bool](t)(s.Deliveries.Release(t.Context(), d)) {
			t.Error("released")
		}
	})
	fixture.Run(t, "lose no delivery that is stored while others are delivered", func(t *testing.T) {
		name := destination()
		const total = 60
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				for range total / 3 {
					if err := s.Deliveries.Put(context.WithoutCancel(t.Context()), freshDelivery(name, 1)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		done := make(map[string]bool)
		defer group.Wait()
		ended := make(chan struct{})
		go func() { group.Wait(); close(ended) }()
		for last := false; !last; {
			select {
			case <-ended: // from here on, only what is due may be looked at
				last = true
			default:
			}
			for {
				d, at := s.due(t, name, time.Now())
				if at < 0 {
					break
				}
				if d.Owner == "" && !fixture.Must[bool](t)(s.Deliveries.Claim(t.Context(), d, "w")) {
					continue
				}
				for _, one := range fixture.Must[[]domain.Delivery](t)(s.Deliveries.Waiting(t.Context(), name, 5)) {
					done[one.ID] = true
					fixture.Check(t, s.Deliveries.Done(t.Context(), one))
				}
				d = fixture.Must[domain.Destination](t)(s.Deliveries.Destination(t.Context(), name))
				d.Due = time.Time{}
				left := fixture.Must[[]domain.Delivery](t)(s.Deliveries.Waiting(t.Context(), name, 1))
				if len(left) == 0 {
					fixture.Must[bool](t)(s.Deliveries.Release(t.Context(), d))
				}
			}
		}
		if len(done) != total {
			t.Errorf("%d of %d were delivered", len(done), total)
		}
	})
}
