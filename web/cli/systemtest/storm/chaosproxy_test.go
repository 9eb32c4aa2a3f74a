package storm

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// fault is one way in which the service or the network fails a storage call.
type fault struct {
	name   string
	weight int // how often it comes beside the others
	// status is what is answered. Without one the connection is cut: with part of the
	// answer sent, or with nothing sent until the caller's patience has ended.
	status       int
	partly, late bool
	// refused says that by this answer nothing was done, so it is never given to a
	// call that was carried out.
	refused bool
	onWrite bool // it is an answer to writes only
}

var faults = []fault{
	{name: "429", weight: 4, status: http.StatusTooManyRequests, refused: true},
	{name: "449", weight: 2, status: 449, refused: true, onWrite: true},
	{name: "410", weight: 3, status: http.StatusGone},
	{name: "500", weight: 3, status: http.StatusInternalServerError},
	{name: "503", weight: 3, status: http.StatusServiceUnavailable},
	{name: "408", weight: 1, status: http.StatusRequestTimeout},
	{name: "cut connection", weight: 2},
	{name: "half an answer", weight: 2, partly: true},
	{name: "timeout", weight: 1, late: true},
}

// faultProxy stands between a process and the engine and fails a share of the
// storage calls, before they are carried out or, with the answer lost, after. It
// leaves alone what a process does once as it starts.
type faultProxy struct {
	url      string
	forward  *httputil.ReverseProxy
	patience time.Duration // how long an answer is kept back before the connection is cut
	note     func(string)

	mu       sync.Mutex
	random   *rand.Rand
	rate     float64        // of the calls that fail
	deck     []card         // the next ones to come
	injected map[string]int // by fault, "lost" added where the call was carried out
	passed   int
}

// card is a fault of a call, after it was carried out or instead. Cards are drawn
// from a shuffled deck, so that in a while each comes.
type card struct {
	*fault
	carryOut bool
}

// fits tells whether a card can be played on a call. That the answer to a read is
// lost after it was carried out is nothing of its own.
func (c card) fits(write bool) bool { return write || !c.onWrite && c.carryOut == c.partly }

func (c card) String() string {
	if c.fault == nil {
		return ""
	}
	if c.carryOut {
		return c.name + ", lost"
	}
	return c.name
}

func newDeck(random *rand.Rand) []card {
	var deck []card
	for i := range faults {
		f := &faults[i]
		for range f.weight {
			deck = append(deck, card{f, f.partly})
			if !f.refused {
				deck = append(deck, card{f, true})
			}
		}
	}
	random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	return deck
}

// newFaultProxy starts a proxy in front of an engine. With http2 its clients' calls
// share a connection; without, each has one. note is told of each write.
func newFaultProxy(t *testing.T, engine string, http2 bool, seed uint64, patience time.Duration, note func(string)) *faultProxy {
	t.Helper()
	target, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 64}
	p := &faultProxy{patience: patience, note: note, rate: harness.StormFaults,
		random: rand.New(rand.NewPCG(seed, 0)), injected: make(map[string]int)}
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // by which the engine tells clients where to come back to
		},
		Transport:    transport,
		ErrorLog:     log.New(io.Discard, "", 0),
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewUnstartedServer(p)
	server.EnableHTTP2 = http2
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(transport.CloseIdleConnections)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	p.url = server.URL
	return p
}

func (p *faultProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what := describeWrite(r)
	c, ok := p.draw(r)
	answer := httptest.NewRecorder()
	defer func() {
		if what != "" {
			p.note(what + " " + c.String())
		}
	}()
	if !ok || c.carryOut {
		p.forward.ServeHTTP(answer, r)
		if what != "" {
			what += fmt.Sprint(": ", answer.Code)
		}
	}
	if !ok {
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the caller may have gone
		return
	}
	switch {
	case c.status != 0:
		refuse(w, r, c.status)
		return
	case c.late:
		select {
		case <-r.Context().Done():
		case <-time.After(p.patience):
		}
	case c.partly:
		sendHalf(w, answer)
	}
	panic(http.ErrAbortHandler) // cuts the connection
}

// draw decides what to do to a call, if anything.
func (p *faultProxy) draw(r *http.Request) (card, bool) {
	if !harness.IsStorageCall(r) {
		return card{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.random.Float64() >= p.rate {
		p.passed++
		return card{}, false
	}
	fits := func(c card) bool { return c.fits(harness.IsWrite(r)) }
	n := slices.IndexFunc(p.deck, fits)
	if n < 0 {
		p.deck = append(p.deck, newDeck(p.random)...)
		n = slices.IndexFunc(p.deck, fits)
	}
	c := p.deck[n]
	p.deck = slices.Delete(p.deck, n, n+1)
	p.injected[c.String()]++
	return c, true
}

// calm ends the faults.
func (p *faultProxy) calm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rate = 0
}

// countFaults adds up what proxies did, by fault.
func countFaults(proxies ...*faultProxy) (injected map[string]int, passed int) {
	injected = make(map[string]int)
	for _, p := range proxies {
		p.mu.Lock()
		for name, n := range p.injected {
			injected[name] += n
		}
		passed += p.passed
		p.mu.Unlock()
	}
	return injected, passed
}

// missingFaults lists the ways to fail that did not come about yet.
func missingFaults(proxies ...*faultProxy) (missing []string) {
	injected, _ := countFaults(proxies...)
	for _, c := range newDeck(rand.New(rand.NewPCG(0, 0))) {
		if injected[c.String()] == 0 {
			missing = append(missing, c.String())
		}
	}
	return missing
}

// describeWrite names the items that a call writes, if it does; their order in a batch
// is kept.
func describeWrite(r *http.Request) string {
	if !harness.IsStorageCall(r) || !harness.IsWrite(r) {
		return ""
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return ""
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	what := fmt.Sprintf("%s %s %s", r.Method, parts[3], strings.Join(parts[5:], "/"))
	var batch []struct {
		OperationType, ID string
		ResourceBody      struct{ ID string }
	}
	if json.Unmarshal(body, &batch) != nil {
		return what + " " + string(body[:min(len(body), 300)])
	}
	for _, op := range batch {
		what += fmt.Sprintf(" %s %s", op.OperationType, cmp.Or(op.ID, op.ResourceBody.ID))
	}
	return what
}

func refuse(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("x-ms-activity-id", r.Header.Get("x-ms-activity-id"))
	h.Set("x-ms-request-charge", "0")
	switch status {
	case http.StatusTooManyRequests:
		h.Set("x-ms-substatus", "3200")
		h.Set("x-ms-retry-after-ms", strconv.Itoa(20))
	case http.StatusGone:
		if r.Header.Get("A-IM") != "" {
			h.Set("x-ms-substatus", "1002") // the feed range is gone: ask for those that there are
		}
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"code":%q,"message":"failed on purpose"}`, strings.ReplaceAll(http.StatusText(status), " ", ""))
}

// sendHalf sends an answer's head, which promises all of the body, and half of that.
func sendHalf(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	body := answer.Body.Bytes()
	if len(body) == 0 {
		return
	}
	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	_, _ = io.Copy(w, bytes.NewReader(body[:len(body)/2])) // the caller may have gone
	_ = http.NewResponseController(w).Flush()
}
