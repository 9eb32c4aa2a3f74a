package costs

import (
	"strings"
	"time"

	"inkfeed/domain/locale"
)

// RangeLag is how far the projection of a feed range is behind.
type RangeLag struct {
	Processor, Range string
	Owner            string // the instance that owns the lease; empty: none
	Transactions     int64  // beyond the checkpoint
	End              int64  // LSN of the end of the range
	Age              time.Duration
}

// Tailer is a worker that reads a whole change feed for its own instance.
type Tailer struct {
	Name string
	// CatchingUp is how long it has been reading without having reached the end of its feed; 0 once it has.
	CatchingUp time.Duration
}

// Situation is what advice is derived from.
type Situation struct {
	Report      Report
	Bill        Bill // zero if nothing was measured
	Lags        []RangeLag
	Tailers     []Tailer
	DeadLetters int
}

// Advice is something that an operator should know or do.
type Advice struct {
	Rule string // the name of the rule, for documentation and tests
	Text locale.Message
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
	apply func(Situation) locale.Message
}{
	{"dead letters", adviseDeadLetters},
	{"lag", adviseLag},
	{"tailers", adviseTailers},
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
		if text := r.apply(s); !text.IsZero() {
			all = append(all, Advice{r.name, text})
		}
	}
	return all
}

func adviseDeadLetters(s Situation) locale.Message {
	if s.DeadLetters == 0 {
		return locale.Message{}
	}
	return locale.M("{n} changes could not be projected. See “inkfeed deadletters list”, remove the cause, and retry "+
		"them.", "n", s.DeadLetters)
}

func adviseLag(s Situation) locale.Message {
	var worst RangeLag
	for _, l := range s.Lags {
		if l.Age > worst.Age {
			worst = l
		}
	}
	if worst.Age < longLag {
		return locale.Message{}
	}
	if worst.Owner == "" {
		return locale.M("No instance reads the range {range} of {processor}, which is {age} behind. Start a server "+
			"with workers.", "range", worst.Range, "processor", worst.Processor, "age", worst.Age.Round(time.Second))
	}
	return locale.M("The projection of {processor} is {age} behind in the range {range}, which {instance} reads. Look "+
		"for warnings in its log and for 429s.", "processor", worst.Processor, "age", worst.Age.Round(time.Second),
		"range", worst.Range, "instance", worst.Owner)
}

func adviseTailers(s Situation) locale.Message {
	var late []string
	var longest time.Duration
	for _, t := range s.Tailers {
		if t.CatchingUp >= longLag {
			late, longest = append(late, t.Name), max(longest, t.CatchingUp)
		}
	}
	if len(late) == 0 {
		return locale.Message{}
	}
	return locale.M("This server has read some change feeds for {age} without reaching their ends: {tailers}. Look "+
		"for warnings in its log.", "age", longest.Round(time.Second), "tailers", strings.Join(late, ", "))
}

func adviseThrottled(s Situation) locale.Message {
	t := s.Report.Total
	if t.Requests < minRequests || share(t.Throttled, t.Requests) < manyThrottled {
		return locale.Message{}
	}
	var most Line
	for _, c := range s.Report.Containers {
		if c.Throttled > most.Throttled {
			most = c
		}
	}
	return locale.M("{percent} % of the requests were refused with 429, most of them in the container {container}. "+
		"Raise its throughput, or that of the database: the busiest minute took {rate} RU/s.",
		"percent", 100*share(t.Throttled, t.Requests), "container", most.Name, "rate",
		locale.Decimal(s.Report.BusiestMinute, 0))
}

func adviseUnanswered(s Situation) locale.Message {
	t := s.Report.Total
	if t.Requests < minRequests || share(t.Unanswered, t.Requests) < manyUnanswered {
		return locale.Message{}
	}
	return locale.M("{percent} % of the requests got no answer or an error of the service. Check the network between "+
		"the servers and the account, and the health of the account. The charges of these requests are estimates.",
		"percent", 100*share(t.Unanswered, t.Requests))
}

func adviseHotPartition(s Situation) locale.Message {
	if len(s.Report.Partitions) == 0 || s.Report.Measured == 0 {
		return locale.Message{}
	}
	hottest := s.Report.Partitions[0]
	rate := (hottest.Charge - hottest.Excess) / s.Report.Measured.Seconds()
	if rate < hotPartition {
		return locale.Message{}
	}
	return locale.M("The logical partition {partition} of {container} takes {rate} RU/s on average. One partition "+
		"gets at most {most} RU/s, however much the container has: only caching or another partition key helps "+
		"beyond that.",
		"partition", hottest.Key, "container", hottest.Container, "rate", locale.Decimal(rate, 0), "most",
		partitionThroughput)
}

func adviseSlow(s Situation) locale.Message {
	var slowest Line
	var latency time.Duration
	for _, o := range s.Report.Operations {
		if p99 := o.Latency.Quantile(0.99); o.Requests >= minRequests/5 && p99 > latency {
			slowest, latency = o, p99
		}
	}
	if latency < slowRequest {
		return locale.Message{}
	}
	return locale.M("One in a hundred requests of {operation} takes longer than {latency}. Check that the servers are "+
		"in the region of the account, and that they are not short of processor time.", "operation",
		name(slowest.Name), "latency", latency.Round(10*time.Millisecond))
}

func adviseOperation(s Situation) locale.Message {
	t := s.Report.Total
	if t.Requests < minRequests {
		return locale.Message{}
	}
	for _, o := range s.Report.Operations { // the most expensive first
		if readsChangeFeed(o.Name) {
			continue
		}
		taken := o.Charge / t.Charge
		if taken < largeShare {
			return locale.Message{}
		}
		text := locale.M("{operation} takes {percent} % of your request units, {charge} RU for each request.",
			"operation", name(o.Name), "percent", locale.Decimal(100*taken, 0), "charge",
			o.Charge/float64(max(o.Requests, 1)))
		if remedy := remedies[o.Name]; !remedy.IsZero() {
			return locale.M("{advice} {remedy}", "advice", text, "remedy", remedy)
		}
		return text
	}
	return locale.Message{}
}

func advisePolling(s Situation) locale.Message {
	charge := 0.0
	for _, o := range s.Report.Operations {
		if readsChangeFeed(o.Name) {
			charge += o.Charge
		}
	}
	t := s.Report.Total
	if t.Requests < minRequests || charge < largePollingShare*t.Charge {
		return locale.Message{}
	}
	return locale.M("Reading change feeds takes {percent} % of your request units, {rate} RU/s, because there are few "+
		"visitors. A longer --poll costs less; the writes of other instances then appear later.", "percent",
		locale.Decimal(100*charge/t.Charge, 0), "rate", charge/s.Report.Measured.Seconds())
}

func adviseCache(s Situation) locale.Message {
	rate, ok := s.Report.Cache.HitRate()
	if !ok || s.Report.Cache.Requests < minRequests || rate >= lowHitRate {
		return locale.Message{}
	}
	return locale.M("The page cache answers only {percent} % of the requests for pages. Raise --cache-mb if the cache "+
		"is full; otherwise the pages change faster than they are read.", "percent", locale.Decimal(100*rate, 0))
}

func advisePrice(s Situation) locale.Message {
	b := s.Bill
	if b.Measured < steadyMeasurement {
		return locale.Message{}
	}
	cheapest, price := b.Cheapest()
	for _, other := range []float64{b.Serverless, b.Provisioned, b.Autoscale} {
		if other != price && price > clearlyCheaper*other {
			return locale.Message{} // not worth a change
		}
	}
	text := locale.M("At these figures an account with provisioned throughput costs least: {price} {currency} a month.")
	switch cheapest {
	case "serverless":
		text = locale.M("At these figures an account with serverless throughput costs least: {price} {currency} a " +
			"month.")
	case "autoscale":
		text = locale.M("At these figures an account with autoscale throughput costs least: {price} {currency} a " +
			"month.")
	}
	return text.With("price", locale.Decimal(price, 2), "currency", b.Currency)
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// name returns the name of an operation for texts, such as “Q3 (list a user's posts)”.
func name(operation string) locale.Message {
	if d := Describe(operation); !d.IsZero() {
		return locale.M("{operation} ({description})", "operation", operation, "description", d)
	}
	return locale.Verbatim(operation)
}
