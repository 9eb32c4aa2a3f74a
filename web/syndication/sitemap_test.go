package syndication_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
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

// embeddedIndex gives the embedded web.Search a name other than that of its method.
type embeddedIndex = web.Search

// madeUpIndex lists count made-up posts.
type madeUpIndex struct {
	embeddedIndex
	count    int
	building bool
	err      error
}

func (f madeUpIndex) Building(context.Context) (bool, error) { return f.building, f.err }

func (f madeUpIndex) CountPosts(context.Context) (int, error) { return f.count, f.err }

func (f madeUpIndex) Posts(_ context.Context, page, size int) ([]domain.Listing, error) {
	var list []domain.Listing
	for i := (page - 1) * size; i < min(page*size, f.count); i++ {
		list = append(list, domain.Listing{Post: domain.Summary{
			PostID: fmt.Sprintf("%026d", i),
			Title:  strings.Repeat("漢", 30) + " & <b>",
		},
			Changed: time.Date(2026, 5, 1, 12, 0, i%60, 0, time.UTC)})
	}
	return list, f.err
}

// siteWithIndex returns a site with the given search index.
func siteWithIndex(t *testing.T, index madeUpIndex) *webtest.Site {
	t.Helper()
	data := webtest.NewDatabase(t)
	c := webtest.Config(data, &strings.Builder{}, webtest.KeyOne)
	c.Search = index
	s := &webtest.Site{T: t, Data: data}
	s.Restart(c)
	return s
}

func TestSitemapFollowsTheProtocol(t *testing.T) {
	t.Run("is one file for up to 49,999 posts", func(t *testing.T) {
		for count, want := range map[int]int{0: 1, 3: 4} {
			s := siteWithIndex(t, madeUpIndex{count: count})
			list := sitemapAt(s, "/sitemap.xml", "urlset")
			if len(list) != want || list[0] != "http://example.com/" || count > 0 &&
				!strings.HasPrefix(list[1], "http://example.com/posts/0000") {
				t.Errorf("%d addresses for %d posts", len(list), count)
			}
		}
	})
	t.Run("has up to 50,000 addresses", func(t *testing.T) {
		a := siteWithIndex(t, madeUpIndex{count: 49_999}).Anonymous().Get("/sitemap.xml").Want(200)
		if n := strings.Count(a.Body, "<url>"); n != 50_000 {
			t.Errorf("%d addresses, want 50,000", n)
		}
	})
	t.Run("is split into several files with each post once", func(t *testing.T) {
		s := siteWithIndex(t, madeUpIndex{count: 50_000})
		files := sitemapAt(s, "/sitemap.xml", "sitemapindex")
		seen := map[string]bool{}
		for _, file := range files {
			for _, loc := range sitemapAt(s, strings.TrimPrefix(file, "http://example.com"), "urlset") {
				if seen[loc] {
					t.Errorf("%s is listed twice", loc)
				}
				seen[loc] = true
			}
		}
		if len(files) != 2 || len(seen) != 50_001 {
			t.Errorf("%d files and %d addresses, want 2 and 50,001", len(files), len(seen))
		}
	})
	t.Run("answers 404 for unknown files", func(t *testing.T) {
		s := siteWithIndex(t, madeUpIndex{count: 3})
		for _, path := range []string{
			"/sitemap-0.xml", "/sitemap-2.xml", "/sitemap-01.xml", "/sitemap-x.xml", "/sitemap-1.txt", "/sitemap-",
			"/else",
		} {
			s.Anonymous().Get(path).Want(http.StatusNotFound).Page()
		}
	})
	t.Run("answers 503 while the index is being built", func(t *testing.T) {
		a := siteWithIndex(t, madeUpIndex{building: true}).Anonymous().Get("/sitemap.xml").
			Want(http.StatusServiceUnavailable)
		if a.Header.Get("Retry-After") == "" {
			t.Error("Retry-After is missing")
		}
		siteWithIndex(t, madeUpIndex{err: errors.New("a cause")}).Anonymous().Get("/sitemap.xml").Want(500)
	})
}

// countingIndex counts the listings and records how many run at a time.
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

func TestTheSitemapLeavesOutPostsThatWereFirstPublishedElsewhere(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("Mine", "text")
	ada.CreatePostWith("Theirs", "text", func(p *domain.Post) { p.Details.CanonicalURL = "https://example.org/a" })
	if got := sitemapAt(s, "/sitemap.xml", "urlset"); !slices.Equal(got,
		[]string{"http://example.com/", "http://example.com" + p.Path()}) {
		t.Errorf("the sitemap lists %q", got)
	}
}

func TestTheSitemapIsMadeOncePerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index := newCountingIndex(1000)
		s := webtest.NewCachedSite(t, "off", func(c *web.Config) { c.Search = index })
		first := s.Anonymous().Get("/sitemap.xml").Want(200).Body
		for range 50 {
			if got := s.Anonymous().Get("/sitemap.xml").Want(200).Body; got != first {
				t.Fatal("a cached sitemap differs")
			}
		}
		if n := index.listings.Load(); n != 1 {
			t.Errorf("51 requests built it %d times, want once", n)
		}
		time.Sleep(time.Minute)
		s.Anonymous().Get("/sitemap.xml").Want(200)
		if n := index.listings.Load(); n != 2 {
			t.Errorf("after a minute it was built %d times, want twice", n)
		}
		s.Anonymous().Get("/sitemap.xml?x=1").WantRedirect(http.StatusMovedPermanently, "/sitemap.xml")
		if n := index.listings.Load(); n != 2 {
			t.Errorf("a request with a query built it again: %d times", n)
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
						address := fmt.Sprintf("http://host%d.example/sitemap.xml", n)
						r := httptest.NewRequest(http.MethodGet, address, nil)
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
					t.Errorf("%d listings, %d at a time, want 8, 1 at a time", index.listings.Load(), index.most.Load())
				}
			})
		})
	}
}
