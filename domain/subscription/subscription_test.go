package subscription_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

var (
	now  = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	ada  = subscription.Author(domain.NewUserID(nil))
	tag  = subscription.Tag("go")
	site = subscription.Site()
)

func consent(at time.Time) subscription.Consent {
	return subscription.Consent{At: at, Page: "/", Wording: "w"}
}

func visitor() subscription.Subscriber {
	return subscription.New(subscription.VisitorID("a@example.com"), "a@example.com", "cs")
}

func ask(t *testing.T, s *subscription.Subscriber, l subscription.List, at time.Time) {
	t.Helper()
	if err := s.Ask(l, subscription.Each, consent(at)); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, s *subscription.Subscriber, l subscription.List, f subscription.Frequency) {
	t.Helper()
	if err := s.Add(l, f, consent(now)); err != nil {
		t.Fatal(err)
	}
}

func TestAskedSubscriptionIsMailedAfterItsConfirmation(t *testing.T) {
	s := visitor()
	ask(t, &s, ada, now)
	if s.Gets(ada, subscription.Each) || len(s.Active()) > 0 {
		t.Error("it is active without a confirmation")
	}
	if s.Confirm(tag, now) {
		t.Error("another list was confirmed")
	}
	if !s.Confirm(ada, now.Add(subscription.ConfirmTime-time.Second)) || !s.Gets(ada, subscription.Each) {
		t.Error("it cannot be confirmed in time")
	}
	if !s.Confirm(ada, now.AddDate(1, 0, 0)) {
		t.Error("confirming again fails")
	}
	if one, _ := s.Find(ada); one.Confirmed.After(now.Add(subscription.ConfirmTime)) {
		t.Errorf("it was confirmed at %v", one.Confirmed)
	}
	ask(t, &s, ada, now.AddDate(0, 0, 7))
	if !s.Gets(ada, subscription.Each) {
		t.Error("asking again ends it")
	}
	late := visitor()
	ask(t, &late, ada, now)
	if late.Confirm(ada, now.Add(subscription.ConfirmTime)) {
		t.Error("it was confirmed too late")
	}
}

func TestEndedSubscriptionNeedsAnotherConfirmation(t *testing.T) {
	s := visitor()
	add(t, &s, ada, subscription.Weekly)
	if !s.Digested() || !s.Gets(ada, subscription.Weekly) || s.Gets(ada, subscription.Each) {
		t.Errorf("it is %+v", s)
	}
	if !s.End(ada, now) || s.End(ada, now) || s.End(tag, now) {
		t.Error("End reports what was not there")
	}
	if s.Digested() || s.Gets(ada, subscription.Weekly) || s.Confirm(ada, now) {
		t.Errorf("it has not ended: %+v", s)
	}
	if s.Import(ada, subscription.Each, subscription.Consent{At: now, Imported: now}) {
		t.Error("an import renews it")
	}
	ask(t, &s, ada, now)
	if !s.Confirm(ada, now) || !s.Gets(ada, subscription.Each) {
		t.Error("it cannot be asked for again")
	}
}

func TestImportAddsUnknownSubscribersOnly(t *testing.T) {
	s := visitor()
	ask(t, &s, ada, now)
	imported := subscription.Consent{At: now.AddDate(-1, 0, 0), Source: "My old blog", Imported: now}
	if !s.Import(ada, subscription.Each, imported) || s.Import(ada, subscription.Each, imported) {
		t.Error("an import adds a subscription not once")
	}
	if one, _ := s.Find(ada); !one.Confirmed.Equal(now) || one.Consent != imported {
		t.Errorf("imported is %+v", one)
	}
	s.Complain(now)
	if s.Import(tag, subscription.Each, imported) {
		t.Error("somebody who has complained is imported")
	}
}

func TestAddressIsSuppressedAfterFailures(t *testing.T) {
	s := visitor()
	add(t, &s, ada, subscription.Each)
	for n := range subscription.MaxFailures {
		if !s.Gets(ada, subscription.Each) {
			t.Fatalf("it is suppressed after %d failures", n)
		}
		s.Refused(now)
	}
	if s.Gets(ada, subscription.Each) || s.Reason != subscription.Bounced || !s.Suppressed.Equal(now) {
		t.Errorf("it is %+v", s)
	}
	s.Complain(now.Add(time.Hour))
	if s.Reason != subscription.Bounced || !s.Suppressed.Equal(now) {
		t.Error("the reason has changed")
	}
	if !s.Confirm(ada, now) || !s.Gets(ada, subscription.Each) || s.Failures != 0 || s.Reason != "" {
		t.Errorf("confirmed again it is %+v", s)
	}
	s.Complain(now)
	if s.Gets(ada, subscription.Each) || s.Reason != subscription.Complained {
		t.Error("a complaint changes nothing")
	}
}

func TestRefusalsAreForgotten(t *testing.T) {
	s := visitor()
	add(t, &s, ada, subscription.Each)
	for n := range 2 * subscription.MaxFailures {
		s.Refused(now.AddDate(0, 4*n, 0))
	}
	if !s.Gets(ada, subscription.Each) {
		t.Error("refusals of years suppress an address")
	}
}

func TestErasureRemembersWhatHasEnded(t *testing.T) {
	s := visitor()
	add(t, &s, ada, subscription.Each)
	before := s
	s.Erase(now)
	if s.Email != "" || s.Admits(before.Secret) || len(s.Active()) > 0 ||
		s.Import(ada, subscription.Each, subscription.Consent{Imported: now}) {
		t.Errorf("after the erasure it is %+v", s)
	}
	if s.Tidy(now.Add(subscription.EndedTime)); len(s.Subscriptions) > 0 {
		t.Errorf("after a year it is %+v", s)
	}
}

func TestExpiredRequestsTakeNoRoom(t *testing.T) {
	s := visitor()
	add(t, &s, ada, subscription.Each)
	for n := range subscription.MaxSubscriptions - 1 {
		ask(t, &s, subscription.Tag(strings.Repeat("x", n+1)), now)
	}
	ask(t, &s, tag, now.Add(subscription.ConfirmTime))
}

func TestSubscriptionsAreLimited(t *testing.T) {
	s := visitor()
	for n := range subscription.MaxSubscriptions {
		ask(t, &s, subscription.Tag(strings.Repeat("a", n+1)), now)
	}
	if err := s.Ask(ada, subscription.Each, consent(now)); !domain.Is(err, domain.Conflict) {
		t.Errorf("one too many: %v", err)
	}
	ask(t, &s, subscription.Tag("a"), now)
	s.End(subscription.Tag("a"), now)
	ask(t, &s, ada, now)
}

func TestSubscribersAreTidied(t *testing.T) {
	t.Run("while a subscription is active, they stay", func(t *testing.T) {
		s := visitor()
		add(t, &s, ada, subscription.Each)
		ask(t, &s, tag, now)
		if forget := s.Tidy(now.Add(subscription.ConfirmTime)); !forget.IsZero() || len(s.Subscriptions) != 1 ||
			s.Email == "" {
			t.Errorf("forgotten at %v: %+v", forget, s)
		}
	})
	t.Run("unconfirmed addresses are forgotten in time, whatever has ended", func(t *testing.T) {
		s := visitor()
		add(t, &s, ada, subscription.Each)
		s.End(ada, now)
		ask(t, &s, tag, now)
		if forget := s.Tidy(now); !forget.Equal(now.Add(subscription.ConfirmTime)) || s.Email == "" {
			t.Errorf("forgotten at %v: %+v", forget, s)
		}
	})
	t.Run("of ended ones only the end is remembered, for a year", func(t *testing.T) {
		s := visitor()
		s.Zone = "Europe/Prague"
		add(t, &s, ada, subscription.Each)
		s.EndAll(now)
		if forget := s.Tidy(now); !forget.Equal(now.Add(subscription.EndedTime)) || s.Email != "" || s.Zone != "" ||
			len(s.Subscriptions) != 1 {
			t.Errorf("forgotten at %v: %+v", forget, s)
		}
		later := now.Add(subscription.EndedTime)
		if forget := s.Tidy(later); !forget.Equal(later) || len(s.Subscriptions) > 0 {
			t.Errorf("a year later at %v: %+v", forget, s)
		}
	})
}

func TestListsAreIdentifiedByKeys(t *testing.T) {
	author := ada.AuthorID
	seen := make(map[string]bool)
	for _, l := range []subscription.List{ada, tag, site, subscription.Tag("c#"),
		subscription.Series(author, domain.SeriesKey("A b")),
		subscription.Series(author, "a"), {Kind: subscription.Feed}, {Kind: subscription.Notices}} {
		key := l.Key()
		if !l.Valid() || seen[key] || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			t.Errorf("%+v, valid %t, has the key %q", l, l.Valid(), key)
		}
		seen[key] = true
		s := visitor()
		add(t, &s, l, subscription.Daily)
		if one, ok := s.FindKey(key); !ok || one.List != l {
			t.Errorf("%q finds %+v", key, one)
		}
	}
	for _, l := range []subscription.List{{}, {Kind: "x"}, subscription.Author("x"), subscription.Tag("A"),
		subscription.Tag(""), subscription.Series(author, ""), {Kind: subscription.BySite, Tag: "go"},
		{Kind: subscription.Feed, AuthorID: author}} {
		if l.Valid() {
			t.Errorf("%+v is valid", l)
		}
	}
	if subscription.Each.Valid(subscription.List{Kind: subscription.Feed}) ||
		subscription.Frequency("x").Valid(ada) || !subscription.Each.Valid(ada) {
		t.Error("frequencies are not checked")
	}
}

func TestListsOfAPost(t *testing.T) {
	p := domain.Post{AuthorID: ada.AuthorID, Tags: "Go,C#", Details: domain.Details{Series: "A Series"}}
	var keys []string
	for _, l := range subscription.ListsOf(p) {
		if !l.Valid() {
			t.Errorf("%+v is not valid", l)
		}
		keys = append(keys, string(l.Kind))
	}
	if got := strings.Join(keys, " "); got != "author series tag tag site" {
		t.Errorf("the lists are %s", got)
	}
}

func TestKeysNameSubscribers(t *testing.T) {
	s, member := visitor(), subscription.New(domain.NewUserID(nil), "", "")
	if !member.IsMember() || s.IsMember() || strings.Contains(s.ID, "example") ||
		s.ID != subscription.VisitorID("A@example.com") {
		t.Errorf("the ids are %q and %q", s.ID, member.ID)
	}
	for _, sub := range []subscription.Subscriber{s, member} {
		id, secret, ok := subscription.SplitKey(sub.Key())
		if !ok || id != sub.ID || !sub.Admits(secret) || !subscription.IsSubscriberID(sub.ID) {
			t.Errorf("the key %q names %q", sub.Key(), id)
		}
	}
	if s.Admits("") || s.Admits(member.Secret) || (subscription.Subscriber{}).Admits("") {
		t.Error("another secret is admitted")
	}
	for _, key := range []string{"", ".", "x.y", "s.short.secret", s.ID, "s." + strings.Repeat("z", 26) + ".secret"} {
		if id, _, ok := subscription.SplitKey(key); ok {
			t.Errorf("%q names %q", key, id)
		}
	}
}

func TestRunsAreParsedAsTheyAreWritten(t *testing.T) {
	for _, zone := range []string{"", "Europe/Prague", "America/Argentina/Buenos_Aires", "Etc/GMT+3"} {
		for _, weekly := range []time.Time{{}, now.AddDate(0, 0, -7)} {
			run := subscription.DigestRun{Zone: zone, Daily: now.Add(-24 * time.Hour), Until: now, Weekly: weekly}
			text := run.String()
			if got, ok := subscription.ParseRun(text); !ok || got != run || strings.Contains(text, "/") {
				t.Errorf("%q is parsed as %+v", text, got)
			}
		}
	}
	for _, text := range []string{"", "x", "a_b_c_d", "20260501T0700_x__", "20260501T0700_20260502T0700_x_"} {
		if run, ok := subscription.ParseRun(text); ok {
			t.Errorf("%q is parsed as %+v", text, run)
		}
	}
	a, b := subscription.MailingDelivery("p", now), subscription.MailingDelivery("p", now)
	if a.Destination != b.Destination || !strings.HasPrefix(a.Destination, subscription.MailingsPrefix) ||
		!a.Remember || a.ID != "p" {
		t.Errorf("deliveries are %+v and %+v", a, b)
	}
}
