package delivery

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/domain"
)

// Metrics are the Prometheus metrics of a dispatcher.
type Metrics struct {
	attempts *prometheus.CounterVec
	delay    *prometheus.HistogramVec
	paused   prometheus.Gauge
	due      *prometheus.GaugeVec
	overdue  *prometheus.GaugeVec
}

// The outcomes of attempts.
const (
	delivered      = "delivered"
	repeated       = "repeated"
	dropped        = "dropped"
	receiverFailed = "receiver_failed"
	nothingToDo    = "nothing_to_deliver"
)

// NewMetrics returns the metrics and registers them with r, unless r is nil.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inkfeed_deliveries_attempts_total",
			Help: "Attempts to deliver, by the class of the destination and the outcome."},
			[]string{"class", "outcome"}),
		delay: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "inkfeed_deliveries_delay_seconds",
			Help:    "Time from storing a delivery to its acceptance, by the class of the destination.",
			Buckets: []float64{0.1, 0.5, 1, 5, 30, 60, 300, 1800, 3600, 6 * 3600, 24 * 3600}}, []string{"class"}),
		paused: prometheus.NewGauge(prometheus.GaugeOpts{Name: "inkfeed_deliveries_paused_hosts",
			Help: "Receivers of deliveries that fail and are tried at growing intervals."}),
		due: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "inkfeed_deliveries_due_destinations",
			Help: "Destinations with deliveries that are due, by their class."}, []string{"class"}),
		overdue: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "inkfeed_deliveries_overdue_seconds",
			Help: "For how long the first due delivery has been due, by the class of the destination."},
			[]string{"class"}),
	}
	for _, class := range classes { // so that the first event is an increase
		for _, outcome := range []string{delivered, repeated, dropped, receiverFailed} {
			m.attempts.WithLabelValues(class, outcome)
		}
		m.delay.WithLabelValues(class)
	}
	if r != nil {
		r.MustRegister(m.attempts, m.delay, m.paused, m.due, m.overdue)
	}
	return m
}

// classes are the classes of destinations.
var classes = [...]string{domain.UrgentMail, "mail", "timelines", "mailings", "imports"}

// classOf returns the class of a destination. There is a small number of classes.
func classOf(destination string) string {
	if destination == domain.UrgentMail {
		return destination
	}
	class, _, _ := strings.Cut(destination, ":")
	return class
}

// backlog records which destinations are due.
func (m *Metrics) backlog(due []domain.Destination, now time.Time) {
	number, overdue := make(map[string]int), make(map[string]time.Duration)
	for _, d := range due {
		if late := now.Sub(d.Due); late >= 0 {
			class := classOf(d.Name)
			number[class]++
			overdue[class] = max(overdue[class], late)
		}
	}
	for _, class := range classes {
		m.due.WithLabelValues(class).Set(float64(number[class]))
		m.overdue.WithLabelValues(class).Set(overdue[class].Seconds())
	}
}

// outcome counts an attempt.
func (m *Metrics) outcome(d domain.Delivery, outcome string) {
	class := classOf(d.Destination)
	m.attempts.WithLabelValues(class, outcome).Inc()
	if outcome == delivered {
		m.delay.WithLabelValues(class).Observe(time.Since(d.Created).Seconds())
	}
}
