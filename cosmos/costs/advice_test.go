package costs

import (
	"strings"
	"testing"
	"time"
)

// calm is a report in which no rule applies: a thousand requests of many operations.
func calm() map[Source]Figures {
	figures := make(map[Source]Figures)
	for _, operation := range []string{"Q1", "Q2", "Q3", "Q4", "Q5"} {
		figures[Source{operation, "posts"}] = charged(200, 1000)
	}
	return figures
}

func TestAdviceFollowsFromTheFigures(t *testing.T) {
	const day = 24 * time.Hour
	with := func(source Source, f Figures) map[Source]Figures {
		figures := calm()
		figures[source] = f
		return figures
	}
	slow := charged(190, 1000)
	for range 10 {
		slow.Latency.Observe(time.Second)
	}
	tests := map[string]struct {
		figures   map[Source]Figures
		situation func(*Situation)
		rule      string // empty: no advice
		text      string
	}{
		"calm": {figures: calm()},
		"one operation": {figures: with(Source{"Q3", "users"}, charged(400, 6000)), rule: "operation",
			text: "Q3 (list a user's posts) takes 64 % of your request units, 11.7 RU for each request. Profile pages"},
		"one operation among few requests": {figures: map[Source]Figures{{"Q3", "users"}: charged(10, 6000)}},
		"an operation without a remedy": {figures: with(Source{"staff", "users"}, charged(400, 6000)),
			rule: "operation", text: "staff takes 55 % of your request units"},
		"polling": {figures: with(Source{"pages-posts", "posts"}, charged(5000, 5000)), rule: "polling",
			text: "Reading change feeds takes 50 % of your request units"},
		"polling that is less than the rest": {figures: with(Source{"pages-posts", "posts"}, charged(4000, 4900))},
		"429s": {figures: with(Source{"C4", "users"}, Figures{Requests: 20, Throttled: 15}), rule: "throttled",
			text: "1.5 % of the requests were refused with 429, most of them in the container users"},
		"few 429s": {figures: with(Source{"C4", "users"}, Figures{Requests: 20, Throttled: 5})},
		"lost answers": {figures: with(Source{"C4", "users"}, Figures{Requests: 20, Unanswered: 15}),
			rule: "unanswered", text: "1.5 % of the requests got no answer or an error"},
		"a slow operation": {figures: with(Source{"Q1", "posts"}, slow), rule: "slow",
			text: "One in a hundred requests of Q1 (read a user) takes longer than"},
		"a hot partition": {figures: calm(), rule: "hot partition",
			text: "The logical partition 1 of posts takes 3,000 RU/s on average",
			situation: func(s *Situation) {
				s.Report.Partitions = []Partition{{PartitionRef: post(1), Charge: 200_000, Excess: 20_000}}
			}},
		"a partition that may be hot": {figures: calm(), situation: func(s *Situation) {
			s.Report.Partitions = []Partition{{PartitionRef: post(1), Charge: 200_000, Excess: 100_000}}
		}},
		"a page cache that is little used": {figures: calm(), rule: "cache", text: "The page cache answers only 40 %",
			situation: func(s *Situation) { s.Report.Cache = CacheFigures{Hits: 400, Requests: 1000} }},
		"a page cache that is new": {figures: calm(),
			situation: func(s *Situation) { s.Report.Cache = CacheFigures{Hits: 4, Requests: 10} }},
		"a dead letter": {figures: calm(), rule: "dead letters", text: "1 change could not be projected",
			situation: func(s *Situation) { s.DeadLetters = 1 }},
		"dead letters": {figures: calm(), rule: "dead letters", text: "3 changes could not be projected",
			situation: func(s *Situation) { s.DeadLetters = 3 }},
		"lag": {figures: calm(), rule: "lag",
			text: "The projection of posts is 1m30s behind in the range 00-FF, which a reads",
			situation: func(s *Situation) {
				s.Lags = []RangeLag{{Processor: "posts", Range: "00-FF", Owner: "a", Age: 90 * time.Second}}
			}},
		"a range without an owner": {figures: calm(), rule: "lag", text: "No instance reads the range 00-FF of posts",
			situation: func(s *Situation) {
				s.Lags = []RangeLag{{Processor: "posts", Range: "00-FF", Age: 90 * time.Second}}
			}},
		"tailers that never reached the end": {figures: calm(), rule: "tailers",
			text: "This server has read some change feeds for 2m0s without reaching their ends: search, pages-tags.",
			situation: func(s *Situation) {
				s.Tailers = []Tailer{{"search", 2 * time.Minute}, {"pages-posts", 0}, {"pages-tags", time.Minute}}
			}},
		"a tailer that has just begun": {figures: calm(), situation: func(s *Situation) {
			s.Tailers = []Tailer{{"search", 59 * time.Second}, {"pages-posts", 0}}
		}},
		"a short lag": {figures: calm(), situation: func(s *Situation) {
			s.Lags = []RangeLag{{Processor: "posts", Range: "00-FF", Owner: "a", Age: 10 * time.Second}}
		}},
		"one price far below the others": {figures: calm(), rule: "price",
			text: "At these figures an account with serverless throughput costs least: 2.00 USD a month",
			situation: func(s *Situation) {
				s.Bill = Bill{Prices: ListPrices, Measured: day, Serverless: 2, Provisioned: 23, Autoscale: 9}
			}},
		"prices that are close": {figures: calm(), situation: func(s *Situation) {
			s.Bill = Bill{Prices: ListPrices, Measured: day, Serverless: 8, Provisioned: 23, Autoscale: 9}
		}},
		"a short measurement": {figures: calm(), situation: func(s *Situation) {
			s.Bill = Bill{Prices: ListPrices, Measured: time.Hour, Serverless: 2, Provisioned: 23, Autoscale: 9}
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := Situation{Report: NewReport(Hour, []Interval{minute("one", 1, test.figures)}, now)}
			if test.situation != nil {
				test.situation(&s)
			}
			advice := Advise(s)
			switch {
			case test.rule == "" && len(advice) > 0:
				t.Errorf("advice %+v", advice)
			case test.rule != "" && (len(advice) != 1 || advice[0].Rule != test.rule ||
				!strings.HasPrefix(advice[0].Text.String(), test.text)):
				t.Errorf("advice %+v, want %s: %s", advice, test.rule, test.text)
			}
		})
	}
}
