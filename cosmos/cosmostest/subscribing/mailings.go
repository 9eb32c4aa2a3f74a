package subscribing

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

func (s *suite) digested(t *testing.T) {
	ctx := t.Context()
	user := s.MustUser(t)
	zone := "Test/" + domain.NewID() // one that no other test uses
	inZone := func(zone string) {
		s.change(t, user.ID, func(sub *subscription.Subscriber) { sub.Zone = zone })
	}
	find := func(name string) (found subscription.Zone, ok bool) {
		for _, z := range fixture.Must[[]subscription.Zone](t)(s.Subscriptions.Zones(ctx)) {
			if z.Name == name {
				return z, true
			}
		}
		return found, false
	}
	feed, list := subscription.List{Kind: subscription.Feed}, freshTag()
	before := domain.Timestamp(time.Now())
	s.add(t, user.ID, "", 3, subscription.Each, list)
	inZone(zone)
	s.wantDigested(t, zone)
	s.add(t, user.ID, "", 5, subscription.Weekly, feed)
	s.wantDigested(t, zone, user.ID)
	fixture.Check(t, s.Subscriptions.RefreshZone(ctx, zone))
	first, ok := find(zone)
	if !ok || first.Daily.Before(before) || !first.Daily.Equal(first.Weekly) {
		t.Fatalf("the zone is %+v", first)
	}
	list2 := fixture.Must[[]subscription.Receiver](t)(s.Subscriptions.DigestedAfter(ctx, zone, "", 1))
	if rest := fixture.Must[[]subscription.Receiver](t)(s.Subscriptions.DigestedAfter(ctx, zone, list2[0].Place(),
		1)); len(rest) != 0 || !list2[0].Added.Equal(fixture.At(5)) {
		t.Errorf("%+v, then %+v", list2, rest)
	}
	inZone(zone + "/other_place")
	s.wantDigested(t, zone)
	s.wantDigested(t, zone+"/other_place", user.ID)
	inZone("")
	if _, ok := find(""); !ok {
		t.Error("the zone of the site is missing")
	}
	s.drop(t, user.ID)
	s.wantDigested(t, zone+"/other_place")

	first.Daily = first.Daily.Add(24 * time.Hour)
	if !fixture.Must[bool](t)(s.Subscriptions.AdvanceZone(ctx, first)) {
		t.Error("it cannot be advanced")
	}
	if fixture.Must[bool](t)(s.Subscriptions.AdvanceZone(ctx, first)) {
		t.Error("it is advanced twice")
	}
	inZone(zone)
	s.add(t, user.ID, "", 5, subscription.Weekly, feed)
	if now, _ := find(zone); !now.Daily.Equal(first.Daily) || !now.Weekly.Equal(first.Weekly) {
		t.Errorf("the zone is %+v, want %+v", now, first)
	}
	s.drop(t, user.ID)
}

func (s *suite) told(t *testing.T) {
	ctx := t.Context()
	// Each run has a day of its own: they are not deleted.
	midnight := time.Now().UTC().Truncate(24 * time.Hour)
	tell := func(at time.Time) subscription.Told {
		told := subscription.Told{PostID: domain.NewID(), AuthorID: "ada", Lists: []string{"author.ada", "site"},
			At: at}
		for range 2 {
			fixture.Check(t, s.Subscriptions.PutTold(ctx, told))
		}
		return told
	}
	late, early, next := tell(midnight.Add(-time.Millisecond)), tell(midnight.Add(-time.Hour)), tell(midnight)
	again := late
	again.At = midnight.Add(10 * time.Minute)
	fixture.Check(t, s.Subscriptions.PutTold(ctx, again)) // as a projector does that is interrupted at midnight
	var ids []string
	between := func(from, until time.Time) []string {
		ids = nil
		for _, told := range fixture.Must[[]subscription.Told](t)(s.Subscriptions.ToldBetween(ctx, from, until)) {
			if told.PostID == late.PostID && (!told.At.Equal(late.At) || !slices.Equal(told.Lists, late.Lists) ||
				told.AuthorID != late.AuthorID) {
				t.Errorf("it is told as %+v", told)
			}
			ids = append(ids, told.PostID)
		}
		return ids
	}
	for _, c := range []struct {
		from, until time.Time
		want        []string
	}{
		{early.At, midnight.Add(time.Millisecond), []string{early.PostID, late.PostID, next.PostID}},
		{early.At, midnight, []string{early.PostID, late.PostID}},
		{early.At.Add(time.Millisecond), midnight, []string{late.PostID}},
		{midnight, midnight.Add(time.Hour), []string{next.PostID}},
		{midnight, midnight, nil},
		{midnight.AddDate(0, 0, -8), early.At, nil},
	} {
		if got := between(c.from, c.until); !slices.Equal(got, c.want) {
			t.Errorf("from %v to %v: %q, want %q", c.from, c.until, got, c.want)
		}
	}
	ttl := s.stored(t, schema.ToldKey(next.At), next.PostID)["ttl"].(float64)
	if days := ttl / 24 / 3600; days < 38 || days > 41 {
		t.Errorf("it stays for %.0f days", days)
	}
}

func (s *suite) mailings(t *testing.T) {
	ctx, author := t.Context(), s.MustUser(t).ID
	newsletter := subscription.Newsletter{ReplyTo: "ada@example.com", Excerpt: true}
	fixture.Check(t, s.Subscriptions.SetNewsletter(ctx, author, subscription.Newsletter{ReplyTo: "x@example.com"}))
	fixture.Check(t, s.Subscriptions.SetNewsletter(ctx, author, newsletter))
	if got := fixture.Must[subscription.Newsletter](t)(s.Subscriptions.Newsletter(ctx, author)); got != newsletter {
		t.Errorf("the newsletter is %+v", got)
	}
	var ids []string
	for i := range 52 {
		m := subscription.Mailing{PostID: domain.NewID(), AuthorID: author, Begun: fixture.At(i)}
		fixture.Check(t, s.Subscriptions.BeginMailing(ctx, m))
		ids = append([]string{m.PostID}, ids...)
	}
	post := ids[0]
	fixture.Check(t, s.Subscriptions.SetSent(ctx, author, post, 100, false))
	fixture.Check(t, s.Subscriptions.CountBounce(ctx, author, post))
	fixture.Check(t, s.Subscriptions.CountUnsubscribe(ctx, author, post))
	fixture.Check(t, s.Subscriptions.CountUnsubscribe(ctx, author, post))
	fixture.Check(t, s.Subscriptions.SetSent(ctx, author, post, 150, true))
	want := subscription.Mailing{PostID: post, AuthorID: author, Begun: fixture.At(51), Sent: 150, Bounced: 1,
		Unsubscribed: 2, Done: true}
	fixture.Check(t, s.Subscriptions.BeginMailing(ctx, subscription.Mailing{PostID: post, AuthorID: author,
		Begun: time.Now()})) // again: it changes nothing
	stored := fixture.Must[subscription.Mailing](t)(s.Subscriptions.Mailing(ctx, author, post))
	if !reflect.DeepEqual(stored, want) {
		t.Errorf("the mailing is %+v, want %+v", stored, want)
	}
	first, next, err := s.Subscriptions.Mailings(ctx, author, "")
	fixture.Check(t, err)
	second, end, err := s.Subscriptions.Mailings(ctx, author, next)
	fixture.Check(t, err)
	var got []string
	for _, m := range append(first, second...) {
		got = append(got, m.PostID)
	}
	if len(first) != 50 || end != "" || !slices.Equal(got, ids) || !reflect.DeepEqual(first[0], want) {
		t.Errorf("%d and %d mailings, then %q; the first is %+v", len(first), len(second), end, first[0])
	}
	for _, missing := range []error{s.Subscriptions.CountBounce(ctx, author, domain.NewID()),
		s.Subscriptions.SetSent(ctx, author, domain.NewID(), 1, true)} {
		fixture.Check(t, missing)
	}
	_, err = s.Subscriptions.Mailing(ctx, author, domain.NewID())
	fixture.WantKind(t, err, domain.NotFound)
}
