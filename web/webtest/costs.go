package webtest

import (
	"math"
	"math/rand/v2"
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/dependency"
)

// StoreCosts stores what two instances measured in the last hour, day and month, in which Q3 costs the most. The posts
// with these ids are among the hottest partitions.
func (d *Database) StoreCosts(postIDs ...string) {
	d.T.Helper()
	sources := []struct {
		costs.Source
		requests, charge float64 // a second; RU for each request
		latency          time.Duration
	}{
		{costs.Source{Operation: "Q3", Container: "users"}, 9, 7.2, 4 * time.Millisecond},
		{costs.Source{Operation: "Q2", Container: "posts"}, 11, 1.02, 2 * time.Millisecond},
		{costs.Source{Operation: "Q6", Container: "feed"}, 1, 6.1, 4 * time.Millisecond},
		{costs.Source{Operation: "C3", Container: "posts"}, 0.2, 19.05, 9 * time.Millisecond},
		{costs.Source{Operation: "C4", Container: "posts"}, 0.5, 19.05, 8 * time.Millisecond},
		{costs.Source{Operation: "copy-to-users", Container: "users"}, 0.5, 11.1, 7 * time.Millisecond},
		{costs.Source{Operation: "copy-to-feed", Container: "feed"}, 0.3, 10.7, 8 * time.Millisecond},
		{costs.Source{Operation: "changes-posts", Container: "posts"}, 4, 1.1, 3 * time.Millisecond},
		{costs.Source{Operation: "pages-users", Container: "users"}, 2, 1, 3 * time.Millisecond},
		{costs.Source{Operation: "session", Container: "sessions"}, 1.5, 1, 2 * time.Millisecond},
		{costs.Source{Operation: "leases", Container: "leases"}, 0.2, 10.5, 6 * time.Millisecond},
		{costs.Source{Operation: "count", Container: "limits"}, 0.2, 10.3, 6 * time.Millisecond},
		{costs.Source{Operation: "sdk"}, 0.1, 2, 5 * time.Millisecond},
		{costs.Source{Operation: "costs", Container: "costs"}, 0.02, 9.3, 8 * time.Millisecond},
	}
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Now()
	for _, span := range costs.Spans() {
		step := span.Step()
		for n := range int(span.Length() / step) {
			start := now.UTC().Truncate(step).Add(-time.Duration(n+1) * step)
			load := 1.2 + math.Sin(float64(n)/8) + 0.2*random.Float64()
			for _, instance := range []string{"web-1-17-ABCDEFGH", "web-2-9-IJKLMNOP"} {
				i := costs.Interval{Span: span, Begin: start, End: start.Add(step), Instance: instance,
					Figures: make(map[costs.Source]costs.Figures),
					Cache:   costs.CacheFigures{Hits: int(80 * load), Requests: int(100 * load)}}
				for _, s := range sources {
					f := costs.Figures{Requests: max(1, int(s.requests*load*step.Seconds()/2))}
					f.Charge = float64(f.Requests) * s.charge
					for range min(f.Requests, 200) {
						f.Latency.Observe(time.Duration(float64(s.latency) * (0.5 + random.ExpFloat64())))
					}
					if n == 7 && s.Operation == "Q3" {
						f.Throttled = f.Requests / 10
					}
					i.Figures[s.Source] = f
				}
				total := i.Total().Charge
				i.BusiestMinute, i.BusiestAt = 1.3*total/step.Seconds(), start
				i.Partitions = []costs.Partition{{PartitionRef: dependency.PartitionRef{Container: "feed", Key: "post"},
					Charge: total / 20}}
				for n, id := range postIDs {
					i.Partitions = append(i.Partitions, costs.Partition{PartitionRef: dependency.PartitionRef{
						Container: "posts", Key: id}, Charge: total / float64(30+10*n), Excess: total / 400})
				}
				d.Must(d.Store.Costs.Put(d.Context(), i))
			}
		}
	}
}
