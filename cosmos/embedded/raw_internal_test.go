package embedded

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// clock is a clock that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// mustEngine opens an engine with a clock, and creates the container dbs/d/colls/c with a
// definition.
func mustEngine(t testing.TB, o Options, definition string) (*Engine, *clock) {
	t.Helper()
	c := &clock{at: time.Unix(1_800_000_000, 0)}
	e, err := open(t.TempDir(), o, c.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	e.batchTime = time.Hour // so that no test depends on the machine's speed
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	send(t, e, "POST", "/dbs/d/colls", definition).want(t, 201)
	return e, c
}

const plainContainer = `{"id":"c","partitionKey":{"paths":["/pk"]}}`

// answer is a response of the engine.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) want(t testing.TB, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("got status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// send sends a signed request; headers are names and values in turn.
func send(t testing.TB, e *Engine, method, path, body string, headers ...string) answer {
	t.Helper()
	return serve(e, signed(t, e, method, path, body, headers...))
}

// signed returns a signed request; headers are names and values in turn.
func signed(t testing.TB, e *Engine, method, path, body string, headers ...string) *http.Request {
	t.Helper()
	r := mustRequest(t, method, path, body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	kind, link := signedResource(splitPath(r.URL))
	signAs(e, r, kind, link, time.Now())
	return r
}

func signAs(e *Engine, r *http.Request, kind, link string, at time.Time) {
	date := at.UTC().Format(http.TimeFormat)
	sig := base64.StdEncoding.EncodeToString(sign(e.macs[0], r.Method, kind, link, date))
	r.Header.Set("X-Ms-Date", date)
	r.Header.Set("Authorization", url.QueryEscape("type=master&ver=1.0&sig="+sig))
}

// mustRequest returns a request without a signature.
func mustRequest(t testing.TB, method, path, body string) *http.Request {
	t.Helper()
	return httptest.NewRequest(method, "https://localhost"+path, strings.NewReader(body))
}

func serve(e *Engine, r *http.Request) answer {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	header := make(http.Header) // with canonical names, for Get
	for name, values := range w.Header() {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return answer{w.Code, header, w.Body.String()}
}

const docs = "/dbs/d/colls/c/docs"

// pk returns the partition key header for a string, written as in JSON.
func pk(s string) []string { return []string{keyHeader, ascii(`["` + s + `"]`)} }

// ascii escapes the characters of a JSON text that are not allowed in a header.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case r > '~':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func create(t testing.TB, e *Engine, item string, headers ...string) answer {
	t.Helper()
	return send(t, e, "POST", docs, item, append(pk("a"), headers...)...)
}

// atomicBatch returns the headers of a transactional batch.
func atomicBatch(key string) []string {
	return append(pk(key), "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "True")
}
