package harness

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos"
	"inkfeed/domain/subscription"
)

// AddSubscribers stores visitors who get each post of a list.
func AddSubscribers(store *cosmos.Store, n int, l subscription.List) error {
	begun := time.Now().Add(-time.Hour)
	var adding errgroup.Group
	adding.SetLimit(16)
	for i := range n {
		email := fmt.Sprintf("reader%d@host%d.example", i, i%40)
		adding.Go(func() error {
			return AddSubscriber(store, subscription.New(subscription.VisitorID(email), email, ""),
				begun.Add(time.Duration(i)*time.Millisecond), l)
		})
	}
	return adding.Wait()
}

// AddSubscriber stores a subscriber who gets each post of some lists since a time.
func AddSubscriber(store *cosmos.Store, who subscription.Subscriber, at time.Time, lists ...subscription.List) error {
	_, err := store.Subscriptions.Change(context.Background(), who.ID, func(s *subscription.Subscriber) error {
		*s = who
		for _, l := range lists {
			if err := s.Add(l, subscription.Each, subscription.Consent{At: at}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
