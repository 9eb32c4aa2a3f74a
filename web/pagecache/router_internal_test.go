package pagecache

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/labstack/echo/v4"

	"inkfeed/cosmos/dependency"
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/site"
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
	fmt.Fprint(w, bodyOf(n))
}

func bodyOf(n int64) string {
	return fmt.Sprintf("answer %d %s", n, strings.Repeat("in many words ", 100))
}

func newTestPages(s *router) *Middleware {
	p := &Middleware{encoders: newEncoders(), cache: NewCache(1 << 20), url: "https://blog.example.org",
		strict: response.DefaultStrictTransport,
		logger: slog.New(slog.DiscardHandler), plain: s, compressed: s,
		site: &site.Site{Limiter: ratelimit.New(ratelimit.Limits{}, nil, slog.New(slog.DiscardHandler)),
			Languages: locale.NewSet(locale.All()...), Current: site.NewCurrentSettings()}}
	var errSessions, errWrites error
	p.site.Sessions, errSessions = session.New([][]byte{testSecret}, nil, p.logger)
	p.writes, errWrites = NewRecentWrites([][]byte{testSecret}, p.site.Limiter)
	if err := errors.Join(errSessions, errWrites); err != nil {
		panic(err)
	}
	for _, path := range []string{"/", "/posts/:id", "/@:username", "/tags/:tag", "/feed.atom", site.SitemapPath} {
		p.site.GetShared(echo.New(), path, nil)
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
