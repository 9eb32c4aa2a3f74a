package web_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// undressed are the pages without the custom CSS of the site among those that anonymous visitors may open: those of
// accounts and subscribers.
var undressed = map[string]bool{"GET /login": true, "GET /signup": true, "GET /goodbye": true, "GET /reset": true,
	"GET /reset/:link": true,
	"GET /mail/:key":   true, "GET /mail/:key/confirm": true, "GET /mail/:key/unsubscribe": true}

// dressed are the pages with the custom CSS that only members may open: they look like those for everyone.
var dressed = map[string]bool{"GET /following": true, "GET /following/posts": true}

// TestCustomCSSIsOnNoOtherPages opens each page as an administrator. Those that anonymous visitors may open have the
// custom CSS, except for those of accounts, and so has the personal feed.
func TestCustomCSSIsOnNoOtherPages(t *testing.T) {
	s := newScene(t, "administrator")
	version := s.actor.Get("/admin/settings").Value("version")
	s.actor.Post("/admin/settings", "version", version, "registration", "open", "role", "author", "days", "0",
		"css", "a { color: red }").Want(http.StatusSeeOther)
	s.actor.Header.Set("Accept", "text/html")
	found := 0
	for _, route := range slices.Sorted(maps.Keys(decisions)) {
		if !strings.HasPrefix(route, "GET ") {
			continue
		}
		page := s.act(s.actor, route)
		if page.StatusCode != http.StatusOK || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
			continue
		}
		want := decisions[route]["anonymous"] == "ok" && !undressed[route] || dressed[route]
		if got := page.Page().Find("#Page-css").Length() > 0; got != want {
			t.Errorf("%s: the page has custom CSS: %t, want %t", route, got, want)
		}
		if want {
			found++
		}
	}
	if found < 12 {
		t.Errorf("only %d pages have it", found)
	}
}
