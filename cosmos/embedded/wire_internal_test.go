package embedded

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/items"
)

// mustServe serves the engine on a real listener.
func mustServe(t *testing.T, e *Engine) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(e)
	t.Cleanup(s.Close)
	return s
}

// signedHead returns the head of a request that creates items, without its length.
func signedHead(e *Engine) string {
	return headOf(e, "POST", docs, "dbs/d/colls/c")
}

// headOf returns the head of a signed request for items without the empty line at its end.
func headOf(e *Engine, method, path, link string) string {
	r := httptest.NewRequest(method, path, nil)
	signAs(e, r, "docs", link, time.Now())
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nX-Ms-Date: %s\r\nAuthorization: %s\r\n%s: [\"a\"]\r\n",
		method, path, r.Header.Get("X-Ms-Date"), r.Header.Get("Authorization"), keyHeader)
}

// mustDial sends the beginning of a request and leaves the connection open.
func mustDial(t *testing.T, s *httptest.Server, text string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

func readAnswer(t *testing.T, conn net.Conn) answer {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

func TestBodiesOnTheWire(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	s := mustServe(t, e)
	chunks := func(size int, text string) string {
		var b strings.Builder
		for len(text) > 0 {
			n := min(size, len(text))
			fmt.Fprintf(&b, "%x\r\n%s\r\n", n, text[:n])
			text = text[n:]
		}
		return b.String() + "0\r\n\r\n"
	}
	const item = `{"id":"%s","pk":"a"}`
	t.Run("in chunks, without a length", func(t *testing.T) {
		conn := mustDial(t, s, signedHead(e)+"Transfer-Encoding: chunked\r\n\r\n"+chunks(3,
			fmt.Sprintf(item, "chunked")))
		readAnswer(t, conn).want(t, 201)
	})
	t.Run("in chunks that exceed the limit", func(t *testing.T) {
		conn := mustDial(t, s, signedHead(e)+"Transfer-Encoding: chunked\r\n\r\n"+chunks(1<<16, fill(items.MaxBody+1)))
		refusal(t, readAnswer(t, conn), 413)
	})
	t.Run("announced beyond the limit are refused before they arrive", func(t *testing.T) {
		conn := mustDial(t, s, signedHead(e)+fmt.Sprintf("Content-Length: %d\r\n\r\n", items.MaxBody+1))
		refusal(t, readAnswer(t, conn), 413)
	})
	t.Run("cut off", func(t *testing.T) {
		text := fmt.Sprintf(item, "cut")
		conn := mustDial(t, s, signedHead(e)+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text)+1, text))
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		refusal(t, readAnswer(t, conn), 400)
		send(t, e, "GET", docs+"/cut", "", pk("a")...).want(t, 404)
	})
	t.Run("cut off between chunks", func(t *testing.T) {
		conn := mustDial(t, s, signedHead(e)+"Transfer-Encoding: chunked\r\n\r\n"+
			strings.TrimSuffix(chunks(99, fmt.Sprintf(item, "cut")), "0\r\n\r\n"))
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		refusal(t, readAnswer(t, conn), 400)
		send(t, e, "GET", docs+"/cut", "", pk("a")...).want(t, 404)
	})
}

// TestEndedContextIsNoSuccess: net/http would answer 200 for a handler that writes nothing.
func TestEndedContextIsNoSuccess(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		e.ServeHTTP(w, r.WithContext(ctx))
	}))
	defer s.Close()
	conn := mustDial(t, s, signedHead(e)+"Content-Length: 2\r\n\r\n{}")
	if got, err := io.ReadAll(conn); err != nil || len(got) > 0 {
		t.Errorf("answered %q, %v", got, err)
	}
}

// TestSlowClientsBlockNoOtherRequests has more clients than readers and places in the queue. Each
// sends half a request and then nothing.
func TestSlowClientsBlockNoOtherRequests(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	s := mustServe(t, e)
	begun := make(chan struct{})
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		inner.ServeHTTP(w, r)
	})
	var slow []*net.TCPConn
	for range items.WriteQueue + 2*e.store.Readers.Most() {
		slow = append(slow, mustDial(t, s, signedHead(e)+"Content-Length: 100\r\n\r\n{"))
		<-begun
	}
	create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
	send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 200)
	sql("SELECT * FROM c", "").send(t, e).want(t, 200)
	send(t, e, "PUT", "/dbs/d/colls/c", plainContainer).want(t, 200)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	rest := []byte(`"id":"slow","pk":"a"}`)
	rest = append(rest, bytes.Repeat([]byte(" "), 99-len(rest))...)
	for _, conn := range slow {
		if _, err := conn.Write(rest); err != nil {
			t.Fatal(err)
		}
		refusal(t, readAnswer(t, conn), 503)
	}
}

// TestUnreadResponsesBlockNoOtherRequests checks that a client which does not read its response
// holds no resources of the engine.
func TestUnreadResponsesBlockNoOtherRequests(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, fill(items.MaxBody)).want(t, 201)
	s := mustServe(t, e)
	answered := make(chan struct{})
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(notedWriter{w, answered}, r)
	})
	for range 2 * e.store.Readers.Most() {
		mustDial(t, s, headOf(e, "GET", docs+"/1", "dbs/d/colls/c/docs/1")+"\r\n")
		<-answered
	}
	create(t, e, `{"id":"2","pk":"a"}`).want(t, 201)
	send(t, e, "GET", docs+"/2", "", pk("a")...).want(t, 200)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// notedWriter signals the beginning of the response.
type notedWriter struct {
	http.ResponseWriter
	begun chan struct{}
}

func (w notedWriter) WriteHeader(status int) {
	w.begun <- struct{}{}
	w.ResponseWriter.WriteHeader(status)
}

func TestHugeHeaders(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
	const size = 1 << 20
	long := strings.Repeat("x", size)
	for name, tt := range map[string]struct {
		call call
		want int
	}{
		"partition key": {call{"GET", docs + "/1", "", pk(long)}, 400},
		"partition key of many components": {call{"GET", docs + "/1", "",
			[]string{keyHeader, "[" + list(size/2, repeat("1")) + "]"}}, 400},
		"partition key of open brackets": {call{"GET", docs + "/1", "",
			[]string{keyHeader, strings.Repeat("[", size)}}, 400},
		"continuation": {call{"GET", docs, "", []string{"X-Ms-Continuation", long}}, 400},
		"continuation of many fields": {call{"GET", docs, "",
			[]string{"X-Ms-Continuation", strings.Repeat("1.", size/2)}}, 400},
		"session token": {call{"GET", docs + "/1", "", append(pk("a"), "X-Ms-Session-Token", long)},
			400},
		"session token of many ranges": {call{"GET", docs + "/1", "", append(pk("a"), "X-Ms-Session-Token",
			list(size/8, repeat("0:-1#1")))}, 200},
		"etag": {call{"DELETE", docs + "/1", "", append(pk("a"), "If-Match", long)}, 412},
		"page size": {call{"GET", docs, "", []string{"X-Ms-Max-Item-Count",
			strings.Repeat("9", size)}}, 400},
		"hash bounds": {call{"GET", docs, "", []string{"A-Im", "Incremental feed",
			"X-Ms-Start-Epk", long}}, 400},
		"range": {call{"GET", docs, "", []string{"A-Im", "Incremental feed", rangeHeader,
			long}}, 410},
		"id":   {call{"GET", docs + "/" + long, "", pk("a")}, 404},
		"path": {call{"GET", strings.Repeat("/x", size/2), "", nil}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			a := tt.call.send(t, e).want(t, tt.want)
			if tt.want >= 400 {
				refusal(t, a, tt.want)
			}
			if len(a.body) > 2*size {
				t.Errorf("the answer has %d bytes", len(a.body))
			}
		})
	}
	t.Run("authorization", func(t *testing.T) {
		for _, text := range []string{long, "%", url.QueryEscape("type=master&ver=1.0&sig=" + long),
			strings.Repeat("&", size), "type=aad&ver=1.0&sig=x"} {
			r := httptest.NewRequest("GET", docs+"/1", nil)
			r.Header.Set("Authorization", text)
			refusal(t, serve(e, r), 401)
		}
	})
}
