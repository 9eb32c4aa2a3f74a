package subscribing

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

func (s *suite) completed(t *testing.T) {
	ctx, list := t.Context(), s.author(t)
	id, email := visitor()
	first := s.add(t, id, email, 1, subscription.Each, list)
	second := s.add(t, id, email, 2, subscription.Weekly, list)
	for _, late := range []subscription.Subscriber{second, first, first} {
		fixture.Check(t, s.Subscriptions.Complete(ctx, late))
		s.wantReceivers(t, list, subscription.Each)
		s.wantReceivers(t, list, subscription.Weekly, id)
	}
	key, copyID := schema.ReceiversKey(list), schema.ReceiverID(id, list)
	live := s.stored(t, key, copyID)
	s.end(t, id, list)
	fixture.Check(t, s.Subscriptions.Complete(ctx, second))
	s.wantReceivers(t, list, subscription.Weekly)

	t.Run("after a crash before they were written", func(t *testing.T) {
		var outdated azcosmos.PatchOperations
		fixture.Check(t, s.users().Upsert(ctx, key, live))
		outdated.AppendSet("/outdated", []any{map[string]any{"partition": key, "id": copyID}})
		fixture.Check(t, s.users().Patch(ctx, id, schema.SubscriberID, outdated))
		s.wantReceivers(t, list, subscription.Weekly, id)
		for range 2 {
			fixture.Check(t, s.Subscriptions.Complete(ctx, first))
			s.wantReceivers(t, list, subscription.Weekly)
		}
		if item := s.stored(t, id, schema.SubscriberID); item["outdated"] != nil {
			t.Errorf("outdated are %v", item["outdated"])
		}
	})
	t.Run("but one of a later state stays", func(t *testing.T) {
		var later, outdated azcosmos.PatchOperations
		later.AppendSet("/version", time.Now().Add(time.Hour).UnixMilli())
		fixture.Check(t, s.users().Patch(ctx, key, copyID, later))
		before := s.stored(t, key, copyID)["_etag"]
		outdated.AppendSet("/outdated", []any{map[string]any{"partition": key, "id": copyID}})
		fixture.Check(t, s.users().Patch(ctx, id, schema.SubscriberID, outdated))
		fixture.Check(t, s.Subscriptions.Complete(ctx, first))
		if s.stored(t, key, copyID)["_etag"] != before {
			t.Error("it was written")
		}
	})
	t.Run("and none belong to a subscriber who is forgotten", func(t *testing.T) {
		fixture.Check(t, s.users().Delete(ctx, id, schema.SubscriberID))
		fixture.Check(t, s.Subscriptions.Complete(ctx, first))
		s.wantReceivers(t, list, subscription.Each)
	})
}

func (s *suite) lists(t *testing.T) {
	ctx, list := t.Context(), s.author(t)
	series := subscription.Series(list.AuthorID, "a series & more")
	const many = 52
	var each, all []string
	for i := range many {
		id, email := visitor()
		f, lists := subscription.Each, []subscription.List{list}
		if i%5 == 0 {
			f, lists = subscription.Daily, append(lists, series)
		} else {
			each = append(each, id)
		}
		s.add(t, id, email, i/4, f, lists...) // four have the same time
		for _, l := range lists {
			all = append(all, fmt.Sprintf("%02d %s", i/4, schema.ReceiverID(id, l)))
		}
	}
	t.Run("are walked in the order of the places, each once", func(t *testing.T) {
		fixture.Check(t, s.Subscriptions.Refresh(ctx, list))
		var got []string
		var after domain.Place
		for {
			rows := fixture.Must[[]subscription.Receiver](t)(s.Subscriptions.ReceiversAfter(ctx, list,
				subscription.Each, after, 7))
			if len(rows) == 0 {
				break
			}
			got = append(got, idsOf(rows)...)
			after = rows[len(rows)-1].Place()
			if rows[0].List != list || rows[0].Added.Before(fixture.At(0)) {
				t.Fatalf("%+v", rows[0])
			}
		}
		slices.Sort(got)
		slices.Sort(each)
		if !slices.Equal(got, each) {
			t.Errorf("%d receivers, want %d", len(got), len(each))
		}
	})
	t.Run("are shown to the author by page, the latest first", func(t *testing.T) {
		var got []string
		var from domain.Place
		pages := 0
		for {
			rows, next, err := s.Subscriptions.Page(ctx, list.AuthorID, from)
			fixture.Check(t, err)
			for _, r := range rows {
				got = append(got, fmt.Sprintf("%02.0f %s", r.Added.Sub(fixture.At(0)).Minutes(),
					schema.ReceiverID(r.ID, r.List)))
			}
			if pages++; next == "" || pages > 3 {
				break
			}
			from = next
		}
		slices.Sort(all)
		slices.Reverse(all)
		if pages != 2 || !slices.Equal(got, all) {
			t.Errorf("%d pages\n%q, want\n%q", pages, got, all)
		}
		if n := fixture.Must[int](t)(s.Subscriptions.Count(ctx, list.AuthorID)); n != len(all) {
			t.Errorf("%d are counted, want %d", n, len(all))
		}
	})
	t.Run("of a tag have only its own", func(t *testing.T) {
		one, other := freshTag(), freshTag()
		id, email := visitor()
		s.add(t, id, email, 1, subscription.Each, one)
		s.wantReceivers(t, one, subscription.Each, id)
		s.wantReceivers(t, other, subscription.Each)
		s.wantReceivers(t, series, subscription.Each)
	})
	t.Run("have no personal ones", func(t *testing.T) {
		user := s.MustUser(t)
		s.add(t, user.ID, "", 1, subscription.Each, subscription.List{Kind: subscription.Notices})
		s.wantReceivers(t, subscription.List{Kind: subscription.Notices}, subscription.Each)
	})
}

func (s *suite) repaired(t *testing.T) {
	ctx := t.Context()
	kept, gone := freshTag(), freshTag()
	id, email := visitor()
	sub := s.add(t, id, email, 1, subscription.Daily, kept)
	former, formerEmail := visitor()
	s.add(t, former, formerEmail, 2, subscription.Daily, kept, gone)
	fixture.Check(t, s.users().Delete(ctx, former, schema.SubscriberID)) // as an operator might
	fixture.Check(t, s.users().Delete(ctx, schema.ReceiversKey(kept), schema.ReceiverID(id, kept)))
	for range 2 {
		fixture.Check(t, s.Subscriptions.Repair(ctx))
		fixture.Check(t, s.Subscriptions.Complete(ctx, sub)) // as the replay of a rebuild does
		s.wantReceivers(t, kept, subscription.Daily, id)
		s.wantReceivers(t, gone, subscription.Daily)
	}
	digested := fixture.Must[[]subscription.Receiver](t)(s.Subscriptions.DigestedAfter(ctx, "", "", 1000))
	if ids := idsOf(digested); !slices.Contains(ids, id) || slices.Contains(ids, former) {
		t.Errorf("digests go to %q", ids)
	}
	s.drop(t, id)
}
