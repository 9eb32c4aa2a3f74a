package schedule

import "github.com/prometheus/client_golang/prometheus"

// Metrics are the Prometheus metrics of the schedulers.
type Metrics struct{ posts, departures *scheduleMetrics }

// NewMetrics makes the metrics and registers them with r, unless it is nil.
func NewMetrics(r prometheus.Registerer) *Metrics {
	return &Metrics{posts: newScheduleMetrics(r), departures: newDepartureMetrics(r)}
}

// scheduleMetrics are those of a scheduler.
type scheduleMetrics struct {
	late     prometheus.Histogram
	putBack  prometheus.Counter
	failures prometheus.Counter
}

func newScheduleMetrics(r prometheus.Registerer) *scheduleMetrics {
	return scheduleMetricsOf(r, "inkfeed_schedule_", "By how much scheduled posts were published after their time.",
		"Scheduled posts that could not be published and are drafts again.", "Attempts at publishing a scheduled post that are made again.")
}

func newDepartureMetrics(r prometheus.Registerer) *scheduleMetrics {
	return scheduleMetricsOf(r, "inkfeed_departures_", "By how much accounts were deleted after their time.",
		"Accounts that could not be deleted at their time and stay.", "Attempts at deleting an account at its time that are made again.")
}

func scheduleMetricsOf(r prometheus.Registerer, name, late, putBack, retries string) *scheduleMetrics {
	m := &scheduleMetrics{
		late: prometheus.NewHistogram(prometheus.HistogramOpts{Name: name + "late_seconds", Help: late,
			Buckets: []float64{0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600}}),
		putBack:  prometheus.NewCounter(prometheus.CounterOpts{Name: name + "put_back_total", Help: putBack}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{Name: name + "retries_total", Help: retries}),
	}
	if r != nil {
		r.MustRegister(m.late, m.putBack, m.failures)
	}
	return m
}
