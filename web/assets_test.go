package web_test

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/static"
	"inkfeed/web/webtest"
)

func TestAssetsAreCachedAndCompressed(t *testing.T) {
	s := webtest.NewSite(t)
	t.Run("never change under an address with a hash", func(t *testing.T) {
		page := s.Anonymous().Get("/").Page()
		page.Find(`link[rel="stylesheet"], script`).Each(func(_ int, e *goquery.Selection) {
			path := e.AttrOr("href", e.AttrOr("src", ""))
			a := s.Anonymous().Get(path).Want(200)
			if got := a.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
				t.Errorf("%s: Cache-Control is %q", path, got)
			}
			v := s.Anonymous()
			v.Header.Set("If-None-Match", a.Header.Get("ETag"))
			v.Get(path).Want(304)
		})
	})
	t.Run("have the right content types", func(t *testing.T) {
		for name, want := range map[string]string{"inkfeed.css": "text/css; charset=utf-8",
			"htmx.min.js": "text/javascript; charset=utf-8", "inkfeed.js": "text/javascript; charset=utf-8",
			"favicon.svg": "image/svg+xml", "favicon.ico": "image/x-icon"} {
			if got := s.Anonymous().Get(static.URL(name)).Want(200).Header.Get("Content-Type"); got != want {
				t.Errorf("the content type of %s is %q", name, got)
			}
		}
	})
	t.Run("are compressed with the coding that the client prefers", func(t *testing.T) {
		static.Pack()
		url := static.URL("htmx.min.js")
		plain := s.Anonymous().Get(url).Want(200)
		for accept, want := range map[string]string{"gzip, deflate, br": "br", "gzip, deflate": "gzip",
			"GZIP;q=0.5": "gzip", "gzip;q=0, br": "br",
			"gzip, br;q=0.5": "gzip", "zstd": "", "x-gzip": "", "gzip;q=0.5, identity": ""} {
			v := s.Anonymous()
			v.Header.Set("Accept-Encoding", accept)
			a := v.Get(url).Want(200)
			if got := a.Header.Get("Content-Encoding"); got != want {
				t.Errorf("%s: Content-Encoding is %q", accept, got)
			}
			if got := strings.Join(a.Header.Values("Vary"), ", "); got != "Accept-Encoding" {
				t.Errorf("Vary is %q", got)
			}
			if want != "gzip" {
				continue
			}
			r, err := gzip.NewReader(strings.NewReader(a.Body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(r); err != nil || string(body) != plain.Body ||
				a.Header.Get("ETag") == plain.Header.Get("ETag") {
				t.Error("the decompressed file differs, or both versions have the same entity tag")
			}
		}
	})
	t.Run("expire after a day if their address is fixed", func(t *testing.T) {
		for _, path := range []string{"/favicon.ico", "/favicon.svg"} {
			if got := s.Anonymous().Get(path).Want(200).Header.Get("Cache-Control"); got != "public, max-age=86400" {
				t.Errorf("the Cache-Control of %s is %q", path, got)
			}
		}
	})
	t.Run("answer 404 under the hash of another version, without being cached", func(t *testing.T) {
		for _, path := range []string{"/static/inkfeed.000000000000.css", "/static/inkfeed.css", "/static/static.go",
			"/static/..%2fstatic.go", "/static/htmx.LICENSE",
			strings.Replace(static.URL("inkfeed.css"), ".css", ".js", 1)} {
			if got := s.Anonymous().Get(path).Want(404).Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("the Cache-Control of %s is %q", path, got)
			}
		}
	})
}

func TestAnUnknownAssetPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	static.URL("nothing.css")
}
