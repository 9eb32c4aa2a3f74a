package pagecache

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
)

// discard is a http.ResponseWriter that discards the body.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkPages compares a cached page with an Echo handler that sends the same bytes. The network is excluded.
func BenchmarkPages(b *testing.B) {
	p := newTestPages(&router{})
	resp := ask(p, "GET", "/", "Accept-Encoding", "gzip")
	e := echo.New()
	body := []byte(bodyOf(1))
	e.GET("/", func(c echo.Context) error {
		for name, values := range resp.Header {
			c.Response().Header()[name] = values
		}
		return c.Blob(http.StatusOK, "text/html; charset=UTF-8", body)
	})
	for _, bench := range []struct {
		name    string
		handler http.Handler
		tag     string
	}{{"hit", p, ""}, {"not modified", p, resp.Header.Get("Etag")}, {"bare", e, ""}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Accept-Encoding", "gzip")
			if bench.tag != "" {
				r.Header.Set("If-None-Match", bench.tag)
			}
			w := discard{make(http.Header)}
			for b.Loop() {
				clear(w.header)
				bench.handler.ServeHTTP(w, r)
			}
		})
	}
}
