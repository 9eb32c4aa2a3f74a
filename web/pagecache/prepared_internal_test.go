package pagecache

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"inkfeed/static"
)

func TestAPageIsStoredOnlyInTheCodingsThatClientsAskedFor(t *testing.T) {
	want := []byte(bodyOf(1))
	for name, codings := range map[string][]static.Coding{
		"gzip":                             {static.Gzip},
		"gzip, Brotli":                     {static.Gzip, static.Brotli},
		"Brotli, and none":                 {static.Brotli, static.Identity},
		"none, and gzip":                   {static.Identity, static.Gzip},
		"gzip twice, and none, and Brotli": {static.Gzip, static.Gzip, static.Identity, static.Brotli},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestPages(&router{})
			var page *preparedResponse
			for i, coding := range codings {
				accept := ""
				if coding != static.Identity {
					accept = coding.String()
				}
				if text := textOf(t, ask(p, http.MethodGet, "/", "Accept-Encoding", accept)); text != string(want) {
					t.Errorf("as %v it is %.20q, want %.20q", coding, text, want)
				}
				if page == nil {
					page = cachedPage(t, p, "/")
				}
				if page.plain != nil {
					t.Error("the text is stored beside its codings")
				}
				for c := range page.encoded {
					asked := slices.Contains(codings[:i+1], static.Coding(c))
					if stored := page.encoded[c].body != nil; stored != asked {
						t.Errorf("after %v it is stored as %v: %v", codings[:i+1], static.Coding(c), stored)
					}
				}
			}
			if text, err := page.text(); err != nil || !bytes.Equal(text, want) {
				t.Errorf("its text is %.20q, %v", text, err)
			}
		})
	}
}

// cachedPage returns the cached page for anonymous visitors at a path.
func cachedPage(t *testing.T, p *Middleware, path string) *preparedResponse {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RequestURI = path
	e, ok := p.cache.get(p.key(pageEntry, r, ""), time.Now())
	if !ok {
		t.Fatalf("%s is not cached", path)
	}
	return e.value.(*preparedResponse)
}

func TestTheCompressedFormsOfAPageFitIntoItsWeight(t *testing.T) {
	page := newPreparedResponse(http.StatusOK, http.Header{}, []byte(bodyOf(1)), newEncoders())
	stored := len(page.encodedAs(static.Gzip).body) + len(page.encodedAs(static.Brotli).body)
	if page.plain != nil || stored > int(page.weight()) {
		t.Errorf("the compressed bodies have %d bytes, but the response weighs %d", stored, page.weight())
	}
}
