package embedded

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// countingReader counts the bytes that were read.
type countingReader struct {
	io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestBodiesAreReadOnlyAfterAuthentication(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	item := `{"id":"large","pk":"a","text":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, tt := range map[string]struct {
		forge      func(*http.Request)
		want, read int
	}{
		"no credential":          {func(r *http.Request) { r.Header.Del("Authorization") }, 401, 0},
		"a malformed credential": {func(r *http.Request) { r.Header.Set("Authorization", "Basic eA==") }, 401, 0},
		"a token of nobody": {func(r *http.Request) {
			r.Header.Set("Authorization", "type%3Daad%26ver%3D1.0%26sig%3Da.b.c")
		}, 401, 0},
		"another item's signature": {func(r *http.Request) { r.URL.Path += "/1" }, 401, 0},
		"an old signature": {func(r *http.Request) {
			signAs(e, r, "docs", "dbs/d/colls/c", time.Now().Add(-time.Hour))
		}, 403, 0},
		"a valid credential": {func(*http.Request) {}, 201, len(item)},
	} {
		t.Run("with "+name, func(t *testing.T) {
			r := signed(t, e, "POST", docs, item, pk("a")...)
			body := &countingReader{Reader: strings.NewReader(item)}
			r.Body = io.NopCloser(body)
			tt.forge(r)
			serve(e, r).want(t, tt.want)
			if body.n != tt.read {
				t.Errorf("the engine has read %d bytes, want %d", body.n, tt.read)
			}
		})
	}
	t.Run("over a connection that never sends it", func(t *testing.T) {
		conn := mustDial(t, mustServe(t, e), "POST "+docs+
			" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n")
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		readAnswer(t, conn).want(t, 401)
	})
}

func TestBrowsersMayNotSendRequestsOfOtherSites(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	r := mustRequest(t, "OPTIONS", docs, "")
	r.Header.Set("Origin", "https://example.org")
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "authorization, x-ms-date")
	for name := range serve(e, r).want(t, 401).header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("the answer has the header %s", name)
		}
	}
}
