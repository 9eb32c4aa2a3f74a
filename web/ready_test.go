package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"inkfeed/web"
)

func TestAKeptPageIsSentAsItsReaderWants(t *testing.T) {
	s := newSite(t)
	s.member("ada").aPost("A title", "Some text.")
	c := config(s.data, io.Discard, keyOne)
	c.Cache = web.NewCache(1 << 20)
	handler, err := web.NewQuick(c)
	if err != nil {
		t.Fatal(err)
	}
	tags := make(map[string]bool)
	for accept, want := range map[string]string{"": "", "gzip, deflate, br, zstd": "zstd", "gzip, deflate, br": "gzip", "zstd;q=0.5, gzip": "gzip",
		"gzip;q=0, *": "zstd", "gzip;q=0": "", "identity, gzip;q=0.5": "", "br": ""} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding"); w.Code != http.StatusOK || got != want {
			t.Errorf("%q: status %d, Content-Encoding %q, want %q", accept, w.Code, got, want)
		}
		tags[w.Header().Get("Etag")] = true
	}
	if len(tags) != 3 {
		t.Errorf("three encodings have %d tags: %v", len(tags), tags)
	}
}
