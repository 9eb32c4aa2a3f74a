package workers

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the Prometheus metrics of the processors, by processor.
type Metrics struct {
	changes  *prometheus.CounterVec
	failures *prometheus.CounterVec
	leases   *prometheus.GaugeVec
	seconds  *prometheus.HistogramVec
}

// NewMetrics makes the metrics and registers them with r, unless it is nil.
func NewMetrics(r prometheus.Registerer) *Metrics {
	label := []string{"processor"}
	m := &Metrics{
		changes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inkfeed_workers_changes_total",
			Help: "Changes projected, repetitions included.",
		}, label),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inkfeed_workers_failures_total",
			Help: "Pages of changes that failed to project and will be tried again.",
		}, label),
		leases: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "inkfeed_workers_leases",
			Help: "Leases that this instance owns.",
		}, label),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "inkfeed_workers_batch_seconds",
			Help:    "Time to project one page of changes.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12),
		}, label),
	}
	if r != nil {
		r.MustRegister(m.changes, m.failures, m.leases, m.seconds)
	}
	return m
}

func (m *Metrics) batch(processor string, changes int, elapsed time.Duration) {
	m.changes.WithLabelValues(processor).Add(float64(changes))
	m.seconds.WithLabelValues(processor).Observe(elapsed.Seconds())
}
