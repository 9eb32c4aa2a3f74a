package reading_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestThePageOfAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ben := s.SignUp("ben")
	p := ada.CreatePost("A title", "# Heading\n\nSome *text*.\n\n|a|\n|-|\n|b|")
	comments := ben.CreateComments(p, "**first**", "second")

	t.Run("shows the post and its comments, oldest first", func(t *testing.T) {
		a := s.Anonymous().Get(p.Path()).Want(200)
		a.Has("h1", "A title").Has(".post .prose h2", "Heading").Has(".post .prose em", "text")
		a.Has(".scroll table td", "b")
		a.Has("#Page-comments h2", "2 comments")
		a.Has("#Page-comment-list li:first-child strong", "first").Has("#comment-"+comments[1].ID, "second")
		a.Has(`meta[name="description"][content="Some text."]`, "")
		a.Has(`link[rel="canonical"][href="http://example.com`+p.Path()+`"]`, "")
		a.Has("title", "A title · Inkfeed")
	})
	t.Run("dates the post to the day and each comment to the minute", func(t *testing.T) {
		a := s.Anonymous().Get(p.Path()).Want(200)
		a.Has(`.post .meta time[datetime="2026-05-01T12:00:00Z"]`, "1 May 2026")
		a.Has("#comment-"+comments[1].ID+` time[datetime="2026-05-01T12:02:00Z"][title$="UTC"]`, "1 May 2026, 12:02")
	})
	t.Run("says that the post was edited, and when after its first day", func(t *testing.T) {
		q := ada.CreatePost("Edited", "text") // at 12:01
		for at, want := range map[time.Time]string{
			q.Created.Add(time.Hour):      "edited",
			q.Created.Add(24 * time.Hour): "edited 2 May 2026, 12:01 UTC",
		} {
			s.ChangePost(q.ID, func(q *domain.Post) { q.Edited = at })
			found := s.Anonymous().Get(q.Path()).Page().Find(".post .meta time").Last()
			got := strings.Join(strings.Fields("edited "+strings.TrimPrefix(found.Text(), "edited")), " ")
			if got != want || !strings.Contains(found.Parent().Text(), "edited") ||
				found.AttrOr("datetime", "") != at.Format(time.RFC3339) {
				t.Errorf("after an edit at %s, the page has %q", at, got)
			}
		}
	})
	t.Run("lets wide tables scroll in the direction of their text", func(t *testing.T) {
		s.Anonymous().Get(p.Path()).Has(`.scroll[dir="auto"] > table:not([dir])`, "b")
	})
	t.Run("offers an anonymous visitor to log in and returns afterwards", func(t *testing.T) {
		a := s.Anonymous().Get(p.Path()).Want(200)
		a.Has(`.like form[method="post"][action="/posts/`+p.ID+`/like"] button`, "Log in first:")
		a.HasNo("#Page-comment-form").HasNo("#Page-like-button").HasNo(`.post a[href$="/edit"]`)
		if n := a.Page().Find(`a[href^="/login?next="]`).Length(); n != 2 {
			t.Errorf("%d links to the log-in page, want 2", n)
		}
	})
	t.Run("offers a signed-in user to like and to comment", func(t *testing.T) {
		ben.Get(p.Path()).Want(200).Has("#Page-comment-form", "Comment").HasNo(`.post a[href$="/edit"]`).
			Has(`form[action="/posts/`+p.ID+`/like"] #Page-like-button[aria-pressed="false"]`, "")
	})
	t.Run("offers the author to edit", func(t *testing.T) {
		ada.Get(p.Path()).Want(200).Has(`a[href="/posts/`+p.ID+`/edit"]`, "Edit")
	})
	t.Run("redirects to the canonical address", func(t *testing.T) {
		for _, path := range []string{"/posts/" + p.ID, "/posts/" + p.ID + "/another", "/posts/" + p.ID + "/A-Title"} {
			a := s.Anonymous().Get(path).WantRedirect(http.StatusMovedPermanently, p.Path())
			if got := a.Header.Get("Cache-Control"); !strings.Contains(got, "no-cache") {
				t.Errorf("the redirect of %s may be cached: %q", path, got)
			}
		}
	})
	t.Run("has an address in any script", func(t *testing.T) {
		cat := ada.CreatePost("吾輩は猫である", "text")
		a := s.Anonymous().Get("/posts/" + cat.ID).Want(301)
		to := a.Header.Get("Location")
		if strings.Trim(to, "abcdefghijklmnopqrstuvwxyzABCDEF0123456789%/-") != "" {
			t.Errorf("the address is not percent-encoded: %s", to)
		}
		s.Anonymous().Get(to).Want(200).Has("h1", "吾輩は猫である")
		s.Anonymous().Get(strings.ToLower(to)).Want(200)
	})
	t.Run("is found even if its slug looks like the name of another page", func(t *testing.T) {
		for _, title := range []string{"Edit", "delete!", "Likes", "Comments", "Like", "Unlike"} {
			s.Anonymous().Get(ada.CreatePost(title, "text").Path()).Want(200).Has(".post h1", title)
		}
	})
	t.Run("answers 404 for an unknown post", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x", "..", "%00"} {
			s.Anonymous().Get("/posts/" + id).Want(404)
			s.Anonymous().Get("/posts/" + id + "/comments").Want(404)
			s.Anonymous().Get("/posts/" + id + "/likes").Want(404)
		}
	})
}

func TestThePageOfAPostShowsItsReadingTime(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", strings.Repeat("word ", 500)+"[^1]\n\n[^1]: A note.")
	ben.Get(p.Path()).Has(".post > header .meta", "2 min read")
	ben.Get(p.Path()).Has(`meta[name="description"][content^="word word"]`, "").
		HasNo(`meta[name="description"][content*="note"]`)
}

func TestOnlyTheAuthorSeesThatAPostIsUnlisted(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	ada.Get(p.Path()).HasNo(".unlisted")
	s.ChangePost(p.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
	ada.Get(p.Path()).Has(".post > header .unlisted", "Unlisted")
	ben.Get(p.Path()).Want(200).HasNo(".unlisted")
}

func TestTablesOfEachDirectionAreInBoxesThatScroll(t *testing.T) {
	ada := webtest.NewSite(t).SignUp("ada")
	p := ada.CreatePost("Tables", "|Go|\n|-|\n\n|שפת Go language|\n|-|\n\n|Go language שפה|\n|-|")
	ada.Get(p.Path()).Has(`.scroll[dir="auto"] > table th`, "Go").
		Has(`.scroll[dir="rtl"] > table th`, "שפת Go language").
		Has(`.scroll[dir="ltr"] > table th`, "שפה").HasNo(".prose > table")
}

func TestTheAuthorCardHasTheDirectionOfTheBiography(t *testing.T) {
	ada := webtest.NewSite(t).SignUp("ada")
	p := ada.CreatePost("A title", "text")
	ada.Post("/settings/profile", "displayName", "", "bio", "Words about Go.").Want(http.StatusSeeOther)
	ada.Get(p.Path()).Has(`.author-card[dir="auto"] .about[dir="auto"]`, "Words about Go.")
	ada.Post("/settings/profile", "displayName", "", "bio", "תכנות is Hebrew for programming").Want(http.StatusSeeOther)
	ada.Get(p.Path()).Has(`.author-card[dir="rtl"] .about[dir="rtl"]`, "תכנות")
}
