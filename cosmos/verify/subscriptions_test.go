package verify

import (
	"context"
	"fmt"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

const visitorEmail = "visitor@example.com"

// subscribe makes a subscriber subscribe to lists.
func subscribe(ctx context.Context, w *world, id, email string, f subscription.Frequency,
	lists ...subscription.List) error {
	_, err := w.Subscriptions.Change(ctx, id, func(sub *subscription.Subscriber) error {
		*sub = subscription.New(id, email, "")
		for _, l := range lists {
			if err := sub.Add(l, f, subscription.Consent{At: time.Now()}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// subscribeAda makes bob and a visitor subscribe to lists of ada, whose post was mailed.
func subscribeAda(ctx context.Context, w *world) error {
	err := subscribe(ctx, w, w.bob.ID, "", subscription.Daily, subscription.Author(w.ada.ID),
		subscription.Series(w.ada.ID, "a-series"), subscription.List{Kind: subscription.Feed})
	if err == nil {
		err = subscribe(ctx, w, subscription.VisitorID(visitorEmail), visitorEmail, subscription.Each,
			subscription.Author(w.ada.ID), subscription.Tag("go"), subscription.Site())
	}
	if err == nil {
		err = w.Subscriptions.SetNewsletter(ctx, w.ada.ID, subscription.Newsletter{Excerpt: true})
	}
	if err == nil {
		err = w.Subscriptions.BeginMailing(ctx, subscription.Mailing{PostID: w.post.ID, AuthorID: w.ada.ID,
			Begun: time.Now()})
	}
	if err == nil {
		err = w.Subscriptions.PutTold(ctx, subscription.Told{PostID: w.post.ID, At: time.Now()})
	}
	return err
}

func changeVisitor(change func(*subscription.Subscriber)) worldStep {
	return func(ctx context.Context, w *world) error {
		_, err := w.Subscriptions.Change(ctx, subscription.VisitorID(visitorEmail),
			func(sub *subscription.Subscriber) error { change(sub); return nil })
		return err
	}
}

func endAll(sub *subscription.Subscriber) { sub.EndAll(time.Now()) }

func askAgain(sub *subscription.Subscriber) {
	sub.Email = visitorEmail
	_ = sub.Ask(subscription.Tag("rust"), subscription.Each, subscription.Consent{At: time.Now()})
}

func soundSubscriptions() []soundCase {
	return []soundCase{
		{"subscribers, a newsletter and a mailing", subscribeAda},
		{"a subscriber whose subscriptions have ended", after(subscribeAda, changeVisitor(endAll))},
		{"a former subscriber who has asked again",
			after(subscribeAda, after(changeVisitor(endAll), changeVisitor(askAgain)))},
		{"a list of which all subscribers are read", after(subscribeAda, func(ctx context.Context, w *world) error {
			return w.Subscriptions.Refresh(ctx, subscription.Author(w.ada.ID))
		})},
	}
}

func brokenSubscriptions() []brokenCase {
	patch := func(partition func(*world) string, id func(*world) string, path string, value any) worldStep {
		return after(subscribeAda, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, partition(w), id(w), set(path, value))
		})
	}
	fixed := func(text string) func(*world) string { return func(*world) string { return text } }
	visitor := fixed(subscription.VisitorID(visitorEmail))
	bob := func(w *world) string { return w.bob.ID }
	onSubscriber := func(of func(*world) string, path string, value any) worldStep {
		return patch(of, fixed("subscriber"), path, value)
	}
	lists := func(w *world) string { return "subscribers.author." + w.ada.ID }
	receiver := func(w *world) string { return w.bob.ID + ".author" }
	item := func(partition func(*world) string, item anyItem) worldStep {
		return func(ctx context.Context, w *world) error {
			item["userId"] = partition(w)
			return w.putItem(ctx, w.Container(schema.UsersContainer), fmt.Sprint(item["userId"]), item)
		}
	}
	remove := func(partition, id func(*world) string) worldStep {
		return after(subscribeAda, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Delete(ctx, partition(w), id(w))
		})
	}
	return []brokenCase{
		{ruleIDs, "a subscriber in another partition", "it is in the partition",
			item(fixed("x"), anyItem{"id": "subscriber", "type": "subscriber", "ttl": 60})},
		{ruleIDs, "a member with an address", "its address", onSubscriber(bob, "/email", visitorEmail)},
		{ruleIDs, "a visitor with another address", "its address", onSubscriber(visitor, "/email", "x@example.com")},
		{ruleSubscribers, "a subscriber whose receivers are outdated", "outdated",
			onSubscriber(bob, "/outdated", []anyItem{{"id": "x", "partition": "y"}})},
		{ruleShapes, "a subscription to nothing", "is no subscription",
			onSubscriber(bob, "/subscriptions/0/list/kind", "x")},
		{ruleShapes, "a visitor with a personal feed", "is no subscription",
			onSubscriber(visitor, "/subscriptions",
				[]anyItem{{"list": anyItem{"kind": "feed"}, "frequency": "daily"}})},
		{ruleSubscribers, "a subscriber who expires", "expires true", onSubscriber(bob, "/ttl", 60)},
		{ruleSubscribers, "an unconfirmed address that stays", "its address stays", after(subscribeAda,
			after(changeVisitor(endAll), after(changeVisitor(askAgain), func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, visitor(w), "subscriber", set("/ttl", 1<<20))
			})))},
		{ruleSubscribers, "the address of a former subscriber", "its address stays", after(subscribeAda,
			after(changeVisitor(endAll), func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, visitor(w), "subscriber",
					set("/email", visitorEmail))
			}))},
		{ruleSubscribers, "a subscription without a receiver", `it is "", want`, remove(lists, receiver)},
		{ruleSubscribers, "a receiver without a subscription", "no such subscription",
			remove(bob, fixed("subscriber"))},
		{ruleSubscribers, "a receiver with another frequency", `\"each\" since`,
			patch(lists, receiver, "/frequency", "each")},
		{ruleExpiry, "a receiver who expires", "expires in", patch(lists, receiver, "/ttl", 60)},
		{ruleSubscribers, "a subscriber without digests", `it is "", want`,
			remove(fixed("subscribers.digests.site"), bob)},
		{ruleSubscribers, "digests in a time zone that is missing", "no time zone site",
			remove(fixed("digest-zones"), fixed("site"))},
		{ruleSubscribers, "a marker that stays", "does not expire",
			item(fixed("x"), anyItem{"id": "x", "type": "deleted-receiver"})},
		{ruleSubscribers, "a subscription to a deleted author", "there is no user", after(subscribeAda, deleteAda)},
		{ruleSubscribers, "a mailing of an unknown author", "there is no user", item(fixed(domain.NewUserID(nil)),
			anyItem{"id": "mailing.x", "type": "mailing", "postId": "x"})},
		{ruleIDs, "a mailing with another id", "its id should be mailing.x",
			item(bob, anyItem{"id": "mailing", "type": "mailing", "postId": "x"})},
	}
}
