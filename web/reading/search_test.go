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

// write creates a post of the user "inhabitant".
func write(s *webtest.Site, title, content string, at time.Time) domain.Post {
	s.T.Helper()
	p, err := domain.NewPost(s.Data.UserNamed("inhabitant"), title, content, at)
	s.Data.Must(err)
	s.Data.Must(s.Data.Store.Posts.Create(s.Data.Context(), p))
	return p
}

func TestSearchingPosts(t *testing.T) {
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	t.Run("is linked from every page", func(t *testing.T) {
		link := webtest.NewSite(t).Anonymous().Get("/").Want(200).Page().Find(`header a[href="/search"]`)
		if link.Length() != 1 || strings.TrimSpace(link.Text()) != "Search" {
			t.Errorf("%d links: %q", link.Length(), link.Text())
		}
	})
	t.Run("shows only the form without a query", func(t *testing.T) {
		a := webtest.NewSite(t).Anonymous().Get("/search").Want(200)
		form := a.Page().Find(`form[role="search"][action="/search"]`)
		if method, _ := form.Attr("method"); method != "get" || form.Find(`label[for="q"]`).Length() != 1 ||
			form.Find(`input[name="q"][autofocus]`).Length() != 1 {
			t.Errorf("the page is %s", a.Body)
		}
		if hint, _ := form.Find("input").Attr("aria-describedby"); a.Page().Find("#"+hint).Length() != 1 {
			t.Error("the field does not refer to the hint")
		}
		if a.Page().Find(`main [role="status"], main article`).Length() != 0 {
			t.Error("the page shows results without a query")
		}
		if a.Page().Find(`meta[name="robots"][content="noindex"]`).Length() != 1 ||
			a.Page().Find(`link[rel="canonical"]`).Length() != 0 {
			t.Error("search engines may index the page")
		}
	})
	t.Run("highlights the query in the results and keeps it in the field", func(t *testing.T) {
		s := webtest.NewSite(t)
		p := write(s, "A <b>kiwi</b> & more", "Text with `<script>alert(1)</script>`, and a kiwi", day)
		write(s, "Another", "x", day)
		a := s.Anonymous().Get("/search?q=kiwi").Want(200)
		main := a.Page().Find("main")
		if value, _ := main.Find("input").Attr("value"); value != "kiwi" {
			t.Errorf("the field has %q", value)
		}
		if status := main.Find(`[role="status"]`).Text(); status != "1 result" {
			t.Errorf("the status is %q", status)
		}
		link := main.Find("article h2 a")
		if href, _ := link.Attr("href"); link.Text() != "A <b>kiwi</b> & more" || link.Find("mark").Text() != "kiwi" ||
			href != p.Path() {
			t.Errorf("the headline is %q with the address %q", link.Text(), href)
		}
		if text := main.Find("article .text"); text.Find("mark").Text() != "kiwi" ||
			!strings.Contains(text.Text(), "<script>alert(1)</script>") || main.Find("script, b").Length() != 0 {
			t.Errorf("the extract is %q", text.Text())
		}
		if title := a.Page().Find("title").Text(); !strings.HasPrefix(title, "kiwi – search") {
			t.Errorf("the title is %q", title)
		}
	})
	t.Run("gives an extract the direction of its first letter outside code", func(t *testing.T) {
		s := webtest.NewSite(t)
		write(s, "Go", "היא שפת תכנות, a programming language", day)
		s.Anonymous().Get("/search?q=תכנות").Want(200).Has(`article .text[dir="rtl"] mark`, "תכנות")
	})
	t.Run("shows any query again as typed", func(t *testing.T) {
		s := webtest.NewSite(t)
		for _, q := range []string{
			`"><script>alert(1)</script>`, "a&b=c#d", "日本 語", "مرحبا", "\u202e", strings.Repeat("x", 5000),
		} {
			a := s.Anonymous().Get("/search?q=" + url.QueryEscape(q)).Want(200)
			value, _ := a.Page().Find("main input").Attr("value")
			if !strings.HasPrefix(q, value) || len(value) < min(len(q), 2000) ||
				a.Page().Find("main script").Length() != 0 {
				t.Errorf("%.20q is shown again as %.20q", q, value)
			}
		}
		s.Anonymous().Get("/search?q=%ff%fe").Want(200)
	})
	t.Run("says that nothing was found or that a word is missing", func(t *testing.T) {
		s := webtest.NewSite(t)
		text := s.Anonymous().Get("/search?q=nothing").Want(200).Page().Find("main").Text()
		if !strings.Contains(text, "Nothing matches nothing") {
			t.Errorf("the page is %s", text)
		}
		text = s.Anonymous().Get("/search?q=-").Want(200).Page().Find("main").Text()
		if !strings.Contains(text, "Add at least one word to search for") {
			t.Errorf("the page is %s", text)
		}
	})
	t.Run("pages many results", func(t *testing.T) {
		s := webtest.NewSite(t)
		for i := range 23 {
			write(s, fmt.Sprint("a & b ", i), "x", day.Add(time.Duration(i)*time.Hour))
		}
		v := s.Anonymous()
		path, seen := "/search?q=a+%26+b", map[string]bool{}
		for pages := 0; path != ""; pages++ {
			doc := v.Get(path).Want(200).Page()
			if status := doc.Find(`main [role="status"]`).Text(); status != "23 results" {
				t.Errorf("the status is %q", status)
			}
			for _, title := range doc.Find("main h2").
				Map(func(_ int, h *goquery.Selection) string { return h.Text() }) {
				seen[title] = true
			}
			path, _ = doc.Find(`main a[rel="next"]`).Attr("href")
			if pages == 3 {
				t.Fatal("the pages do not end")
			}
		}
		if len(seen) != 23 {
			t.Errorf("the pages have %d posts, want 23", len(seen))
		}
		v.Get("/search?q=a+%26+b&page=4").Want(http.StatusNotFound)
		v.Get("/search?q=a&page=x").Want(http.StatusNotFound)
	})
	t.Run("says that the index is still being built", func(t *testing.T) {
		s := webtest.NewSite(t)
		if strings.Contains(s.Anonymous().Get("/search?q=x").Want(200).Body, "being built") {
			t.Error("the index is complete, but the page says that it is being built")
		}
		s.Data.Search.Incomplete = true
		for _, path := range []string{"/search?q=x", "/search"} {
			if !strings.Contains(s.Anonymous().Get(path).Want(200).Body, "being built") {
				t.Errorf("%s does not say that the index is being built", path)
			}
		}
	})
	t.Run("answers 503 when the index cannot be read", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.Fail("Search.Search")
		a := s.Anonymous().Get("/search?q=x").Want(http.StatusServiceUnavailable)
		if a.Header.Get("Retry-After") == "" {
			t.Error("Retry-After is missing")
		}
	})
}

func TestTagsAreSuggested(t *testing.T) {
	s := webtest.NewSite(t)
	for _, tags := range []domain.Tags{"suggest", "Go,golang,日本語", "Go"} {
		p := write(s, "A post", "x", time.Now())
		s.ChangePost(p.ID, func(p *domain.Post) { p.Tags = tags })
	}
	s.Anonymous().Get("/suggest/tags").Want(200).Has("main article h2", "A post")
	for q, want := range map[string]string{
		"go":                     `["Go","golang"]`,
		"G":                      `["Go","golang"]`,
		"日":                      `["日本語"]`,
		"x":                      `[]`,
		strings.Repeat("g", 300): `[]`,
	} {
		a := s.Anonymous().Get("/suggest/tags?q=" + url.QueryEscape(q)).Want(200)
		if strings.TrimSpace(a.Body) != want || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%.10q: %s %s, want %s", q, a.Header.Get("Content-Type"), a.Body, want)
		}
	}
	t.Run("may be kept by the browser, unless the index is incomplete", func(t *testing.T) {
		for _, incomplete := range []bool{false, true} {
			s.Data.Search.Incomplete = incomplete
			cached := s.Anonymous().Get("/suggest/tags?q=go").Want(200).Header.Get("Cache-Control")
			if strings.Contains(cached, "max-age") == incomplete {
				t.Errorf("incomplete %v: Cache-Control %q", incomplete, cached)
			}
		}
	})
	s.Data.Fail("Search.Tags")
	if a := s.Anonymous().Get("/suggest/tags?q=go").Want(200); strings.TrimSpace(a.Body) != "[]" {
		t.Errorf("without an index, the suggestions are %s", a.Body)
	}
}

// index gives the embedded web.Search a name other than that of its method.
type index = web.Search

// slowSearch takes a second for each query and records how many queries run at a time.
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
