package costs

import (
	"fmt"
	"time"
)

// RangeLag is how far the projection of a feed range is behind.
type RangeLag struct {
	Processor, Range string
	Owner            string // the instance that owns the lease; empty: none
	Transactions     int64  // beyond the checkpoint
	End              int64  // LSN of the end of the range
	Age              time.Duration
}

// Situation is what advice is derived from.
type Situation struct {
	Report      Report
	Bill        Bill // zero if nothing was measured
	Lags        []RangeLag
	DeadLetters int
}

// Advice is something that an operator should know or do.
type Advice struct {
	Rule string // the name of the rule, for documentation and tests
	Text string
}

// Thresholds of the rules.
const (
	minRequests         = 500 // requests, below which shares mean little
	largeShare          = 0.3 // of all request units, for one operation
	largePollingShare   = 0.5 // of all request units, for reading change feeds
	manyThrottled       = 0.01
	manyUnanswered      = 0.01
	lowHitRate          = 0.5
	slowRequest         = 250 * time.Millisecond // 99th percentile
	longLag             = time.Minute
	hotPartition        = 2500 // RU/s, a quarter of what a physical partition serves
	partitionThroughput = 10_000
	steadyMeasurement   = 12 * time.Hour // from which on a bill is worth comparing
	clearlyCheaper      = 0.75           // of the next price
)

// rules are applied in this order: first what is wrong, then what is expensive.
var rules = []struct {
	name  string
	apply func(Situation) string
}{
	{"dead letters", adviseDeadLetters},
	{"lag", adviseLag},
	{"throttled", adviseThrottled},
	{"unanswered", adviseUnanswered},
	{"hot partition", adviseHotPartition},
	{"slow", adviseSlow},
	{"operation", adviseOperation},
	{"polling", advisePolling},
	{"cache", adviseCache},
	{"price", advisePrice},
}

// Advise returns the advice that applies.
func Advise(s Situation) (all []Advice) {
	for _, r := range rules {
		if text := r.apply(s); text != "" {
			all = append(all, Advice{r.name, text})
		}
	}
	return all
}

func adviseDeadLetters(s Situation) string {
	switch {
	case s.DeadLetters == 0:
		return ""
	case s.DeadLetters == 1:
		return "1 change could not be projected. See “inkfeed deadletters list”, remove the cause, and retry it."
	}
	return fmt.Sprintf("%d changes could not be projected. See “inkfeed deadletters list”, remove the cause, "+
		"and retry them.", s.DeadLetters)
}

func adviseLag(s Situation) string {
	var worst RangeLag
	for _, l := range s.Lags {
		if l.Age > worst.Age {
			worst = l
		}
	}
	if worst.Age < longLag {
		return ""
	}
	if worst.Owner == "" {
		return fmt.Sprintf("No instance reads the range %s of %s, which is %s behind. Start a server with workers.",
			worst.Range, worst.Processor, worst.Age.Round(time.Second))
	}
	return fmt.Sprintf("The projection of %s is %s behind in the range %s, which %s reads. Look for warnings in "+
		"its log and for 429s.", worst.Processor, worst.Age.Round(time.Second), worst.Range, worst.Owner)
}

func adviseThrottled(s Situation) string {
	t := s.Report.Total
	if t.Requests < minRequests || share(t.Throttled, t.Requests) < manyThrottled {
		return ""
	}
	var most Line
	for _, c := range s.Report.Containers {
		if c.Throttled > most.Throttled {
			most = c
		}
	}
	return fmt.Sprintf("%.1f %% of the requests were refused with 429, most of them in the container %s. Raise its "+
		"throughput, or that of the database: the busiest minute took %.0f RU/s.",
		100*share(t.Throttled, t.Requests), most.Name, s.Report.BusiestMinute)
}

func adviseUnanswered(s Situation) string {
	t := s.Report.Total
	if t.Requests < minRequests || share(t.Unanswered, t.Requests) < manyUnanswered {
		return ""
	}
	return fmt.Sprintf("%.1f %% of the requests got no answer or an error of the service. Check the network "+
		"between the servers and the account, and the health of the account. The charges of these "+
		"requests are estimates.", 100*share(t.Unanswered, t.Requests))
}

func adviseHotPartition(s Situation) string {
	if len(s.Report.Partitions) == 0 || s.Report.Measured == 0 {
		return ""
	}
	hottest := s.Report.Partitions[0]
	rate := (hottest.Charge - hottest.Excess) / s.Report.Measured.Seconds()
	if rate < hotPartition {
		return ""
	}
	return fmt.Sprintf("The logical partition %s of %s takes %.0f RU/s on average. One partition gets at most "+
		"%d RU/s, however much the container has: only caching or another partition key helps beyond that.",
		hottest.Key, hottest.Container, rate, partitionThroughput)
}

func adviseSlow(s Situation) string {
	var slowest Line
	var latency time.Duration
	for _, o := range s.Report.Operations {
		if p99 := o.Latency.Quantile(0.99); o.Requests >= minRequests/5 && p99 > latency {
			slowest, latency = o, p99
		}
	}
	if latency < slowRequest {
		return ""
	}
	return fmt.Sprintf("One in a hundred requests of %s takes longer than %s. Check that the servers are in the "+
		"region of the account, and that they are not short of processor time.", name(slowest.Name),
		latency.Round(10*time.Millisecond))
}

func adviseOperation(s Situation) string {
	t := s.Report.Total
	if t.Requests < minRequests {
		return ""
	}
	for _, o := range s.Report.Operations { // the most expensive first
		if readsChangeFeed(o.Name) {
			continue
		}
		taken := o.Charge / t.Charge
		if taken < largeShare {
			return ""
		}
		text := fmt.Sprintf("%s takes %.0f %% of your request units, %.1f RU for each request.", name(o.Name),
			100*taken, o.Charge/float64(max(o.Requests, 1)))
		if remedy := remedies[o.Name]; remedy != "" {
			text += " " + remedy
		}
		return text
	}
	return ""
}

func advisePolling(s Situation) string {
	charge := 0.0
	for _, o := range s.Report.Operations {
		if readsChangeFeed(o.Name) {
			charge += o.Charge
		}
	}
	t := s.Report.Total
	if t.Requests < minRequests || charge < largePollingShare*t.Charge {
		return ""
	}
	return fmt.Sprintf("Reading change feeds takes %.0f %% of your request units, %.1f RU/s, because there are few "+
		"visitors. A longer --poll costs less; the writes of other instances then appear later.", 100*charge/t.Charge,
		charge/s.Report.Measured.Seconds())
}

func adviseCache(s Situation) string {
	rate, ok := s.Report.Cache.HitRate()
	if !ok || s.Report.Cache.Requests < minRequests || rate >= lowHitRate {
		return ""
	}
	return fmt.Sprintf("The page cache answers only %.0f %% of the requests for pages. Raise --cache-mb if the cache "+
		"is full; otherwise the pages change faster than they are read.", 100*rate)
}

func advisePrice(s Situation) string {
	b := s.Bill
	if b.Measured < steadyMeasurement {
		return ""
	}
	cheapest, price := b.Cheapest()
	for _, other := range []float64{b.Serverless, b.Provisioned, b.Autoscale} {
		if other != price && price > clearlyCheaper*other {
			return "" // not worth a change
		}
	}
	return fmt.Sprintf("At these figures an account with %s throughput costs least: %.2f %s a month.", cheapest, price,
		b.Currency)
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// name returns the name of an operation for texts, such as “Q3 (list a user's posts)”.
func name(operation string) string {
	if d := Describe(operation); d != "" {
		return operation + " (" + d + ")"
	}
	return operation
}
