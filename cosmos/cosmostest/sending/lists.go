package sending

import (
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// newDelivery returns a delivery that expires in an hour.
func newDelivery(destination string) domain.Delivery {
	now := domain.Timestamp(time.Now())
	return domain.Delivery{ID: domain.NewID(), Destination: destination, Kind: domain.DeliverMail, UserID: "u.somebody",
		Sealed: []byte("sealed"), Created: now, Expires: now.Add(time.Hour), Remember: true}
}

// failedDelivery stores a delivery and fails it: for now, or for good.
func (s *suite) failedDelivery(t *testing.T, destination string, next, dropped time.Time) domain.Delivery {
	t.Helper()
	d := newDelivery(destination)
	fixture.Check(t, s.Deliveries.Put(t.Context(), d))
	d.Attempts, d.Answer = 1, "451 later"
	if d.Next, d.Dropped = next, dropped; dropped.IsZero() {
		fixture.Check(t, s.Deliveries.Retry(t.Context(), d))
	} else {
		fixture.Check(t, s.Deliveries.Drop(t.Context(), d))
	}
	return d
}

// failedIDs returns the ids on a page of the failed deliveries.
func (s *suite) failedIDs(t *testing.T, destination string) (ids []string) {
	t.Helper()
	for _, d := range fixture.Must[domain.ListPage[domain.Delivery]](t)(s.Deliveries.List(t.Context(), destination,
		1)).Items {
		ids = append(ids, d.ID)
	}
	return ids
}

// waitingOf returns a delivery that waits.
func (s *suite) waitingOf(t *testing.T, d domain.Delivery) (found domain.Delivery, ok bool) {
	t.Helper()
	list := fixture.Must[[]domain.Delivery](t)(s.Deliveries.Waiting(t.Context(), d.Destination, 100))
	if i := slices.IndexFunc(list, func(other domain.Delivery) bool { return other.ID == d.ID }); i >= 0 {
		return list[i], true
	}
	return found, false
}

func (s *suite) deliveryLists(t *testing.T) {
	now := domain.Timestamp(time.Now())
	later := now.Add(30 * time.Minute)
	fixture.Run(t, "destinations are listed with the numbers of their deliveries", func(t *testing.T) {
		const name = "test:counts"
		for range 3 {
			fixture.Check(t, s.Deliveries.Put(t.Context(), newDelivery(name)))
		}
		s.failedDelivery(t, name, later, time.Time{})
		s.failedDelivery(t, name, later, time.Time{})
		s.failedDelivery(t, name, time.Time{}, now)
		done := newDelivery(name)
		fixture.Check(t, s.Deliveries.Put(t.Context(), done))
		fixture.Check(t, s.Deliveries.Done(t.Context(), done))
		list := fixture.Must[[]domain.Destination](t)(s.Deliveries.Destinations(t.Context()))
		i := slices.IndexFunc(list, func(d domain.Destination) bool { return d.Name == name })
		if i < 0 || list[i].Due.IsZero() {
			t.Fatalf("destinations %+v", list)
		}
		if n := fixture.Must[domain.DeliveryCounts](t)(s.Deliveries.Count(t.Context(), list[i])); n !=
			(domain.DeliveryCounts{Fresh: 3, Repeated: 2, Dropped: 1}) {
			t.Errorf("counts %+v", n)
		}
		if n := fixture.Must[domain.DeliveryCounts](t)(s.Deliveries.Count(t.Context(),
			domain.Destination{Name: "test:nothing", Due: now})); n != (domain.DeliveryCounts{}) {
			t.Errorf("counts of a destination without deliveries %+v", n)
		}
	})
	fixture.Run(t, "failed deliveries are listed: dropped ones first, without what was sealed", func(t *testing.T) {
		const name = "test:list"
		fixture.Check(t, s.Deliveries.Put(t.Context(), newDelivery(name)))
		waiting := s.failedDelivery(t, name, later, time.Time{})
		earlier := s.failedDelivery(t, name, time.Time{}, now.Add(-time.Minute))
		dropped := s.failedDelivery(t, name, time.Time{}, now)
		page := fixture.Must[domain.ListPage[domain.Delivery]](t)(s.Deliveries.List(t.Context(), name, 1))
		if want := []string{dropped.ID, earlier.ID, waiting.ID}; !slices.Equal(s.failedIDs(t, name), want) ||
			page.More {
			t.Errorf("listed %+v, want %v", page, want)
		}
		for _, d := range page.Items {
			if len(d.Sealed) > 0 || d.UserID != "" || d.Answer != "451 later" || d.Attempts != 1 ||
				!d.Expires.After(now) || d.Created.IsZero() {
				t.Errorf("listed %+v", d)
			}
		}
		if !page.Items[0].Dropped.Equal(now) || !page.Items[2].Dropped.IsZero() || !page.Items[2].Next.Equal(later) {
			t.Errorf("times of %+v", page.Items)
		}
		if next := fixture.Must[domain.ListPage[domain.Delivery]](t)(s.Deliveries.List(t.Context(), name,
			2)); len(next.Items) > 0 {
			t.Errorf("second page %+v", next)
		}
	})
	fixture.Run(t, "repeating makes deliveries due, whether they wait or were dropped", func(t *testing.T) {
		const name = "test:repeat"
		waiting := s.failedDelivery(t, name, later, time.Time{})
		dropped := s.failedDelivery(t, name, time.Time{}, now)
		other := s.failedDelivery(t, name, later, time.Time{})
		s.releaseAt(t, name, later)
		if n := fixture.Must[int](t)(s.Deliveries.Repeat(t.Context(), name, []string{waiting.ID, dropped.ID})); n != 2 {
			t.Errorf("%d repeated", n)
		}
		for _, d := range []domain.Delivery{waiting, dropped} {
			if got, ok := s.waitingOf(t, d); !ok || got.Next.After(time.Now()) || got.Fresh() || got.Attempts != 1 ||
				string(got.Sealed) != "sealed" {
				t.Errorf("repeated %+v, %v", got, ok)
			}
		}
		stored := fixture.Must[struct{ TTL int }](t)(client.Read[struct{ TTL int }](t.Context(),
			s.Container(schema.DeliveriesContainer), name, dropped.ID))
		// It is seen for a day after it has expired.
		left := int(time.Until(dropped.Expires.Add(24 * time.Hour)).Seconds())
		if stored.TTL < left || stored.TTL > left+60 {
			t.Errorf("expires after %d s, want %d", stored.TTL, left)
		}
		if got, ok := s.waitingOf(t, other); !ok || !got.Next.Equal(later) {
			t.Errorf("the other one is %+v", got)
		}
		if d := fixture.Must[domain.Destination](t)(s.Deliveries.Destination(t.Context(), name)); d.Fresh ||
			d.Due.After(time.Now()) {
			t.Errorf("the destination is %+v", d)
		}
	})
	fixture.Run(t, "a dropped delivery is not tried again, and may be repeated", func(t *testing.T) {
		const name = "test:drop"
		d := s.failedDelivery(t, name, later, time.Time{})
		fresh := newDelivery(name)
		fixture.Check(t, s.Deliveries.Put(t.Context(), fresh))
		if n := fixture.Must[int](t)(s.Deliveries.GiveUp(t.Context(), name, []string{d.ID, fresh.ID})); n != 2 {
			t.Errorf("%d dropped", n)
		}
		if got, ok := s.waitingOf(t, d); ok {
			t.Errorf("still waits: %+v", got)
		}
		fixture.Check(t, s.Deliveries.Put(t.Context(), d))                      // the projector again
		fixture.Check(t, s.Deliveries.Retry(t.Context(), retried(d, 2, later))) // an attempt that was under way
		if _, ok := s.waitingOf(t, d); ok {
			t.Error("waits again after an attempt that was under way")
		}
		if n := fixture.Must[int](t)(s.Deliveries.GiveUp(t.Context(), name, []string{d.ID})); n != 0 {
			t.Errorf("%d dropped again", n)
		}
		if n := fixture.Must[int](t)(s.Deliveries.Repeat(t.Context(), name, []string{d.ID})); n != 1 {
			t.Errorf("%d repeated", n)
		}
	})
	fixture.Run(t, "what was delivered or has expired is left alone", func(t *testing.T) {
		const name = "test:gone"
		done := newDelivery(name)
		fixture.Check(t, s.Deliveries.Put(t.Context(), done))
		fixture.Check(t, s.Deliveries.Done(t.Context(), done))
		for _, decide := range []func() (int, error){
			func() (int, error) { return s.Deliveries.Repeat(t.Context(), name, []string{done.ID, domain.NewID()}) },
			func() (int, error) { return s.Deliveries.GiveUp(t.Context(), name, []string{done.ID, domain.NewID()}) },
		} {
			if n := fixture.Must[int](t)(decide()); n != 0 {
				t.Errorf("%d changed", n)
			}
		}
		fixture.Check(t, s.Deliveries.Put(t.Context(), done))
		if _, ok := s.waitingOf(t, done); ok || len(s.failedIDs(t, name)) > 0 {
			t.Error("a delivered one is there again")
		}
	})
}

func retried(d domain.Delivery, attempts int, next time.Time) domain.Delivery {
	d.Attempts, d.Next = attempts, next
	return d
}

// releaseAt makes a destination due at a time, as a worker does that has nothing to do before.
func (s *suite) releaseAt(t *testing.T, name string, due time.Time) {
	t.Helper()
	d := fixture.Must[domain.Destination](t)(s.Deliveries.Destination(t.Context(), name))
	d.Due, d.Fresh = due, false
	if !fixture.Must[bool](t)(s.Deliveries.Release(t.Context(), d)) {
		t.Fatal("not released")
	}
}
