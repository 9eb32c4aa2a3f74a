package pagecache

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
	"inkfeed/static"
	"inkfeed/web/site"
	"inkfeed/web/site/client"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/response"
	"inkfeed/web/site/session"
)

// router stands for the site. Its responses have the number of the request and many words.
type router struct {
	asked  atomic.Int64
	status int // 0 means 200
	header http.Header
	reads  dependency.PartitionRef
	single bool              // its pages differ between visitors
	lists  bool              // its pages are lists
	during func(asked int64) // called after the page has read its data
}

func (s *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.asked.Add(1)
	dependency.Record(r.Context(), s.reads, dependency.AllFacets)
	if sharing := site.CacheabilityOf(r.Context()); sharing != nil {
		sharing.Shared, sharing.Numbered = !s.single, s.lists
	}
	if s.during != nil {
		s.during(n)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=UTF-8")
	h.Set("Cache-Control", site.CachePrivate)
	h.Set("Vary", "HX-Request")
	h.Set(site.RequestIDHeader, "the router's")
	for name, values := range s.header {
		h[name] = values
	}
	if s.status != 0 {
		w.WriteHeader(s.status)
	}
	fmt.Fprint(w, answerOf(n))
}

func answerOf(n int64) string {
	return fmt.Sprintf("answer %d %s", n, strings.Repeat("in many words ", 100))
}

func newTestPages(s *router) *Middleware {
	p := &Middleware{encoders: newEncoders(), cache: NewCache(1 << 20), url: "https://blog.example.org",
		strict: response.DefaultStrictTransport,
		logger: slog.New(slog.DiscardHandler), plain: s, compressed: s,
		limiter: ratelimit.New(ratelimit.Limits{}, nil, slog.New(slog.DiscardHandler))}
	var errSessions, errWrites error
	p.sessions, errSessions = session.New([][]byte{testSecret}, nil, p.logger)
	p.writes, errWrites = NewRecentWrites([][]byte{testSecret}, p.limiter)
	if err := errors.Join(errSessions, errWrites); err != nil {
		panic(err)
	}
	p.cache.middleware = p
	if s.reads.Container == "" {
		s.reads = onePost
	}
	return p
}

// signedSession returns the value of a session cookie that is signed with the test's key.
func signedSession(t *testing.T, name string) string {
	t.Helper()
	s, err := session.New([][]byte{testSecret}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Encode(name, domain.NewUserID(strings.NewReader(strings.Repeat("ada", 100))), "secret")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ask sends a request with headers, given as alternating names and values.
func ask(p http.Handler, method, target string, header ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	r.RequestURI = target
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

func textOf(t *testing.T, resp *http.Response) string {
	t.Helper()
	var body io.Reader = resp.Body
	switch resp.Header.Get("Content-Encoding") {
	case "gzip":
		r, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = r
	case "br":
		body = brotli.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

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
		if text := textOf(t, resp); text != answerOf(step.want) || resp.Header.Get("Cache-Status") != step.status {
			t.Errorf("%s: %.10q, %q, want answer %d, %q", step.name, text, resp.Header.Get("Cache-Status"), step.want,
				step.status)
		}
		if id := resp.Header.Get(site.RequestIDHeader); (len(id) == 16) != strings.Contains(step.status, "miss") {
			t.Errorf("%s: only misses are logged and have an id, but the id is %q", step.name, id)
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
				if text := textOf(t, ask(p, "GET", "/")); text != answerOf(1) {
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
		if text := textOf(t, ask(p, "GET", "/")); text != answerOf(2) {
			t.Errorf("%.10q, want the response after the change", text)
		}
	}
	s.during = func(int64) { p.cache.Drop(onePost, dependency.AllFacets) }
	p.cache.Clear()
	s.asked.Store(0)
	if text := textOf(t, ask(p, "GET", "/")); text != answerOf(maxFills) {
		t.Errorf("with endless changes: %.10q, want response %d", text, maxFills)
	}
}

func TestOnlySharedResponsesAreCached(t *testing.T) {
	for name, test := range map[string]struct {
		router *router
		kept   bool
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
			if kept := textOf(t, first) == textOf(t, second); kept != test.kept {
				t.Errorf("cached is %v", kept)
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
		kept   bool
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
			if kept := textOf(t, first) == textOf(t, second); kept != test.kept {
				t.Errorf("cached is %v", kept)
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
			p.proxies, _ = client.ParseProxies("192.0.2.1") // httptest's client
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
	p.proxies, _ = client.ParseProxies("loopback")
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
			if got := resp.Header.Get("Content-Encoding"); got != coding || textOf(t, resp) != answerOf(1) {
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

	changed := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s.header = http.Header{"Last-Modified": {changed.Format(http.TimeFormat)}, "Etag": {`"its own"`}}
	for name, test := range map[string]struct {
		header []string
		status int
	}{
		"the same date": {[]string{"If-Modified-Since", changed.Format(http.TimeFormat)}, 304},
		"an earlier date": {
			[]string{"If-Modified-Since", changed.Add(-time.Second).Format(http.TimeFormat)}, 200,
		},
		"the same date with another tag": {[]string{
			"If-Modified-Since", changed.Format(http.TimeFormat), "If-None-Match", `"x"`,
		}, 200},
		"the feed's own tag": {[]string{"If-None-Match", `"its own"`}, 304},
	} {
		if resp := ask(p, "GET", "/feed.atom", test.header...); resp.StatusCode != test.status {
			t.Errorf("a feed with %s: status %d", name, resp.StatusCode)
		}
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

// FuzzFrames checks that gzip decompresses the pieces of a page shell with the text between them to the whole page.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("<html>"), []byte("<nav>"), []byte("</html>"))
	f.Add([]byte{}, []byte{}, []byte{})
	f.Add(bytes.Repeat([]byte("a"), 1<<17), bytes.Repeat([]byte("b"), 1<<16+1), []byte("c"))
	random := make([]byte, 1<<16)
	for i := range random {
		random[i] = byte(rand.N(256))
	}
	f.Add(random, random, random)
	packers := newEncoders()
	f.Fuzz(func(t *testing.T, first, gap, last []byte) {
		var frame pageShell
		for _, text := range [][]byte{first, last} {
			frame.pieces = append(frame.pieces, shellPiece{text, packers.deflatePiece(text)})
		}
		var page bytes.Buffer
		frame.write(&page, true, func(int) []byte { return gap })
		r, err := gzip.NewReader(&page)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(text, bytes.Join([][]byte{first, last}, gap)) {
			t.Errorf("%d bytes are decompressed, error %v", len(text), err)
		}
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
				if text := textOf(t, ask(p, "GET", "/posts/one")); text != answerOf(2) {
					t.Errorf("%.10q, which was begun before the change", text)
				}
			})
		})
	}
}

// A reused encoder compresses like a new one, also after a much longer text.
func TestEncodersCanBeReused(t *testing.T) {
	used := newEncoders()
	for i, text := range [][]byte{
		[]byte("short"),
		bytes.Repeat([]byte("a long text, "), 1<<14),
		{},
		[]byte("another short one"),
	} {
		fresh := newEncoders()
		for name, pack := range map[string]func(*encoders) []byte{
			"gzip":   func(p *encoders) []byte { return p.encode(static.Gzip, text) },
			"br":     func(p *encoders) []byte { return p.encode(static.Brotli, text) },
			"pieces": func(p *encoders) []byte { return p.deflatePiece(text) },
		} {
			if again, once := pack(used), pack(fresh); !bytes.Equal(again, once) {
				t.Errorf("text %d: %s has %d bytes from a reused encoder, but %d from a new one", i, name, len(again),
					len(once))
			}
		}
	}
}

func TestVerifyFindsWronglyCompressedEntries(t *testing.T) {
	p := newTestPages(&router{})
	ask(p, http.MethodGet, "/")
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RequestURI = "/"
	k, _ := p.cache.get(p.key(pageEntry, r), time.Now())
	page := k.value.(*preparedResponse)
	for _, coding := range []static.Coding{static.Gzip, static.Brotli} {
		body := page.encodedAs(coding).body
		body[len(body)/2] ^= 1
	}
	var wrong []WrongEntry
	err := p.cache.Verify(t.Context(), VerifyOptions{}, func(report VerifyReport) {
		if report.Wrong != nil {
			wrong = append(wrong, *report.Wrong)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(wrong) == 0 {
		t.Error("the wrong entries are not found")
	}
}
