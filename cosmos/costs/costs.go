// Package costs adds up what the requests to the storage cost, and derives reports, advice and bills from the sums.
//
// cosmos/metering measures the requests of an instance and stores the sums; the page /admin/costs shows them.
package costs

import "time"

// Span is a period for which costs are shown. It is also the key of the logical partition with its intervals.
type Span string

// The spans, each with intervals of its own length.
const (
	Hour  Span = "hour"
	Day   Span = "day"
	Month Span = "month"
)

// Spans returns all spans, the shortest first.
func Spans() []Span { return []Span{Hour, Day, Month} }

// Step returns the length of the span's intervals.
func (s Span) Step() time.Duration {
	switch s {
	case Day:
		return 30 * time.Minute
	case Month:
		return 12 * time.Hour
	}
	return time.Minute
}

// Length returns the length of the span. A month has 30 days.
func (s Span) Length() time.Duration {
	switch s {
	case Day:
		return 24 * time.Hour
	case Month:
		return 30 * 24 * time.Hour
	}
	return time.Hour
}

// Keep returns how long an interval is stored after it was last written: until it has left the span.
func (s Span) Keep() time.Duration { return s.Length() + s.Step() }

// Source names what requests were made for.
type Source struct {
	Operation string // such as "Q3" or "copy-to-feed"
	Container string // empty: requests about the account, the database or a container
}

// Figures are sums over requests.
type Figures struct {
	Requests int     // attempts, so that a repeated request counts several times
	Charge   float64 // in RU, Estimated included
	// Estimated is the part of Charge that no answer stated. A request without an answer, or with an error of the
	// service that states no charge, may have been carried out and charged. It counts as the average of its source.
	Estimated  float64
	Unanswered int // requests of which the charge is unknown
	Throttled  int // refused with 429
	Latency    Histogram
}

// Add adds other sums.
func (f *Figures) Add(o Figures) {
	f.Requests += o.Requests
	f.Charge += o.Charge
	f.Estimated += o.Estimated
	f.Unanswered += o.Unanswered
	f.Throttled += o.Throttled
	f.Latency.Add(o.Latency)
}

// CacheFigures count the requests for cacheable pages.
type CacheFigures struct{ Hits, Requests int }

// Add adds other counts.
func (c *CacheFigures) Add(o CacheFigures) {
	c.Hits += o.Hits
	c.Requests += o.Requests
}

// Interval is what one instance measured in one interval.
type Interval struct {
	Span       Span
	Begin, End time.Time // between which the instance measured; Begin may be inside a step of the span
	Instance   string
	// BusiestMinute is the average of the busiest minute, in RU per second. BusiestAt is when that minute began.
	BusiestMinute float64
	BusiestAt     time.Time
	Figures       map[Source]Figures
	Partitions    []Partition // the hottest, the hottest first
	Unlisted      float64     // in RU; no partition that is not in Partitions was charged more
	Cache         CacheFigures
}

// Start returns the start of the step in which the interval begins.
func (i Interval) Start() time.Time { return i.Begin.UTC().Truncate(i.Span.Step()) }

// Total returns the sums over all sources.
func (i Interval) Total() (total Figures) {
	for _, f := range i.Figures {
		total.Add(f)
	}
	return total
}

// Size is how much a container stores.
type Size struct {
	Items int
	Bytes int64 // of items and indexes
}
