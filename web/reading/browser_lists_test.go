package reading_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// The first screen of the front page shows twice as many posts as one with whole excerpts, which showed two.
func TestTheFirstScreenShowsSeveralPosts(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	for range 6 {
		w.Ada.CreatePostWith("Everything I know about the border, and what it taught me",
			strings.Repeat("Many words. ", 99), func(p *domain.Post) {
				p.Tags, p.Created = "travel, border", w.Long.Created.AddDate(0, 0, 1)
			})
	}
	b.SignInAs(w.Ben)
	for _, window := range []struct{ width, height int64 }{{1280, 800}, {390, 844}} {
		b.Resize(window.width, window.height)
		b.Open("/")
		titles := b.Eval(`[...document.querySelectorAll('.posts h2')]
			.filter(title => title.getBoundingClientRect().bottom <= innerHeight).length`)
		if titles < "4" || len(titles) > 1 {
			t.Errorf("a window of %dx%d shows %s titles, want at least 4", window.width, window.height, titles)
		}
	}
	b.Resize(320, 800)
	for _, path := range []string{"/", "/@ada", "/tags/border", "/search?q=border"} {
		if b.Open(path); !b.FitsWindow() {
			t.Errorf("%s is wider than a window of 320 pixels", path)
		}
	}
	b.WantQuietConsole()
}
