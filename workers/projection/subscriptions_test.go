package projection

import (
	"context"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// subscriptionJournal is the part of a journal that stores subscriptions by mail.
type subscriptionJournal struct{ *journal }

func (j subscriptionJournal) Complete(_ context.Context, sub subscription.Subscriber) error {
	return j.log("complete %s in version %d", sub.ID, sub.Version)
}

func (j subscriptionJournal) Drop(_ context.Context, subscriberID, authorID string) error {
	return j.log("%s loses %s", subscriberID, authorID)
}

func (j subscriptionJournal) EraseLists(_ context.Context, userID string, _ int) (domain.Step, error) {
	return domain.Step{Items: 1, More: j.moreLists}, j.log("erase the lists of %s", userID)
}

func TestSubscribersAreCompleted(t *testing.T) {
	subscriber := func(version int64, authorID string) feeds.UserChange {
		sub := subscription.Subscriber{ID: "s", Version: version}
		if err := sub.Add(subscription.Author(authorID), subscription.Each,
			subscription.Consent{At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		return feeds.UserChange{Subscriber: &sub}
	}
	project := func(t *testing.T, j *journal, changes ...feeds.UserChange) {
		t.Helper()
		if err := usersProjector(j).Project(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("in their latest state", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"ada": {}}}
		project(t, j, subscriber(1, "ada"), subscriber(3, "ada"), subscriber(2, "ada"))
		j.is(t, "complete s in version 3")
	})
	t.Run("without the lists of a deleted author", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"ada": {Deleted: true}}}
		project(t, j, subscriber(1, "ada"))
		j.is(t, "s loses ada", "complete s in version 1")
	})
	t.Run("and removed in steps when an author is deleted", func(t *testing.T) {
		j := &journal{moreLists: true}
		project(t, j, feeds.UserChange{User: &domain.User{ID: "u", Deleted: time.Now()}})
		j.is(t, "again u", "erase the follows of u", "erase the lists of u")
	})
}
