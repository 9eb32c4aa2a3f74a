package accounts

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// anOutgoing returns a delivery about a user.
func anOutgoing(userID string) domain.Delivery {
	now := domain.Timestamp(time.Now())
	return domain.Delivery{ID: domain.NewID(), Destination: domain.UrgentMail, Kind: domain.DeliverMail, UserID: userID,
		Sealed: []byte{0, 255, 1}, Created: now, Expires: now.Add(time.Hour), Remember: true}
}

// wantOutgoing checks whether the change feed has a delivery that the change of an account has caused.
func (s *suite) wantOutgoing(t *testing.T, d domain.Delivery, want bool) {
	t.Helper()
	change, err := s.Users.Changes().Item(t.Context(), feeds.ItemRef{PartitionKey: d.UserID, ID: "outgoing." + d.ID})
	if !want {
		fixture.WantKind(t, err, domain.NotFound)
		return
	}
	fixture.Check(t, err)
	if got := change.Value.Outgoing; got == nil || fmt.Sprint(*got) != fmt.Sprint(d) {
		t.Errorf("the delivery is %+v, want %+v", got, d)
	}
}

// causes are the changes of accounts that cause deliveries. Each prepares an account and returns the change, which can
// be called again.
func (s *suite) causes(t *testing.T) map[string]func(userID string) func(context.Context, ...domain.Delivery) error {
	credentials := func(userID string) domain.Credentials {
		return fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), userID))
	}
	return map[string]func(userID string) func(context.Context, ...domain.Delivery) error{
		"new credentials": func(userID string) func(context.Context, ...domain.Delivery) error {
			read := credentials(userID)
			read.TOTPStep++
			return func(ctx context.Context, list ...domain.Delivery) error {
				_, err := s.Credentials.Set(ctx, read, list...)
				return err
			}
		},
		"credentials that end sessions": func(userID string) func(context.Context, ...domain.Delivery) error {
			read := credentials(userID)
			read.PasswordHash = "another"
			return func(ctx context.Context, list ...domain.Delivery) error {
				_, err := s.Credentials.Set(ctx, read, list...)
				return err
			}
		},
		"a verified address": func(userID string) func(context.Context, ...domain.Delivery) error {
			read := credentials(userID)
			return func(ctx context.Context, list ...domain.Delivery) error {
				_, err := s.EmailAddresses.Verify(ctx, read, userID+"@example.org", list...)
				return err
			}
		},
		"a removed address": func(userID string) func(context.Context, ...domain.Delivery) error {
			read := credentials(userID)
			return func(ctx context.Context, list ...domain.Delivery) error {
				_, err := s.EmailAddresses.Remove(ctx, read, list...)
				return err
			}
		},
		"a scheduled deletion": func(userID string) func(context.Context, ...domain.Delivery) error {
			return func(ctx context.Context, list ...domain.Delivery) error {
				_, err := s.AccountDeletions.ScheduleDeletion(ctx, userID, fixture.Soon(), list...)
				return err
			}
		},
		"a cancelled deletion": func(userID string) func(context.Context, ...domain.Delivery) error {
			fixture.Must[domain.User](t)(s.AccountDeletions.ScheduleDeletion(t.Context(), userID, fixture.Soon()))
			return func(ctx context.Context, list ...domain.Delivery) error {
				return s.AccountDeletions.CancelDeletion(ctx, userID, list...)
			}
		},
		"an abandoned deletion": func(userID string) func(context.Context, ...domain.Delivery) error {
			at := fixture.Soon()
			fixture.Must[domain.User](t)(s.AccountDeletions.ScheduleDeletion(t.Context(), userID, at))
			return func(ctx context.Context, list ...domain.Delivery) error {
				_, err := s.AccountDeletions.AbandonDeletion(ctx, domain.ScheduledItem{UserID: userID, At: at},
					"No reason.", list...)
				return err
			}
		},
	}
}

func (s *suite) outgoing(t *testing.T) {
	ctx := t.Context()
	for name, prepare := range s.causes(t) {
		fixture.Run(t, name+" and the deliveries are stored together, and a repeated call stores none",
			func(t *testing.T) {
				userID := s.MustUser(t).ID
				change := prepare(userID)
				first, second, repeated := anOutgoing(userID), anOutgoing(userID), anOutgoing(userID)
				fixture.Check(t, change(ctx, first, second))
				s.wantOutgoing(t, first, true)
				s.wantOutgoing(t, second, true)
				if err := change(ctx, repeated); err != nil {
					fixture.WantKind(t, err, domain.Conflict)
				}
				s.wantOutgoing(t, repeated, false)
			})
		fixture.Run(t, name+" is not stored without the deliveries", func(t *testing.T) {
			userID := s.MustUser(t).ID
			change, stored := prepare(userID), anOutgoing(userID)
			c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(ctx, userID))
			before := fixture.Must[domain.User](t)(s.Users.Account(ctx, userID))
			if change(ctx, stored, stored) == nil { // the second has the id of the first
				t.Error("no error")
			}
			s.wantOutgoing(t, stored, false)
			after := fixture.Must[domain.User](t)(s.Users.Account(ctx, userID))
			if now := fixture.Must[domain.Credentials](t)(s.Credentials.Get(ctx, userID)); now.Version != c.Version ||
				fmt.Sprint(before) != fmt.Sprint(after) {
				t.Errorf("the account is %+v, was %+v; the credentials are %+v", after, before, now)
			}
			fixture.Check(t, change(ctx, stored))
		})
		fixture.Run(t, name+" stores no deliveries if the account is deleted", func(t *testing.T) {
			userID := s.MustUser(t).ID
			change, late := prepare(userID), anOutgoing(userID)
			fixture.Check(t, s.AccountDeletions.Delete(ctx, userID))
			if err := change(ctx, late); err != nil {
				fixture.WantKind(t, err, domain.NotFound)
			}
			s.wantOutgoing(t, late, false)
		})
	}
	fixture.Run(t, "an outgoing delivery is deleted once it is forwarded, also twice", func(t *testing.T) {
		d := anOutgoing(s.MustUser(t).ID)
		fixture.Must[domain.User](t)(s.AccountDeletions.ScheduleDeletion(ctx, d.UserID, fixture.Soon(), d))
		listed := func(before time.Time) bool {
			return slices.ContainsFunc(fixture.Must[[]domain.Delivery](t)(s.Deliveries.Outgoing(ctx, before)),
				func(l domain.Delivery) bool { return fmt.Sprint(l) == fmt.Sprint(d) })
		}
		if listed(d.Created) || !listed(d.Created.Add(time.Millisecond)) {
			t.Error("the list of outgoing deliveries does not end at the time of creation")
		}
		for range 2 {
			fixture.Check(t, s.Deliveries.DeleteOutgoing(ctx, d))
		}
		s.wantOutgoing(t, d, false)
	})
	fixture.Run(t, "a delivery whose destination was not made due is roused", func(t *testing.T) {
		d := anOutgoing(s.MustUser(t).ID)
		d.Destination = "mail:" + domain.NewID()
		fixture.Check(t, s.Deliveries.Rouse(ctx, d.Destination))
		_, err := s.Deliveries.Destination(ctx, d.Destination)
		fixture.WantKind(t, err, domain.NotFound) // there is nothing to deliver
		fixture.Check(t, s.Deliveries.Put(ctx, d))
		read := func() domain.Destination {
			return fixture.Must[domain.Destination](t)(s.Deliveries.Destination(ctx, d.Destination))
		}
		idle := read()
		idle.Due, idle.Fresh = time.Time{}, false
		if !fixture.Must[bool](t)(s.Deliveries.Release(ctx, idle)) || !read().Due.IsZero() {
			t.Fatalf("the destination is %+v", read())
		}
		for range 2 {
			fixture.Check(t, s.Deliveries.Rouse(ctx, d.Destination))
			if found := read(); !found.Fresh || !found.Due.Equal(d.Created) {
				t.Errorf("the destination is %+v", found)
			}
		}
	})
	fixture.Run(t, "the erasure of an account gives up its deliveries and no others", func(t *testing.T) {
		userID, other := s.MustUser(t).ID, anOutgoing(s.MustUser(t).ID)
		outgoing, waiting, made := anOutgoing(userID), anOutgoing(userID), anOutgoing(userID)
		fixture.Must[domain.User](t)(s.AccountDeletions.ScheduleDeletion(ctx, userID, fixture.Soon(), outgoing))
		fixture.Check(t, s.Deliveries.Put(ctx, waiting, made, other))
		fixture.Check(t, s.Deliveries.Done(ctx, made))
		fixture.Check(t, s.AccountDeletions.Delete(ctx, userID))
		for range 2 {
			fixture.Check(t, s.AccountDeletions.FinishErasure(ctx, userID))
		}
		s.wantOutgoing(t, outgoing, false)
		list := fixture.Must[[]domain.Delivery](t)(s.Deliveries.Waiting(ctx, domain.UrgentMail, 1000))
		has := func(d domain.Delivery) bool {
			return slices.ContainsFunc(list, func(l domain.Delivery) bool { return l.ID == d.ID })
		}
		if has(waiting) || !has(other) {
			t.Errorf("waiting: %+v", list)
		}
		fixture.Check(t, s.Deliveries.Put(ctx, made, waiting, outgoing)) // by a projector that is late
		list = fixture.Must[[]domain.Delivery](t)(s.Deliveries.Waiting(ctx, domain.UrgentMail, 1000))
		if has(made) || has(waiting) {
			t.Errorf("waiting again: %+v", list)
		}
		fixture.Check(t, s.Deliveries.Done(ctx, outgoing)) // other tests find no deliveries of this one
		fixture.Check(t, s.Deliveries.Done(ctx, other))
	})
}
