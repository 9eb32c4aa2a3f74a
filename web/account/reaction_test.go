package account_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

func TestALikeBeforeALogInIsCountedAfterIt(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	s.SignUp("ben")
	scene := func() (p domain.Post, v *webtest.Visitor, likes func() int) {
		p = ada.CreatePost("A <title>", "text")
		return p, s.Anonymous(), func() int { return s.Data.Post(p.ID).LikeCount }
	}
	in := func(v *webtest.Visitor, p domain.Post) *webtest.Response {
		return v.Post("/login", "username", "ben", "password", webtest.Password, "next", "/posts/"+p.ID)
	}
	t.Run("after a log-in, once, and says why one is there", func(t *testing.T) {
		p, v, likes := scene()
		v.Get(p.Path()).Has(`form[method="post"][action="/posts/`+p.ID+`/like"] button`, "Log in first")
		to := v.Post("/posts/"+p.ID+"/like").WantRedirect(303, "/login?next=%2Fposts%2F"+p.ID).Header.Get("Location")
		v.Get(to).Has("main", "You need an account to like “A <title>”.")
		v.Post("/login", "username", "ben", "password", "wrong password", "next", "/posts/"+p.ID).Want(422).
			Has("main", "You need an account to like “A <title>”.")
		if likes() != 0 {
			t.Fatal("the like was counted before the log-in")
		}
		in(v, p).WantRedirect(303, "/posts/"+p.ID)
		v.Get(p.Path()).Has(`#Page-like [aria-pressed="true"]`, "")
		in(v, p).Want(303)
		if likes() != 1 {
			t.Errorf("%d likes are counted", likes())
		}
		v.Post("/posts/" + p.ID + "/unlike").Want(303)
		in(v, p).Want(303)
		if likes() != 0 {
			t.Error("a second log-in repeats the like")
		}
	})
	t.Run("after signing up", func(t *testing.T) {
		p, v, likes := scene()
		v.Post("/posts/" + p.ID + "/like").Want(303)
		v.Get("/signup?next=/posts/"+p.ID).Has("main", "You need an account to like “A <title>”.")
		v.Post("/signup", "username", "cleo", "password", webtest.Password, "next", "/posts/"+p.ID).
			WantRedirect(303, "/posts/"+p.ID)
		if likes() != 1 {
			t.Errorf("%d likes are counted", likes())
		}
	})
	t.Run("after the second step of a log-in", func(t *testing.T) {
		p, v, likes := scene()
		a := s.SignUp("dan").EnableAuthenticator()
		v.Post("/posts/" + p.ID + "/like").Want(303)
		v.Post("/login", "username", "dan", "password", webtest.Password, "next", "/posts/"+p.ID).
			WantRedirect(303, "/login/second?next=%2Fposts%2F"+p.ID)
		if likes() != 0 {
			t.Error("the like was counted before the second step")
		}
		v.Post("/login/second", "code", a.Code(t, 1), "next", "/posts/"+p.ID).WantRedirect(303, "/posts/"+p.ID)
		if likes() != 1 {
			t.Errorf("%d likes are counted", likes())
		}
	})
}

func TestABookmarkOfAnEndedSessionIsMadeAfterTheLogIn(t *testing.T) {
	s := webtest.NewSite(t)
	p := s.SignUp("ada").CreatePost("A title", "text")
	s.SignUp("ben")
	v := s.Anonymous()
	v.Post("/posts/"+p.ID+"/bookmark").WantRedirect(303, "/login?next=%2Fposts%2F"+p.ID)
	v.Get("/login?next=/posts/"+p.ID).Has("main", "You need an account to bookmark “A title”.")
	v.Post("/login", "username", "ben", "password", webtest.Password, "next", "/posts/"+p.ID).Want(303)
	v.Get("/bookmarks").Has("main", "A title")
}

// TestNoLinkMakesAVisitorLikeAPost is about visitors who have not pressed the button, or have given up.
func TestNoLinkMakesAVisitorLikeAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p, other := ada.CreatePost("A title", "text"), ada.CreatePost("Another", "text")
	s.SignUp("ben")
	in := func(v *webtest.Visitor, next string) {
		t.Helper()
		v.Get("/login?next=" + next).Want(200).HasNo("#reason")
		v.Post("/login", "username", "ben", "password", webtest.Password, "next", next).Want(303)
		if s.Data.Post(p.ID).LikeCount+s.Data.Post(other.ID).LikeCount != 0 {
			t.Error("a post was liked")
		}
	}
	t.Run("without the form", func(t *testing.T) {
		v := s.Anonymous()
		v.Get("/posts/" + p.ID + "/like")
		in(v, "/posts/"+p.ID)
	})
	t.Run("by a form of another site", func(t *testing.T) {
		v := s.Anonymous()
		v.Header.Set("Sec-Fetch-Site", "cross-site")
		v.Post("/posts/" + p.ID + "/like").Want(http.StatusForbidden)
		v.Header.Del("Sec-Fetch-Site")
		in(v, "/posts/"+p.ID)
	})
	t.Run("after a log-in that leads elsewhere", func(t *testing.T) {
		v := s.Anonymous()
		v.Post("/posts/" + p.ID + "/like").Want(303)
		in(v, "/")
		v.Post("/logout").Want(303)
		in(v, "/posts/"+p.ID)
	})
	t.Run("of another post", func(t *testing.T) {
		v := s.Anonymous()
		v.Post("/posts/" + p.ID + "/like").Want(303)
		in(v, "/posts/"+other.ID)
	})
}

func TestALogInSucceedsWhenTheLikeDoesNot(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	ada.Post("/settings/blocks", "user", ben.User.ID).Want(303)
	v := s.Anonymous()
	v.Post("/posts/" + p.ID + "/like").Want(303)
	v.Post("/login", "username", ben.User.Username, "password", webtest.Password, "next", "/posts/"+p.ID).
		WantRedirect(303, "/posts/"+p.ID)
	if !v.IsSignedIn() || s.Data.Post(p.ID).LikeCount != 0 {
		t.Error("a blocked user's like is counted, or the log-in failed")
	}
}

func TestTheLogInPageSaysWhyOneIsThere(t *testing.T) {
	s := webtest.NewSite(t)
	p := s.SignUp("ada").CreatePost("A title", "text")
	v := s.Anonymous()
	v.Get(p.Path()).Has(`.comment-prompt a[href^="/login"][href$="%23Page-comment-form"]`, "Log in")
	for next, reason := range map[string]string{
		p.Path() + "%23Page-comment-form": "You need an account to comment on “A title”.",
		"/posts/" + p.ID + "/report":      "You need an account to report this.",
	} {
		for _, page := range []string{"/login", "/signup"} {
			v.Get(page+"?next="+next).Has("#reason", reason)
		}
	}
	v.Get("/login?next=" + p.Path()).HasNo("#reason")
	v.Get("/login?next=/posts/" + domain.NewID() + "%23Page-comment-form").Want(200).HasNo("#reason")
}

func TestAnInvitationOnlySiteSaysItBeforeTheForm(t *testing.T) {
	settings := domain.Settings{Registration: domain.RegistrationByCode}
	s := webtest.NewCachedSite(t, "off", func(c *web.Config) {
		c.Current = site.NewCurrentSettings()
		c.Current.Apply(settings)
	})
	p := s.SignUp("ada").CreatePost("A title", "text")
	s.SetSettings(settings)
	v := s.Anonymous()
	v.Get("/signup").Has("h1 + p", "You need an invitation")
	v.Get("/login").Has("main", "Have an invitation?")
	v.Get(p.Path()).Has(".comment-prompt", "Log in to comment. New accounts need an invitation.")
}
