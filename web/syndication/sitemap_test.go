package syndication_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

// embeddedIndex names an embedded web.Search otherwise than its method.
type embeddedIndex = web.Search

// madeUpIndex lists that many made-up posts.
type madeUpIndex struct {
	embeddedIndex
	count    int
	building bool
	err      error
}

func (f madeUpIndex) CountPosts(context.Context) (int, bool, error) {
	return f.count, f.building, f.err
}

func (f madeUpIndex) Posts(_ context.Context, page, size int) ([]domain.Listing, error) {
	var list []domain.Listing
	for i := (page - 1) * size; i < min(page*size, f.count); i++ {
		list = append(list, domain.Listing{Post: domain.Summary{PostID: fmt.Sprintf("%026d", i), Title: strings.Repeat("漢", 30) + " & <b>"},
			Changed: time.Date(2026, 5, 1, 12, 0, i%60, 0, time.UTC)})
	}
	return list, f.err
}

func siteWithIndex(t *testing.T, index madeUpIndex) *webtest.Site {
	t.Helper()
	data := webtest.NewDatabase(t)
	c := webtest.Config(data, &strings.Builder{}, webtest.KeyOne)
	c.Search = index
	s := &webtest.Site{T: t, Data: data}
	s.Restart(c)
	return s
}

func TestSitemap(t *testing.T) {
	t.Run("is one file for most blogs", func(t *testing.T) {
		for count, want := range map[int]int{0: 1, 3: 4} {
			s := siteWithIndex(t, madeUpIndex{count: count})
			list := sitemapAt(s, "/sitemap.xml", "urlset")
			if len(list) != want || list[0] != "http://example.com/" || count > 0 && !strings.HasPrefix(list[1], "http://example.com/posts/0000") {
				t.Errorf("%d entries for %d posts", len(list), count)
			}
		}
	})
	t.Run("has up to 50,000 addresses", func(t *testing.T) {
		a := siteWithIndex(t, madeUpIndex{count: 49_999}).Anonymous().Get("/sitemap.xml").Want(200)
		if n := strings.Count(a.Body, "<url>"); n != 50_000 {
			t.Errorf("%d", n)
		}
	})
	t.Run("is split where it would have more, each post in one file", func(t *testing.T) {
		s := siteWithIndex(t, madeUpIndex{count: 50_000})
		files := sitemapAt(s, "/sitemap.xml", "sitemapindex")
		seen := map[string]bool{}
		for _, file := range files {
			for _, loc := range sitemapAt(s, strings.TrimPrefix(file, "http://example.com"), "urlset") {
				if seen[loc] {
					t.Errorf("%s is there twice", loc)
				}
				seen[loc] = true
			}
		}
		if len(files) != 2 || len(seen) != 50_001 {
			t.Errorf("%d files, %d addresses", len(files), len(seen))
		}
	})
	t.Run("has no other files", func(t *testing.T) {
		s := siteWithIndex(t, madeUpIndex{count: 3})
		for _, path := range []string{"/sitemap-0.xml", "/sitemap-2.xml", "/sitemap-01.xml", "/sitemap-x.xml", "/sitemap-1.txt", "/sitemap-", "/else"} {
			s.Anonymous().Get(path).Want(http.StatusNotFound).Page()
		}
	})
	t.Run("waits until all posts are known", func(t *testing.T) {
		a := siteWithIndex(t, madeUpIndex{building: true}).Anonymous().Get("/sitemap.xml").Want(http.StatusServiceUnavailable)
		if a.Header.Get("Retry-After") == "" {
			t.Error("it does not say when to come back")
		}
		siteWithIndex(t, madeUpIndex{err: errors.New("a cause")}).Anonymous().Get("/sitemap.xml").Want(500)
	})
}

// countingIndex counts the listings, and how many are made at a time.
type countingIndex struct {
	madeUpIndex
	listings, now, most *atomic.Int64
}

func newCountingIndex(posts int) countingIndex {
	return countingIndex{madeUpIndex{count: posts}, new(atomic.Int64), new(atomic.Int64), new(atomic.Int64)}
}

func (i countingIndex) Posts(ctx context.Context, page, size int) ([]domain.Listing, error) {
	i.listings.Add(1)
	i.most.Store(max(i.most.Load(), i.now.Add(1)))
	defer i.now.Add(-1)
	time.Sleep(time.Second)
	return i.madeUpIndex.Posts(ctx, page, size)
}

func TestTheSitemapIsMadeOncePerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index := newCountingIndex(1000)
		s := webtest.NewCachedSite(t, "off", func(c *web.Config) { c.Search = index })
		first := s.Anonymous().Get("/sitemap.xml").Want(200).Body
		for range 50 {
			if got := s.Anonymous().Get("/sitemap.xml").Want(200).Body; got != first {
				t.Fatal("it differs")
			}
		}
		if n := index.listings.Load(); n != 1 {
			t.Errorf("51 requests made it %d times", n)
		}
		time.Sleep(time.Minute)
		s.Anonymous().Get("/sitemap.xml").Want(200)
		if n := index.listings.Load(); n != 2 {
			t.Errorf("after a minute it was made %d times", n)
		}
		s.Anonymous().Get("/sitemap.xml?x=1").WantRedirect(http.StatusMovedPermanently, "/sitemap.xml")
		if n := index.listings.Load(); n != 2 {
			t.Errorf("a query makes it anew: %d times", n)
		}
	})
}

func TestFilesOfTheSitemapAreMadeOneAtATime(t *testing.T) {
	for name, change := range map[string]func(*web.Config){
		"with a cache, for other hosts": func(*web.Config) {},
		"without a cache":               func(c *web.Config) { c.Cache = nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				index := newCountingIndex(10)
				s := webtest.NewCachedSite(t, "off", func(c *web.Config) { c.Search = index }, change)
				var all sync.WaitGroup
				for n := range 8 {
					all.Go(func() {
						r := httptest.NewRequest(
							http.MethodGet,
							fmt.Sprintf("http://host%d.example/sitemap.xml", n),
							nil,
						)
						r.RequestURI = "/sitemap.xml"
						w := httptest.NewRecorder()
						s.Handler.ServeHTTP(w, r)
						if w.Code != http.StatusOK {
							t.Errorf("status %d", w.Code)
						}
					})
				}
				all.Wait()
				if index.most.Load() != 1 || index.listings.Load() != 8 {
					t.Errorf("%d listings, %d at a time", index.listings.Load(), index.most.Load())
				}
			})
		})
	}
}
