package web_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestPagesLoadWithoutConsoleErrors(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	for _, path := range []string{
		"/", "/?page=2", "/signup", "/login", w.Long.Path(), "/posts/" + w.Long.ID + "/comments?page=2",
		"/posts/" + w.Long.ID + "/likes", "/@ada", "/@" + w.Ada.User.Username, w.Arabic.Path(), "/search",
		"/search?q=e",
	} {
		b.Open(path)
		b.WaitUntil("document.readyState === 'complete' && " +
			"(!document.querySelector('script[src*=htmx]') || htmx.version.startsWith('4.'))")
	}
	b.SignInAs(w.Ada)
	for _, path := range []string{
		"/", w.Long.Path(), "/new", "/settings", "/settings/profile", "/images", "/posts/" + w.Long.ID + "/edit",
	} {
		b.Open(path)
		b.WaitUntil("document.readyState === 'complete'")
		if !b.FitsWindow() {
			t.Errorf("%s is wider than the window", path)
		}
	}
	b.WantQuietConsole()
}
