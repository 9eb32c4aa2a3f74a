package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// aTaggedPost is aPost with tags.
func (v *visitor) aTaggedPost(title, tags string) domain.Post {
	v.t.Helper()
	p := v.aPost(title, "text")
	clean, err := domain.CleanTags(tags)
	if err != nil {
		v.t.Fatal(err)
	}
	return v.put(p, func(p *domain.Post) { p.Tags = clean })
}

// put changes a post in the store.
func (v *visitor) put(p domain.Post, change func(*domain.Post)) domain.Post {
	v.t.Helper()
	v.change(p.ID, change)
	return v.data.post(p.ID)
}

func TestTag(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	ada.aTaggedPost("Older", "go, C++")
	newer := ben.aTaggedPost("Newer", "Go")
	hidden := ben.aTaggedPost("Hidden", "Go")
	ben.put(hidden, func(p *domain.Post) { p.Status = domain.Unlisted })
	ada.aPost("Without", "text")

	t.Run("lists the posts that have it, newest first, in the spelling of the newest", func(t *testing.T) {
		a := s.stranger().get("/tags/go").want(200).has("h1", "Go").has("title", "Go · Inkfeed")
		a.has(`link[rel="canonical"][href$="/tags/go"]`, "")
		a.has(`.posts li:first-child h2 a[href="`+newer.Path()+`"]`, "Newer").has(`.posts li:first-child .meta a[href="/@ben"]`, "@ben")
		if n := a.page().Find(".posts > li").Length(); n != 2 {
			t.Errorf("%d posts", n)
		}
	})
	t.Run("other spellings lead to its one address", func(t *testing.T) {
		for path, to := range map[string]string{
			"/tags/GO": "/tags/go", "/tags/C++": "/tags/c++",
			"/tags/%C3%9Cber%20uns": "/tags/%C3%BCber-uns", "/tags/go%20?page=2": "/tags/go?page=2", "/tags/%EF%BC%A7%EF%BD%8F": "/tags/go",
		} {
			s.stranger().get(path).wantRedirect(http.StatusMovedPermanently, to)
		}
		s.stranger().get("/tags/c%2B%2B").want(200).has("h1", "C++")
	})
	t.Run("has an address in any script", func(t *testing.T) {
		for _, name := range []string{"吾輩は猫", "עברית", "C#", "naïve café", "100%", "a.b", "suggest", "feed"} {
			ada.aTaggedPost("About "+name, name)
			a := s.stranger().get("/tags/" + url.PathEscape(domain.TagKey(name))).want(200)
			a.has("h1[dir=auto]", name).has(`.tags a[rel="tag"]`, name)
			link := a.page().Find(`.tags a[rel="tag"]`).AttrOr("href", "")
			s.stranger().get(link).want(200).has("h1", name)
		}
	})
	t.Run("that no post has is not found, and says so", func(t *testing.T) {
		s.stranger().get("/tags/rust").want(404).has("h1", "Not found").has("main", "No posts are tagged “rust”.")
	})
	t.Run("what can be none is not found", func(t *testing.T) {
		for _, path := range []string{"/tags/%21", "/tags/%20", "/tags/..%2F", "/tags/%FF", "/tags/" + url.PathEscape(strings.Repeat("x", 3000)),
			"/tags/go?page=0", "/tags/go?page=2", "/tags/go?page=x"} {
			s.stranger().get(path).want(404)
		}
	})
	t.Run("is paged", func(t *testing.T) {
		for i := range domain.PostsPerPage {
			ada.aTaggedPost(fmt.Sprint("More ", i), "Many")
		}
		s.stranger().get("/tags/many").want(200).hasNo(".pager")
		ada.aTaggedPost("One more", "Many")
		s.stranger().get("/tags/many").want(200).has(`a[rel="next"][href="/tags/many?page=2"]`, "Older")
		s.stranger().get("/tags/many?page=2").want(200).has(`a[rel="prev"][href="/tags/many"]`, "Newer").
			has(`link[rel="canonical"][href$="/tags/many?page=2"]`, "")
	})
	t.Run("a busy store is said so", func(t *testing.T) {
		s.data.fail("Tags.PostsOf")
		defer s.data.recover("Tags.PostsOf")
		s.stranger().get("/tags/go").want(503)
	})
}

func TestTagsOfAPost(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aTaggedPost("A title", "Go, 猫, <b>")
	for _, path := range []string{"/", "/@ada", p.Path()} {
		a := s.stranger().get(path).want(200)
		a.has(`.tags[aria-label="Tags"] li:nth-child(1) a[href="/tags/go"]`, "Go")
		a.has(`.tags li:nth-child(2) a[href="/tags/%E7%8C%AB"]`, "猫").has(".tags li:nth-child(3) a", "<b>")
	}
	q := ada.aPost("Without", "text")
	s.stranger().get(q.Path()).want(200).hasNo(".post .tags")
}

func TestReadingOn(t *testing.T) {
	s := newSite(t)
	ada, ben, cleo := s.member("ada"), s.member("ben"), s.member("cleo")
	elsewhere := cleo.aTaggedPost("Cleo's", "Go")
	first := ada.aTaggedPost("First", "Go")
	other := ben.aTaggedPost("Ben's", "go, 猫")
	second := ada.aTaggedPost("Second", "Go, 猫")
	third := ada.aPost("Third", "text")

	t.Run("a post leads to those before and after it by its author", func(t *testing.T) {
		a := s.stranger().get(second.Path()).want(200)
		a.has(`nav.adjacent-posts[aria-label="More by @ada"] a[rel="prev"][href="`+first.Path()+`"]`, "First")
		a.has(`nav.adjacent-posts a[rel="next"][href="`+third.Path()+`"]`, "Third")
		s.stranger().get(first.Path()).hasNo(`.adjacent-posts a[rel="prev"]`)
		s.stranger().get(third.Path()).hasNo(`.adjacent-posts a[rel="next"]`)
		s.stranger().get(other.Path()).hasNo(".adjacent-posts")
	})
	t.Run("and to those that share its tags", func(t *testing.T) {
		a := s.stranger().get(second.Path()).want(200)
		a.has("section.related[aria-labelledby=Page-related-title] h2#Page-related-title", "Related posts")
		a.has(`.related li:nth-child(1) a[href="`+other.Path()+`"]`, "Ben's").has(`.related li:nth-child(1) a[href="/@ben"]`, "@ben")
		a.has(`.related li:nth-child(2) a[href="`+elsewhere.Path()+`"]`, "Cleo's")
		s.stranger().get(third.Path()).hasNo(".related")
	})
	t.Run("but not again to those before and after it", func(t *testing.T) {
		s.stranger().get(second.Path()).want(200).has(`.adjacent-posts a[href="`+first.Path()+`"]`, "First").
			hasNo(`.related a[href="` + first.Path() + `"]`)
		s.stranger().get(elsewhere.Path()).want(200).has(`.related a[href="`+first.Path()+`"]`, "First")
	})
	t.Run("and to as many as otherwise, if there are", func(t *testing.T) {
		s := newSite(t)
		ada, ben := s.member("ada"), s.member("ben")
		for range domain.MaxRelated {
			ben.aTaggedPost("Ben's", "Go")
		}
		ada.aTaggedPost("Before", "Go")
		between := ada.aTaggedPost("Between", "Go")
		ada.aTaggedPost("After", "Go")
		a := s.stranger().get(between.Path()).want(200)
		if n := a.page().Find(".related li").Length(); n != domain.MaxRelated {
			t.Errorf("%d related posts", n)
		}
	})
	t.Run("never to what is not listed", func(t *testing.T) {
		ada.put(third, func(p *domain.Post) { p.Status = domain.Unlisted })
		ben.put(other, func(p *domain.Post) { p.Status = domain.Unpublished })
		a := s.stranger().get(second.Path()).want(200).hasNo(`.adjacent-posts a[rel="next"]`)
		if n := a.page().Find(".related li").Length(); n != 1 {
			t.Errorf("%d related posts", n)
		}
	})
	t.Run("is there without it when the store fails", func(t *testing.T) {
		for _, method := range []string{"Users.Neighbours", "Tags.Related"} {
			s.data.fail(method)
			s.stranger().get(second.Path()).want(200).has("h1", "Second")
			s.data.recover(method)
		}
	})
}

func TestArchive(t *testing.T) {
	s := newSite(t)
	ada := s.member("Ada")
	t.Run("of somebody who wrote nothing", func(t *testing.T) {
		s.stranger().get("/@Ada/archive").want(200).has("h1", "Archive").has("main", "hasn't published anything yet").hasNo(".years")
		s.stranger().get("/@Ada/archive/2026").want(404)
		s.stranger().get("/@Ada").hasNo(`a[href="/@Ada/archive"]`)
	})
	dated := func(title string, year int, month time.Month, day int) domain.Post {
		return ada.put(ada.aPost(title, "text"), func(p *domain.Post) { p.Created = time.Date(year, month, day, 12, 0, 0, 0, time.UTC) })
	}
	dated("Old", 2019, 2, 3)
	dated("Spring", 2024, 5, 1)
	dated("Late spring", 2024, 5, 31)
	winter := dated("Winter", 2024, 12, 24)
	dated("New", 2026, 1, 1)

	t.Run("lists the titles of the latest year, and leads to the one before", func(t *testing.T) {
		s.stranger().get("/@Ada").want(200).has(`a[href="/@Ada/archive"]`, "All posts by year")
		a := s.stranger().get("/@Ada/archive").want(200).has("h1", "2026").has(".month li", "New")
		a.has(`nav[aria-label="Years"] a[rel="next"][href="/@Ada/archive/2024"]`, "2024").hasNo(`.years a[rel="prev"]`)
		a.has(`link[rel="canonical"][href$="/@Ada/archive/2026"]`, "")
	})
	t.Run("lists a year by its months", func(t *testing.T) {
		a := s.stranger().get("/@Ada/archive/2024").want(200).has("h1", "2024").has(`.heading a[href="/@Ada"]`, "@Ada")
		a.has(".month:nth-of-type(1) h2", "December").has(`.month:nth-of-type(1) a[href="`+winter.Path()+`"]`, "Winter")
		a.has(".month:nth-of-type(1) time[datetime^='2024-12-24']", "24 Dec")
		a.has(".month:nth-of-type(2) h2", "May").has(".month:nth-of-type(2) li:nth-child(1)", "Late spring").has(".month:nth-of-type(2) li:nth-child(2)", "Spring")
		a.has(`.years a[rel="prev"][href="/@Ada/archive/2026"]`, "2026").has(`.years a[rel="next"][href="/@Ada/archive/2019"]`, "2019")
	})
	t.Run("a year without posts is not found, and says so", func(t *testing.T) {
		s.stranger().get("/@Ada/archive/2021").want(404).has("main", "@Ada didn't publish anything in 2021.")
	})
	t.Run("what is no year is not found", func(t *testing.T) {
		for _, year := range []string{"x", "0", "-1", "02024", "10000", "2024.0", "2024?page=2", "2024?page=x", "2024/5"} {
			s.stranger().get("/@Ada/archive/" + year).want(404)
		}
		s.stranger().get("/@nobody/archive").want(404)
	})
	t.Run("another spelling leads to the right one", func(t *testing.T) {
		s.stranger().get("/@ada/archive/2024").wantRedirect(301, "/@Ada/archive/2024")
		s.stranger().get("/@ADA/archive").wantRedirect(301, "/@Ada/archive")
	})
	t.Run("many titles are paged", func(t *testing.T) {
		for i := range domain.ArchivePerPage + 1 {
			dated(fmt.Sprint("Daily ", i), 2015, 1, 1+i%28)
		}
		s.stranger().get("/@Ada/archive/2015").want(200).has(`a[rel="next"][href="/@Ada/archive/2015?page=2"]`, "Older")
		s.stranger().get("/@Ada/archive/2015?page=2").want(200).has(`a[rel="prev"][href="/@Ada/archive/2015"]`, "Newer").
			has(`link[rel="canonical"][href$="/@Ada/archive/2015?page=2"]`, "")
	})
}
