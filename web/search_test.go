package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
)

// write puts a post into the store.
func write(s *site, title, content string, at time.Time) domain.Post {
	s.t.Helper()
	p, err := domain.NewPost(s.data.named("inhabitant"), title, content, at)
	s.data.must(err)
	s.data.must(s.data.store.Posts.Create(s.data.ctx(), p))
	return p
}

func TestSearch(t *testing.T) {
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	t.Run("every page leads to it", func(t *testing.T) {
		if link := newSite(t).stranger().get("/").want(200).page().Find(`header a[href="/search"]`); link.Length() != 1 || strings.TrimSpace(link.Text()) != "Search" {
			t.Errorf("%d links: %q", link.Length(), link.Text())
		}
	})
	t.Run("without a query it is a form with its hint, and says nothing of results", func(t *testing.T) {
		a := newSite(t).stranger().get("/search").want(200)
		form := a.page().Find(`form[role="search"][action="/search"]`)
		if method, _ := form.Attr("method"); method != "get" || form.Find(`label[for="q"]`).Length() != 1 || form.Find(`input[name="q"][autofocus]`).Length() != 1 {
			t.Errorf("form: %s", a.body)
		}
		if hint, _ := form.Find("input").Attr("aria-describedby"); a.page().Find("#"+hint).Length() != 1 {
			t.Error("the hint is not tied to the field")
		}
		if a.page().Find(`main [role="status"], main article`).Length() != 0 {
			t.Error("results without a query")
		}
		if a.page().Find(`meta[name="robots"][content="noindex"]`).Length() != 1 || a.page().Find(`link[rel="canonical"]`).Length() != 0 {
			t.Error("a search engine may keep it")
		}
	})
	t.Run("shows what was found with what was looked for marked, and the query in its field", func(t *testing.T) {
		s := newSite(t)
		p := write(s, "A <b>kiwi</b> & more", "Text with `<script>alert(1)</script>`, and a kiwi", day)
		write(s, "Another", "x", day)
		a := s.stranger().get("/search?q=kiwi").want(200)
		main := a.page().Find("main")
		if value, _ := main.Find("input").Attr("value"); value != "kiwi" {
			t.Errorf("the field holds %q", value)
		}
		if status := main.Find(`[role="status"]`).Text(); status != "1 post" {
			t.Errorf("status %q", status)
		}
		link := main.Find("article h2 a")
		if href, _ := link.Attr("href"); link.Text() != "A <b>kiwi</b> & more" || link.Find("mark").Text() != "kiwi" || href != p.Path() {
			t.Errorf("headline %q to %q", link.Text(), href)
		}
		if text := main.Find("article .text"); text.Find("mark").Text() != "kiwi" || !strings.Contains(text.Text(), "<script>alert(1)</script>") || main.Find("script, b").Length() != 0 {
			t.Errorf("extract %q", text.Text())
		}
		if title := a.page().Find("title").Text(); !strings.HasPrefix(title, "kiwi – search") {
			t.Errorf("title %q", title)
		}
	})
	t.Run("shows what was typed as it was, whatever that is", func(t *testing.T) {
		s := newSite(t)
		for _, q := range []string{`"><script>alert(1)</script>`, "a&b=c#d", "日本 語", "مرحبا", "\u202e", strings.Repeat("x", 5000)} {
			a := s.stranger().get("/search?q=" + url.QueryEscape(q)).want(200)
			value, _ := a.page().Find("main input").Attr("value")
			if !strings.HasPrefix(q, value) || len(value) < min(len(q), 2000) || a.page().Find("main script").Length() != 0 {
				t.Errorf("%.20q comes back as %.20q", q, value)
			}
		}
		s.stranger().get("/search?q=%ff%fe").want(200)
	})
	t.Run("says that nothing was found, or that there is nothing to look for", func(t *testing.T) {
		s := newSite(t)
		if text := s.stranger().get("/search?q=nothing").want(200).page().Find("main").Text(); !strings.Contains(text, "No posts match nothing") {
			t.Errorf("page: %s", text)
		}
		if text := s.stranger().get("/search?q=-").want(200).page().Find("main").Text(); !strings.Contains(text, "Add at least one word to search for") {
			t.Errorf("page: %s", text)
		}
	})
	t.Run("leads through the pages of many results", func(t *testing.T) {
		s := newSite(t)
		for i := range 23 {
			write(s, fmt.Sprint("a & b ", i), "x", day.Add(time.Duration(i)*time.Hour))
		}
		v := s.stranger()
		path, seen := "/search?q=a+%26+b", map[string]bool{}
		for pages := 0; path != ""; pages++ {
			doc := v.get(path).want(200).page()
			if status := doc.Find(`main [role="status"]`).Text(); status != "23 posts" {
				t.Errorf("status %q", status)
			}
			for _, title := range doc.Find("main h2").Map(func(_ int, h *goquery.Selection) string { return h.Text() }) {
				seen[title] = true
			}
			path, _ = doc.Find(`main a[rel="next"]`).Attr("href")
			if pages == 3 {
				t.Fatal("it has no end")
			}
		}
		if len(seen) != 23 {
			t.Errorf("%d of 23 posts", len(seen))
		}
		v.get("/search?q=a+%26+b&page=4").want(http.StatusNotFound)
		v.get("/search?q=a&page=x").want(http.StatusNotFound)
	})
	t.Run("says while the index is being built", func(t *testing.T) {
		s := newSite(t)
		if strings.Contains(s.stranger().get("/search?q=x").want(200).body, "being built") {
			t.Error("it is whole, and said to be built")
		}
		s.data.search.building = true
		for _, path := range []string{"/search?q=x", "/search"} {
			if !strings.Contains(s.stranger().get(path).want(200).body, "being built") {
				t.Errorf("%s does not say so", path)
			}
		}
	})
	t.Run("says so when the index cannot be read", func(t *testing.T) {
		s := newSite(t)
		s.data.fail("Search.Search")
		if a := s.stranger().get("/search?q=x").want(http.StatusServiceUnavailable); a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	})
}

func TestTagSuggest(t *testing.T) {
	s := newSite(t)
	for _, tags := range []domain.Tags{"suggest", "Go,golang,日本語", "Go"} {
		p := write(s, "A post", "x", time.Now())
		s.change(p.ID, func(p *domain.Post) { p.Tags = tags })
	}
	s.stranger().get("/suggest/tags").want(200).has("main article h2", "A post")
	for q, want := range map[string]string{"go": `["Go","golang"]`, "G": `["Go","golang"]`, "日": `["日本語"]`, "x": `[]`, strings.Repeat("g", 300): `[]`} {
		a := s.stranger().get("/suggest/tags?q=" + url.QueryEscape(q)).want(200)
		if strings.TrimSpace(a.body) != want || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%.10q: %s %s, want %s", q, a.Header.Get("Content-Type"), a.body, want)
		}
	}
	s.data.fail("Search.Tags")
	if a := s.stranger().get("/suggest/tags?q=go").want(200); strings.TrimSpace(a.body) != "[]" {
		t.Errorf("without an index: %s", a.body)
	}
}
