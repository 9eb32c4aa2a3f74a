package changefeed

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the Prometheus metrics of the processors, labelled by processor. Each scrape estimates the lag of all
// feed ranges, whichever instance reads them. So every instance reports a range that no instance reads.
type Metrics struct {
	batches *prometheus.CounterVec
	changes *prometheus.CounterVec
	retries *prometheus.CounterVec
	letters *prometheus.CounterVec
	leases  *prometheus.GaugeVec
	seconds *prometheus.HistogramVec
	lag     *lagCollector
}

// NewMetrics returns the metrics and registers them with r, unless r is nil.
func NewMetrics(r prometheus.Registerer) *Metrics {
	label := []string{"processor"}
	counter := func(name, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inkfeed_workers_" + name, Help: help}, label)
	}
	m := &Metrics{
		batches: counter("batches_total", "Batches of changes projected, repetitions included."),
		changes: counter("changes_total", "Changes projected, repetitions included."),
		retries: counter("retries_total", "Batches of changes that failed to project and were tried again."),
		letters: counter("dead_letters_total", "Changes stored as dead letters, repetitions included."),
		leases: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "inkfeed_workers_leases",
			Help: "Leases that this instance owns.",
		}, label),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "inkfeed_workers_batch_seconds",
			Help:    "Time to project one batch of changes.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12),
		}, label),
		lag: newLagCollector(),
	}
	if r != nil {
		r.MustRegister(m.batches, m.changes, m.retries, m.letters, m.leases, m.seconds, m.lag)
	}
	return m
}

// announce creates the metrics of a processor with the value 0, so that none is missing before its first event.
func (m *Metrics) announce(processor string) {
	for _, c := range []*prometheus.CounterVec{m.batches, m.changes, m.retries, m.letters} {
		c.WithLabelValues(processor)
	}
	m.leases.WithLabelValues(processor)
	m.seconds.WithLabelValues(processor)
}

func (m *Metrics) batch(processor string, changes int, elapsed time.Duration) {
	m.batches.WithLabelValues(processor).Inc()
	m.changes.WithLabelValues(processor).Add(float64(changes))
	m.seconds.WithLabelValues(processor).Observe(elapsed.Seconds())
}
