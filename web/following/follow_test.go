package following_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/webtest"
)

// publish publishes a post by the editor's form, as news for followers.
func publish(v *webtest.Visitor, title, tags string) {
	v.T.Helper()
	v.Post("/posts", "title", title, "content", "text", "tags", tags, "do", "publish").Want(http.StatusSeeOther)
}

// titles returns the titles of the posts on a page, in order.
func titles(r *webtest.Response) string {
	var all []string
	for _, e := range r.Page().Find("main h2 a").EachIter() {
		all = append(all, e.Text())
	}
	return strings.Join(all, ", ")
}

func wantTitles(t *testing.T, r *webtest.Response, want string) {
	t.Helper()
	if got := titles(r.Want(http.StatusOK)); got != want {
		t.Errorf("the posts are %q, want %q", got, want)
	}
}

func TestFollowing(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreateTaggedPost("Engines", "go")
	t.Run("returns to the page of the button without JavaScript", func(t *testing.T) {
		ben.Get("/@ada").Has(`form[action="/@ada/follow"] #Page-follow-author-button:not(.following)`, "Follow")
		ben.Post("/@ada/follow", "place", "author", "next", p.Path()).WantRedirect(303, p.Path())
		ben.Get("/@ada").Has(`[action="/@ada/unfollow"] #Page-follow-author-button.following`, "Following").
			Has(`#Page-follow-counts a[href="/@ada/followers"]`, "1 follower")
		ben.Get("/@ben").Has(`#Page-follow-counts a[href="/@ben/following"]`, "1 following")
		for _, place := range []string{"byline", "card"} {
			ben.Get(p.Path()).Has(`main #Page-follow-`+place+`-button.following`, "")
		}
	})
	t.Run("never leads to another site", func(t *testing.T) {
		for _, next := range []string{"//example.org", "https://example.org/", `/\example.org`} {
			ben.Post("/@ada/follow", "next", next).WantRedirect(303, "/@ada")
		}
	})
	t.Run("counts a follower once", func(t *testing.T) {
		if n := s.Data.User(ben.User.ID).Following; n != 1 {
			t.Errorf("the reader follows %d", n)
		}
	})
	t.Run("sends htmx both buttons of a post, and the numbers of an author", func(t *testing.T) {
		r := ben.HTMX().Post("/@ada/unfollow", "place", "byline", "next", p.Path()).Want(200).HasNo("h1")
		r.Has("#Page-follow-byline-button", "Follow").
			Has(`hx-partial[hx-target="#Page-follow-card"] #Page-follow-card [name=next][value="`+p.Path()+`"]`, "")
		ben.HTMX().Post("/@ada/follow", "place", "author").Want(200).Has("#Page-follow-author-button", "Following").
			Has(`hx-partial[hx-target="#Page-follow-counts"] a`, "1 follower")
	})
	t.Run("follows a tag", func(t *testing.T) {
		ben.Post("/tags/go/follow", "next", "/tags/go").WantRedirect(303, "/tags/go")
		ben.Get("/tags/go").Has(`#Page-follow-tag-button.following`, "Following").
			Has("#Page-follow-counts span", "1 follower")
		ben.Post("/tags/go/unfollow").WantRedirect(303, "/tags/go")
		ben.Get("/tags/go").Has(`#Page-follow-tag-button:not(.following)`, "Follow")
	})
	t.Run("offers nobody to follow themselves", func(t *testing.T) {
		ada.Get("/@ada").HasNo(".follow")
		ada.Get(p.Path()).HasNo(".follow")
		ada.Post("/@ada/follow").Want(422)
	})
	t.Run("is not offered to a user whom the author has blocked", func(t *testing.T) {
		fay := s.SignUp("fay")
		fay.Get("/@ada").Has(`form[action="/@ada/follow"]`, "Follow")
		s.Data.Must(s.Data.Store.Blocks.Block(t.Context(), ada.User.ID, fay.User.ID, time.Now()))
		fay.Get("/@ada").Want(200).HasNo(`form[action="/@ada/follow"]`)
		fay.Post("/@ada/follow").Want(403)
	})
	t.Run("answers 404 for an unknown or suspended author", func(t *testing.T) {
		ben.Post("/@nobody/follow").Want(404)
		eve := s.SignUp("eve")
		_, err := s.Data.Store.Accounts.Suspend(t.Context(), eve.User.ID, "Spam", eve.User.Created)
		s.Data.Must(err)
		ben.Post("/@eve/follow").Want(404)
	})
}

func TestAnAnonymousVisitorFollowsAfterTheLogIn(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreateTaggedPost("Engines", "go")
	t.Run("with an account", func(t *testing.T) {
		v := s.Anonymous()
		v.Get(p.Path()).Has(`#Page-follow-byline[action="/@ada/follow"]`, "Follow").HasNo(".follow[data-hx-post]")
		login := v.Post("/@ada/follow", "place", "byline", "next", p.Path()).Want(303).Header.Get("Location")
		v.Get(login).Want(200).Has("main", "You need an account to follow @ada.")
		v.Post("/login", "username", "ben", "password", webtest.Password, "next", p.Path()).WantRedirect(303, p.Path())
		v.Get(p.Path()).Has(`#Page-follow-byline-button.following`, "")
		if s.Data.User(ben.User.ID).Following != 1 {
			t.Error("the author is not followed")
		}
	})
	t.Run("with a new account", func(t *testing.T) {
		v := s.Anonymous()
		v.Post("/tags/go/follow", "next", "/tags/go").WantRedirect(303, "/login?next=%2Ftags%2Fgo")
		v.Post("/signup", "username", "cleo", "password", webtest.Password, "next", "/tags/go").Want(303)
		v.Get("/tags/go").Has(`#Page-follow-tag-button.following`, "")
	})
	t.Run("but not after a log-in that leads elsewhere", func(t *testing.T) {
		v := s.Anonymous()
		v.Post("/@ada/follow", "next", p.Path()).Want(303)
		v.Post("/signup", "username", "dora", "password", webtest.Password, "next", "/tags/go").Want(303)
		v.Get("/@ada").Has(`#Page-follow-author-button:not(.following)`, "")
	})
	t.Run("and htmx opens the log-in in another tab", func(t *testing.T) {
		s.Anonymous().HTMX().Post("/@ada/follow").Want(401).Has(`dialog a[href="/login"][target="_blank"]`, "")
	})
}

func TestABlockPreventsFollowingInBothDirections(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	ben.Post("/@ada/follow").Want(303)
	ada.Post("/settings/blocks", "user", ben.User.ID).Want(303)
	ben.Get("/@ada/followers").Want(200).HasNo(".follows li")
	ben.Post("/@ada/follow").Want(403).Has("main", "You can't follow @ada.")
	ada.Post("/@ben/follow").Want(403)
	if s.Data.User(ben.User.ID).Following != 0 {
		t.Error("the block has not ended the follow")
	}
	ada.Get("/@ben").HasNo(".follow")
}

func TestLimitsOfFollows(t *testing.T) {
	data := webtest.NewDatabase(t)
	s := webtest.NewSiteOn(t, data, webtest.KeyOne)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	_ = ada
	t.Run("of an account", func(t *testing.T) {
		data.ChangeUser(ben.User.ID, func(item map[string]any) { item["followingCount"] = domain.MaxFollows })
		ben.Post("/@ada/follow").Want(409).Has("main", "You follow 5,000 authors and tags already.")
		data.ChangeUser(ben.User.ID, func(item map[string]any) { delete(item, "followingCount") })
	})
	t.Run("in a day", func(t *testing.T) {
		c := webtest.Config(data, s.Log, webtest.KeyOne)
		var err error
		c.RateLimits, err = ratelimit.Parse("follows=2/24h")
		s.Data.Must(err)
		s.Restart(c)
		for _, tag := range []string{"a", "b"} {
			ben.Post("/tags/" + tag + "/follow").Want(303)
		}
		ben.Post("/tags/c/follow").Want(429).Has("main", "You followed many authors and tags today.")
		ben.Post("/tags/a/unfollow").Want(303)
	})
	t.Run("of presses", func(t *testing.T) {
		c := webtest.Config(data, s.Log, webtest.KeyOne)
		var err error
		c.RateLimits, err = ratelimit.Parse("follow=2/1m")
		s.Data.Must(err)
		s.Restart(c)
		ben.Post("/tags/a/follow").Want(303)
		ben.Post("/tags/a/unfollow").Want(303)
		ben.Post("/tags/a/follow").Want(429)
	})
}
