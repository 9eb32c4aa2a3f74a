package syndication_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

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
	t.Run("has the newest posts of a series that is too long for its page", func(t *testing.T) {
		begun := time.Now().Add(-time.Hour)
		for n := range domain.MaxSeriesPosts + 1 {
			copied := domain.Summary{PostID: domain.NewID(), AuthorID: ada.User.ID, AuthorName: "ada", Title: "Copy",
				Text: "Text.", Created: begun.Add(time.Duration(n) * time.Second), Revision: 1, Version: 1}
			copied.Details.Series = "Long"
			if err := s.Data.Store.UserCopies.ApplySummary(t.Context(), copied); err != nil {
				t.Fatal(err)
			}
		}
		list, err := s.Data.Store.UserCopies.NewestOfSeries(t.Context(), ada.User.ID, "long")
		if err != nil {
			t.Fatal(err)
		}
		if want := begun.Add(domain.MaxSeriesPosts * time.Second); len(list) != domain.PostsPerPage ||
			!list[0].Created.Equal(domain.Timestamp(want)) {
			t.Errorf("the feed has %d posts, the newest of %s, want %s", len(list), list[0].Created, want)
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
