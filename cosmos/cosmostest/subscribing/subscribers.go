package subscribing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

func (s *suite) confirmed(t *testing.T) {
	ctx, list := t.Context(), s.author(t)
	id, email := visitor()
	_, err := s.Subscriptions.Get(ctx, id)
	fixture.WantKind(t, err, domain.NotFound)
	_, err = s.Subscriptions.Get(ctx, "x")
	fixture.WantKind(t, err, domain.NotFound)

	asked := s.change(t, id, func(sub *subscription.Subscriber) {
		*sub = subscription.New(id, email, "tr")
		fixture.Check(t, sub.Ask(list, subscription.Each, subscription.Consent{At: time.Now(), Wording: "w"}))
	})
	s.wantReceivers(t, list, subscription.Each)
	confirmed := s.change(t, id, func(sub *subscription.Subscriber) {
		if !sub.Confirm(list, time.Now()) {
			t.Error("it cannot be confirmed")
		}
	})
	s.wantReceivers(t, list, subscription.Each, id)
	got := fixture.Must[subscription.Subscriber](t)(s.Subscriptions.Get(ctx, id))
	if got.Email != email || got.Language != "tr" || !got.Admits(asked.Secret) || len(got.Active()) != 1 ||
		got.Version <= asked.Version || text(got) != text(confirmed) {
		t.Errorf("stored is %+v, returned was %+v", got, confirmed)
	}
	s.change(t, id, func(*subscription.Subscriber) {})
	refused := errors.New("refused")
	if _, err := s.Subscriptions.Change(ctx, id, func(sub *subscription.Subscriber) error {
		sub.Email = "x"
		return refused
	}); err == nil {
		t.Error("a change that fails succeeds")
	}
	if now := fixture.Must[subscription.Subscriber](t)(s.Subscriptions.Get(ctx, id)); text(now) != text(got) {
		t.Errorf("nothing changed, but %+v became %+v", got, now)
	}
	s.end(t, id, list)
	s.wantReceivers(t, list, subscription.Each)

	cost := s.Cost(t, func(ctx context.Context) error {
		_, err := s.Subscriptions.Get(ctx, id)
		return err
	})
	if cost.Requests() != 1 || cost.Charge() > 1.5 {
		t.Errorf("Get costs %d requests, %.2f RU", cost.Requests(), cost.Charge())
	}
}

// text returns a subscriber such that two can be compared.
func text(sub subscription.Subscriber) string { return fmt.Sprintf("%+v", sub) }

func (s *suite) forgotten(t *testing.T) {
	ask := func(list subscription.List) func(*subscription.Subscriber) {
		return func(sub *subscription.Subscriber) {
			if sub.Email == "" {
				sub.Email = domain.NewID() + "@example.com"
			}
			fixture.Check(t, sub.Ask(list, subscription.Each, subscription.Consent{At: time.Now()}))
		}
	}
	wantTTL := func(t *testing.T, id string, want time.Duration) {
		t.Helper()
		ttl, _ := s.stored(t, id, schema.SubscriberID)["ttl"].(float64)
		if got := time.Duration(ttl) * time.Second; got < want-time.Minute || got > want {
			t.Errorf("it is forgotten after %v, want %v", got, want)
		}
	}
	t.Run("after 48 hours without a confirmation", func(t *testing.T) {
		id, _ := visitor()
		s.change(t, id, ask(s.author(t)))
		wantTTL(t, id, subscription.ConfirmTime)
	})
	t.Run("at no time while there is a subscription", func(t *testing.T) {
		id, email := visitor()
		list := s.author(t)
		s.add(t, id, email, 1, subscription.Each, list)
		s.change(t, id, ask(s.author(t)))
		wantTTL(t, id, 0)
		t.Run("and at once after the last, whose end is remembered", func(t *testing.T) {
			s.change(t, id, func(sub *subscription.Subscriber) { sub.EndAll(time.Now()) })
			wantTTL(t, id, subscription.EndedTime)
			if item := s.stored(t, id, schema.SubscriberID); item["email"] != nil {
				t.Errorf("the address is still in %v", item)
			}
		})
		t.Run("or with an address that asks again", func(t *testing.T) {
			s.change(t, id, ask(s.author(t)))
			wantTTL(t, id, subscription.ConfirmTime)
		})
	})
	t.Run("with all else at the subscriber's wish", func(t *testing.T) {
		id, email := visitor()
		list := s.author(t)
		s.add(t, id, email, 1, subscription.Daily, list)
		s.end(t, id, list)
		s.change(t, id, ask(list))
		s.drop(t, id)
		found, err := client.Read[map[string]any](t.Context(), s.users(), id, schema.SubscriberID)
		if !client.Missing(err) && found["ttl"] != 1.0 {
			t.Errorf("left is %v, %v", found, err)
		}
	})
}

func (s *suite) members(t *testing.T) {
	ctx, list := t.Context(), s.author(t)
	user := s.MustUser(t)
	sub := s.add(t, user.ID, "", 1, subscription.Each, list)
	s.wantReceivers(t, list, subscription.Each, user.ID)
	wantAddress := func(t *testing.T, want string) {
		t.Helper()
		if got := fixture.Must[string](t)(s.Subscriptions.Address(ctx, sub)); got != want {
			t.Errorf("the address is %q, want %q", got, want)
		}
	}
	wantAddress(t, "")
	c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(ctx, user.ID))
	c.Email = domain.NewID() + "@example.com"
	c = fixture.Must[domain.Credentials](t)(s.Credentials.Set(ctx, c))
	wantAddress(t, "") // it is not verified
	c.EmailVerified = true
	fixture.Must[domain.Credentials](t)(s.Credentials.Set(ctx, c))
	wantAddress(t, c.Email)
	fixture.Must[domain.User](t)(s.AccountDeletions.ScheduleDeletion(ctx, user.ID, time.Now().Add(time.Hour)))
	wantAddress(t, "")

	for name, id := range map[string]string{"without an account": domain.NewUserID(nil), "of no form": "x"} {
		_, err := s.Subscriptions.Change(ctx, id, func(sub *subscription.Subscriber) error {
			*sub = subscription.New(id, "", "")
			return sub.Add(list, subscription.Each, consent(1))
		})
		if !domain.Is(err, domain.NotFound) {
			t.Errorf("the subscription %s: %v", name, err)
		}
	}
	exported := fixture.Must[[]subscription.Subscription](t)(s.Export.Subscribed(ctx, user.ID))
	if len(exported) != 1 || exported[0].List != list {
		t.Errorf("exported are %+v", exported)
	}
	exported = fixture.Must[[]subscription.Subscription](t)(s.Export.Subscribed(ctx, s.MustUser(t).ID))
	if len(exported) > 0 {
		t.Errorf("of a user without subscriptions, %+v are exported", exported)
	}
}

func (s *suite) concurrent(t *testing.T) {
	id, email := visitor()
	lists := make([]subscription.List, 10)
	for i := range lists {
		lists[i] = freshTag()
	}
	s.add(t, id, email, 1, subscription.Each, subscription.Site())
	defer s.drop(t, id)
	var all sync.WaitGroup
	for _, list := range lists {
		all.Go(func() {
			_, err := s.Subscriptions.Change(t.Context(), id, func(sub *subscription.Subscriber) error {
				return sub.Add(list, subscription.Each, consent(1))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, list := range lists {
		s.wantReceivers(t, list, subscription.Each, id)
	}
	if item := s.stored(t, id, schema.SubscriberID); item["outdated"] != nil {
		t.Errorf("outdated are %v", item["outdated"])
	}
}

func (s *suite) erased(t *testing.T) {
	ctx := t.Context()
	ada, bob := s.MustUser(t), s.MustUser(t)
	ofAda, ofBob := subscription.Author(ada.ID), subscription.Author(bob.ID)
	series := subscription.Series(ada.ID, "a series")
	s.add(t, ada.ID, "", 1, subscription.Each, ofBob)
	s.add(t, bob.ID, "", 1, subscription.Each, ofAda, series)
	id, email := visitor()
	s.add(t, id, email, 2, subscription.Daily, ofAda, ofBob)
	fixture.Check(t, s.Subscriptions.SetNewsletter(ctx, ada.ID, subscription.Newsletter{ReplyTo: "ada@example.com"}))
	mailing := subscription.Mailing{PostID: domain.NewID(), AuthorID: ada.ID, Begun: fixture.At(1)}
	fixture.Check(t, s.Subscriptions.BeginMailing(ctx, mailing))
	fixture.Check(t, s.AccountDeletions.Delete(ctx, ada.ID))

	for n := 0; ; n++ {
		step := fixture.Must[domain.Step](t)(s.Subscriptions.EraseLists(ctx, ada.ID, 2))
		if step.Items > 2 || n > 3 {
			t.Fatalf("step %d: %+v", n, step)
		}
		if !step.More {
			break
		}
	}
	s.wantReceivers(t, ofAda, subscription.Each)
	s.wantReceivers(t, ofAda, subscription.Daily)
	s.wantReceivers(t, series, subscription.Each)
	if got := fixture.Must[subscription.Subscriber](t)(s.Subscriptions.Get(ctx, id)); len(got.Subscriptions) != 1 {
		t.Errorf("left is %+v", got)
	}
	s.wantReceivers(t, ofBob, subscription.Each, ada.ID)
	fixture.Check(t, s.AccountDeletions.FinishErasure(ctx, ada.ID))
	s.wantReceivers(t, ofBob, subscription.Each)
	s.wantReceivers(t, ofBob, subscription.Daily, id)
	_, err := s.Subscriptions.Get(ctx, ada.ID)
	fixture.WantKind(t, err, domain.NotFound)
	_, err = s.Subscriptions.Mailing(ctx, ada.ID, mailing.PostID)
	fixture.WantKind(t, err, domain.NotFound)
	if n := fixture.Must[subscription.Newsletter](t)(s.Subscriptions.Newsletter(ctx, ada.ID)); n.ReplyTo != "" {
		t.Errorf("the newsletter is %+v", n)
	}
	_, err = s.Subscriptions.Change(ctx, ada.ID, func(sub *subscription.Subscriber) error {
		return sub.Add(ofBob, subscription.Each, consent(1))
	})
	fixture.WantKind(t, err, domain.NotFound)
	fixture.WantKind(t, s.Subscriptions.BeginMailing(ctx, mailing), domain.NotFound)
	fixture.WantKind(t, s.Subscriptions.SetNewsletter(ctx, ada.ID, subscription.Newsletter{}), domain.NotFound)
	fixture.Check(t, s.Subscriptions.CountBounce(ctx, ada.ID, mailing.PostID))
}
