package reading_test

import (
	"net/http"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// told is a user whom a test notifies of events.
type told struct {
	*webtest.Site
	*webtest.Visitor
}

func (u told) of(n domain.Notification) {
	u.T.Helper()
	if n.UserID = u.Visitor.User.ID; n.Created.IsZero() {
		n.Created = domain.Timestamp(time.Now())
	}
	if err := u.Data.Store.Notifications.Notify(u.T.Context(), n); err != nil {
		u.T.Fatal(err)
	}
}

func TestNotificationsByKind(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cyd := told{s, s.SignUp("ada")}, s.SignUp("ben"), s.SignUp("cyd")
	p, q := ada.CreatePost("Ada's post", "Some text."), ben.CreatePost("Ben's post", "Some text.")
	own := ada.CreateComments(q, "Ada's comment.")[0]
	reply := cyd.Reply(own, "Cyd's reply.")
	comment := cyd.CreateComments(p, "Cyd's comment.")[0]
	likesOn := func(post domain.Post) domain.Notification {
		return domain.Notification{UserID: ada.Visitor.User.ID, Kind: domain.NotifyLike, PostID: post.ID,
			Event: domain.LikesDay(time.Now()), Created: domain.Timestamp(time.Now())}
	}
	row := func(text string) string { return `.notifications li:contains("` + text + `")` }
	t.Run("say who did what, and what moderators and the schedule did", func(t *testing.T) {
		ada.of(domain.Notification{Kind: domain.NotifyReply, PostID: q.ID, CommentID: reply.ID})
		ada.of(domain.Notification{Kind: domain.NotifyComment, PostID: p.ID, CommentID: comment.ID})
		ada.of(domain.Notification{Kind: domain.NotifyMention, PostID: q.ID})
		ben.Post("/@ada/follow").Want(http.StatusSeeOther)
		ada.of(domain.Notification{Kind: domain.NotifyFollower, FollowerID: ben.User.ID})
		ada.of(domain.Notification{Kind: domain.NotifyApproved, PostID: p.ID, Event: 1})
		ada.of(domain.Notification{Kind: domain.NotifyPublished, PostID: p.ID, Event: 1,
			Created: domain.Timestamp(time.Now().Add(-24 * time.Hour))})
		ada.Get("/notifications").Want(http.StatusOK).
			Has(row("Cyd's reply"), "@cyd replied to your comment on Ben's post").
			Has(row("Cyd's comment"), "@cyd commented on Ada's post").
			Has(row("mentioned you"), "@ben mentioned you in Ben's post").
			Has(row("follows you")+` a[href="/@ben"]`, "@ben").
			Has(row("was approved"), "Your post Ada's post was approved").
			Has(row("scheduled"), "Your scheduled post Ada's post was published").
			Has(".notifications h2:first-child", "Today").Has(".notifications h2:not(:first-child)", "Yesterday").
			Has(".notifications h3:contains(Replies) + ol > li", "Cyd's reply").
			Has(".notifications h2:contains(Yesterday) + h3", "Scheduled posts")
	})
	t.Run("name the latest person of a day who likes a post, and count the others", func(t *testing.T) {
		like := func(v *webtest.Visitor) {
			t.Helper()
			l := domain.NewLike(v.User, p.ID, time.Now())
			if _, err := s.Data.Store.Posts.Like(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			if err := s.Data.Store.Notifications.NotifyLikes(t.Context(), likesOn(p), []domain.Like{l}); err != nil {
				t.Fatal(err)
			}
		}
		like(ben)
		ada.Get("/notifications").Has(row("liked"), "@ben liked Ada's post")
		like(cyd)
		ada.Get("/notifications").Has(row("liked"), "@cyd and 1 other liked Ada's post")
		ben.Post("/posts/" + p.ID + "/unlike").Want(http.StatusSeeOther)
		ada.Get("/notifications").Has(row("liked"), "@cyd liked Ada's post")
		cyd.Post("/posts/" + p.ID + "/unlike").Want(http.StatusSeeOther)
		ada.Get("/notifications").HasNo(row("liked"))
	})
	t.Run("explain why a scheduled post is a draft again, until it is changed", func(t *testing.T) {
		d := ada.CreateDraft("Late", "Some text.", "")
		at := time.Now().Add(time.Hour)
		user := ada.Visitor.User.ID
		if _, err := s.Data.Store.Drafts.Schedule(t.Context(), user, d.PostID, d.Version, at); err != nil {
			t.Fatal(err)
		}
		err := s.Data.Store.Drafts.AbandonPublication(t.Context(), domain.ScheduledItem{UserID: user,
			PostID: d.PostID, At: domain.Timestamp(at)},
			domain.Reason(domain.NewError(domain.Conflict, "The post was deleted.")).Stored())
		if err != nil {
			t.Fatal(err)
		}
		ada.Get("/notifications").Has(row("draft again"), "Your scheduled post Late couldn't be published").
			Has(row("draft again")+" .text", "The post was deleted.").
			Has(row("draft again")+` a[href="/posts/`+d.PostID+`/edit"]`, "Late")
		if err := s.Data.Store.Drafts.Discard(t.Context(), user, d.PostID, d.Version); err != nil {
			t.Fatal(err)
		}
		ada.Get("/notifications").HasNo(row("draft again"))
	})
	t.Run("offer to mute the post and the person, with htmx in place and undoable", func(t *testing.T) {
		ada.Get("/notifications").
			Has(row("Cyd's comment")+` .menu form[action="/posts/`+p.ID+`/mute"]`, "Mute this post").
			Has(row("Cyd's comment")+` .menu form[action="/@cyd/mute"]`, "Mute this person").
			HasNo(row("was approved") + " .menu")
		const next = "/notifications?muted=yes"
		ada.HTMX().Post("/@cyd/mute", "next", next).Want(http.StatusOK).
			Has(`li.notification [role="status"]`, "You muted @cyd.").
			Has(`li.notification form[action="/@cyd/unmute"] button`, "Undo")
		ada.Get("/notifications").HasNo(row("Cyd's")).Has(row("mentioned you"), "@ben")
		ada.Post("/@cyd/unmute", "next", "/notifications").WantRedirect(303, "/notifications")
		ada.Post("/posts/"+p.ID+"/mute", "next", next).WantRedirect(303, next)
		ada.Get(next).Has(`[role="status"]`, "Muted.").HasNo(row("Cyd's comment")).Has(row("Cyd's reply"), "").
			Has(row("was approved"), "")
		ada.Post("/posts/" + p.ID + "/unmute").Want(303)
	})
	t.Run("disappear while a person does not follow any more", func(t *testing.T) {
		ben.Post("/@ada/unfollow").Want(http.StatusSeeOther)
		ada.Get("/notifications").HasNo(row("follows you"))
		ben.Post("/@ada/follow").Want(http.StatusSeeOther)
		ada.Get("/notifications").Has(row("follows you"), "@ben")
	})
	t.Run("disappear while a person is blocked or suspended", func(t *testing.T) {
		ada.Post("/settings/blocks", "user", cyd.User.ID).Want(303)
		ada.Get("/notifications").HasNo(row("Cyd's")).Has(row("mentioned you"), "@ben")
		ada.Post("/settings/blocks/remove", "user", cyd.User.ID).Want(303)
		s.Suspend(ben)
		ada.Get("/notifications").HasNo(row("follows you"))
	})
}

func TestNotificationSettings(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	const path = "/settings/notifications"
	t.Run("are all on at first, and linked", func(t *testing.T) {
		for _, page := range []string{"/settings", "/notifications"} {
			ada.Get(page).Has(`main :not(.room-menu li) > a[href="`+path+`"]`, "otification")
		}
		a := ada.Get(path).Want(http.StatusOK)
		if on := a.Page().Find(`input[name="kind"][checked]`).Length(); on != len(domain.OptionalNotifications()) {
			t.Errorf("%d kinds are on", on)
		}
	})
	t.Run("switch kinds off and on", func(t *testing.T) {
		ada.Post(path, "kind", "reply").WantRedirect(303, path+"?saved=yes")
		ada.Get(path+"?saved=yes").Has(`[role="status"]`, "saved").Has(`input[value="reply"][checked]`, "").
			HasNo(`input[value="like"][checked]`)
		if u := s.User("ada"); !u.QuietKinds.Has(domain.NotifyLike) || u.QuietKinds.Has(domain.NotifyReply) {
			t.Errorf("the kinds that are off are %q", u.QuietKinds)
		}
		ada.Post(path, "kind", "like").Want(303)
		if u := s.User("ada"); u.QuietKinds.Has(domain.NotifyLike) || !u.QuietKinds.Has(domain.NotifyReply) {
			t.Errorf("the kinds that are off are %q", u.QuietKinds)
		}
	})
}
