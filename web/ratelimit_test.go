package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/webtest"
)

func TestLogInsAreLimited(t *testing.T) {
	const limits = "login=3/15m,login-address=8/15m,login-account=6/15m"
	t.Run("per name and address, whether or not the account exists", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), limits)
		s.SignUp("ada")
		for _, name := range []string{"ada", "nobody"} {
			v := s.Anonymous().From("198.51.100.1")
			for range 3 {
				v.LogIn(name, "wrong "+webtest.Password).Want(422)
			}
			a := v.LogIn(name, webtest.Password).WantRetryAfter(15*time.Minute).
				Has(`[role="alert"]`, "You entered a wrong password too often. Please try again in")
			if got := a.Value("username"); got != name {
				t.Errorf("the form has the username %q", got)
			}
		}
	})
	t.Run("not for the user at another address", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), limits)
		s.SignUp("ada")
		v := s.Anonymous().From("198.51.100.1")
		for range 9 {
			v.LogIn("ada", "wrong "+webtest.Password)
		}
		s.Anonymous().From("198.51.100.2").LogIn("ADA", webtest.Password).WantRedirect(303, "/settings")
	})
	t.Run("per address over all names", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), limits)
		v := s.Anonymous().From("2001:db8::1")
		for i := range 8 {
			v.LogIn(fmt.Sprint("name", i), webtest.Password).Want(422)
		}
		s.Anonymous().From("2001:db8::ffff:1").LogIn("another", webtest.Password).WantRetryAfter(15 * time.Minute)
		s.Anonymous().From("2001:db8:0:1::1").LogIn("another", webtest.Password).Want(422)
	})
	t.Run("per name over all addresses, except in a known browser", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), limits)
		ada := s.SignUp("ada")
		s.SignUp("bob")
		for i := range 9 {
			s.Anonymous().From(fmt.Sprint("198.51.100.", i)).LogIn("ada", "wrong "+webtest.Password)
		}
		s.Anonymous().From("203.0.113.1").LogIn("ada", webtest.Password).WantRetryAfter(15*time.Minute).
			Has(`[role="alert"]`, "Someone may be trying to guess")
		known := ada.From("203.0.113.2")
		known.Post("/logout").Want(303)
		known.LogIn("ada", "wrong "+webtest.Password).Want(422)
		known.LogIn("ada", webtest.Password).WantRedirect(303, "/settings")

		// A forged cookie does not make the browser known.
		forged := s.Anonymous().From("203.0.113.3")
		forged.Cookies["inkfeed_known"] = strings.Replace(ada.Cookies["inkfeed_known"], ".", "A.", 1)
		forged.LogIn("ada", webtest.Password).WantRetryAfter(15 * time.Minute)
		if !strings.Contains(ada.Cookies["inkfeed_known"], ".") {
			t.Error("the cookie was not forged")
		}
	})
	t.Run("in a known browser too", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), limits)
		ada := s.SignUp("ada")
		ada.Post("/logout").Want(303)
		for i := range 3 {
			ada.From(fmt.Sprint("198.51.100.", i)).LogIn("ada", "wrong "+webtest.Password).Want(422)
		}
		ada.From("203.0.113.1").LogIn("ada", webtest.Password).WantRetryAfter(15 * time.Minute)
	})
	t.Run("not after a right password", func(t *testing.T) {
		counters := webtest.NewCounters()
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), counters, limits)
		s.SignUp("ada")
		for range 20 {
			s.Anonymous().LogIn("ada", webtest.Password).Want(303)
		}
		for name, n := range counters.All {
			if strings.HasPrefix(name, "login") && n != 0 {
				t.Errorf("%s is %d", name, n)
			}
		}
	})
	t.Run("over all instances together", func(t *testing.T) {
		data, counters := webtest.NewDatabase(t), webtest.NewCounters()
		one, two := webtest.NewLimitedSite(t, data, counters, limits), webtest.NewLimitedSite(t, data, counters, limits)
		one.SignUp("ada")
		for _, s := range []*webtest.Site{one, two, one} {
			s.Anonymous().LogIn("ada", "wrong "+webtest.Password).Want(422)
		}
		two.Anonymous().LogIn("ada", webtest.Password).WantRetryAfter(15 * time.Minute)
	})
	t.Run("per instance if the shared counters fail, which is logged once", func(t *testing.T) {
		counters := webtest.NewCounters()
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), counters, limits)
		s.SignUp("ada")
		counters.Err = errors.New("gone")
		for range 3 {
			s.Anonymous().LogIn("ada", "wrong "+webtest.Password).Want(422)
		}
		s.Anonymous().LogIn("ada", webtest.Password).WantRetryAfter(15 * time.Minute)
		if n := strings.Count(s.Log.String(), "shared counters"); n != 1 {
			t.Errorf("logged %d times", n)
		}
	})
	t.Run("without further writes once the limit is reached", func(t *testing.T) {
		counters := webtest.NewCounters()
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), counters, limits)
		for range 4 {
			s.Anonymous().LogIn("ada", webtest.Password)
		}
		before := counters.Calls
		for range 10 {
			s.Anonymous().LogIn("ada", webtest.Password).WantRetryAfter(15 * time.Minute)
		}
		if counters.Calls != before {
			t.Errorf("%d more calls of the counters", counters.Calls-before)
		}
	})
}

func TestALimitEndsAfterItsPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "login=2/1m")
		for range 2 {
			s.Anonymous().LogIn("ada", webtest.Password).Want(422)
		}
		a := s.Anonymous().LogIn("ada", webtest.Password).WantRetryAfter(time.Minute)
		wait, _ := strconv.Atoi(a.Header.Get("Retry-After"))
		time.Sleep(time.Duration(wait) * time.Second)
		s.Anonymous().LogIn("ada", webtest.Password).Want(422)
	})
}

func TestSigningUpIsLimited(t *testing.T) {
	t.Run("per address", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "signup=2/1h")
		v := s.Anonymous().From("198.51.100.1")
		for _, name := range []string{"ada", "bob"} {
			v.WithoutSession().Post("/signup", "username", name, "password", webtest.Password).Want(303)
		}
		// an invalid form is not counted
		v.WithoutSession().Post("/signup", "username", "x y", "password", webtest.Password).Want(422)
		a := v.WithoutSession().Post("/signup", "username", "eve", "password", webtest.Password).
			WantRetryAfter(time.Hour).Has(`[role="alert"]`, "from your network")
		if a.Value("username") != "eve" {
			t.Error("the typed username is lost")
		}
		s.Anonymous().From("198.51.100.2").Post("/signup", "username", "eve", "password", webtest.Password).Want(303)
	})
	t.Run("for all visitors together", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "signups=2/10m")
		for i, name := range []string{"ada", "bob"} {
			s.Anonymous().From(fmt.Sprint("198.51.100.", i)).
				Post("/signup", "username", name, "password", webtest.Password).Want(303)
		}
		s.Anonymous().From("198.51.100.9").Post("/signup", "username", "eve", "password", webtest.Password).
			WantRetryAfter(10*time.Minute).Has(`[role="alert"]`, "many people")
	})
}

func TestExcessiveActionsAreRefused(t *testing.T) {
	s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(),
		"comment=1/5m,post=1/1h,like=1/1m,search=1/1m,preview=1/1m,rename=1/1h,upload=1/1h,confirm=1/1h,export=1/1h,"+
			"suggest=1/1m")
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID

	ada.Post(path+"/comments", "content", "first").Want(303)
	a := ada.Post(path+"/comments", "content", "second & third").WantRetryAfter(5*time.Minute).
		Has("#Page-comment-form [role=alert]", "many comments")
	if got := a.Value("content"); got != "second & third" {
		t.Errorf("the form has the comment %q", got)
	}
	ada.HTMX().Post(path+"/comments", "content", "second").WantRetryAfter(5*time.Minute).
		Has("[role=alert]", "many comments")
	bob.Post(path+"/comments", "content", "mine").Want(303) // other users are not limited

	ada.Post("/posts", "title", "One", "content", "text").Want(303)
	a = ada.Post("/posts", "title", "Two", "content", "a long text").WantRetryAfter(time.Hour).
		Has("[role=alert]", "published too many posts")
	if a.Value("title") != "Two" || a.Value("content") != "a long text" {
		t.Error("the form lacks the post")
	}
	ada.Post("/posts", "title", "Two", "content", "a long text", "do", "save").Want(303) // saving is not limited

	ada.Post(path + "/like").Want(303)
	ada.Post(path+"/unlike").WantRetryAfter(time.Minute).Has("h1", "Too many requests").
		Has("main", "Please try again in").Has("header", "@ada")
	ada.HTMX().Post(path+"/like").WantRetryAfter(time.Minute).Has("dialog", "That was too quick")

	for path, most := range map[string]time.Duration{
		"/search?q=x":       time.Minute,
		"/suggest/tags?q=x": time.Minute,
		"/settings/export":  time.Hour,
	} {
		ada.Get(path).Want(200)
		ada.Get(path).WantRetryAfter(most)
	}
	ada.Post("/preview", "title", "T", "content", "x").Want(200)
	ada.Post("/preview", "title", "T", "content", "x").WantRetryAfter(time.Minute)
	ada.Post("/settings/username", "username", "ada1").Want(303)
	a = ada.Post("/settings/username", "username", "ada2").WantRetryAfter(time.Hour).Has("[role=alert]", "too often")
	if a.Value("username") != "ada2" {
		t.Error("the form lacks the username")
	}
	// Display names and avatars are copied like usernames, and count with them.
	a = ada.Post("/settings/profile", "displayName", "Ada L.", "bio", "").WantRetryAfter(time.Hour).
		Has("[role=alert]", "too often")
	if a.Value("displayName") != "Ada L." {
		t.Error("the form lacks the display name")
	}
	ada.Post("/settings/profile", "displayName", "", "bio", "Only the biography.").Want(303)
	ada.Upload("/settings/avatar", webtest.Photo(t, 90, 90)).WantRetryAfter(time.Hour).Has("[role=alert]", "too often")
	ada.Post("/settings/avatar/remove").Want(303) // there is none
	ada.Post("/settings/delete", "password", "wrong "+webtest.Password).Want(422)
	ada.Post("/settings/delete", "password", webtest.Password).WantRetryAfter(time.Hour).
		Has("[role=alert]", "wrong password or code too often")
	if s.Data.Calls("AccountDeletions.Delete") != 0 {
		t.Error("the account was deleted")
	}
	if strings.Contains(s.Log.String(), "level=ERROR") {
		t.Error(s.Log.String())
	}
}

func TestAnEndedSessionDoesNotUseUpTheLimitsOfItsUser(t *testing.T) {
	for _, limits := range []string{"write=3/1h", "read=3/1h"} {
		t.Run(limits, func(t *testing.T) {
			data := webtest.NewDatabase(t)
			s := webtest.NewSiteOn(t, data, webtest.KeyOne)
			ada := s.SignUp("ada")
			thief := s.Anonymous().From("203.0.113.9")
			thief.Cookies["inkfeed"] = ada.Cookies["inkfeed"]
			ada.Post("/logout").Want(303)
			ada.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
			s.Handler = webtest.NewLimitedSite(t, data, webtest.NewCounters(), limits).Handler
			for range 5 {
				thief.Post("/settings/profile")
				thief.Get("/settings")
			}
			thief.Get("/settings") // refused if the limit is for reading
			ada.Post("/settings/profile", "displayName", "Ada").Want(303)
			ada.Get("/settings").Want(200)
		})
	}
}

func TestAddressesOfMissingPicturesCountLikePages(t *testing.T) {
	s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "read=3/1h")
	url := s.SignUp("ada").Scripted().Upload("/images", webtest.Photo(t, 60, 30)).JSON().URL
	for range 3 {
		s.Anonymous().Get("/media/" + domain.NewID() + "-9999x9999.240.jpg").Want(http.StatusNotFound)
	}
	s.Anonymous().Get("/media/" + domain.NewID() + "-9999x9999.240.jpg").Want(http.StatusTooManyRequests)
	s.Anonymous().Get(url).Want(http.StatusOK)
}

func TestDefaultLimitsAllowNormalUse(t *testing.T) {
	s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "")
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	for i := range 25 {
		ada.Post("/posts/"+p.ID+"/comments", "content", fmt.Sprint("comment ", i)).Want(303)
		ada.Post("/posts/" + p.ID + "/like").Want(303)
		ada.Post("/preview", "title", "T", "content", "x").Want(200)
		s.Anonymous().Get("/search?q=x").Want(200)
	}
	for i := range 9 {
		s.Anonymous().LogIn("ada", "wrong "+webtest.Password).Want(422)
		s.Anonymous().Post("/signup", "username", fmt.Sprint("user", i), "password", webtest.Password).Want(303)
	}
	s.Anonymous().LogIn("ada", webtest.Password).Want(303)
}

func TestParsingRateLimits(t *testing.T) {
	for text, want := range map[string]string{
		"login":           `"login" is not like login=10/15m or login=off`,
		"login=":          `"login=" is not like`,
		"login=0/1m":      `"login=0/1m" is not like`,
		"login=5":         `"login=5" is not like`,
		"login=5/1":       `"login=5/1" is not like`,
		"login=5/1ms":     `"login=5/1ms" is not like`,
		"login=5/48h":     `"login=5/48h" is not like`,
		"login=5/1m;x":    `"login=5/1m;x" is not like`,
		"log-in=5/1m":     `there is no limit "log-in"; there are comment, confirm, export`,
		"off,login=5/15m": `there is no limit "off"`,
	} {
		if _, err := ratelimit.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for text, off := range map[string]bool{
		"":                              false,
		" off ":                         true,
		"login=off":                     false,
		"search=1/1s, export = 2/24h ,": false,
	} {
		if l, err := ratelimit.Parse(text); err != nil || l.Off() != off {
			t.Errorf("%q: off is %t, %v", text, l.Off(), err)
		}
	}
}

func TestListsOfTheSearchIndexAreLimitedLikeSearches(t *testing.T) {
	for _, path := range []string{"/tags", "/authors"} {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "search=2/1m")
		ada, anonymous := s.SignUp("ada").From("198.51.100.1"), s.Anonymous().From("198.51.100.2")
		for _, v := range []*webtest.Visitor{ada, anonymous} {
			v.Get(path + "?page=2").Want(404)
			v.Get(path + "?page=3").Want(404)
			v.Get(path+"?page=4").WantRetryAfter(time.Minute).Has("main", "too many searches")
		}
	}
}

func TestLimitedRoutesExist(t *testing.T) {
	routes, err := web.Routes(webtest.Config(webtest.NewDatabase(t), &bytes.Buffer{}, webtest.KeyOne))
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range web.LimitedRoutes() {
		if !slices.Contains(routes, route) {
			t.Errorf("there is no route %s", route)
		}
	}
}
