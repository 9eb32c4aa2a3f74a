package reading_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

// write puts a post into the store.
func write(s *webtest.Site, title, content string, at time.Time) domain.Post {
	s.T.Helper()
	p, err := domain.NewPost(s.Data.UserNamed("inhabitant"), title, content, at)
	s.Data.Must(err)
	s.Data.Must(s.Data.Store.Posts.Create(s.Data.Context(), p))
	return p
}

func TestSearch(t *testing.T) {
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	t.Run("every page leads to it", func(t *testing.T) {
		if link := webtest.NewSite(t).Anonymous().Get("/").Want(200).Page().Find(`header a[href="/search"]`); link.Length() != 1 || strings.TrimSpace(link.Text()) != "Search" {
			t.Errorf("%d links: %q", link.Length(), link.Text())
		}
	})
	t.Run("without a query it is a form with its hint, and says nothing of results", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Get("/search").Want(200)
		form := a.Page().Find(`form[role="search"][action="/search"]`)
		if method, _ := form.Attr("method"); method != "get" || form.Find(`label[for="q"]`).Length() != 1 || form.Find(`input[name="q"][autofocus]`).Length() != 1 {
			t.Errorf("form: %s", a.Body)
		}
		if hint, _ := form.Find("input").Attr("aria-describedby"); a.Page().Find("#"+hint).Length() != 1 {
			t.Error("the hint is not tied to the field")
		}
		if a.Page().Find(`main [role="status"], main article`).Length() != 0 {
			t.Error("results without a query")
		}
		if a.Page().Find(`meta[name="robots"][content="noindex"]`).Length() != 1 || a.Page().Find(`link[rel="canonical"]`).Length() != 0 {
			t.Error("a search engine may keep it")
		}
	})
	t.Run("shows what was found with what was looked for marked, and the query in its field", func(t *testing.T) {
		s := webtest.NewSite(t)
		p := write(s, "A <b>kiwi</b> & more", "Text with `<script>alert(1)</script>`, and a kiwi", day)
		write(s, "Another", "x", day)
		a := s.Anonymous().Get("/search?q=kiwi").Want(200)
		main := a.Page().Find("main")
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
		if title := a.Page().Find("title").Text(); !strings.HasPrefix(title, "kiwi – search") {
			t.Errorf("title %q", title)
		}
	})
	t.Run("shows what was typed as it was, whatever that is", func(t *testing.T) {
		s := webtest.NewSite(t)
		for _, q := range []string{`"><script>alert(1)</script>`, "a&b=c#d", "日本 語", "مرحبا", "\u202e", strings.Repeat("x", 5000)} {
			a := s.Anonymous().Get("/search?q=" + url.QueryEscape(q)).Want(200)
			value, _ := a.Page().Find("main input").Attr("value")
			if !strings.HasPrefix(q, value) || len(value) < min(len(q), 2000) || a.Page().Find("main script").Length() != 0 {
				t.Errorf("%.20q comes back as %.20q", q, value)
			}
		}
		s.Anonymous().Get("/search?q=%ff%fe").Want(200)
	})
	t.Run("says that nothing was found, or that there is nothing to look for", func(t *testing.T) {
		s := webtest.NewSite(t)
		if text := s.Anonymous().Get("/search?q=nothing").Want(200).Page().Find("main").Text(); !strings.Contains(text, "No posts match nothing") {
			t.Errorf("page: %s", text)
		}
		if text := s.Anonymous().Get("/search?q=-").Want(200).Page().Find("main").Text(); !strings.Contains(text, "Add at least one word to search for") {
			t.Errorf("page: %s", text)
		}
	})
	t.Run("leads through the pages of many results", func(t *testing.T) {
		s := webtest.NewSite(t)
		for i := range 23 {
			write(s, fmt.Sprint("a & b ", i), "x", day.Add(time.Duration(i)*time.Hour))
		}
		v := s.Anonymous()
		path, seen := "/search?q=a+%26+b", map[string]bool{}
		for pages := 0; path != ""; pages++ {
			doc := v.Get(path).Want(200).Page()
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
		v.Get("/search?q=a+%26+b&page=4").Want(http.StatusNotFound)
		v.Get("/search?q=a&page=x").Want(http.StatusNotFound)
	})
	t.Run("says while the index is being built", func(t *testing.T) {
		s := webtest.NewSite(t)
		if strings.Contains(s.Anonymous().Get("/search?q=x").Want(200).Body, "being built") {
			t.Error("it is whole, and said to be built")
		}
		s.Data.Search.Building = true
		for _, path := range []string{"/search?q=x", "/search"} {
			if !strings.Contains(s.Anonymous().Get(path).Want(200).Body, "being built") {
				t.Errorf("%s does not say so", path)
			}
		}
	})
	t.Run("says so when the index cannot be read", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.Fail("Search.Search")
		if a := s.Anonymous().Get("/search?q=x").Want(http.StatusServiceUnavailable); a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	})
}

func TestTagSuggest(t *testing.T) {
	s := webtest.NewSite(t)
	for _, tags := range []domain.Tags{"suggest", "Go,golang,日本語", "Go"} {
		p := write(s, "A post", "x", time.Now())
		s.ChangePost(p.ID, func(p *domain.Post) { p.Tags = tags })
	}
	s.Anonymous().Get("/suggest/tags").Want(200).Has("main article h2", "A post")
	for q, want := range map[string]string{"go": `["Go","golang"]`, "G": `["Go","golang"]`, "日": `["日本語"]`, "x": `[]`, strings.Repeat("g", 300): `[]`} {
		a := s.Anonymous().Get("/suggest/tags?q=" + url.QueryEscape(q)).Want(200)
		if strings.TrimSpace(a.Body) != want || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%.10q: %s %s, want %s", q, a.Header.Get("Content-Type"), a.Body, want)
		}
	}
	s.Data.Fail("Search.Tags")
	if a := s.Anonymous().Get("/suggest/tags?q=go").Want(200); strings.TrimSpace(a.Body) != "[]" {
		t.Errorf("without an index: %s", a.Body)
	}
}

// index names an embedded web.Search otherwise than its method.
type index = web.Search

// slowSearch takes a second for each query.
type slowSearch struct {
	index
	now, most *atomic.Int64
}

func (s slowSearch) Search(ctx context.Context, query string, page int) (domain.Found, error) {
	s.most.Store(max(s.most.Load(), s.now.Add(1)))
	defer s.now.Add(-1)
	time.Sleep(time.Second)
	return s.index.Search(ctx, query, page)
}

func TestSearchesLeaveHalfOfTheProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index := slowSearch{now: new(atomic.Int64), most: new(atomic.Int64)}
		s := webtest.NewCachedSite(t, "off", func(c *web.Config) { index.index = c.Search; c.Search = index })
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() { s.Anonymous().Get("/search?q=common").Want(200) })
		}
		all.Wait()
		if most := int64(max(1, runtime.GOMAXPROCS(0)/2)); index.most.Load() > most {
			t.Errorf("%d searches ran at a time, want at most %d", index.most.Load(), most)
		}
	})
}
