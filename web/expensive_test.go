package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/pagecache"
	"inkfeed/web/site/ratelimit"
)

// Each request that the cache does not answer is counted, however it bypasses the cache.
func TestReadsThatTheCacheDoesNotAnswerAreLimited(t *testing.T) {
	for name, vary := range map[string]func(v *visitor, n int) *answer{
		"queries":              func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/?x=", n)) },
		"deep pages":           func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/?page=", n+2)) },
		"made-up paths":        func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/nothing/", n)) },
		"made-up posts":        func(v *visitor, n int) *answer { return v.get("/posts/" + domain.NewID()) },
		"made-up tags":         func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/tags/t", n)) },
		"made-up users":        func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/@user", n)) },
		"archives":             func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/@ada/archive/", 1990+n)) },
		"feeds with a query":   func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/feed.atom?x=", n)) },
		"fragments":            func(v *visitor, n int) *answer { return v.htmx().get("/") },
		"HEAD with a query":    func(v *visitor, n int) *answer { return v.send(http.MethodHead, fmt.Sprint("/?x=", n), nil) },
		"oEmbed":               func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/oembed?url=x&n=", n)) },
		"sitemap with a query": func(v *visitor, n int) *answer { return v.get(fmt.Sprint("/sitemap.xml?x=", n)) },
		"exports of drafts":    func(v *visitor, n int) *answer { return v.get("/drafts") },
		"other encodings": func(v *visitor, n int) *answer {
			v.header.Set("Accept-Encoding", fmt.Sprintf("gzip;q=0.%d", n+1))
			return v.get(fmt.Sprint("/?y=", n))
		},
		"ranges": func(v *visitor, n int) *answer {
			v.header.Set("Range", fmt.Sprintf("bytes=%d-", n))
			return v.get(fmt.Sprint("/?z=", n))
		},
		"conditional requests": func(v *visitor, n int) *answer {
			v.header.Set("If-None-Match", fmt.Sprintf(`"%d"`, n))
			return v.get(fmt.Sprint("/?w=", n))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := siteWithCache(t, "read=3/1h,write=off")
			for n := range 3 {
				if a := vary(s.stranger(), n); a.StatusCode == http.StatusTooManyRequests {
					t.Errorf("request %d is refused", n+1)
				}
			}
			vary(s.stranger(), 3).wantWait(time.Hour)
			if a := vary(s.stranger().from("198.51.100.7"), 4); a.StatusCode == http.StatusTooManyRequests {
				t.Error("another address is refused as well")
			}
		})
	}
}

// siteWithCache is a site with a cache and limits.
func siteWithCache(t *testing.T, limits string, change ...func(*web.Config)) *site {
	t.Helper()
	data := newDatabase(t)
	c := config(data, io.Discard, keyOne)
	c.Cache = pagecache.NewCache(16 << 20)
	var err error
	if c.RateLimits, err = ratelimit.Parse(limits); err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&c)
	}
	s := &site{t: t, data: data}
	s.restart(c)
	return s
}

// The many readers of a network share one address.
func TestManyReadersBehindOneAddressAreNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := siteWithCache(t, "")
		ada := s.member("ada")
		var paths []string
		for i := range 20 {
			paths = append(paths, ada.aPost(fmt.Sprint("Post ", i), "Text.").Path())
		}
		for range 10 { // seconds
			for reader := range 300 {
				if a := s.stranger().get(paths[reader%len(paths)]); a.StatusCode != http.StatusOK {
					t.Fatalf("%s: %d", a.what, a.StatusCode)
				}
			}
			time.Sleep(time.Second)
		}
	})
}

func TestAMemberIsCountedApartFromTheirNetwork(t *testing.T) {
	s := siteWithCache(t, "read=5/1h")
	ada := s.member("ada")
	for n := range 6 {
		s.stranger().get(fmt.Sprint("/?x=", n))
	}
	s.stranger().get("/?x=y").wantWait(time.Hour)
	ada.get("/settings").want(200)
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
		s := siteWithCache(t, "off", func(c *web.Config) { c.Search = index })
		first := s.stranger().get("/sitemap.xml").want(200).body
		for range 50 {
			if got := s.stranger().get("/sitemap.xml").want(200).body; got != first {
				t.Fatal("it differs")
			}
		}
		if n := index.listings.Load(); n != 1 {
			t.Errorf("51 requests made it %d times", n)
		}
		time.Sleep(time.Minute)
		s.stranger().get("/sitemap.xml").want(200)
		if n := index.listings.Load(); n != 2 {
			t.Errorf("after a minute it was made %d times", n)
		}
		s.stranger().get("/sitemap.xml?x=1").wantRedirect(http.StatusMovedPermanently, "/sitemap.xml")
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
				s := siteWithCache(t, "off", func(c *web.Config) { c.Search = index }, change)
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
						s.handler.ServeHTTP(w, r)
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
		s := siteWithCache(t, "off", func(c *web.Config) { index.index = c.Search; c.Search = index })
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() { s.stranger().get("/search?q=common").want(200) })
		}
		all.Wait()
		if most := int64(max(1, runtime.GOMAXPROCS(0)/2)); index.most.Load() > most {
			t.Errorf("%d searches ran at a time, want at most %d", index.most.Load(), most)
		}
	})
}

// The allocations of an answer from /oembed do not grow with the post, so it does not render the
// text.
func TestOEmbedDoesNotRenderThePost(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	allocations := func(content string) float64 {
		address := "/oembed?url=" + url.QueryEscape("http://example.com"+ada.aPost("A post", content).Path())
		v := s.stranger()
		v.get(address).want(200)
		return testing.AllocsPerRun(5, func() { v.get(address) })
	}
	short, long := allocations("*One* word."), allocations(strings.Repeat("*One* **word** and `another`.\n\n", 3000))
	if long > short+50 {
		t.Errorf("%.0f allocations for a short post, %.0f for a long one", short, long)
	}
}

func TestPreviewsOfTheFormAreBounded(t *testing.T) {
	t.Run("by length, with the text kept", func(t *testing.T) {
		ada := newSite(t).member("ada")
		text := strings.Repeat("word ", domain.MaxContent/4)
		a := ada.post("/posts", "title", "A title", "content", text, "do", "preview").
			want(http.StatusRequestEntityTooLarge)
		if got := a.Value("content"); strings.TrimSpace(got) != strings.TrimSpace(text) {
			t.Errorf("%d of %d bytes come back", len(got), len(text))
		}
	})
	t.Run("in number", func(t *testing.T) {
		s := siteWithCache(t, "preview=2/1h")
		ada := s.member("ada")
		for range 2 {
			ada.post("/posts", "title", "A title", "content", "Text.", "do", "preview").want(200)
		}
		ada.post("/posts", "title", "A title", "content", "Text.", "do", "preview").wantWait(time.Hour)
	})
}
