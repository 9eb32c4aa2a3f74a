package ops_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/web/ops"
)

// get requests a path of a handler; headers are names and values in turn.
func get(handler http.Handler, host, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestOnlyOperatorsReachTheHandler(t *testing.T) {
	handler := ops.Handler(ops.Options{Metrics: prometheus.NewRegistry(), Verify: http.NotFoundHandler(),
		Hosts: []string{"blog-1", "metrics.example.org"}})
	for host, want := range map[string]int{
		"127.0.0.1": 200, "127.0.0.1:9090": 200, "10.1.2.3:9090": 200, "[::1]": 200, "[::1]:9090": 200,
		"[2001:db8::7]:9090": 200, "localhost": 200, "LOCALHOST:9090": 200, "blog.localhost:9090": 200,
		"blog-1:9090": 200, "Metrics.Example.org": 200,
		"": 421, ":9090": 421, " ": 421, "example.org": 421, "rebound.example.org:9090": 421,
		"127.0.0.1.example.org": 421, "localhost.example.org": 421, "notlocalhost": 421, "a.blog-1": 421,
		"blog-1.example.org": 421,
	} {
		if w := get(handler, host, "/metrics"); w.Code != want {
			t.Errorf("host %q: status %d, want %d", host, w.Code, want)
		}
	}
	for _, c := range []struct {
		header, value string
		want          int
	}{
		{"Sec-Fetch-Site", "none", 200}, {"Sec-Fetch-Site", "same-origin", 200}, {"Sec-Fetch-Site", "same-site", 403},
		{"Sec-Fetch-Site", "cross-site", 403}, {"Origin", "http://localhost:9090", 200},
		{"Origin", "https://localhost:9090", 200}, {"Origin", "http://localhost:8080", 403},
		{"Origin", "http://localhost", 403}, {"Origin", "https://example.org", 403}, {"Origin", "null", 403},
	} {
		if w := get(handler, "localhost:9090", "/metrics", c.header, c.value); w.Code != c.want {
			t.Errorf("%s %s: status %d, want %d", c.header, c.value, w.Code, c.want)
		}
	}
}

func TestReadinessOfOperatorsListsWorkersThatAreBehind(t *testing.T) {
	var ready error
	var behind []string
	handler := ops.Handler(ops.Options{Metrics: prometheus.NewRegistry(), Verify: http.NotFoundHandler(),
		Ready:  func(context.Context) error { return ready },
		Behind: func(context.Context) []string { return behind }})
	want := func(status int, body string) {
		t.Helper()
		if w := get(handler, "127.0.0.1", "/readyz"); w.Code != status || w.Body.String() != body {
			t.Errorf("status %d, %q; want %d, %q", w.Code, w.Body, status, body)
		}
	}
	want(200, "ok\n")
	behind = []string{"lagging: posts", "dead letters: 2"}
	want(200, "ok\nlagging: posts\ndead letters: 2\n")
	ready = errors.New("the key is wrong")
	want(503, "not ready\n")
}

func TestLongBodiesAreNotReadToTheirEnd(t *testing.T) {
	body := strings.NewReader(strings.Repeat("x", 1<<20))
	var failed error
	verify := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, failed = io.Copy(io.Discard, r.Body) })
	handler := ops.Handler(ops.Options{Metrics: prometheus.NewRegistry(), Verify: verify})
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+ops.VerifyPages, body)
	handler.ServeHTTP(httptest.NewRecorder(), r)
	if read := 1<<20 - body.Len(); read > 100<<10 || failed == nil {
		t.Errorf("%d bytes were read, error %v", read, failed)
	}
}
