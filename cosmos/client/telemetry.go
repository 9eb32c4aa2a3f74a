package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/domain/dependency"
)

// Metrics are the Prometheus metrics of storage requests, by operation. Operations are the model's
// C1 to Q6 and the other names that the stores pass to [Operation].
type Metrics struct {
	requests  *prometheus.CounterVec
	charge    *prometheus.CounterVec
	latency   *prometheus.HistogramVec
	throttles *prometheus.CounterVec
}

// NewMetrics registers the metrics with r.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inkfeed_cosmos_requests_total",
			Help: "Requests sent to Cosmos DB, each attempt counted, by operation and HTTP status (0: no answer).",
		}, []string{"operation", "status"}),
		charge: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inkfeed_cosmos_request_charge_total",
			Help: "Request units charged, by operation.",
		}, []string{"operation"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "inkfeed_cosmos_request_seconds",
			Help:    "Time from sending a request to Cosmos DB to its answer, each attempt alone, by operation.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2.5, 14),
		}, []string{"operation"}),
		throttles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inkfeed_cosmos_throttles_total",
			Help: "Requests refused with 429, by operation.",
		}, []string{"operation"}),
	}
	r.MustRegister(m.requests, m.charge, m.latency, m.throttles)
	return m
}

// Observe adds an attempt to the metrics.
func (m *Metrics) Observe(_ context.Context, a Attempt) {
	m.requests.WithLabelValues(a.Operation, strconv.Itoa(a.Status)).Inc()
	m.charge.WithLabelValues(a.Operation).Add(a.Charge)
	m.latency.WithLabelValues(a.Operation).Observe(a.Latency.Seconds())
	throttles := m.throttles.WithLabelValues(a.Operation) // begins at 0: a rate needs a value before the first refusal
	if a.Status == http.StatusTooManyRequests {
		throttles.Inc()
	}
}

// Usage adds up the cost of the requests made under one context. Its methods are safe for concurrent
// use.
type Usage struct {
	outer    *Usage // of the context around, which counts the requests too
	mu       sync.Mutex
	requests int
	charge   float64
}

// Requests returns the number of requests sent. It does not count requests that were throttled and
// so repeated.
func (u *Usage) Requests() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.requests
}

// Charge returns the sum of the request charges in RU.
func (u *Usage) Charge() float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.charge
}

func (u *Usage) add(charge float64) {
	if u.outer != nil {
		u.outer.add(charge)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.requests++
	u.charge += charge
}

type (
	operationKey struct{}
	usageKey     struct{}
)

// WithUsage returns a context and the usage of the storage requests made under it.
func WithUsage(ctx context.Context) (context.Context, *Usage) {
	u := new(Usage)
	u.outer, _ = ctx.Value(usageKey{}).(*Usage)
	return context.WithValue(ctx, usageKey{}, u), u
}

// Measure returns a context, and a function that returns the sum of the charges of the requests made under it so far.
func Measure(ctx context.Context) (context.Context, func() float64) {
	ctx, u := WithUsage(ctx)
	return ctx, u.Charge
}

// Operation returns a context that names the operation of the requests made under it. The outermost
// name wins, so that an operation that consists of several others counts as one.
func Operation(ctx context.Context, name string) context.Context {
	if _, named := ctx.Value(operationKey{}).(string); named {
		return ctx
	}
	return context.WithValue(ctx, operationKey{}, name)
}

// operationOf returns the name of the context's operation.
func operationOf(ctx context.Context) string {
	if name, ok := ctx.Value(operationKey{}).(string); ok {
		return name
	}
	return "sdk"
}

// Attempt is one attempt of one storage request. The SDK repeats a request that is throttled or fails, so one
// request can be several attempts.
type Attempt struct {
	Operation string // name given to [Operation]; "sdk" for requests of the SDK for its own caches
	// Partition is the logical partition that the request reads or writes. Its container is empty for requests about
	// the account, a database or a container; its key is empty for a query or change feed over several partitions.
	Partition dependency.PartitionRef
	Request   *http.Request // as sent; its body has been read
	Header    http.Header   // of the answer; nil if there was no answer
	Status    int           // HTTP status; 0 if there was no answer
	Charge    float64       // in RU
	Start     time.Time
	Latency   time.Duration // from sending the request to its answer
}

// Observer is told of each attempt of each storage request. Observe runs in the request's goroutine, concurrently
// with others, and must not block.
type Observer interface {
	Observe(ctx context.Context, a Attempt)
}

// recorder is the pipeline policy that records each attempt of each request: with the observers, in the
// usage, and as a partition read or written.
type recorder struct {
	observers []Observer
	onWrite   func(dependency.PartitionRef, dependency.Facets)
}

func (p *recorder) Do(r *policy.Request) (*http.Response, error) {
	ctx := r.Raw().Context()
	part, ok := partOf(r.Raw())
	inspected := inspect(r, part)
	start := time.Now()
	resp, err := r.Next()
	elapsed := time.Since(start)

	status, charge, header := 0, 0.0, http.Header(nil)
	if resp != nil {
		status, header = resp.StatusCode, resp.Header
		charge, _ = strconv.ParseFloat(resp.Header.Get("x-ms-request-charge"), 64)
	}
	if u, ok := ctx.Value(usageKey{}).(*Usage); ok && status != http.StatusTooManyRequests {
		u.add(charge)
	}
	inspected.answered(resp, status, charge, start, elapsed)
	if len(p.observers) > 0 {
		attempt := Attempt{Operation: operationOf(ctx), Partition: part, Request: r.Raw(), Header: header,
			Status: status, Charge: charge, Start: start, Latency: elapsed}
		for _, o := range p.observers {
			o.Observe(ctx, attempt)
		}
	}
	if ok {
		switch {
		case IsRead(r.Raw()):
			dependency.Record(ctx, part, dependency.AllFacets)
		case p.onWrite != nil && mayHaveWritten(status):
			p.onWrite(part, writtenFacets(ctx, r.Raw()))
		}
	}
	return resp, err
}

// facetsWritten lists the facets that an operation may change of the partitions that it writes. An
// operation that is not listed may change all. No cached page shows the writes of an operation with
// no facets.
var facetsWritten = map[string]dependency.Facets{
	"C3":             dependency.FacetComments | dependency.FacetCounts,
	"edit-comment":   dependency.FacetComments | dependency.FacetCounts,
	"delete-comment": dependency.FacetComments | dependency.FacetCounts,

	"C4":            dependency.FacetCounts | dependency.FacetReactions,
	"bookmark":      dependency.FacetReactions,
	"copy-bookmark": dependency.FacetReactions,
	"copy-to-users": dependency.FacetTexts | dependency.FacetCounts,

	"save-draft": 0, "open-draft": 0, "discard-draft": 0, "share-draft": 0, "schedule-draft": 0,
	"complete-image": 0, "describe-image": 0, "import-record": 0,
	"set-credentials": 0,
	"touch-session":   0, "confirm-session": 0, "set-session-version": 0, "end-session": 0,

	"block": dependency.FacetBlocks,

	"begin-image":         dependency.FacetAccount, // counts the user's pictures
	"replace-credentials": dependency.FacetAccount,
	"set-password":        dependency.FacetAccount,
	"end-sessions":        dependency.FacetAccount,
	"notify":              dependency.FacetAccount,
	"see-notifications":   dependency.FacetAccount,
}

// writtenFacets returns the facets that a request of the context's operation may change. A transaction of an operation
// without facets may change the counts in the user item.
func writtenFacets(ctx context.Context, r *http.Request) dependency.Facets {
	name, _ := ctx.Value(operationKey{}).(string)
	if facets, ok := facetsWritten[name]; ok {
		if facets == 0 && isBatch(r) {
			return dependency.FacetAccount
		}
		return facets
	}
	return dependency.AllFacets
}

// IsRead reports whether a request only reads. Queries are POST requests with a header of their own.
func IsRead(r *http.Request) bool {
	return r.Method == http.MethodGet || strings.EqualFold(r.Header.Get("x-ms-documentdb-query"), "true")
}

func isBatch(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("x-ms-cosmos-is-batch-request"), "true")
}

// mayHaveWritten reports whether items may have changed during a write that was answered with the
// status. They may have if there was no answer (0) or if the service gave up. They may also have if a
// condition failed, because an earlier attempt of the write may have caused that.
func mayHaveWritten(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed:
		return true
	}
	return status < 300 || status >= 500
}

// partOf returns the logical partition that a request reads or writes. A query over all partitions
// has no key.
func partOf(r *http.Request) (part dependency.PartitionRef, ok bool) {
	part.Container = ContainerOf(r.URL.Path)
	var key []string // the keys of all containers are single strings
	if json.Unmarshal([]byte(r.Header.Get(KeyHeader)), &key) == nil && len(key) == 1 {
		part.Key = key[0]
	}
	return part, part.Container != ""
}

// ContainerOf returns the container's name in the resource path of an item or query, and "" for other
// paths.
func ContainerOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(parts) >= 5 && parts[0] == "dbs" && parts[2] == "colls" && parts[4] == "docs" {
		return parts[3]
	}
	return ""
}
