package schedule

import "github.com/prometheus/client_golang/prometheus"

// Metrics are the Prometheus metrics of the schedulers.
type Metrics struct{ posts, deletions, continuations, embeds, purges *taskMetrics }

// taskMetrics are the metrics of one task.
type taskMetrics struct {
	late      prometheus.Histogram
	abandoned prometheus.Counter
	retries   prometheus.Counter
}

// NewMetrics returns the metrics and registers them with r, unless r is nil.
func NewMetrics(r prometheus.Registerer) *Metrics {
	return &Metrics{
		posts: newTaskMetrics(r, "inkfeed_schedule_",
			"Delay of publishing scheduled posts after their time.",
			"Scheduled posts that could not be published and are drafts again.",
			"Failed attempts to publish a scheduled post that are repeated."),
		deletions: newTaskMetrics(r, "inkfeed_departures_",
			"Delay of deleting accounts after their scheduled time.",
			"Accounts whose scheduled deletion was not possible and was cancelled.",
			"Failed attempts to delete an account at its scheduled time that are repeated."),
		continuations: newTaskMetrics(r, "inkfeed_continuations_",
			"Delay of continuing renames and deletions of accounts after the time when their budgets allow it.",
			"Continuations of renames and deletions that were not possible. It stays zero.",
			"Failed attempts to continue a rename or the deletion of an account that are repeated."),
		embeds: newTaskMetrics(r, "inkfeed_embeds_",
			"Delay of fetching the embeds of posts.",
			"Posts whose embeds were given up for an unknown reason.",
			"Failed attempts to store the embeds of a post that are repeated."),
		purges: newTaskMetrics(r, "inkfeed_trash_",
			"Delay of deleting posts from the trash after their time.",
			"Posts that could not be deleted from the trash. It stays zero.",
			"Failed attempts to delete a post from the trash that are repeated."),
	}
}

func newTaskMetrics(r prometheus.Registerer, prefix, late, abandoned, retries string) *taskMetrics {
	m := &taskMetrics{
		late: prometheus.NewHistogram(prometheus.HistogramOpts{Name: prefix + "late_seconds", Help: late,
			Buckets: []float64{0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600}}),
		abandoned: prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + "put_back_total", Help: abandoned}),
		retries:   prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + "retries_total", Help: retries}),
	}
	if r != nil {
		r.MustRegister(m.late, m.abandoned, m.retries)
	}
	return m
}

// orUnregistered returns m, or metrics that nothing collects if m is nil.
func (m *Metrics) orUnregistered() *Metrics {
	if m == nil {
		return NewMetrics(nil)
	}
	return m
}
