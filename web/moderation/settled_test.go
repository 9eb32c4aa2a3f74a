package moderation_test

import (
	"net/http"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// reviewScene is a site on which a new account has a post and a comment in review.
type reviewScene struct {
	*webtest.Site
	ada, bob, mod *webtest.Visitor
	post, bobs    domain.Post
	comment       domain.Comment
}

func beginReview(t *testing.T) reviewScene {
	s := reviewScene{Site: webtest.NewScreeningSite(t)}
	s.ada, s.bob, s.mod = s.SignUp("ada"), s.SignUp("bob"), moderator(s.Site, "max")
	s.bobs = s.bob.CreatePost("By Bob", "Text.")
	postID := s.ada.NewPostID()
	s.ada.Post("/posts", "post", postID, "revision", "0", "version", "0", "do", "publish", "title", "A title",
		"content", webtest.SpamText).Want(http.StatusSeeOther)
	s.post = s.Data.Post(postID)
	s.ada.Post("/posts/"+s.bobs.ID+"/comments", "content", webtest.SpamText).Want(http.StatusSeeOther)
	s.comment = s.Data.Comments(s.bobs.ID)[0]
	s.wantInReview("In review (2)", 2)
	return s
}

func (s reviewScene) wantInReview(tab string, rows int) {
	s.T.Helper()
	page := s.mod.Get("/moderation/held").Want(http.StatusOK)
	if got := page.Page().Find(`.tabs a[href="/moderation/held"]`).Text(); got != tab {
		s.T.Errorf("the tab is %q, want %q", got, tab)
	}
	if got := page.Page().Find(".queue > li").Length(); got != rows {
		s.T.Errorf("%d texts are listed, want %d", got, rows)
	}
}

func TestDeletedTextsLeaveTheReviewQueue(t *testing.T) {
	t.Run("when their author deletes them", func(t *testing.T) {
		s := beginReview(t)
		s.ada.Post("/posts/" + s.post.ID + "/delete").Want(http.StatusSeeOther)
		s.wantInReview("In review (1)", 1)
		s.ada.Post(webtest.DeletePath(s.comment)).Want(http.StatusSeeOther)
		s.wantInReview("In review", 0)
	})
	t.Run("when a placeholder is left for the replies", func(t *testing.T) {
		s := beginReview(t)
		head := s.ada.CreateComments(s.bobs, "A comment.")[0]
		s.bob.Reply(head, "A reply.")
		s.Hold(s.bobs.ID, head.ID, domain.HeldForReview)
		s.wantInReview("In review (3)", 3)
		s.ada.Post(webtest.DeletePath(head)).Want(http.StatusSeeOther)
		s.wantInReview("In review (2)", 2)
	})
	t.Run("when the post that they comment on is deleted", func(t *testing.T) {
		s := beginReview(t)
		s.bob.Post("/posts/" + s.bobs.ID + "/erase").Want(http.StatusSeeOther)
		s.wantInReview("In review (1)", 1)
	})
	t.Run("when a moderator removes an entry that was left over", func(t *testing.T) {
		s := beginReview(t)
		gone := domain.Target{PostID: s.bobs.ID, CommentID: domain.NewID()}
		s.Data.Must(s.Data.Store.Reviews.Put(s.Data.Context(),
			domain.Review{Target: gone, AuthorID: s.ada.User.ID, At: time.Now()}))
		path := "/posts/" + gone.PostID + "/comments/" + gone.CommentID + "/moderate"
		row := s.mod.Get("/moderation/held").Has(`article[aria-label="Comment"]`, "Deleted by its author").
			HasNo(`a[href="` + path + `"]`).Page().Find(`form[action="` + path + `"]`)
		if got := row.Find("button").Text(); got != "Remove" {
			t.Errorf("the button is %q", got)
		}
		s.mod.Post(path, "do", "dismiss", "version", "0", "back", "/moderation/held").
			WantRedirect(http.StatusSeeOther, "/moderation/held?done=dismiss")
		s.wantInReview("In review (2)", 2)
		s.mod.Post(path, "do", "dismiss", "version", "0").WantRedirect(http.StatusSeeOther, "/moderation?done=dismiss")
		if log := s.Data.AuditLog(); len(log) != 0 {
			t.Errorf("the log is %+v", log)
		}
		s.ada.Post(path, "do", "dismiss", "version", "0").Want(http.StatusForbidden)
	})
}

func TestRemovingTheLinkEndsTheReview(t *testing.T) {
	t.Run("of a post", func(t *testing.T) {
		s := beginReview(t)
		edit := func(revision, content string) {
			s.ada.Post("/posts/"+s.post.ID, "title", "A title", "content", content, "revision", revision, "version",
				"0", "do", "publish").Want(http.StatusSeeOther)
		}
		edit("1", webtest.SpamText+" Really.")
		s.Anonymous().Get(s.post.Path()).Want(http.StatusNotFound)
		edit("2", "Harmless.")
		s.Anonymous().Get(s.post.Path()).Want(http.StatusOK).Has(".prose", "Harmless.")
		s.Anonymous().Get("/").Has("main", "A title")
		s.wantInReview("In review (1)", 1)
		edit("3", webtest.SpamText)
		s.wantInReview("In review (2)", 2)
	})
	for _, how := range []string{"a form", "htmx"} {
		t.Run("of a comment, by "+how, func(t *testing.T) {
			s := beginReview(t)
			v := s.ada
			if how == "htmx" {
				v = v.HTMX()
			}
			a := v.Post(webtest.CommentPath(s.comment, "/edit"), "content", "Harmless.", "began", "")
			if how == "htmx" {
				a.Want(http.StatusOK).HasNo(".hold-notice").
					Has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment")
			}
			s.Anonymous().Get(s.bobs.Path()).Has("#comment-"+s.comment.ID, "Harmless.").
				Has("#Page-comments-title", "1 comment")
			s.wantInReview("In review (1)", 1)
		})
	}
	t.Run("but never replaces a moderator's decision", func(t *testing.T) {
		s := beginReview(t)
		s.mod.Post("/posts/"+s.post.ID+"/moderate", "do", "hide", "why", "spam", "version", "0").
			Want(http.StatusSeeOther)
		s.ada.Post("/posts/"+s.post.ID, "title", "A title", "content", "Harmless.", "revision", "1", "version", "0",
			"do", "publish").Want(http.StatusSeeOther)
		if h := s.Data.Post(s.post.ID).Held; h != domain.HeldByModerator {
			t.Errorf("the post is held as %q", h)
		}
		path := webtest.CommentPath(s.comment, "/moderate")
		s.mod.Post(path, "do", "hide", "why", "spam", "version", "0").Want(http.StatusSeeOther)
		s.ada.Post(webtest.CommentPath(s.comment, "/edit"), "content", "Harmless.", "began", "").
			Want(http.StatusSeeOther)
		if h := s.Data.Comments(s.bobs.ID)[0].Held; h != domain.HeldByModerator {
			t.Errorf("the comment is held as %q", h)
		}
	})
}

func TestAPrivateLinkWorksWhileThePostIsInReview(t *testing.T) {
	s := webtest.NewScreeningSite(t)
	ada, mod := s.SignUp("ada"), moderator(s, "max")
	d := ada.CreateDraft("A title", webtest.SpamText, "")
	secret, err := s.Data.Store.Drafts.Share(t.Context(), ada.User.ID, d.PostID)
	s.Data.Must(err)
	form := ada.Get("/posts/" + d.PostID + "/edit")
	ada.Post("/posts", webtest.FormFields(form, "do", "publish")...).Want(http.StatusSeeOther)
	old := func(item map[string]any) { item["creationDate"] = ada.User.Created.AddDate(0, 0, -4) }
	s.Data.ChangeUser(ada.User.ID, old) // a new account no longer, but the review goes on
	link := func(v *webtest.Visitor) *webtest.Response { return v.Get("/preview/" + secret) }
	link(s.Anonymous()).Want(http.StatusOK).Has("h1", "A title").Has(".prose", "https://spam.example/ now.").
		HasNo(".prose a")
	link(ada).Want(http.StatusOK).Has(".prose a", "spam.example")
	post := s.Data.Post(d.PostID)
	mod.Post("/posts/"+post.ID+"/moderate", "do", "approve", "version", "0", "text", "1").Want(http.StatusSeeOther)
	link(s.Anonymous()).WantRedirect(http.StatusSeeOther, post.Path())
	s.Hold(post.ID, "", domain.HeldByModerator)
	link(s.Anonymous()).Want(http.StatusNotFound)
}
