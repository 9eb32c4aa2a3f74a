package cosmostest

import (
	"context"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) notifications(t *testing.T) {
	user := s.MustUser(t)
	ctx := t.Context()
	event := func(n int) domain.Notification {
		return domain.Notification{UserID: user.ID, Kind: domain.NotifyComment, PostID: domain.NewID(),
			CommentID: domain.NewID(), Created: fixture.At(n)}
	}
	counts := func(t *testing.T) (all, unseen int) {
		t.Helper()
		u := fixture.Must[domain.User](t)(s.Users.ByID(ctx, user.ID))
		return u.Notifications, u.UnseenNotifications()
	}
	first, second := event(1), event(2)
	fixture.Run(t, "an event counts once, however often it is reported", func(t *testing.T) {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { fixture.Check(t, s.Notifications.Notify(ctx, first)) })
		}
		group.Wait()
		fixture.Check(t, s.Notifications.Notify(ctx, second))
		if all, unseen := counts(t); all != 2 || unseen != 2 {
			t.Errorf("%d notifications, %d unseen", all, unseen)
		}
	})
	fixture.Run(t, "several decisions about one text are different events", func(t *testing.T) {
		for _, n := range []int{1, 2, 2} {
			fixture.Check(t, s.Notifications.Notify(ctx, domain.Notification{UserID: user.ID, Kind: domain.NotifyHidden,
				PostID: first.PostID, Event: n, Created: fixture.At(2 + n)}))
		}
		if all, _ := counts(t); all != 4 {
			t.Errorf("%d notifications", all)
		}
	})
	fixture.Run(t, "several events are reported together, and those that were reported before do not count again",
		func(t *testing.T) {
			other := s.MustUser(t)
			to := func(n int) domain.Notification {
				e := event(n)
				e.UserID = other.ID
				return e
			}
			known, alsoKnown := to(1), to(2)
			fixture.Check(t, s.Notifications.Notify(ctx, known))
			fixture.Check(t, s.Notifications.Notify(ctx, alsoKnown))
			fixture.Check(t, s.Notifications.Notify(ctx, known, to(3), alsoKnown, to(4)))
			fixture.Check(t, s.Notifications.Notify(ctx, known, alsoKnown))
			u := fixture.Must[domain.User](t)(s.Users.ByID(ctx, other.ID))
			list := fixture.Must[domain.ListPage[domain.Notification]](t)(s.Notifications.List(ctx, other.ID, 1)).Items
			if u.Notifications != 4 || len(list) != 4 {
				t.Errorf("%d events are counted and %d stored, want 4", u.Notifications, len(list))
			}
			var many []domain.Notification
			for i := range 99 {
				many = append(many, to(5+i))
			}
			usage := s.Cost(t, func(ctx context.Context) error { return s.Notifications.Notify(ctx, many...) })
			if usage.Requests() != 1 {
				t.Errorf("%d requests for 99 events, want 1", usage.Requests())
			}
			for i := range 50 {
				many[i] = to(500 + i)
			}
			usage = s.Cost(t, func(ctx context.Context) error { return s.Notifications.Notify(ctx, many...) })
			if usage.Requests() > 3 {
				t.Errorf("%d requests for 99 events, half of which were reported before, want at most 3",
					usage.Requests())
			}
			u = fixture.Must[domain.User](t)(s.Users.ByID(ctx, other.ID))
			if u.Notifications != 4+99+50 {
				t.Errorf("%d events are counted, want %d", u.Notifications, 4+99+50)
			}
		})
	fixture.Run(t, "the list has the latest first", func(t *testing.T) {
		list := fixture.Must[domain.ListPage[domain.Notification]](t)(s.Notifications.List(ctx, user.ID, 1)).Items
		if len(list) != 4 || list[0].Kind != domain.NotifyHidden || list[2] != second || list[3] != first {
			t.Errorf("the list is %+v", list)
		}
	})
	fixture.Run(t, "a notification that arrives while the user reads the list stays unseen", func(t *testing.T) {
		fixture.Check(t, s.Notifications.Notify(ctx, event(9)))
		for _, seen := range []int{4, 4, 3} {
			fixture.Check(t, s.Notifications.SetSeen(ctx, user.ID, seen))
		}
		if all, unseen := counts(t); all != 5 || unseen != 1 {
			t.Errorf("%d notifications, %d unseen", all, unseen)
		}
	})
	fixture.Run(t, "showing the count costs nothing", func(t *testing.T) {
		if usage := s.Cost(t, func(ctx context.Context) error {
			_, err := s.Users.ByID(ctx, user.ID)
			return err
		}); usage.Requests() != 1 || usage.Charge() > 1.1 {
			t.Errorf("%d requests, %.1f RU", usage.Requests(), usage.Charge())
		}
		usage := s.Cost(t, func(ctx context.Context) error { return s.Notifications.Notify(ctx, event(10)) })
		if t.Logf("notifying a user costs %.1f RU", usage.Charge()); usage.Requests() != 1 {
			t.Errorf("notifying a user takes %d requests", usage.Requests())
		}
	})
	fixture.Run(t, "they are deleted with the account, which gets no others", func(t *testing.T) {
		fixture.Check(t, s.AccountDeletions.Delete(ctx, user.ID))
		fixture.Check(t, s.Notifications.Notify(ctx, event(11)))
		fixture.Check(t, s.AccountDeletions.FinishErasure(ctx, user.ID))
		fixture.Check(t, s.Notifications.Notify(ctx, event(12)))
		list := fixture.Must[domain.ListPage[domain.Notification]](t)(s.Notifications.List(ctx, user.ID, 1)).Items
		if len(list) != 0 {
			t.Errorf("%d are left", len(list))
		}
	})
}

func (s *suite) likeNotifications(t *testing.T) {
	user, ctx := s.MustUser(t), t.Context()
	at := func(hours int) time.Time { return domain.Timestamp(time.Now().Add(time.Duration(hours) * time.Hour)) }
	n := domain.Notification{UserID: user.ID, Kind: domain.NotifyLike, PostID: domain.NewID(), Event: 20261130,
		Created: at(1)}
	like := func(hours int, users ...string) {
		t.Helper()
		var likes []domain.Like
		for _, id := range users {
			likes = append(likes, domain.Like{PostID: n.PostID, UserID: id, Created: at(hours)})
		}
		n := n
		n.Created = at(hours)
		fixture.Check(t, s.Notifications.NotifyLikes(ctx, n, likes))
	}
	unseen := func(t *testing.T, want int) {
		t.Helper()
		u := fixture.Must[domain.User](t)(s.Users.ByID(ctx, user.ID))
		if u.UnseenNotifications() != want {
			t.Errorf("%d notifications are new, want %d", u.UnseenNotifications(), want)
		}
	}
	see := func(t *testing.T) {
		t.Helper()
		u := fixture.Must[domain.User](t)(s.Users.ByID(ctx, user.ID))
		fixture.Check(t, s.Notifications.SetSeen(ctx, user.ID, u.Notifications))
	}
	list := func(t *testing.T) []domain.Notification {
		return fixture.Must[domain.ListPage[domain.Notification]](t)(s.Notifications.List(ctx, user.ID, 1)).Items
	}
	fixture.Run(t, "all likes of a day are one notification until it is seen", func(t *testing.T) {
		like(2, "a", "b")
		like(3, "c")
		unseen(t, 1)
		if got := list(t); len(got) != 1 || got[0].Event != n.Event || got[0].Created.After(at(3)) {
			t.Errorf("the list is %+v", got)
		}
	})
	fixture.Run(t, "another like after that makes it new again and moves it to the top", func(t *testing.T) {
		fixture.Check(t, s.Notifications.Notify(ctx, domain.Notification{UserID: user.ID, Kind: domain.NotifyComment,
			PostID: n.PostID, CommentID: domain.NewID(), Created: at(4)}))
		see(t)
		like(5, "d")
		unseen(t, 1)
		if got := list(t); len(got) != 2 || got[0].Kind != domain.NotifyLike {
			t.Errorf("the list is %+v", got)
		}
	})
	fixture.Run(t, "likes that are reported again change nothing", func(t *testing.T) {
		see(t)
		like(-5, "d")
		like(-3, "c", "a")
		unseen(t, 0)
	})
	fixture.Run(t, "a like that came while the list was read is new", func(t *testing.T) {
		see(t)
		n := n
		n.Created = at(0)
		just := time.Now().Add(-time.Second)
		fixture.Check(t, s.Notifications.NotifyLikes(ctx, n, []domain.Like{{UserID: "e", Created: just}}))
		unseen(t, 1)
	})
	fixture.Run(t, "simultaneous likes and other notifications are all counted", func(t *testing.T) {
		see(t)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				fixture.Check(t, s.Notifications.Notify(ctx, domain.Notification{UserID: user.ID,
					Kind: domain.NotifyComment, PostID: n.PostID, CommentID: domain.NewID(), Created: at(7)}))
			})
			group.Go(func() { like(8, "f") })
		}
		group.Wait()
		unseen(t, 5)
	})
	fixture.Run(t, "each day has a notification of its own, and a deleted user gets none", func(t *testing.T) {
		see(t)
		n.Event++
		like(12, "a")
		unseen(t, 1)
		usage := s.Cost(t, func(ctx context.Context) error {
			return s.Notifications.NotifyLikes(ctx, n, []domain.Like{{UserID: "g", Created: at(13)}})
		})
		t.Logf("another like before the notification is seen costs %.1f RU", usage.Charge())
		fixture.Check(t, s.AccountDeletions.Delete(ctx, user.ID))
		n.Event++
		like(13, "a")
		fixture.Check(t, s.AccountDeletions.FinishErasure(ctx, user.ID))
		like(13, "a")
		if got := list(t); len(got) > 0 {
			t.Errorf("%d are left", len(got))
		}
	})
}

func (s *suite) scheduleNotifications(t *testing.T) {
	author, ctx := s.MustUser(t), t.Context()
	count := 0
	notified := func(t *testing.T, kind domain.NotificationKind, postID string, by int) {
		t.Helper()
		u := fixture.Must[domain.User](t)(s.Users.ByID(ctx, author.ID))
		list := fixture.Must[domain.ListPage[domain.Notification]](t)(s.Notifications.List(ctx, author.ID, 1)).Items
		if count += by; u.Notifications != count || len(list) != count {
			t.Fatalf("%d notifications are counted and %d stored, want %d", u.Notifications, len(list), count)
		}
		if count > 0 && by > 0 && (list[0].Kind != kind || list[0].PostID != postID) {
			t.Errorf("the notification is %+v", list[0])
		}
	}
	fixture.Run(t, "a publication by many instances at once notifies the author once", func(t *testing.T) {
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "Once"), fixture.Soon())
		s.publishAtOnce(t, e)
		notified(t, domain.NotifyPublished, d.PostID, 1)
	})
	fixture.Run(t, "a draft that is put back by several instances notifies the author once", func(t *testing.T) {
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "Back"), fixture.Soon())
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { fixture.Check(t, s.Drafts.AbandonPublication(ctx, e, "The post was deleted.")) })
		}
		group.Wait()
		notified(t, domain.NotifyPutBack, d.PostID, 1)
		if got := fixture.Must[domain.Draft](t)(s.Drafts.Get(ctx, author.ID, d.PostID)); got.Problem == "" {
			t.Errorf("the draft is %+v", got)
		}
	})
	fixture.Run(t, "an author who has switched that off hears of problems only", func(t *testing.T) {
		fixture.Check(t, s.Notifications.SetQuiet(ctx, author.ID, "published"))
		_, e := s.MustSchedule(t, s.MustDraft(t, author, "Quiet"), fixture.Soon())
		fixture.Must[domain.Post](t)(s.Drafts.PublishScheduled(ctx, e))
		notified(t, "", "", 0)
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "Problem"), fixture.Soon())
		fixture.Check(t, s.Drafts.AbandonPublication(ctx, e, "The post was deleted."))
		notified(t, domain.NotifyPutBack, d.PostID, 1)
	})
}
