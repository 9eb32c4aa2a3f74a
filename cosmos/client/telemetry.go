package client

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the Prometheus metrics of storage requests, by the name of their [Operation].
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
	operation := a.Operation.String()
	m.requests.WithLabelValues(operation, strconv.Itoa(a.Status)).Inc()
	m.charge.WithLabelValues(operation).Add(a.Charge)
	m.latency.WithLabelValues(operation).Observe(a.Latency.Seconds())
	throttles := m.throttles.WithLabelValues(operation) // begins at 0: a rate needs a value before the first refusal
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

type usageKey struct{}

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
