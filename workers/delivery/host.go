package delivery

import (
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// maxPause is the longest pause after the failure of a host.
const maxPause = 5 * time.Minute

// host is what the dispatcher knows of the host of some destinations. The dispatcher's mutex guards it.
type host struct {
	lanes    map[string]int // the destinations that are delivered to now
	failures int            // in a row
	answer   string         // of the last failure
	paused   time.Time      // until when nothing is delivered
	pauses   *loop.Backoff
	log      *loop.FailureLog
}

// sighting is when the dispatcher first saw that another one owns a destination and has renewed it that often.
type sighting struct {
	owner    string
	renewals int
	since    time.Time
}

// ready returns when a destination can be delivered to, as far as this is known, and zero if another destination of the
// host must end first.
func (d *Dispatcher) ready(one domain.Destination) time.Time {
	route := d.transport.Route(one.Name)
	h := d.hosts[route.Host]
	if h == nil { // perhaps another process has seen it fail
		paused := one.Paused
		if most := time.Now().Add(longestPause); paused.After(most) { // by a clock that is wrong
			paused = most
		}
		h = &host{lanes: make(map[string]int), failures: one.Failures, answer: one.Answer, paused: paused,
			pauses: loop.NewBackoffUpTo(maxPause), log: loop.NewFailureLog(
				d.options.Logger.With("host", route.Host), "a receiver of deliveries fails")}
		d.hosts[route.Host] = h
		if h.failures > 0 {
			d.options.Metrics.paused.Inc()
		}
		for range min(one.Failures, 20) {
			h.pauses.NextBackOff()
		}
	}
	at := one.Due
	if one.Owner != "" && one.Owner != d.owner {
		s := sighting{one.Owner, one.Renewals, d.seen[one.Name].since}
		if s != d.seen[one.Name] {
			s.since = time.Now()
			d.seen[one.Name] = s
		}
		at = later(at, s.since.Add(d.options.Lease))
	}
	at = later(at, h.paused)
	if !at.After(time.Now()) && (h.lanes[route.Lane] >= route.Limit || h.failures > 0 && h.busy()) {
		return time.Time{}
	}
	return at
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (h *host) busy() bool {
	for _, n := range h.lanes {
		if n > 0 {
			return true
		}
	}
	return false
}

// forgetTime is how long a host that fails is remembered after the end of its last pause.
const forgetTime = 24 * time.Hour

// forget forgets the sightings of destinations that are not listed any more, and hosts that do not fail or were not
// tried for a long time.
func (d *Dispatcher) forget(due []domain.Destination) {
	listed, hosts := make(map[string]bool), make(map[string]bool)
	for _, one := range due {
		listed[one.Name], hosts[d.transport.Route(one.Name).Host] = true, true
	}
	for name := range d.seen {
		if !listed[name] {
			delete(d.seen, name)
		}
	}
	for name, h := range d.hosts {
		if !hosts[name] && !h.busy() && (h.failures == 0 || time.Since(h.paused) > forgetTime) {
			if h.failures > 0 {
				d.options.Metrics.paused.Dec()
			}
			delete(d.hosts, name)
		}
	}
}

// failed pauses a host after a failure.
func (d *Dispatcher) failed(h *host, err *domain.DeliveryError) {
	d.mu.Lock()
	defer d.mu.Unlock()
	pause := max(h.pauses.NextBackOff(), min(err.After, longestPause))
	if h.failures == 0 {
		d.options.Metrics.paused.Inc()
	}
	h.failures++
	h.answer, h.paused = err.Answer, time.Now().Add(pause)
	h.log.Failed(err)
}

// succeeded ends the pauses of a host.
func (d *Dispatcher) succeeded(h *host) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h.failures == 0 {
		return
	}
	d.options.Metrics.paused.Dec()
	h.failures, h.answer, h.paused = 0, "", time.Time{}
	h.pauses.Reset()
	h.log.Succeeded()
	d.Wake() // for the other destinations
}
