package writing_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestTextsOfNewAccountsPassTheBotCheck(t *testing.T) {
	const least = 2 * time.Second
	type scene struct {
		*webtest.Site
		ada, bob *webtest.Visitor
		post     domain.Post
	}
	// in runs a subtest with a clock of its own.
	in := func(t *testing.T, name string, do func(t *testing.T, s scene)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := webtest.NewBotCheckSite(t, least)
				join := func(name string) *webtest.Visitor {
					v := s.Anonymous()
					stamp := v.Get("/signup").Value("stamp")
					time.Sleep(least)
					v.Post("/signup", "username", name, "password", webtest.Password, "stamp", stamp).
						Want(http.StatusSeeOther)
					v.User, _ = s.Data.Store.Users.ByName(t.Context(), name)
					return v
				}
				ada := join("ada")
				do(t, scene{s, ada, join("bob"), ada.CreatePost("A title", "Some text.")})
			})
		})
	}
	in(t, "holds a comment in haste for review, until its author has edited it", func(t *testing.T, s scene) {
		path := "/posts/" + s.post.ID + "/comments"
		for _, v := range []*webtest.Visitor{s.bob, s.bob.HTMX()} {
			stamp := s.bob.Get(s.post.Path()).Has("#Page-comment-form .offscreen", "Leave this field empty").
				Value("stamp")
			v.Post(path, "content", "My text", "stamp", stamp)
			time.Sleep(least)
			v.Post(path, "content", "My other text", "stamp", stamp)
		}
		all := s.Data.Comments(s.post.ID)
		if len(all) != 4 {
			t.Fatalf("%d comments were stored, want 4", len(all))
		}
		for _, c := range all {
			if inHaste := c.Content == "My text"; inHaste != (c.Held == domain.HeldForReview) {
				t.Errorf("%q is held as %q", c.Content, c.Held)
			}
		}
		s.bob.Post(path+"/"+all[0].ID+"/edit", "content", "A better text", "began", "").Want(http.StatusSeeOther)
		if c := s.Data.Comments(s.post.ID)[0]; c.Held == domain.HeldForReview {
			t.Errorf("after an edit, %q is held", c.Content)
		}
	})
	in(t, "tells the next user of a browser that another user is logged in", func(t *testing.T, s scene) {
		s.bob.Post("/posts/"+s.post.ID+"/comments", "user", s.ada.User.ID, "content", "My text").
			Want(http.StatusForbidden).Has(`[role="alert"]`, "Another user is logged in")
	})
	in(t, "rejects a filled honeypot and a form without a token",
		func(t *testing.T, s scene) {
			path := "/posts/" + s.post.ID + "/comments"
			stamp := s.bob.Get(s.post.Path()).Value("stamp")
			time.Sleep(least)
			s.bob.Post(path, "content", "My text", "stamp", stamp, "homepage", "https://spam.example").
				Want(http.StatusUnprocessableEntity).Has("textarea", "My text")
			a := s.bob.Post(path, "content", "My text").Want(http.StatusUnprocessableEntity).Has("textarea", "My text")
			time.Sleep(least)
			s.bob.Post(path, "content", "My text", "stamp", a.Value("stamp")).Want(http.StatusSeeOther)
		})
	in(t, "accepts a reply from a page that was open for days", func(t *testing.T, s scene) {
		c := s.ada.CreateComments(s.post, "A comment.")[0]
		stamp := s.bob.Get("/posts/" + s.post.ID + "/comments/" + c.ID + "/reply").Value("stamp")
		time.Sleep(domain.DefaultReviewPeriod - time.Minute)
		s.bob.Post("/posts/"+s.post.ID+"/comments", "content", "A reply", "parent", c.ID, "stamp", stamp).
			Want(http.StatusSeeOther)
	})
	in(t, "holds a post that was published in haste", func(t *testing.T, s scene) {
		form := s.ada.Get("/new").Has("#editor .offscreen", "Leave this field empty")
		fields := []string{
			"post", form.Value("post"), "revision", "0", "version", "0", "title", "Mine", "content", "A long text.",
			"stamp", form.Value("stamp"),
		}
		s.ada.Post("/posts", append(fields, "do", "publish")...).Want(http.StatusSeeOther)
		if p := s.Data.Post(form.Value("post")); p.Held != domain.HeldForReview {
			t.Errorf("the post is held as %q", p.Held)
		}
		s.Anonymous().Get("/posts/" + form.Value("post")).Want(http.StatusNotFound)
	})
	in(t, "accepts a finished draft and a changed post at once", func(t *testing.T, s scene) {
		d := s.ada.CreateDraft("Mine", "A long text.", "")
		path := "/posts/" + d.PostID
		at := time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04")
		s.ada.Post("/posts", webtest.FormFields(s.ada.Get(path+"/edit"), "do", "schedule", "publishDate", at)...).
			WantRedirect(http.StatusSeeOther, path+"/edit?done=schedule")
		s.ada.Post("/posts", webtest.FormFields(s.ada.Get(path+"/edit"), "do", "publish")...).Want(http.StatusSeeOther)
		path = "/posts/" + s.post.ID
		s.ada.Post(path, webtest.FormFields(s.ada.Get(path+"/edit"), "do", "publish", "title", "Mine")...).
			Want(http.StatusSeeOther)
		if got := s.Data.Post(s.post.ID).Title; got != "Mine" {
			t.Errorf("the title is %q", got)
		}
	})
	in(t, "skips trusted and old accounts", func(t *testing.T, s scene) {
		s.Trust(s.bob)
		s.bob.Get(s.post.Path()).HasNo(`[name="stamp"]`).HasNo(".offscreen")
		s.bob.Post("/posts/"+s.post.ID+"/comments", "content", "Fast", "homepage", "x").Want(http.StatusSeeOther)
		time.Sleep(domain.DefaultReviewPeriod)
		s.ada.Get("/new").HasNo(`[name="stamp"]`)
		s.ada.Post("/posts/"+s.post.ID+"/comments", "content", "Fast").Want(http.StatusSeeOther)
	})
	in(t, "includes the check in the form that an expired session returns", func(t *testing.T, s scene) {
		s.Anonymous().Post("/posts/"+s.post.ID+"/comments", "content", "My text").Want(http.StatusUnauthorized).
			Has("textarea", "My text").Has(`#Page-comment-form .offscreen`, "Leave this field empty")
	})
}
