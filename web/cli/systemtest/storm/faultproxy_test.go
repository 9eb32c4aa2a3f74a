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
	weight int // relative frequency
	// status is the status of the answer. If it is 0, the proxy cuts the connection: after half of the answer, or
	// without an answer after a delay.
	status       int
	partly, late bool
	// refused means that the status promises that the call was not carried out. So it never replaces the answer to a
	// call that was.
	refused bool
	onWrite bool // the service gives this answer to writes only
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

// faultProxy is a proxy between a process and the engine that fails a share of the storage calls. A failed call is not
// carried out, or it is carried out and its answer is lost. Requests that a process sends only at its start pass.
type faultProxy struct {
	url     string
	forward *httputil.ReverseProxy
	delay   time.Duration // time until the connection is cut without an answer
	report  func(string)

	mu       sync.Mutex
	random   *rand.Rand
	rate     float64        // share of the calls that fail
	planned  []plannedFault // the next faults
	injected map[string]int // number of each fault; the key ends in "lost" if the call was carried out
	passed   int
	charged  float64 // RU, of all answers of the engine, lost ones included
}

// plannedFault is a fault for one call, which may be carried out before. Planned faults are shuffled, so that each kind
// is injected after a while.
type plannedFault struct {
	*fault
	carryOut bool
}

// fits reports whether the fault can be injected into a call. For a read it makes no difference whether the call was
// carried out before its answer was lost, so only one variant fits.
func (c plannedFault) fits(write bool) bool { return write || !c.onWrite && c.carryOut == c.partly }

func (c plannedFault) String() string {
	if c.fault == nil {
		return ""
	}
	if c.carryOut {
		return c.name + ", lost"
	}
	return c.name
}

// planFaults returns each kind of fault as often as its weight says, in random order.
func planFaults(random *rand.Rand) []plannedFault {
	var planned []plannedFault
	for i := range faults {
		f := &faults[i]
		for range f.weight {
			planned = append(planned, plannedFault{f, f.partly})
			if !f.refused {
				planned = append(planned, plannedFault{f, true})
			}
		}
	}
	random.Shuffle(len(planned), func(i, j int) { planned[i], planned[j] = planned[j], planned[i] })
	return planned
}

// newFaultProxy starts a proxy in front of an engine. With http2, concurrent calls share a connection. It calls report
// with a description of each write.
func newFaultProxy(
	t *testing.T, engine string, http2 bool, seed uint64, delay time.Duration, report func(string),
) *faultProxy {
	t.Helper()
	target, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 64}
	p := &faultProxy{delay: delay, report: report, rate: harness.StormFaults,
		random: rand.New(rand.NewPCG(seed, 0)), injected: make(map[string]int)}
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // the engine tells clients to send further requests to this host
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
			p.report(what + " " + c.String())
		}
	}()
	if !ok || c.carryOut {
		p.forward.ServeHTTP(answer, r)
		p.addCharge(answer.Header().Get("x-ms-request-charge"))
		if what != "" {
			what += fmt.Sprint(": ", answer.Code)
		}
	}
	if !ok {
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the caller may have disconnected
		return
	}
	switch {
	case c.status != 0:
		refuse(w, r, c.status)
		return
	case c.late:
		select {
		case <-r.Context().Done():
		case <-time.After(p.delay):
		}
	case c.partly:
		sendHalf(w, answer)
	}
	panic(http.ErrAbortHandler) // cuts the connection
}

// draw returns the fault to inject into a call, if any.
func (p *faultProxy) draw(r *http.Request) (plannedFault, bool) {
	if !harness.IsStorageCall(r) {
		return plannedFault{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.random.Float64() >= p.rate {
		p.passed++
		return plannedFault{}, false
	}
	fits := func(c plannedFault) bool { return c.fits(harness.IsWrite(r)) }
	n := slices.IndexFunc(p.planned, fits)
	if n < 0 {
		p.planned = append(p.planned, planFaults(p.random)...)
		n = slices.IndexFunc(p.planned, fits)
	}
	c := p.planned[n]
	p.planned = slices.Delete(p.planned, n, n+1)
	p.injected[c.String()]++
	return c, true
}

// stopFaults lets all further calls pass.
func (p *faultProxy) stopFaults() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rate = 0
}

// countFaults returns the number of injected faults of each kind and of the storage calls that passed.
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

// missingFaults returns the faults that have not been injected yet.
func missingFaults(proxies ...*faultProxy) (missing []string) {
	injected, _ := countFaults(proxies...)
	for _, c := range planFaults(rand.New(rand.NewPCG(0, 0))) {
		if injected[c.String()] == 0 {
			missing = append(missing, c.String())
		}
	}
	return missing
}

// describeWrite names the items that a call writes, in the order of the batch. It returns "" for other calls.
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

// refuse answers a call with an error status, as the service would.
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
			h.Set("x-ms-substatus", "1002") // the feed range was split: the client must list the ranges again
		}
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"code":%q,"message":"failed on purpose"}`, strings.ReplaceAll(http.StatusText(status), " ", ""))
}

// sendHalf sends the header of an answer, with the length of the whole body, and half of the body.
func sendHalf(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	body := answer.Body.Bytes()
	if len(body) == 0 {
		return
	}
	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	_, _ = io.Copy(w, bytes.NewReader(body[:len(body)/2])) // the caller may have disconnected
	_ = http.NewResponseController(w).Flush()
}
