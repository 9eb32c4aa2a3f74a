package reading_test

import (
	"net/http"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestNotifications(t *testing.T) {
	const badge = "header.site summary .count-badge"
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "Some text.")
	comments := ben.CreateComments(p, "A *first* comment.", "שפת תכנות in many letters", "A hidden one.")
	tell := func(n domain.Notification) {
		t.Helper()
		n.UserID, n.PostID, n.Created = ada.User.ID, p.ID, domain.Timestamp(time.Now())
		if err := s.Data.Store.Notifications.Notify(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("are none at first", func(t *testing.T) {
		ada.Get("/notifications").Want(http.StatusOK).Has("main", "No notifications yet").HasNo(badge)
		s.Anonymous().Get("/notifications").Want(http.StatusSeeOther)
	})
	t.Run("are counted once each in the navigation of every page", func(t *testing.T) {
		for range 2 {
			for _, c := range comments {
				tell(domain.Notification{Kind: domain.NotifyComment, CommentID: c.ID})
			}
		}
		for _, page := range []string{"/", "/", p.Path(), "/settings"} {
			ada.Get(page).Want(http.StatusOK).Has(badge, "3 new notifications")
			ben.Get(page).Want(http.StatusOK).HasNo(badge)
			s.Anonymous().Get("/").HasNo(badge)
		}
	})
	t.Run("name the comments that the user can still see, and are then seen", func(t *testing.T) {
		s.Hold(p.ID, comments[2].ID, domain.HeldByModerator)
		a := ada.Get("/notifications").Want(http.StatusOK).HasNo(badge)
		if list := a.Page().Find(".notifications li.new"); list.Length() != 2 {
			t.Errorf("there are %d new ones, want 2: %s", list.Length(), list.Text())
		}
		a.Has(`.notifications a[href="/posts/`+p.ID+`/comments/`+comments[0].ID+`"]`, "A title").
			Has(`.notifications li:contains("A first comment.") a[href="/@ben"]`, "ben").
			Has(`.notifications .text[dir="auto"]`, "A first comment.").Has(`.notifications .text[dir="rtl"]`, "תכנות")
		ada.Get("/").Want(http.StatusOK).HasNo(badge)
		ada.Get("/notifications").Want(http.StatusOK).HasNo(".notifications .new")
	})
	t.Run("stay new when only the header of the page is requested", func(t *testing.T) {
		tell(domain.Notification{Kind: domain.NotifyHidden, Event: 5})
		ada.Send(http.MethodHead, "/notifications", nil).Want(http.StatusOK)
		ada.Get("/").Has(badge, "1 new notification")
		ada.Get("/notifications").Want(http.StatusOK)
	})
	t.Run("are explained even if the only one is about a text that is gone", func(t *testing.T) {
		cyd := s.SignUp("cyd")
		only := cyd.CreatePost("Only", "Some text.")
		c := ben.CreateComments(only, "A hidden one.")[0]
		if err := s.Data.Store.Notifications.Notify(t.Context(), domain.Notification{UserID: cyd.User.ID,
			PostID: only.ID,
			Kind:   domain.NotifyComment, CommentID: c.ID, Created: domain.Timestamp(time.Now())}); err != nil {
			t.Fatal(err)
		}
		s.Hold(only.ID, c.ID, domain.HeldByModerator)
		cyd.Get("/notifications").Want(http.StatusOK).Has("main", "was deleted or hidden")
	})
	t.Run("are replaced by an explanation when all of their texts are gone", func(t *testing.T) {
		for n := range domain.NotificationsPerPage {
			tell(domain.Notification{Kind: domain.NotifyComment, CommentID: comments[2].ID, Event: n + 10})
		}
		ada.Get("/notifications").Want(http.StatusOK).Has("main", "was deleted or hidden").
			HasNo(".notifications").Has(`a[href="/notifications?page=2"]`, "")
	})
	t.Run("arrive again after the user has seen the others", func(t *testing.T) {
		s.Hold(p.ID, "", domain.HeldByModerator)
		tell(domain.Notification{Kind: domain.NotifyHidden, Event: 1})
		tell(domain.Notification{Kind: domain.NotifyHidden, Event: 1})
		tell(domain.Notification{Kind: domain.NotifyApproved, CommentID: comments[0].ID, Event: 2})
		ada.Get("/").Has(badge, "2 new notifications")
		ada.Get("/notifications").
			Has(`.notifications li.new:contains("was hidden by a moderator")`, "Your post A title").
			Has(`.notifications li.new:contains("was approved")`, "Your comment on A title")
	})
}
