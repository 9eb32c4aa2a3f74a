package projection

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// notificationJournal records calls for notifications.
type notificationJournal struct{ *journal }

func (j notificationJournal) Notify(_ context.Context, list ...domain.Notification) error {
	if len(list) > 1 {
		return j.log("tell %s of %d events", list[0].UserID, len(list))
	}
	n := list[0]
	return j.log("tell %s of %s %s~%s", n.UserID, n.Kind, n.PostID, n.CommentID)
}

// notificationChannel receives the notifications.
type notificationChannel chan<- domain.Notification

func (told notificationChannel) Notify(_ context.Context, list ...domain.Notification) error {
	for _, n := range list {
		told <- n
	}
	return nil
}

func TestAuthorsAreNotifiedOfComments(t *testing.T) {
	now := time.Now()
	post := domain.Post{ID: "p", AuthorID: "ada"}
	comment := domain.Comment{ID: "c", PostID: "p", AuthorID: "ben", Created: now}
	notify := func(j *journal, changes ...feeds.PostChange) error {
		return (&PostsProjector{Posts: j, Notifications: notificationJournal{j}}).notify(t.Context(), changes)
	}
	t.Run("once for each batch of changes, also if the post is not on it", func(t *testing.T) {
		for _, changes := range [][]feeds.PostChange{
			{{Post: &post}, {Comment: &comment}, {Comment: &comment}, {Like: &domain.Like{PostID: "p"}}},
			{{Comment: &comment}},
		} {
			j := &journal{sources: map[string]domain.Post{"p": post}}
			if err := notify(j, changes...); err != nil {
				t.Fatal(err)
			}
			j.is(t, "tell ada of comment p~c")
		}
	})
	t.Run("of many comments together, as many as a transaction can have", func(t *testing.T) {
		j := &journal{}
		other := domain.Post{ID: "q", AuthorID: "cleo"}
		changes := []feeds.PostChange{{Post: &post}, {Post: &other}}
		for i := range 200 {
			c := comment
			c.ID = fmt.Sprint("c", i)
			if i < 2 {
				c.PostID = other.ID
			}
			changes = append(changes, feeds.PostChange{Comment: &c})
		}
		if err := notify(j, changes...); err != nil {
			t.Fatal(err)
		}
		j.is(t, "tell ada of 99 events", "tell ada of 99 events", "tell cleo of 2 events")
	})
	t.Run("of no comment that is their own, old, hidden or deleted, or on a deleted post", func(t *testing.T) {
		own, old, hidden, deleted, gone := comment, comment, comment, comment, post
		own.AuthorID, old.Created = "ada", now.Add(-domain.NotifiedAge)
		hidden.Held, deleted.Deleted, gone.Deleted = domain.HeldForReview, now, now
		j := &journal{sources: map[string]domain.Post{"p": post}}
		for _, changes := range [][]feeds.PostChange{{{Comment: &own}}, {{Comment: &old}}, {{Comment: &hidden}},
			{{Comment: &deleted}}, {{Post: &gone}, {Comment: &comment}}} {
			if err := notify(j, changes...); err != nil {
				t.Fatal(err)
			}
		}
		j.is(t)
	})
	t.Run("at the time when a comment becomes visible, so the latest notifications come first", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			late := comment
			late.Created = domain.Timestamp(time.Now())
			time.Sleep(48 * time.Hour) // until a moderator approves it
			told := make(chan domain.Notification, 1)
			p := PostsProjector{Notifications: notificationChannel(told)}
			changes := []feeds.PostChange{{Post: &post}, {Comment: &late}}
			if err := p.notify(t.Context(), changes); err != nil {
				t.Fatal(err)
			}
			if got, want := (<-told).Created, domain.Timestamp(time.Now()); !got.Equal(want) {
				t.Errorf("told at %v, want %v", got, want)
			}
		})
	})
	t.Run("but not by a rebuild", func(t *testing.T) {
		if err := (&PostsProjector{}).notify(t.Context(), []feeds.PostChange{{Comment: &comment}}); err != nil {
			t.Error(err)
		}
	})
}
