package syndication_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestFeedOfASeries(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	for _, part := range []string{"2", "1"} {
		ada.CreatePostWith("Part "+part, "Text of "+part+".", func(p *domain.Post) {
			p.Details.Series, p.Details.SeriesPart = "Learning Go", part
		})
	}
	ada.CreatePost("In no series", "Text.")
	const path = "/@ada/series/learning-go"
	t.Run("has its posts only, newest first, in each format", func(t *testing.T) {
		for _, format := range []string{".atom", ".rss", ".json"} {
			body := s.Anonymous().Get(path + "/feed" + format).Want(http.StatusOK).Body
			newest, older := strings.Index(body, "Text of 1."), strings.Index(body, "Text of 2.")
			if newest < 0 || older < newest || strings.Contains(body, "In no series") ||
				!strings.Contains(body, "Learning Go") {
				t.Errorf("the feed %s is %s", format, body)
			}
		}
	})
	t.Run("is announced by the page of the series", func(t *testing.T) {
		s.Anonymous().Get(path).Want(http.StatusOK).
			Has(`link[type="application/atom+xml"][href$="`+path+`/feed.atom"]`, "")
	})
	t.Run("has one address", func(t *testing.T) {
		s.Anonymous().Get("/@Ada/series/Learning-Go/feed.rss").
			WantRedirect(http.StatusMovedPermanently, path+"/feed.rss")
		s.Anonymous().Get("/@ada/series/unknown/feed.atom").Want(http.StatusNotFound)
	})
}
