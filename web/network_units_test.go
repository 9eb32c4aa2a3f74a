package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/web/webtest"
)

// useUp makes anonymous requests from an address until they are refused.
func useUp(t *testing.T, s *webtest.Site, address string) {
	t.Helper()
	for n := range 60 {
		if s.Anonymous().From(address).Get(fmt.Sprint("/@name", n)).StatusCode == http.StatusTooManyRequests {
			return
		}
	}
	t.Fatal("anonymous requests are not refused")
}

func TestAUsedUpNetworkRefusesNobodyWhoIsSignedIn(t *testing.T) {
	for _, limits := range []string{"units-network=20/1h", "read=8/1h"} {
		t.Run(limits, func(t *testing.T) {
			const school = "203.0.113.9"
			s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), limits)
			ada, ended := s.SignUp("ada"), s.SignUp("ben")
			s.Trust(ada)
			cookie := ended.Cookies["inkfeed"]
			ended.Post("/logout").Want(http.StatusSeeOther)
			ended.Cookies["inkfeed"] = cookie
			useUp(t, s, school)
			for range 5 {
				ada.From(school).Get("/new").Want(http.StatusOK)
			}
			ada.From(school).Post("/posts", "title", "A", "content", "text").Want(http.StatusSeeOther)
			for _, path := range []string{"/new", "/feed.atom", "/@name"} {
				ended.From(school).Get(path).WantRetryAfter(time.Hour)
			}
		})
	}
}

func TestNewUsersHaveSomeUnitsBesideTheirNetwork(t *testing.T) {
	const school = "203.0.113.9"
	s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "units-network=160/1h")
	ada, ben := s.SignUp("ada").From(school), s.SignUp("ben").From(school)
	for n := range 200 {
		if s.Anonymous().From(school).Get(fmt.Sprint("/@name", n)).StatusCode == http.StatusTooManyRequests {
			break
		}
	}
	get := func(v *webtest.Visitor) int { return v.Get("/settings/sessions").StatusCode }
	if get(ada) != http.StatusOK || get(ben) != http.StatusOK {
		t.Error("new users are refused because of others in their network")
	}
	for n := 0; get(ada) == http.StatusOK; n++ {
		if n > 60 {
			t.Fatal("the units of a new user have no bound")
		}
	}
	ada.Get("/settings").WantRetryAfter(time.Hour).Has("header", "@ada")
	if get(ben) != http.StatusOK {
		t.Error("a new user is refused because of another")
	}
}

func TestAUserWithoutUnitsKeepsWhatTheyTyped(t *testing.T) {
	data := webtest.NewDatabase(t)
	s := webtest.NewSiteOn(t, data, webtest.KeyOne)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	s.Handler = webtest.NewLimitedSite(t, data, webtest.NewCounters(), "units-user=6/1h").Handler
	for n := 0; ada.Get("/settings/sessions").StatusCode == http.StatusOK; n++ {
		if n > 60 {
			t.Fatal("the units of a user have no bound")
		}
	}
	for path, field := range map[string]string{"/posts": "content", "/posts/" + p.ID: "content",
		"/posts/" + p.ID + "/comments": "content", "/settings/profile": "bio"} {
		a := ada.Post(path, "title", "T", field, "what was typed").WantRetryAfter(time.Hour)
		if !strings.Contains(a.Body, "what was typed") {
			t.Errorf("%s loses the text", path)
		}
	}
	ada.Get("/settings/export").Want(http.StatusOK)
}

// The network has used up its units after the password, or before it in a known browser.
func TestALogInIsFinishedAlthoughItsNetworkIsLimited(t *testing.T) {
	const school = "203.0.113.9"
	data := webtest.NewDatabase(t)
	app := webtest.NewSiteOn(t, data, webtest.KeyOne).SignUp("ada").EnableAuthenticator()
	for n, limits := range []string{"units-network=300/1h", "read=20/1h"} {
		t.Run(limits, func(t *testing.T) {
			s := webtest.NewLimitedSite(t, data, webtest.NewCounters(), limits)
			ada := s.Anonymous().From(school)
			ada.LogIn("ada", webtest.Password).Want(http.StatusSeeOther)
			for n := range 1300 { // until the network and the address of the school are used up
				v := s.Anonymous().From(fmt.Sprint("203.0.113.", n%200))
				if v.Get(fmt.Sprint("/@name", n)).StatusCode == http.StatusTooManyRequests && n > 200 {
					break
				}
			}
			forger := s.Anonymous().From(school)
			forger.Cookies["inkfeed-login"] = "x" + ada.Cookies["inkfeed-login"]
			forger.Get("/login/second").WantRetryAfter(time.Hour)
			ada.Get("/login/second").Want(http.StatusOK)
			ada.Post("/login/second", "code", "000000").Want(http.StatusUnprocessableEntity)
			ada.Post("/login/second", "code", app.Codes[n]).Want(http.StatusSeeOther)
		})
	}
}
