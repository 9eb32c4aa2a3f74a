// Package subscribing is the part of the storage contract about subscriptions by mail, mailings and digests.
package subscribing

import (
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// suite holds the tests of this package as methods.
type suite struct{ *fixture.Suite }

// Run runs the tests of this part. They share the storage, but no data.
func Run(t *testing.T, shared *fixture.Suite) {
	s := &suite{shared}
	fixture.Run(t, "a subscription waits for its confirmation", s.confirmed)
	fixture.Run(t, "addresses are forgotten", s.forgotten)
	fixture.Run(t, "subscriptions of members", s.members)
	fixture.Run(t, "changes of a subscriber that meet", s.concurrent)
	fixture.Run(t, "copies follow their subscriber", s.completed)
	fixture.Run(t, "lists of subscribers", s.lists)
	fixture.Run(t, "the subscribers of digests", s.digested)
	fixture.Run(t, "posts are told to the digests of their day", s.told)
	fixture.Run(t, "newsletters and mailings", s.mailings)
	fixture.Run(t, "subscriptions of a deleted account", s.erased)
	fixture.Run(t, "repairing subscriptions", s.repaired)
}

// visitor returns the id of a new visitor.
func visitor() (id, email string) {
	email = domain.NewID() + "@example.com"
	return subscription.VisitorID(email), email
}

func consent(minute int) subscription.Consent {
	return subscription.Consent{At: fixture.At(minute), Page: "/@ada", Wording: "Yes."}
}

// change changes a subscriber.
func (s *suite) change(t *testing.T, id string, change func(*subscription.Subscriber)) subscription.Subscriber {
	t.Helper()
	return fixture.Must[subscription.Subscriber](t)(s.Subscriptions.Change(t.Context(), id,
		func(sub *subscription.Subscriber) error { change(sub); return nil }))
}

// add adds confirmed subscriptions of a subscriber, who may be new.
func (s *suite) add(t *testing.T, id, email string, minute int, f subscription.Frequency,
	lists ...subscription.List) subscription.Subscriber {
	t.Helper()
	return s.change(t, id, func(sub *subscription.Subscriber) {
		if sub.Version == 0 {
			*sub = subscription.New(id, email, "cs")
		}
		for _, l := range lists {
			fixture.Check(t, sub.Add(l, f, consent(minute)))
		}
	})
}

// end ends a subscription.
func (s *suite) end(t *testing.T, id string, l subscription.List) {
	t.Helper()
	s.change(t, id, func(sub *subscription.Subscriber) { sub.End(l, time.Now()) })
}

// drop removes all subscriptions.
func (s *suite) drop(t *testing.T, id string) {
	t.Helper()
	s.change(t, id, func(sub *subscription.Subscriber) { sub.Subscriptions = nil })
}

// wantReceivers compares the subscribers of a list, in order.
func (s *suite) wantReceivers(t *testing.T, l subscription.List, f subscription.Frequency, want ...string) {
	t.Helper()
	list := fixture.Must[[]subscription.Receiver](t)(s.Subscriptions.ReceiversAfter(t.Context(), l, f, "", 100))
	if got := idsOf(list); !slices.Equal(got, want) {
		t.Errorf("%s of %s: %q, want %q", f, l.Key(), got, want)
	}
}

func (s *suite) wantDigested(t *testing.T, zone string, want ...string) {
	t.Helper()
	list := fixture.Must[[]subscription.Receiver](t)(s.Subscriptions.DigestedAfter(t.Context(), zone, "", 100))
	if got := idsOf(list); !slices.Equal(got, want) {
		t.Errorf("digests in %q: %q, want %q", zone, got, want)
	}
}

func idsOf(list []subscription.Receiver) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

// author returns a list with no subscribers.
func (s *suite) author(t *testing.T) subscription.List { return subscription.Author(s.MustUser(t).ID) }

func freshTag() subscription.List { return subscription.Tag(domain.TagKey(domain.NewID())) }

// users is the container of the items.
func (s *suite) users() *client.Container { return s.Container(schema.UsersContainer) }

// stored reads the properties of an item.
func (s *suite) stored(t *testing.T, partition, id string) map[string]any {
	t.Helper()
	return fixture.Must[map[string]any](t)(client.Read[map[string]any](t.Context(), s.users(), partition, id))
}
