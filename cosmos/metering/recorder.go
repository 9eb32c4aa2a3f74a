package metering

import (
	"context"
	"net/http"
	"sync"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Recorder adds up the costs of all requests of a process. It is a [client.Observer]. [Recorder.Run] stores the sums.
type Recorder struct {
	instance string

	mu     sync.Mutex
	latest tally // since the last minute was stored
	// averages has the mean charge of the successful requests of each source, for those whose charge is unknown.
	averages map[costs.Source]average
	cache    func() costs.CacheFigures // since the start of the process; nil without a cache
	counted  costs.CacheFigures        // the part of it that is in tallies

	day, month spanTally // used by Run alone
}

// average is a mean of charges.
type average struct {
	charge   float64 // in all
	requests int
}

// tally is what was measured in some time.
type tally struct {
	begin   time.Time
	figures map[costs.Source]*costs.Figures
	hottest costs.Hottest
	cache   costs.CacheFigures
}

func newTally(begin time.Time) tally {
	return tally{begin: begin, figures: make(map[costs.Source]*costs.Figures)}
}

// NewRecorder returns a recorder of a process. The name of the instance must differ from those of all other processes,
// former ones included.
func NewRecorder(instance string) *Recorder {
	return &Recorder{instance: instance, latest: newTally(time.Now()), averages: make(map[costs.Source]average),
		day: spanTally{span: costs.Day}, month: spanTally{span: costs.Month}}
}

// FollowCache adds the counts of the page cache to the measurements. The function returns them since the start of the
// process.
func (r *Recorder) FollowCache(counts func() costs.CacheFigures) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cache = counts
}

// Observe adds an attempt of a request. It implements [client.Observer].
func (r *Recorder) Observe(_ context.Context, a client.Attempt) {
	source := costs.Source{Operation: a.Operation.String(), Container: a.Partition.Container}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.latest.figures[source]
	if f == nil {
		f = new(costs.Figures)
		r.latest.figures[source] = f
	}
	charge := a.Charge
	f.Requests++
	f.Latency.Observe(a.Latency)
	switch mean := r.averages[source]; {
	case isUncertain(a):
		f.Unanswered++
		if mean.requests > 0 {
			charge = mean.charge / float64(mean.requests)
			f.Estimated += charge
		}
	case a.Status == http.StatusTooManyRequests:
		f.Throttled++
	case a.Status < 300:
		r.averages[source] = average{mean.charge + charge, mean.requests + 1}
	}
	f.Charge += charge
	if isTracked(a.Partition) {
		r.latest.hottest.Add(costs.Partition{PartitionRef: a.Partition, Charge: charge})
	}
}

// isUncertain reports whether the charge of an attempt is unknown. The service may have carried out, and charged, a
// request that got no answer, or an error of the service that states no charge.
func isUncertain(a client.Attempt) bool {
	return a.Status == 0 || a.Charge == 0 && (a.Status == http.StatusRequestTimeout || a.Status >= 500)
}

// isTracked reports whether a logical partition may appear among the hottest. Only partitions of content, those of
// users, and those with fixed keys may. The keys of others are usernames, former addresses, and digests of secrets and
// of visitors' addresses, which must not outlive their items.
func isTracked(p dependency.PartitionRef) bool {
	switch p.Container {
	case schema.PostsContainer, schema.FeedContainer, schema.TagsContainer, schema.ScheduleContainer,
		schema.ModerationContainer, schema.LeasesContainer, schema.DeadLettersContainer, schema.CostsContainer,
		schema.DeliveriesContainer:
		return p.Key != ""
	case schema.UsersContainer:
		return domain.IsUserID(p.Key)
	}
	return false
}

// take returns what was measured since the last call.
func (r *Recorder) take(now time.Time) tally {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.latest
	r.latest = newTally(now)
	if r.cache != nil {
		counts := r.cache()
		taken.cache = costs.CacheFigures{Hits: counts.Hits - r.counted.Hits,
			Requests: counts.Requests - r.counted.Requests}
		r.counted = counts
	}
	return taken
}

// busiest is the busiest minute of a tally.
type busiest struct {
	rate float64   // in RU per second
	at   time.Time // when the minute began
}

// merge adds another tally.
func (t *tally) merge(o *tally) {
	for source, f := range o.figures {
		if t.figures[source] == nil {
			t.figures[source] = new(costs.Figures)
		}
		t.figures[source].Add(*f)
	}
	t.hottest.Merge(&o.hottest)
	t.cache.Add(o.cache)
}

// charge returns the sum of all charges in RU.
func (t *tally) charge() (sum float64) {
	for _, f := range t.figures {
		sum += f.Charge
	}
	return sum
}

// interval returns the tally as an interval of a span.
func (t *tally) interval(span costs.Span, instance string, end time.Time, b busiest) costs.Interval {
	i := costs.Interval{Span: span, Begin: t.begin, End: end, Instance: instance,
		BusiestMinute: b.rate, BusiestAt: b.at, Figures: make(map[costs.Source]costs.Figures, len(t.figures)),
		Cache: t.cache}
	i.Partitions, i.Unlisted = t.hottest.Stored()
	for source, f := range t.figures {
		i.Figures[source] = *f
	}
	return i
}
