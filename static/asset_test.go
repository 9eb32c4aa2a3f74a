package static_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"inkfeed/static"
)

const script = "htmx.min.js"

// request sends a request for a file, with pairs of header names and values.
func request(method, name string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, static.URL(name), nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	if !static.ServeHashed(w, r, strings.TrimPrefix(static.URL(name), static.Prefix)) {
		w.WriteHeader(http.StatusNotFound)
	}
	return w.Result()
}

func read(t *testing.T, from io.Reader) string {
	t.Helper()
	body, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestMain(m *testing.M) {
	encodingBeforePack = request("GET", script, "Accept-Encoding", "gzip, br").Header.Get("Content-Encoding")
	static.Pack()
	m.Run()
}

var encodingBeforePack string

func TestFileIsServedWithGzipBeforePack(t *testing.T) {
	if encodingBeforePack != "gzip" {
		t.Errorf("Content-Encoding before Pack is %q, want gzip", encodingBeforePack)
	}
}

func TestFileHasTheSameContentInEachEncoding(t *testing.T) {
	plain := request("GET", script)
	whole := read(t, plain.Body)
	tags, sizes := map[string]bool{plain.Header.Get("Etag"): true}, []int64{plain.ContentLength}
	for _, coding := range []static.Coding{static.Gzip, static.Brotli} {
		a := request("GET", script, "Accept-Encoding", coding.String())
		if got := a.Header.Get("Content-Encoding"); got != coding.String() {
			t.Errorf("%s: Content-Encoding is %q", coding, got)
		}
		var unpacked io.Reader = brotli.NewReader(a.Body)
		if coding == static.Gzip {
			var err error
			if unpacked, err = gzip.NewReader(a.Body); err != nil {
				t.Fatal(err)
			}
		}
		if read(t, unpacked) != whole {
			t.Errorf("%s: the content differs", coding)
		}
		tags[a.Header.Get("Etag")] = true
		sizes = append(sizes, a.ContentLength)
	}
	if len(tags) != 3 {
		t.Errorf("got %d entity tags, want 3: %v", len(tags), tags)
	}
	if sizes[0] != int64(len(whole)) || sizes[1] >= sizes[0] || sizes[2] >= sizes[1] {
		t.Errorf("sizes are %v, want each smaller than the one before, beginning with %d bytes", sizes, len(whole))
	}
}

func TestKnownFileIsNotSentAgain(t *testing.T) {
	for _, accept := range []string{"", "gzip", "gzip, deflate, br, zstd"} {
		first := request("GET", script, "Accept-Encoding", accept)
		tag := first.Header.Get("Etag")
		for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
			a := request("GET", script, "Accept-Encoding", accept, "If-None-Match", known)
			if a.StatusCode != http.StatusNotModified || read(t, a.Body) != "" {
				t.Errorf("%q, %s: status %d", accept, known, a.StatusCode)
			}
			for _, name := range []string{"Etag", "Vary", "Cache-Control"} {
				if a.Header.Get(name) != first.Header.Get(name) {
					t.Errorf("%q, %s: %s is %q", accept, known, name, a.Header.Get(name))
				}
			}
			for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Length"} {
				if got := a.Header.Get(name); got != "" {
					t.Errorf("%q, %s: %s is %q", accept, known, name, got)
				}
			}
		}
		if a := request("GET", script, "Accept-Encoding", accept, "If-None-Match",
			`"other"`); a.StatusCode != http.StatusOK ||
			a.Header.Get("Content-Encoding") != first.Header.Get("Content-Encoding") ||
			read(t, a.Body) != read(t, first.Body) {
			t.Errorf("%q: status %d for a client with another version", accept, a.StatusCode)
		}
	}
}

func TestEntityTagIdentifiesTheEncoding(t *testing.T) {
	tag := request("GET", script, "Accept-Encoding", "gzip").Header.Get("Etag")
	if a := request("GET", script, "Accept-Encoding", "br", "If-None-Match", tag); a.StatusCode != http.StatusOK {
		t.Errorf("status %d for the entity tag of another encoding, want 200", a.StatusCode)
	}
}

func TestHeadHasNoBody(t *testing.T) {
	for _, accept := range []string{"", "br"} {
		get, head := request("GET", script, "Accept-Encoding", accept),
			request("HEAD", script, "Accept-Encoding", accept)
		if body := read(t, head.Body); body != "" || head.StatusCode != http.StatusOK {
			t.Errorf("%q: status %d, %d bytes", accept, head.StatusCode, len(body))
		}
		for name := range get.Header {
			if get.Header.Get(name) != head.Header.Get(name) {
				t.Errorf("%q: %s is %q and %q", accept, name, get.Header.Get(name), head.Header.Get(name))
			}
		}
	}
}

func TestRangeIsServedUncompressed(t *testing.T) {
	plain := request("GET", script)
	whole := read(t, plain.Body)
	a := request("GET", script, "Range", "bytes=10-19", "Accept-Encoding", "br")
	if got := read(t, a.Body); a.StatusCode != http.StatusPartialContent || got != whole[10:20] ||
		a.Header.Get("Content-Encoding") != "" {
		t.Errorf("status %d, %q in %q", a.StatusCode, got, a.Header.Get("Content-Encoding"))
	}
	a = request("GET", script, "Range", "bytes=10-19", "If-Range", `"other"`)
	if got := read(t, a.Body); a.StatusCode != http.StatusOK || got != whole {
		t.Errorf("status %d, %d bytes for a range of another version, want the whole file", a.StatusCode, len(got))
	}
	a = request("GET", script, "Range", "bytes=10-19", "If-None-Match", plain.Header.Get("Etag"))
	if a.StatusCode != http.StatusNotModified {
		t.Errorf("status %d for a range of a known file, want 304", a.StatusCode)
	}
	if a = request("GET", script, "If-Match", `"other"`); a.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("status %d for another version in If-Match, want 412", a.StatusCode)
	}
}

func TestIncompressibleFileIsServedUncompressed(t *testing.T) {
	a := request("GET", "icon-192.png", "Accept-Encoding", "gzip, br")
	if a.StatusCode != http.StatusOK || a.Header.Get("Content-Encoding") != "" || a.Header.Get("Vary") != "" ||
		strconv.Itoa(len(read(t, a.Body))) != a.Header.Get("Content-Length") {
		t.Errorf("status %d, %v", a.StatusCode, a.Header)
	}
}

// discard is a response writer that discards the body.
type discard struct{ header http.Header }

func (n discard) Header() http.Header         { return n.header }
func (n discard) WriteHeader(int)             {}
func (n discard) Write(b []byte) (int, error) { return len(b), nil }

func BenchmarkServe(b *testing.B) {
	hashed := strings.TrimPrefix(static.URL(script), static.Prefix)
	tag := request("GET", script, "Accept-Encoding", "br").Header.Get("Etag")
	for name, known := range map[string]string{"first": "", "again": tag} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, static.URL(script), nil)
			r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
			r.Header.Set("If-None-Match", known)
			w := discard{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				static.ServeHashed(w, r, hashed)
			}
		})
	}
}

func BenchmarkAccepts(b *testing.B) {
	for b.Loop() {
		static.Accepts("gzip, deflate, br, zstd").Best(static.Brotli, static.Zstd, static.Gzip)
	}
}
