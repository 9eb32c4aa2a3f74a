package pagecache

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/dependency"
	"inkfeed/web/site"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/session"
)

func TestPagesAreServedFromMemoryUntilTheyChange(t *testing.T) {
	s := &router{}
	p := newTestPages(s)
	for _, step := range []struct {
		name   string
		do     func()
		want   int64
		status string
	}{
		{"first request", func() {}, 1, "Inkfeed; fwd=miss; stored"},
		{"second request", func() {}, 1, "Inkfeed; hit"},
		{"after another page changed", func() { p.cache.Drop(theFeed, dependency.AllFacets) }, 1, "Inkfeed; hit"},
		{"after it changed", func() { p.cache.Drop(onePost, dependency.FacetCounts) }, 2, "Inkfeed; fwd=miss; stored"},
		{"second request after the change", func() {}, 2, "Inkfeed; hit"},
	} {
		step.do()
		resp := ask(p, "GET", "/posts/one")
		if text := textOf(t, resp); text != bodyOf(step.want) || resp.Header.Get("Cache-Status") != step.status {
			t.Errorf("%s: %.10q, %q, want answer %d, %q", step.name, text, resp.Header.Get("Cache-Status"), step.want,
				step.status)
		}
		logged := ""
		if strings.Contains(step.status, "miss") {
			logged = "the router's"
		}
		if id := resp.Header.Get(site.RequestIDHeader); id != logged {
			t.Errorf("%s: only misses are logged, under the router's id, but the id is %q", step.name, id)
		}
		if resp.Header.Get("Server-Timing") == "" {
			t.Errorf("%s: Server-Timing is missing", step.name)
		}
	}
}

func TestConcurrentRequestsRenderAPageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &router{during: func(int64) { time.Sleep(time.Second) }}
		p := newTestPages(s)
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				if text := textOf(t, ask(p, "GET", "/")); text != bodyOf(1) {
					t.Errorf("%.10q, want the first response", text)
				}
			})
		}
		group.Wait()
		if n := s.asked.Load(); n != 1 {
			t.Errorf("the page was rendered %d times", n)
		}
	})
}

func TestPagesThatAChangeOvertookAreRenderedAgain(t *testing.T) {
	s := &router{}
	p := newTestPages(s)
	s.during = func(n int64) {
		if n == 1 { // the page was read, then its data is written
			p.cache.Drop(onePost, dependency.AllFacets)
		}
	}
	for range 2 {
		if text := textOf(t, ask(p, "GET", "/")); text != bodyOf(2) {
			t.Errorf("%.10q, want the response after the change", text)
		}
	}
	s.during = func(int64) { p.cache.Drop(onePost, dependency.AllFacets) }
	p.cache.Clear()
	s.asked.Store(0)
	if text := textOf(t, ask(p, "GET", "/")); text != bodyOf(maxFills) {
		t.Errorf("with endless changes: %.10q, want response %d", text, maxFills)
	}
}

func TestOnlySharedResponsesAreCached(t *testing.T) {
	for name, test := range map[string]struct {
		router *router
		cached bool
	}{
		"a page":               {&router{}, true},
		"404":                  {&router{status: 404}, true},
		"410":                  {&router{status: 410}, true},
		"301":                  {&router{status: 301, header: http.Header{"Location": {"/elsewhere"}}}, true},
		"a personal page":      {&router{single: true}, false},
		"303":                  {&router{status: 303}, false},
		"500":                  {&router{status: 500}, false},
		"503":                  {&router{status: 503}, false},
		"a page with a cookie": {&router{header: http.Header{"Set-Cookie": {"a=b"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestPages(test.router)
			first, second := ask(p, "GET", "/posts/one"), ask(p, "GET", "/posts/one")
			if cached := textOf(t, first) == textOf(t, second); cached != test.cached {
				t.Errorf("cached is %v", cached)
			}
			if first.StatusCode != second.StatusCode || first.StatusCode != max(200, test.router.status) {
				t.Errorf("status %d, then %d", first.StatusCode, second.StatusCode)
			}
			if name := "Location"; first.Header.Get(name) != second.Header.Get(name) {
				t.Errorf("%s: %q, then %q", name, first.Header.Get(name), second.Header.Get(name))
			}
		})
	}
}

func TestNumberedPagesOfListsAreCached(t *testing.T) {
	for name, test := range map[string]struct {
		router *router
		cached bool
	}{
		"a page of a list":        {&router{lists: true}, true},
		"a page that is no list":  {&router{}, false},
		"a number beyond the end": {&router{lists: true, status: 404}, false},
		"a redirect of a list": {&router{
			lists:  true,
			status: 301,
			header: http.Header{"Location": {"/elsewhere"}},
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestPages(test.router)
			first, second := ask(p, "GET", "/posts/one?page=2"), ask(p, "GET", "/posts/one?page=2")
			if cached := textOf(t, first) == textOf(t, second); cached != test.cached {
				t.Errorf("cached is %v", cached)
			}
		})
	}
}

func TestSomeRequestsBypassTheCache(t *testing.T) {
	for name, test := range map[string]struct {
		method, target string
		header         []string
		passed         bool
	}{
		"an anonymous visitor":              {"GET", "/", nil, false},
		"an anonymous visitor with cookies": {"GET", "/", []string{"Cookie", "theme=dark"}, false},
		"a page of a list":                  {"GET", "/?page=2", nil, false},
		"a first page":                      {"GET", "/?page=1", nil, true},
		"an empty page number":              {"GET", "/?page=", nil, true},
		"a page number with a leading zero": {"GET", "/?page=02", nil, true},
		"page number 0":                     {"GET", "/?page=0", nil, true},
		"a page number beyond the limit":    {"GET", "/?page=1000001", nil, true},
		"an empty query":                    {"GET", "/?", nil, true},
		"an unusual spelling":               {"GET", "/posts/%6fne", nil, true},
		"a percent-encoded path":            {"GET", "/tags/caf%C3%A9", nil, false},
		"HEAD":                              {"HEAD", "/", nil, false},
		"a signed-in user": {
			"GET", "/", []string{"Cookie", "a=b; " + session.PlainCookie + "=" + signedSession(t, session.PlainCookie)},
			true,
		},
		"a user behind TLS": {
			"GET", "/",
			[]string{
				"Cookie", session.SecureCookie + "=" + signedSession(t, session.SecureCookie),
				"X-Forwarded-Proto", "https",
			},
			true,
		},
		"a recent writer": {
			"GET", "/", []string{"Cookie", wroteCookie + "=" + testWrites(t, "off", testSecret).times.Sign(time.Now())},
			true,
		},
		"a forged session": {"GET", "/", []string{"Cookie", session.PlainCookie + "=x"}, false},
		"a forged write":   {"GET", "/", []string{"Cookie", wroteCookie + "=yes"}, false},
		"a write that is signed with another key": {
			"GET", "/",
			[]string{"Cookie", wroteCookie + "=" + testWrites(t, "off", otherSecret).times.Sign(time.Now())}, false,
		},
		"two Cookie headers": {
			"GET", "/",
			[]string{"Cookie", "a=b", "Cookie", session.PlainCookie + "=" + signedSession(t, session.PlainCookie)},
			true,
		},
		"the sitemap":                {"GET", "/sitemap.xml", nil, false},
		"htmx":                       {"GET", "/posts/one/likes", []string{"HX-Request", "true"}, true},
		"a query":                    {"GET", "/?q=x", nil, true},
		"a query with a page number": {"GET", "/?page=2&q=x", nil, true},
		"a form":                     {"POST", "/posts/one/like", nil, true},
		"a personal page":            {"GET", "/settings", nil, true},
		"an oversized address":       {"GET", "/posts/" + strings.Repeat("a", 2000), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &router{lists: true}
			p := newTestPages(s)
			p.proxies, _ = remote.ParseProxies("192.0.2.1") // httptest's client
			for range 2 {
				ask(p, test.method, test.target, test.header...)
			}
			if passed := s.asked.Load() == 2; passed != test.passed {
				t.Errorf("bypassed is %v", passed)
			}
		})
	}
}

func TestPagesOfASiteWithoutAConfiguredAddressDifferByHost(t *testing.T) {
	s := &router{}
	p := newTestPages(s)
	p.url = ""
	p.proxies, _ = remote.ParseProxies("loopback")
	from := func(host, remote, proto string) string {
		r := httptest.NewRequest("GET", "http://"+host+"/", nil)
		r.RequestURI, r.RemoteAddr = "/", remote
		if proto != "" {
			r.Header.Set("X-Forwarded-Proto", proto)
		}
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		resp := w.Result()
		strict := resp.Header.Get("Strict-Transport-Security") != ""
		if want := proto == "https" && remote == "127.0.0.1:1"; strict != want {
			t.Errorf("from %s with %q: Strict-Transport-Security is sent: %v", remote, proto, strict)
		}
		return textOf(t, resp)[:8]
	}
	for _, step := range []struct{ host, remote, proto, want string }{
		{"a.example", "127.0.0.1:1", "", "answer 1"}, {"a.example", "127.0.0.1:1", "", "answer 1"},
		{"b.example", "127.0.0.1:1", "", "answer 2"},
		{"a.example", "127.0.0.1:1", "https", "answer 3"}, {"a.example", "127.0.0.1:1", "http", "answer 1"},
		{"a.example", "192.0.2.9:1", "https", "answer 1"}, // not a trusted proxy
	} {
		if got := from(step.host, step.remote, step.proto); got != step.want {
			t.Errorf("%v: the response is %s", step, got)
		}
	}
}

func TestPagesAreCachedInEachCoding(t *testing.T) {
	s := &router{}
	p := newTestPages(s)
	tags := make(map[string]string)
	for accept, coding := range map[string]string{
		"":                        "",
		"gzip":                    "gzip",
		"gzip, deflate, br, zstd": "br",
		"br;q=0, gzip;q=0.5":      "gzip",
		"identity":                "",
		"deflate":                 "",
	} {
		var header []string
		if accept != "" {
			header = []string{"Accept-Encoding", accept}
		}
		for range 2 { // filled, then cached
			resp := ask(p, "GET", "/", header...)
			if got := resp.Header.Get("Content-Encoding"); got != coding || textOf(t, resp) != bodyOf(1) {
				t.Errorf("%q: the coding is %q", accept, got)
			}
			if got, want := resp.Header.Get("Vary"), "HX-Request, Accept-Encoding, Cookie"; got != want {
				t.Errorf("%q: Vary is %s", accept, got)
			}
			tag := resp.Header.Get("Etag")
			if before := tags[coding]; before != "" && before != tag || strings.HasPrefix(tag, "W/") {
				t.Errorf("%q: the entity tag is %s, before it was %s", accept, tag, before)
			}
			tags[coding] = tag
			head := ask(p, "HEAD", "/", header...)
			if body, _ := io.ReadAll(head.Body); len(body) > 0 ||
				head.Header.Get("Content-Length") != resp.Header.Get("Content-Length") ||
				head.Header.Get("Etag") != tag {
				t.Errorf("%q: HEAD has %d bytes, %v", accept, len(body), head.Header)
			}
		}
	}
	if len(tags) != 3 || tags[""] == tags["gzip"] || tags["gzip"] == tags["br"] {
		t.Errorf("the entity tags are %q", tags)
	}
}

func TestCachedPagesSupportConditionalRequests(t *testing.T) {
	s := &router{}
	p := newTestPages(s)
	tag := ask(p, "GET", "/").Header.Get("Etag")
	zipped := ask(p, "GET", "/", "Accept-Encoding", "gzip").Header.Get("Etag")
	for name, test := range map[string]struct {
		header []string
		status int
	}{
		"the same tag":              {[]string{"If-None-Match", tag}, 304},
		"the same tag, marked weak": {[]string{"If-None-Match", "W/" + tag}, 304},
		"one of several tags":       {[]string{"If-None-Match", `"x", ` + tag}, 304},
		"one of several headers":    {[]string{"If-None-Match", `"x"`, "If-None-Match", tag}, 304},
		"any tag":                   {[]string{"If-None-Match", "*"}, 304},
		"another tag":               {[]string{"If-None-Match", `"x"`}, 200},
		"the tag of another coding": {[]string{"If-None-Match", zipped}, 200},
		"the tag of this coding":    {[]string{"If-None-Match", zipped, "Accept-Encoding", "gzip"}, 304},
		"a date, although pages have none": {[]string{"If-Modified-Since", time.Now().Add(time.Hour).UTC().
			Format(http.TimeFormat)}, 200},
	} {
		resp := ask(p, "GET", "/", test.header...)
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != test.status || test.status == 304 &&
			(len(body) > 0 || resp.Header.Get("Etag") == "" || resp.Header.Get("Vary") == "") {
			t.Errorf("%s: status %d, %d bytes, %v", name, resp.StatusCode, len(body), resp.Header)
		}
	}
	p.cache.Drop(onePost, dependency.AllFacets)
	if resp := ask(p, "GET", "/", "If-None-Match", tag); resp.StatusCode != 200 {
		t.Errorf("after a change, the status is %d", resp.StatusCode)
	}

	s.header = http.Header{"Etag": {`"its own"`}}
	if resp := ask(p, "GET", "/feed.atom", "If-None-Match", `"its own"`); resp.StatusCode != 304 {
		t.Errorf("a feed with its own tag: status %d", resp.StatusCode)
	}
}

func TestCacheControlDependsOnTheConfiguredAddress(t *testing.T) {
	for name, test := range map[string]struct{ url, control, want string }{
		"a configured address":              {"https://blog.example.org", site.CachePrivate, sharedCacheControl},
		"no configured address":             {"", site.CachePrivate, site.CachePrivate},
		"a page that must not be stored":    {"https://blog.example.org", site.CacheNever, site.CacheNever},
		"a page with directives of its own": {"https://blog.example.org", "public, max-age=60", "public, max-age=60"},
	} {
		s := &router{header: http.Header{"Cache-Control": {test.control}}}
		p := newTestPages(s)
		p.url = test.url
		if got := ask(p, "GET", "/").Header.Get("Cache-Control"); got != test.want {
			t.Errorf("%s: Cache-Control is %q", name, got)
		}
	}
}

func TestTheCacheIsBypassedWhileNoticesOfChangesAreMissing(t *testing.T) {
	s := &router{}
	p := newTestPages(s)
	p.cache.Follow(func() time.Time { return time.Time{} })
	for range 2 {
		if status := ask(p, "GET", "/").Header.Get("Cache-Status"); status != "Inkfeed; fwd=bypass; detail=behind" {
			t.Errorf("Cache-Status is %q", status)
		}
	}
	if n := s.asked.Load(); n != 2 {
		t.Errorf("the page was rendered %d times, want twice", n)
	}
}

func TestSimultaneousRequestsShareAResponseWhileNoticesOfChangesAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &router{during: func(int64) { time.Sleep(time.Second) }}
		p := newTestPages(s)
		p.cache.Follow(func() time.Time { return time.Time{} })
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { ask(p, "GET", "/") })
		}
		all.Wait()
		if n := s.asked.Load(); n != 1 {
			t.Errorf("the page was rendered %d times, want once", n)
		}
	})
}

func TestTheRouterAnswersARequestThatIsCutOffWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &router{during: func(n int64) {
			if n == 1 {
				time.Sleep(time.Second)
			}
		}}
		p := newTestPages(s)
		go ask(p, "GET", "/")
		time.Sleep(time.Millisecond)
		ctx, cutOff := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cutOff()
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx))
		if text := w.Body.String(); text != bodyOf(2) {
			t.Errorf("the response is %.20q", text)
		}
		time.Sleep(time.Second)
	})
}

func TestARequestAfterAChangeDoesNotWaitForAnOlderResponse(t *testing.T) {
	for name, s := range map[string]*router{
		"a cached page":             {},
		"a page that is not cached": {status: 303},
		"a failure":                 {status: 503},
		"a personal page":           {single: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newTestPages(s)
				s.during = func(int64) { time.Sleep(time.Second) }
				go ask(p, "GET", "/posts/one")
				time.Sleep(time.Millisecond)
				p.cache.Drop(onePost, dependency.AllFacets)
				if text := textOf(t, ask(p, "GET", "/posts/one")); text != bodyOf(2) {
					t.Errorf("%.10q, which was begun before the change", text)
				}
			})
		})
	}
}
