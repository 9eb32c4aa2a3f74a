package pagecache

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"inkfeed/static"
)

func TestAPageIsStoredOnlyInTheCodingsThatClientsAskedFor(t *testing.T) {
	p := newTestPages(&router{})
	ask(p, http.MethodGet, "/") // without a coding
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RequestURI = "/"
	k, ok := p.cache.get(p.key(pageEntry, r, ""), time.Now())
	if !ok {
		t.Fatal("the page is not cached")
	}
	page := k.value.(*preparedResponse)
	want := []byte(bodyOf(1))
	for _, step := range []struct {
		coding              string
		plain, gzip, brotli bool // which forms are stored after the request
	}{
		{"", true, false, false},
		{"gzip", false, true, false},
		{"", false, true, false},
		{"br", false, true, true},
		{"", false, true, true},
		{"gzip", false, true, true},
	} {
		text := textOf(t, ask(p, http.MethodGet, "/", "Accept-Encoding", step.coding))
		if text != string(want) {
			t.Errorf("in the coding %q it is %.20q, want %.20q", step.coding, text, want)
		}
		plain, gzip, brotli := page.plain != nil, page.encoded[static.Gzip].body != nil,
			page.encoded[static.Brotli].body != nil
		if plain != step.plain || gzip != step.gzip || brotli != step.brotli {
			t.Errorf("after a request for the coding %q it is stored plain: %v, as gzip: %v, as brotli: %v",
				step.coding, plain, gzip, brotli)
		}
	}
	if text, err := page.text(); err != nil || !bytes.Equal(text, want) {
		t.Errorf("its text is %.20q, %v", text, err)
	}
}

func TestTheCompressedFormsOfAPageFitIntoItsWeight(t *testing.T) {
	page := newPreparedResponse(http.StatusOK, http.Header{}, []byte(bodyOf(1)), newEncoders())
	stored := len(page.encodedAs(static.Gzip).body) + len(page.encodedAs(static.Brotli).body)
	if page.plain != nil || stored > int(page.weight()) {
		t.Errorf("the compressed bodies have %d bytes, but the response weighs %d", stored, page.weight())
	}
}
