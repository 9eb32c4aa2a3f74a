package projection

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
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

func (j notificationJournal) NotifyLikes(_ context.Context, n domain.Notification, likes []domain.Like) error {
	var by []string
	for _, l := range likes {
		by = append(by, l.UserID)
	}
	slices.Sort(by)
	return j.log("tell %s of likes of %s on %d by %s", n.UserID, n.PostID, n.Event, strings.Join(by, " "))
}

// notificationChannel receives the notifications.
type notificationChannel chan<- domain.Notification

func (told notificationChannel) Notify(_ context.Context, list ...domain.Notification) error {
	for _, n := range list {
		told <- n
	}
	return nil
}

func (told notificationChannel) NotifyLikes(context.Context, domain.Notification, []domain.Like) error {
	return nil
}

// wishes are the accounts, blocks and mutes of users. It counts what is read.
type wishes struct {
	users  map[string]domain.User
	blocks map[[2]string]bool
	mutes  map[string]domain.Mutes
	reads  *atomic.Int32
}

func (w wishes) Several(context.Context, []string) (map[string]domain.User, error) {
	return w.users, nil
}

func (w wishes) Has(_ context.Context, userID, otherID string) (bool, error) {
	return w.blocks[[2]string{userID, otherID}], nil
}

func (w wishes) Of(_ context.Context, userID string) (domain.Mutes, error) {
	if w.reads != nil {
		w.reads.Add(1)
	}
	return w.mutes[userID], nil
}

// notifier returns a notifier of users with these wishes.
func notifier(list NotificationList, w wishes) *Notifier {
	return &Notifier{Accounts: w, Blocks: w, Mutes: w, List: list}
}

func TestAuthorsAreNotifiedOfComments(t *testing.T) {
	now := time.Now()
	post := domain.Post{ID: "p", AuthorID: "ada"}
	comment := domain.Comment{ID: "c", PostID: "p", AuthorID: "ben", Created: now}
	notify := func(j *journal, changes ...feeds.PostChange) error {
		return (&PostsProjector{Posts: j, Notifications: notifier(notificationJournal{j}, wishes{})}).
			notify(t.Context(), changes)
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
			p := PostsProjector{Posts: &journal{}, Notifications: notifier(notificationChannel(told), wishes{})}
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

func TestUsersAreNotifiedOnceOfEachEvent(t *testing.T) {
	now := time.Now()
	post := domain.Post{ID: "p", AuthorID: "ada", Created: now}
	parent := domain.Comment{ID: "b", PostID: "p", AuthorID: "ben", Created: now.Add(-domain.NotifiedAge)}
	reply := domain.Comment{ID: "c", PostID: "p", AuthorID: "cyd", Created: now, ParentID: "b"}
	day := domain.LikesDay(now)
	likes := func(users ...string) (changes []feeds.PostChange) {
		for _, id := range users {
			changes = append(changes, feeds.PostChange{Like: &domain.Like{PostID: "p", UserID: id, Created: now}})
		}
		return changes
	}
	run := func(t *testing.T, w wishes, want []string, changes ...feeds.PostChange) {
		t.Helper()
		j := &journal{sources: map[string]domain.Post{"p": post}, comments: map[string]domain.Comment{"b": parent}}
		p := PostsProjector{Posts: j, Notifications: notifier(notificationJournal{j}, w)}
		if err := p.notify(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
		slices.Sort(j.lines)
		j.is(t, want...)
	}
	muting := func(user string, m ...domain.Mute) wishes {
		return wishes{users: map[string]domain.User{user: {ID: user, MuteCount: len(m)}},
			mutes: map[string]domain.Mutes{user: m}, reads: new(atomic.Int32)}
	}
	t.Run("of a reply to their comment, and the post's author of the comment", func(t *testing.T) {
		want := []string{"tell ada of comment p~c", "tell ben of reply p~c"}
		run(t, wishes{}, want, feeds.PostChange{Comment: &reply})
		run(t, wishes{}, want, feeds.PostChange{Post: &post}, feeds.PostChange{Comment: &reply})
	})
	t.Run("of a reply only, if both texts are theirs", func(t *testing.T) {
		own := parent
		own.AuthorID = "ada"
		run(t, wishes{}, []string{"tell ada of reply p~c"}, feeds.PostChange{Comment: &own},
			feeds.PostChange{Comment: &reply})
	})
	t.Run("of the comment instead, if they have switched off replies", func(t *testing.T) {
		own := parent
		own.AuthorID = "ada"
		quiet := wishes{users: map[string]domain.User{"ada": {ID: "ada", QuietKinds: "reply"}}}
		run(t, quiet, []string{"tell ada of comment p~c"}, feeds.PostChange{Comment: &own},
			feeds.PostChange{Comment: &reply})
		quiet.users["ada"] = domain.User{ID: "ada", QuietKinds: "reply,comment"}
		run(t, quiet, nil, feeds.PostChange{Comment: &own}, feeds.PostChange{Comment: &reply})
	})
	t.Run("of a mention in a post or comment, once for each person", func(t *testing.T) {
		mentioning, c := post, reply
		mentioning.News = true
		mentioning.Mentions = domain.MentionsOf([]domain.Mention{{Name: "dan", UserID: "dan"},
			{Name: "ada", UserID: "ada"}, {Name: "daniel", UserID: "dan"}})
		c.Mentions = domain.MentionsOf([]domain.Mention{{Name: "ben", UserID: "ben"}, {Name: "dan", UserID: "dan"},
			{Name: "ada", UserID: "ada"}, {Name: "cyd", UserID: "cyd"}})
		run(t, wishes{}, []string{"tell dan of mention p~"}, feeds.PostChange{Post: &mentioning})
		run(t, wishes{}, []string{"tell ada of mention p~c", "tell ben of reply p~c", "tell dan of mention p~c"},
			feeds.PostChange{Comment: &c})
		hidden, old, told, edited := mentioning, mentioning, mentioning, c
		hidden.Held, old.Created = domain.HeldForReview, now.Add(-domain.NotifiedAge)
		told.News, edited.Edited = false, now
		edited.Mentions = c.Mentions.Edited(domain.MentionsOf([]domain.Mention{{Name: "eve", UserID: "eve"},
			{Name: "dan", UserID: "dan"}}))
		for _, p := range []domain.Post{hidden, old, told} {
			run(t, wishes{}, nil, feeds.PostChange{Post: &p})
		}
		run(t, wishes{}, []string{"tell ada of comment p~c", "tell ben of reply p~c", "tell dan of mention p~c"},
			feeds.PostChange{Comment: &edited})
	})
	t.Run("of no reply that others cannot see, and of none to their own or a deleted comment", func(t *testing.T) {
		hidden, own, gone := post, reply, parent
		hidden.Held, own.AuthorID, gone.Deleted = domain.HeldByModerator, "ben", now
		run(t, wishes{}, []string{"tell ada of comment p~c"}, feeds.PostChange{Post: &hidden},
			feeds.PostChange{Comment: &reply})
		run(t, wishes{}, []string{"tell ada of comment p~c"}, feeds.PostChange{Comment: &own})
		run(t, wishes{}, []string{"tell ada of comment p~c"}, feeds.PostChange{Comment: &gone},
			feeds.PostChange{Comment: &reply})
	})
	t.Run("of all likes of a post and day in a batch together, but not of their own", func(t *testing.T) {
		want := fmt.Sprintf("tell ada of likes of p on %d by ben cyd", day)
		run(t, wishes{}, []string{want}, likes("ben", "ada", "cyd")...)
		run(t, wishes{}, nil, likes("ada")...)
	})
	t.Run("of no like that is old or by a suspended user", func(t *testing.T) {
		old, hidden := likes("ben"), likes("ben")
		old[0].Like.Created, hidden[0].Like.AuthorSuspended = now.Add(-domain.NotifiedAge), true
		run(t, wishes{}, nil, old...)
		run(t, wishes{}, nil, hidden...)
	})
	t.Run("of nothing by people whom they have muted or blocked, or who are suspended or deleted", func(t *testing.T) {
		run(t, muting("ben", domain.Mute{Kind: domain.MutePerson, ID: "cyd"}), []string{"tell ada of comment p~c"},
			feeds.PostChange{Comment: &reply})
		run(t, wishes{blocks: map[[2]string]bool{{"ben", "cyd"}: true}}, []string{"tell ada of comment p~c"},
			feeds.PostChange{Comment: &reply})
		run(t, muting("ada", domain.Mute{Kind: domain.MutePerson, ID: "cyd"}),
			[]string{fmt.Sprintf("tell ada of likes of p on %d by ben", day)}, likes("cyd", "ben")...)
		for _, cyd := range []domain.User{{ID: "cyd", Suspended: now}, {ID: "cyd", Deleted: now}} {
			run(t, wishes{users: map[string]domain.User{"cyd": cyd}}, nil, feeds.PostChange{Comment: &reply})
		}
	})
	t.Run("of nothing about posts that they have muted", func(t *testing.T) {
		w := muting("ada", domain.Mute{Kind: domain.MutePost, ID: "p"})
		run(t, w, []string{"tell ben of reply p~c"}, append(likes("ben"), feeds.PostChange{Comment: &reply})...)
		if w.reads.Load() != 1 {
			t.Errorf("mutes were read %d times, want once: of the only user who has some", w.reads.Load())
		}
	})
	t.Run("of a new follower, unless the follower is in review, blocked, muted or unwanted", func(t *testing.T) {
		follow := func(w wishes, follower string, want ...string) {
			t.Helper()
			j := &journal{}
			if err := notifier(notificationJournal{j}, w).Follower(t.Context(), follower, "ada"); err != nil {
				t.Fatal(err)
			}
			j.is(t, want...)
		}
		hasty := func(trusted bool) wishes {
			return wishes{users: map[string]domain.User{"ben": {ID: "ben", Hasty: true, Trusted: trusted}}}
		}
		follow(wishes{}, "ben", "tell ada of follower ~")
		follow(hasty(true), "ben", "tell ada of follower ~")
		follow(hasty(false), "ben")
		follow(wishes{blocks: map[[2]string]bool{{"ada", "ben"}: true}}, "ben")
		follow(muting("ada", domain.Mute{Kind: domain.MutePerson, ID: "ben"}), "ben")
		follow(wishes{users: map[string]domain.User{"ada": {QuietKinds: "follower"}}}, "ben")
		follow(wishes{}, "ada")
	})
}
