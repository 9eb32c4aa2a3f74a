package writing_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestMovingAPostToTheTrash(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, mod := s.SignUp("ada"), s.SignUp("ben"), s.SignUpAs("grace", domain.RoleModerator)
	t.Run("is offered only to the author, in the menu of the post", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		button := `.post .text-actions a[href="/posts/` + p.ID + `/delete"]`
		ada.Get(p.Path()).Has(button, "Delete")
		ben.Get(p.Path()).HasNo(button)
		s.Anonymous().Get(p.Path()).HasNo(button)
	})
	t.Run("asks first, and can be undone at once", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ada.Get("/posts/"+p.ID+"/delete").Want(200).Has("h1", "Move your post to the trash?").
			Has("main header", "A title").Has("main form", "You can restore it for 30 days").
			Has(`main form a[href="`+p.Path()+`"]`, "Keep post")
		if s.Data.Calls("Posts.Trash") != 0 {
			t.Error("the confirmation page moved the post")
		}
		to := ada.Post("/posts/"+p.ID+"/delete").WantRedirect(303, "/@ada?trashed="+p.ID).Header.Get("Location")
		a := ada.Get(to).Want(200).Has(`.done [role="status"]`, "Moved to the trash").
			HasNo(`a[href="` + p.Path() + `"]`)
		ben.Get(to).Want(200).HasNo(".done")
		s.Anonymous().Get(to).Want(200).HasNo(".done")
		undo := a.Page().Find(".done form").AttrOr("action", "")
		ada.Post(undo).WantRedirect(303, p.Path())
		s.Anonymous().Get(p.Path()).Want(200).Has("h1", "A title")
	})
	t.Run("hides the post from all but its author and moderators", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ben.CreateComments(p, "A comment")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		for _, path := range []string{"", "/a-title", "/comments", "/likes"} {
			for _, v := range []*webtest.Visitor{ben, s.Anonymous()} {
				v.Get("/posts/"+p.ID+path).Want(404).Has("main", "Its author may have deleted it")
			}
		}
		for v, owner := range map[*webtest.Visitor]bool{ada: true, mod: false} {
			a := v.Get(p.Path()).Want(200).Has(`[role="note"]`, "This post is in the trash").
				Has(".comment", "A comment").HasNo("#Page-like-button").HasNo("#Page-comment-form").
				HasNo(`.post a[href$="/edit"]`)
			if restore := a.Page().Find(`.post form[action$="/restore"]`).Length(); restore == 1 != owner {
				t.Errorf("%s sees %d forms that restore the post", v.User.Username, restore)
			}
		}
		ada.Post("/posts/" + p.ID + "/comments").Want(404)
	})
	t.Run("hides an unpublished post from moderators, too, and restores it as such", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ada.Post("/posts/" + p.ID + "/unpublish").Want(303)
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		mod.Get(p.Path()).Want(404)
		ada.Get(p.Path()).Want(200).Has(`[role="note"]`, "This post is in the trash")
		ada.Post("/posts/" + p.ID + "/restore").Want(303)
		ada.Get(p.Path()).Want(303)
		s.Anonymous().Get(p.Path()).Want(404)
	})
	t.Run("refuses everything else that authors do with a post", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		edit := webtest.FormFields(ada.Get("/posts/"+p.ID+"/edit"), "do", "save", "content", "A change")
		ada.Post("/posts/"+p.ID, edit...).Want(303)
		edit = webtest.FormFields(ada.Get("/posts/"+p.ID+"/edit"), "do", "publish", "content", "Another change")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		a := ada.Post("/posts/"+p.ID, edit...).Want(409).Has(`[role="alert"]`, "This post is in the trash")
		if a.Value("content") != "Another change" {
			t.Errorf("the form has %q", a.Value("content"))
		}
		for path, form := range map[string][]string{"/unpublish": {}, "/pin": {}, "/comments/close": {},
			"/versions/1/restore": {"revision", "1"}} {
			ada.Post("/posts/"+p.ID+path, form...).Want(409).Has("main", "This post is in the trash")
		}
		for _, path := range []string{"/edit", "/versions", "/unpublish"} {
			ada.Get("/posts/"+p.ID+path).Want(409).Has("main", "This post is in the trash")
		}
		s.Data.CatchUp()
		ada.Get("/drafts").Has(`.drafts li:has(a[href="/posts/`+p.ID+`"]) .state`, "Post in the trash")
		ada.Post("/posts/" + p.ID + "/restore").Want(303)
		if got := ada.Get("/posts/" + p.ID + "/edit").Value("content"); got != "A change" {
			t.Errorf("the draft has %q", got)
		}
	})
	t.Run("accepts repetitions", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		for range 2 {
			ada.Post("/posts/"+p.ID+"/delete").WantRedirect(303, "/@ada?trashed="+p.ID)
		}
		for range 2 {
			ada.Post("/posts/"+p.ID+"/restore").WantRedirect(303, p.Path())
		}
	})
	t.Run("refuses everyone but the author", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ben.Get("/posts/"+p.ID+"/delete").Want(403).Has("h1", "Not allowed")
		for _, path := range []string{"/delete", "/restore", "/erase"} {
			ben.Post("/posts/"+p.ID+path).Want(403).Has("main", "You can only delete your own posts")
		}
		s.Anonymous().Get(p.Path()).Want(200)
	})
	t.Run("asks an anonymous visitor to log in and returns afterwards", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		to := "/login?next=%2Fposts%2F" + p.ID + "%2Fdelete"
		s.Anonymous().Get("/posts/"+p.ID+"/delete").WantRedirect(303, to)
		s.Anonymous().Post("/posts/"+p.ID+"/delete").WantRedirect(303, to)
		s.Anonymous().Get(p.Path()).Want(200)
	})
	t.Run("answers 404 for an unknown post", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.Get("/posts/" + id + "/delete").Want(404)
			for _, path := range []string{"/delete", "/restore", "/erase"} {
				ada.Post("/posts/"+id+path).Want(404).Has("h1", "Not found")
			}
		}
	})
	t.Run("reports a failure and accepts another attempt", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		s.Data.Fail("Posts.Trash")
		a := ada.Post("/posts/"+p.ID+"/delete").Want(503).Has("h1", "Temporarily unavailable")
		if a.Header.Get("Retry-After") == "" {
			t.Error("Retry-After is missing")
		}
		s.Data.Recover("Posts.Trash")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
	})
}

func TestARestoredPostNotifiesNobody(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	ben.Post("/@ada/follow").Want(303)
	told := func() (items int) {
		s.Data.CatchUp()
		return len(s.Data.LiveItems("users", "notification")) + len(s.Data.LiveItems("users", "told")) +
			len(s.Data.LiveItems("timelines", "entry")) + len(s.Data.LiveItems("deliveries", "delivery"))
	}
	publish := func() string {
		to := ada.Post("/posts", "title", "A title", "content", "For @ben", "do", "publish").Want(303)
		return "/posts/" + strings.Split(to.Header.Get("Location"), "/")[2]
	}
	s.Data.StopProjection()
	path := publish()
	ada.Post(path + "/delete").Want(303)
	s.Data.ResumeProjection()
	untold := told()
	ada.Post(path + "/restore").Want(303)
	if now := told(); now != untold {
		t.Errorf("%d items tell of a post that was restored, %d before", now, untold)
	}
	path = publish()
	if now := told(); now == untold {
		t.Fatal("nobody is told of a new post")
	}
	untold = told()
	ada.Post(path + "/delete").Want(303)
	s.Data.CatchUp()
	ada.Post(path + "/restore").Want(303)
	if now := told(); now != untold {
		t.Errorf("%d items tell of a post that was restored, %d before", now, untold)
	}
}

func TestTrash(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	t.Run("lists the author's own posts in the trash, and is found from the drafts", func(t *testing.T) {
		ada.Get("/drafts").Has(`main a[href="/trash"]`, "Trash")
		ada.Get("/trash").Want(200).Has("main", "The trash is empty")
		p, other := ada.CreatePost("A title", "text"), ben.CreatePost("Another title", "text")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		ben.Post("/posts/" + other.ID + "/delete").Want(303)
		s.Data.CatchUp()
		ada.Get("/trash").Want(200).Has(`.drafts a[href="`+p.Path()+`"]`, "A title").HasNo("main :contains('Another')").
			Has(`.drafts form[action="/posts/`+p.ID+`/restore"] button`, "Restore").
			Has(`.drafts a[href="/posts/`+p.ID+`/erase"]`, "Delete for good")
		ada.Post("/posts/" + p.ID + "/restore").Want(303)
		s.Data.CatchUp()
		ada.Get("/trash").Want(200).Has("main", "The trash is empty")
		ada.Get("/@ada").Has(`a[href="`+p.Path()+`"]`, "A title")
	})
	t.Run("keeps a bookmark of the post, without its text", func(t *testing.T) {
		p := ada.CreatePost("A bookmarked title", "text")
		ben.Post("/posts/" + p.ID + "/bookmark").Want(303)
		s.Data.CatchUp()
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		s.Data.CatchUp()
		ben.Get("/bookmarks").Has("main h2", "This post isn't public at the moment").
			HasNo("main :contains('A bookmarked title')")
		ada.Post("/posts/" + p.ID + "/restore").Want(303)
		s.Data.CatchUp()
		ben.Get("/bookmarks").Has("main h2", "A bookmarked title")
	})
}

func TestDeletingAPostForGood(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	t.Run("lists what is deleted with the post on the confirmation page", func(t *testing.T) {
		for text, n := range map[string][2]int{
			"Its 2 comments and 1 like will also be deleted. This cannot be undone.": {2, 1},
			"Its 1 comment will also be deleted. This cannot be undone.":             {1, 0},
			"Its 3 likes will also be deleted. This cannot be undone.":               {0, 3},
			"It has no comments and no likes. This cannot be undone.":                {0, 0},
		} {
			p := ada.CreatePost("A title", "text")
			ada.Post("/posts/" + p.ID + "/delete").Want(303)
			s.ChangePost(p.ID, func(p *domain.Post) { p.CommentCount, p.LikeCount = n[0], n[1] })
			ada.Get("/posts/"+p.ID+"/delete").WantRedirect(303, "/posts/"+p.ID+"/erase")
			a := ada.Get("/posts/"+p.ID+"/erase").Want(200).Has("h1", "Delete your post for good?").
				Has("main header", "A title")
			a.Has(`main form[method="post"][action="/posts/`+p.ID+`/erase"]`, text).
				Has("main form button.danger", "Delete for good")
		}
		if s.Data.Calls("Posts.Delete") != 0 {
			t.Error("the confirmation page deleted the post")
		}
	})
	t.Run("answers 404 at all addresses of the post afterwards, also to its author", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		for range 2 {
			ada.Post("/posts/"+p.ID+"/erase").WantRedirect(303, "/trash?deleted=yes")
		}
		ada.Get("/trash?deleted=yes").Has(`.done[role="status"]`, "Post deleted for good")
		for _, path := range []string{"", "/a-title", "/edit", "/delete", "/erase", "/comments", "/likes"} {
			ada.Get("/posts/"+p.ID+path).Want(404).Has("main", "Its author may have deleted it")
		}
		ada.Post("/posts/" + p.ID + "/restore").Want(404)
	})
}

func TestTextsSurviveTheDeletionOfTheirPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	deleted := func() string {
		p := ada.CreatePost("A title", "text")
		ada.Post("/posts/" + p.ID + "/erase").Want(303)
		return "/posts/" + p.ID
	}
	t.Run("offers to publish an edit as a new post", func(t *testing.T) {
		path := deleted()
		a := ada.Post(path, "title", "My title", "content", "My text", "revision", "1").Want(404)
		a.Has("h1", "Post deleted").Has("title", "Post deleted").
			Has(`[role="alert"][tabindex="-1"][autofocus]`, "was deleted while you were editing it")
		a.Has(`main form[action="/posts"] button[value="publish"]`, "Publish as a new post").
			Has(`[name="revision"][value="0"]`, "")
		if a.Value("title") != "My title" || a.Value("content") != "My text" || !domain.IsID(a.Value("post")) {
			t.Errorf("the form has %q, %q, %q", a.Value("title"), a.Value("content"), a.Value("post"))
		}
		to := ada.Post("/posts", "title", a.Value("title"), "content", a.Value("content"), "post", a.Value("post")).
			Want(303)
		ada.Get(to.Header.Get("Location")).Want(200).Has("h1", "My title")
	})
	t.Run("keeps an edit of a post that is deleted during a conflict", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		s.Data.Before("Posts.Edit", func() {
			s.Data.Must(s.Data.EditPost(ada, p.ID, "A title", "Other text"))
			s.Data.Before("Posts.Own",
				func() { s.Data.Must(s.Data.Store.Posts.Delete(s.Data.Context(), p.ID, ada.User.ID)) })
		})
		a := ada.Post("/posts/"+p.ID, "title", "T", "content", "My text", "revision", "1").Want(404)
		if a.Value("content") != "My text" {
			t.Error("the typed text is lost")
		}
	})
	t.Run("returns a comment to its author", func(t *testing.T) {
		path := deleted() + "/comments"
		a := ben.Post(path, "content", "\nprecious <b>").Want(404).Has("h1", "Post not found").
			Has(`[role="alert"]`, "Copy your comment")
		if got := a.Page().Find("textarea[readonly]").Text(); got != "\nprecious <b>" {
			t.Errorf("the page has %q", got)
		}
		a = ben.HTMX().Post(path, "content", "precious").Want(404).HasNo("h1").
			Has(`#Page-comment-form [role="alert"]`, "Copy your comment")
		if a.Value("content") != "precious" || a.Header.Get("HX-Retarget") != "" {
			t.Error("the typed text is lost")
		}
	})
	t.Run("returns a comment that is invalid or comes after the session has expired", func(t *testing.T) {
		path := deleted() + "/comments"
		long := strings.Repeat("c", domain.MaxComment+1)
		for _, a := range []*webtest.Response{
			ben.Post(path, "content", long), ben.WithoutSession().Post(path, "content", long),
		} {
			if got := a.Want(404).Page().Find("textarea[readonly]").Text(); got != long {
				t.Errorf("%s: the typed text is lost", a.Request)
			}
		}
	})
	t.Run("answers 404 without a form if nothing was typed", func(t *testing.T) {
		ben.Post(deleted()+"/comments", "content", " ").Want(404).Has("h1", "Not found")
	})
	t.Run("publishes a deleted new post again, once for each form", func(t *testing.T) {
		id := ada.Get("/new").Value("post")
		publish := func() string {
			return ada.Post("/posts", "title", "Again", "content", "text", "post", id).Want(303).Header.Get("Location")
		}
		before := ""
		for range 2 {
			to := publish()
			if to == before {
				t.Fatal("the redirect is to the deleted post")
			}
			if again := publish(); again != to {
				t.Errorf("the post is published at %s and at %s", to, again)
			}
			ada.Get(to).Want(200).Has("h1", "Again")
			ada.Post("/posts/" + strings.Split(to, "/")[2] + "/erase").Want(303)
			before = to
		}
		ada.Get(publish()).Want(200).Has("h1", "Again") // any number of times
	})
}
