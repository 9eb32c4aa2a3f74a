package metering

import (
	"math"
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/schema"
)

// intervalItem is a [costs.Interval] in the container costs.
type intervalItem struct {
	ID         string            `json:"id"`
	Type       string            `json:"type"`
	Span       costs.Span        `json:"span"`
	Begin      schema.Instant    `json:"begin"`
	End        schema.Instant    `json:"end"`
	Instance   string            `json:"instance"`
	Busiest    float64           `json:"busiestMinute"` // RU per second
	BusiestAt  schema.Instant    `json:"busiestAt"`
	Figures    []figuresItem     `json:"figures"`
	Partitions []partitionItem   `json:"partitions"`
	Unlisted   float64           `json:"unlisted,omitempty"` // RU; no other partition was charged more
	Cache      *cacheFiguresItem `json:"cache,omitempty"`
	TTL        int               `json:"ttl"`
}

type figuresItem struct {
	Operation  string  `json:"operation"`
	Container  string  `json:"container,omitempty"`
	Requests   int     `json:"requests"`
	Charge     float64 `json:"charge"`
	Estimated  float64 `json:"estimated,omitempty"`
	Unanswered int     `json:"unanswered,omitempty"`
	Throttled  int     `json:"throttled,omitempty"`
	// Latency has the index of a bucket and the number of its requests, one after the other, for each bucket that has
	// requests.
	Latency []int `json:"latency"`
}

type partitionItem struct {
	Container string  `json:"container"`
	Key       string  `json:"key"`
	Charge    float64 `json:"charge"`
	Excess    float64 `json:"excess,omitempty"`
}

type cacheFiguresItem struct {
	Hits     int `json:"hits"`
	Requests int `json:"requests"`
}

func itemOf(i costs.Interval) intervalItem {
	item := intervalItem{ID: i.Begin.UTC().Format(schema.InstantLayout) + "~" + i.Instance, Type: schema.TypeCosts,
		Span: i.Span, Begin: schema.Instant(i.Begin), End: schema.Instant(i.End), Instance: i.Instance,
		Busiest: rounded(i.BusiestMinute), BusiestAt: schema.Instant(i.BusiestAt), Unlisted: rounded(i.Unlisted),
		Figures: []figuresItem{}, Partitions: []partitionItem{},
		TTL: int(i.Span.Keep() / time.Second)}
	for source, f := range i.Figures {
		item.Figures = append(item.Figures, figuresItem{Operation: source.Operation, Container: source.Container,
			Requests: f.Requests, Charge: rounded(f.Charge), Estimated: rounded(f.Estimated), Unanswered: f.Unanswered,
			Throttled: f.Throttled, Latency: sparse(f.Latency)})
	}
	for _, p := range i.Partitions {
		item.Partitions = append(item.Partitions,
			partitionItem{p.Container, p.Key, rounded(p.Charge), rounded(p.Excess)})
	}
	if i.Cache.Requests > 0 {
		item.Cache = &cacheFiguresItem{i.Cache.Hits, i.Cache.Requests}
	}
	return item
}

func (i intervalItem) domain() costs.Interval {
	interval := costs.Interval{Span: i.Span, Begin: time.Time(i.Begin), End: time.Time(i.End), Instance: i.Instance,
		BusiestMinute: i.Busiest, BusiestAt: time.Time(i.BusiestAt), Unlisted: i.Unlisted,
		Figures: make(map[costs.Source]costs.Figures, len(i.Figures))}
	for _, f := range i.Figures {
		interval.Figures[costs.Source{Operation: f.Operation, Container: f.Container}] = costs.Figures{
			Requests: f.Requests, Charge: f.Charge, Estimated: f.Estimated, Unanswered: f.Unanswered,
			Throttled: f.Throttled, Latency: dense(f.Latency)}
	}
	for _, p := range i.Partitions {
		interval.Partitions = append(interval.Partitions, costs.Partition{
			PartitionRef: dependency.PartitionRef{Container: p.Container, Key: p.Key}, Charge: p.Charge,
			Excess: p.Excess})
	}
	if i.Cache != nil {
		interval.Cache = costs.CacheFigures{Hits: i.Cache.Hits, Requests: i.Cache.Requests}
	}
	return interval
}

// rounded rounds to hundredths, in which the service states charges. Sums have more digits, which only take space.
func rounded(charge float64) float64 { return math.Round(charge*100) / 100 }

func sparse(h costs.Histogram) []int {
	pairs := []int{}
	for i, n := range h {
		if n > 0 {
			pairs = append(pairs, i, n)
		}
	}
	return pairs
}

func dense(pairs []int) (h costs.Histogram) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if bucket := pairs[i]; bucket >= 0 && bucket < len(h) {
			h[bucket] = pairs[i+1]
		}
	}
	return h
}
