package tailer

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Behind returns how far the follower is behind the feed, without a request to the storage. It is 0 if every range was
// at its end at the last poll. Otherwise it is the age of the last change that was applied, or the time since the last
// successful read.
func (t *Tailer[T]) Behind() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.readers) == 0 && !t.began.IsZero() {
		return time.Since(t.began)
	}
	var most time.Duration
	for _, r := range t.readers {
		most = max(most, r.behind())
	}
	return most
}

// Current returns a time before which every change has been applied. It is zero until the end of every range has been
// reached once. The time is the start of the last read that reached the end of its range, in the range where that is
// longest ago.
func (t *Tailer[T]) Current() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	var oldest time.Time
	for _, r := range t.readers {
		at := r.currentAt()
		if at.IsZero() {
			return at
		}
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}

// Name returns the tailer's name in logs and metrics.
func (t *Tailer[T]) Name() string { return t.name }

// CatchingUp returns how long the tailer has been reading without having reached the end of every
// feed range. Once it has reached them all, CatchingUp returns 0, however far the tailer falls
// behind later.
func (t *Tailer[T]) CatchingUp() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	complete := len(t.readers) > 0
	for _, r := range t.readers {
		complete = complete && r.reached().Complete
	}
	if complete || t.began.IsZero() {
		return 0
	}
	return time.Since(t.began)
}

// Metrics returns Behind and CatchingUp as Prometheus gauges.
func (t *Tailer[T]) Metrics() []prometheus.Collector {
	gauge := func(name, help string, value func() time.Duration) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: name, Help: help, ConstLabels: prometheus.Labels{"tailer": t.name},
		}, func() float64 { return value().Seconds() })
	}
	return []prometheus.Collector{
		gauge("inkfeed_tailer_behind_seconds",
			"How far this instance's tailer of a change feed is behind; 0 when it is not.", t.Behind),
		gauge("inkfeed_tailer_catching_up_seconds",
			"How long a tailer has been reading without having reached the end of its change feed; 0 once it has.",
			t.CatchingUp),
	}
}
