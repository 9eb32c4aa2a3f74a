package reading_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestTagPages(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	ada.CreateTaggedPost("Older", "go, C++")
	newer := ben.CreateTaggedPost("Newer", "Go")
	hidden := ben.CreateTaggedPost("Hidden", "Go")
	ben.UpdatePost(hidden, func(p *domain.Post) { p.Status = domain.Unlisted })
	ada.CreatePost("Without", "text")

	t.Run("list the posts with the tag, newest first, in the spelling of the newest", func(t *testing.T) {
		a := s.Anonymous().Get("/tags/go").Want(200).Has("h1", "Go").Has("title", "Go · Inkfeed")
		a.Has(`link[rel="canonical"][href$="/tags/go"]`, "")
		a.Has(`.posts li:first-child h2 a[href="`+newer.Path()+`"]`, "Newer").
			Has(`.posts li:first-child .meta a[href="/@ben"]`, "@ben")
		if n := a.Page().Find(".posts > li").Length(); n != 2 {
			t.Errorf("%d posts, want 2", n)
		}
	})
	t.Run("redirect other spellings to the canonical address", func(t *testing.T) {
		for path, to := range map[string]string{
			"/tags/GO":                 "/tags/go",
			"/tags/C++":                "/tags/c++",
			"/tags/%C3%9Cber%20uns":    "/tags/%C3%BCber-uns",
			"/tags/go%20?page=2":       "/tags/go?page=2",
			"/tags/%EF%BC%A7%EF%BD%8F": "/tags/go",
			// the addresses of earlier releases
			"/tags/" + url.PathEscape("i\u0307stanbul"): "/tags/istanbul",
			"/tags/" + url.PathEscape("ığdır"):          "/tags/i%C4%9Fdir",
			"/tags/" + url.PathEscape("❤\ufe0f"):        "/tags/%E2%9D%A4",
			"/tags/to-be-continued-":                    "/tags/to-be-continued",
		} {
			s.Anonymous().Get(path).WantRedirect(http.StatusMovedPermanently, to)
		}
		s.Anonymous().Get("/tags/c%2B%2B").Want(200).Has("h1", "C++")
	})
	t.Run("list the posts of all spellings", func(t *testing.T) {
		for _, spellings := range [][]string{{"İstanbul", "istanbul", "ISTANBUL"}, {"IĞDIR", "ığdır"}, {"❤\ufe0f", "❤"},
			{"ᏣᎳᎩ", "Ꮳꮃꭹ"}} {
			for _, name := range spellings {
				ada.CreateTaggedPost("About "+name, name)
			}
			a := s.Anonymous().Get("/tags/" + url.PathEscape(domain.TagKey(spellings[0]))).Want(200)
			if n := a.Page().Find(".posts > li").Length(); n != len(spellings) {
				t.Errorf("%v: %d posts", spellings, n)
			}
		}
	})
	t.Run("have addresses in any script", func(t *testing.T) {
		for _, name := range []string{"吾輩は猫", "עברית", "C#", "naïve café", "100%", "a.b", "suggest", "feed",
			"to be continued ...", "suite …"} {
			ada.CreateTaggedPost("About "+name, name)
			a := s.Anonymous().Get("/tags/" + url.PathEscape(domain.TagKey(name))).Want(200)
			a.Has("h1[dir=auto]", name).Has(`.tags a[rel="tag"]`, name)
			link := a.Page().Find(`.tags a[rel="tag"]`).AttrOr("href", "")
			s.Anonymous().Get(link).Want(200).Has("h1", name)
		}
	})
	t.Run("answer 404 for a tag without posts", func(t *testing.T) {
		s.Anonymous().Get("/tags/rust").Want(404).Has("h1", "Not found").Has("main", "No posts are tagged “rust”.")
	})
	t.Run("answer 404 for an invalid tag or page", func(t *testing.T) {
		for _, path := range []string{
			"/tags/%21", "/tags/%20", "/tags/..%2F", "/tags/%FF", "/tags/" + url.PathEscape(strings.Repeat("x", 3000)),
			"/tags/go?page=0", "/tags/go?page=2", "/tags/go?page=x",
		} {
			s.Anonymous().Get(path).Want(404)
		}
	})
	t.Run("are paged", func(t *testing.T) {
		for i := range domain.PostsPerPage {
			ada.CreateTaggedPost(fmt.Sprint("More ", i), "Many")
		}
		s.Anonymous().Get("/tags/many").Want(200).HasNo(".pager")
		ada.CreateTaggedPost("One more", "Many")
		s.Anonymous().Get("/tags/many").Want(200).Has(`a[rel="next"][href="/tags/many?page=2"]`, "")
		s.Anonymous().Get("/tags/many?page=2").Want(200).Has(`a[rel="prev"][href="/tags/many"]`, "Newer").
			Has(`link[rel="canonical"][href$="/tags/many?page=2"]`, "")
	})
	t.Run("answer 503 when storage is unavailable", func(t *testing.T) {
		s.Data.Fail("Tags.PostsOf")
		defer s.Data.Recover("Tags.PostsOf")
		s.Anonymous().Get("/tags/go").Want(503)
	})
}

func TestTagsOfAPostAreLinked(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreateTaggedPost("A title", "Go, 猫, <b>")
	for _, path := range []string{"/", "/@ada", p.Path()} {
		a := s.Anonymous().Get(path).Want(200)
		a.Has(`.tags[aria-label="Tags"] li:nth-child(1) a[href="/tags/go"]`, "Go")
		a.Has(`.tags li:nth-child(2) a[href="/tags/%E7%8C%AB"]`, "猫").Has(".tags li:nth-child(3) a", "<b>")
	}
	q := ada.CreatePost("Without", "text")
	s.Anonymous().Get(q.Path()).Want(200).HasNo(".post .tags")
}

func TestPostsLinkToAdjacentAndRelatedPosts(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cleo := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")
	elsewhere := cleo.CreateTaggedPost("Cleo's", "Go")
	first := ada.CreateTaggedPost("First", "Go")
	other := ben.CreateTaggedPost("Ben's", "go, 猫")
	second := ada.CreateTaggedPost("Second", "Go, 猫")
	third := ada.CreatePost("Third", "text")

	t.Run("links the posts before and after by the same author", func(t *testing.T) {
		a := s.Anonymous().Get(second.Path()).Want(200)
		a.Has(`nav.adjacent-posts[aria-label="More by @ada"] a[rel="prev"][href="`+first.Path()+`"]`, "First")
		a.Has(`nav.adjacent-posts a[rel="next"][href="`+third.Path()+`"]`, "Third")
		s.Anonymous().Get(first.Path()).HasNo(`.adjacent-posts a[rel="prev"]`)
		s.Anonymous().Get(third.Path()).HasNo(`.adjacent-posts a[rel="next"]`)
		s.Anonymous().Get(other.Path()).HasNo(".adjacent-posts")
	})
	t.Run("links posts with shared tags", func(t *testing.T) {
		a := s.Anonymous().Get(second.Path()).Want(200)
		a.Has("section.related[aria-labelledby=Page-related-title] h2#Page-related-title", "Related posts")
		a.Has(`.related li:nth-child(1) a[href="`+other.Path()+`"]`, "Ben's").
			Has(`.related li:nth-child(1) a[href="/@ben"]`, "@ben")
		a.Has(`.related li:nth-child(2) a[href="`+elsewhere.Path()+`"]`, "Cleo's")
		s.Anonymous().Get(third.Path()).HasNo(".related")
	})
	t.Run("does not repeat an adjacent post as a related one", func(t *testing.T) {
		s.Anonymous().Get(second.Path()).Want(200).Has(`.adjacent-posts a[href="`+first.Path()+`"]`, "First").
			HasNo(`.related a[href="` + first.Path() + `"]`)
		s.Anonymous().Get(elsewhere.Path()).Want(200).Has(`.related a[href="`+first.Path()+`"]`, "First")
	})
	t.Run("fills the place of an adjacent post with another related one", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		for range domain.MaxRelated {
			ben.CreateTaggedPost("Ben's", "Go")
		}
		ada.CreateTaggedPost("Before", "Go")
		between := ada.CreateTaggedPost("Between", "Go")
		ada.CreateTaggedPost("After", "Go")
		a := s.Anonymous().Get(between.Path()).Want(200)
		if n := a.Page().Find(".related li").Length(); n != domain.MaxRelated {
			t.Errorf("%d related posts", n)
		}
	})
	t.Run("links only listed posts", func(t *testing.T) {
		ada.UpdatePost(third, func(p *domain.Post) { p.Status = domain.Unlisted })
		ben.UpdatePost(other, func(p *domain.Post) { p.Status = domain.Unpublished })
		a := s.Anonymous().Get(second.Path()).Want(200).HasNo(`.adjacent-posts a[rel="next"]`)
		if n := a.Page().Find(".related li").Length(); n != 1 {
			t.Errorf("%d related posts, want 1", n)
		}
	})
	t.Run("omits the links when storage fails", func(t *testing.T) {
		for _, method := range []string{"UserCopies.Neighbours", "Tags.Newest"} {
			s.Data.Fail(method)
			s.Anonymous().Get(second.Path()).Want(200).Has("h1", "Second")
			s.Data.Recover(method)
		}
	})
}

func TestTheArchiveOfAnAuthor(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("Ada")
	t.Run("is empty for an author without posts", func(t *testing.T) {
		s.Anonymous().Get("/@Ada/archive").Want(200).Has("h1", "Archive").Has("main", "hasn't published anything yet").
			HasNo(".years")
		s.Anonymous().Get("/@Ada/archive/2026").Want(404)
		s.Anonymous().Get("/@Ada").HasNo(`a[href="/@Ada/archive"]`)
	})
	dated := func(title string, year int, month time.Month, day int) domain.Post {
		return ada.UpdatePost(ada.CreatePost(title, "text"),
			func(p *domain.Post) { p.Created = time.Date(year, month, day, 12, 0, 0, 0, time.UTC) })
	}
	dated("Old", 2019, 2, 3)
	dated("Spring", 2024, 5, 1)
	dated("Late spring", 2024, 5, 31)
	winter := dated("Winter", 2024, 12, 24)
	dated("New", 2026, 1, 1)

	t.Run("lists the titles of the latest year and links the one before", func(t *testing.T) {
		s.Anonymous().Get("/@Ada").Want(200).Has(`a[href="/@Ada/archive"]`, "All posts by year")
		a := s.Anonymous().Get("/@Ada/archive").Want(200).Has("h1", "2026").Has(".month li", "New")
		a.Has(`nav[aria-label="Years"] a[rel="next"][href="/@Ada/archive/2024"]`, "2024").HasNo(`.years a[rel="prev"]`)
		a.Has(`link[rel="canonical"][href$="/@Ada/archive/2026"]`, "")
	})
	t.Run("lists a year by months", func(t *testing.T) {
		a := s.Anonymous().Get("/@Ada/archive/2024").Want(200).Has("h1", "2024").Has(`.heading a[href="/@Ada"]`, "@Ada")
		a.Has(".month:nth-of-type(1) h2", "December").Has(`.month:nth-of-type(1) a[href="`+winter.Path()+`"]`, "Winter")
		a.Has(".month:nth-of-type(1) time[datetime^='2024-12-24']", "24 December")
		a.Has(".month:nth-of-type(2) h2", "May").Has(".month:nth-of-type(2) li:nth-child(1)", "Late spring").
			Has(".month:nth-of-type(2) li:nth-child(2)", "Spring")
		a.Has(`.years a[rel="prev"][href="/@Ada/archive/2026"]`, "2026").
			Has(`.years a[rel="next"][href="/@Ada/archive/2019"]`, "2019")
	})
	t.Run("answers 404 for a year without posts", func(t *testing.T) {
		s.Anonymous().Get("/@Ada/archive/2021").Want(404).Has("main", "@Ada didn't publish anything in 2021.")
	})
	t.Run("answers 404 for an invalid year", func(t *testing.T) {
		for _, year := range []string{
			"x", "0", "-1", "02024", "10000", "2024.0", "2024?page=2", "2024?page=x", "2024/5",
		} {
			s.Anonymous().Get("/@Ada/archive/" + year).Want(404)
		}
		s.Anonymous().Get("/@nobody/archive").Want(404)
	})
	t.Run("redirects another spelling of the username", func(t *testing.T) {
		s.Anonymous().Get("/@ada/archive/2024").WantRedirect(301, "/@Ada/archive/2024")
		s.Anonymous().Get("/@ADA/archive").WantRedirect(301, "/@Ada/archive")
	})
	t.Run("pages many titles", func(t *testing.T) {
		for i := range domain.ArchivePerPage + 1 {
			dated(fmt.Sprint("Daily ", i), 2015, 1, 1+i%28)
		}
		s.Anonymous().Get("/@Ada/archive/2015").Want(200).
			Has(`a[rel="next"][href="/@Ada/archive/2015?page=2"]`, "")
		s.Anonymous().Get("/@Ada/archive/2015?page=2").Want(200).
			Has(`a[rel="prev"][href="/@Ada/archive/2015"]`, "Newer").
			Has(`link[rel="canonical"][href$="/@Ada/archive/2015?page=2"]`, "")
	})
}
