package changefeed

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// scrapeTimeout bounds the estimates of one scrape: Prometheus waits for 10 s.
const scrapeTimeout = 3 * time.Second

// lagCollector collects the lag of the running processors at each scrape.
type lagCollector struct {
	transactions, seconds *prometheus.Desc

	mu        sync.Mutex
	estimates map[string]func(context.Context) ([]RangeLag, error) // by processor
}

func newLagCollector() *lagCollector {
	labels := []string{"processor", "range"}
	return &lagCollector{
		transactions: prometheus.NewDesc("inkfeed_workers_lag_transactions",
			"Transactions of a feed range beyond the checkpoint of its lease.", labels, nil),
		seconds: prometheus.NewDesc("inkfeed_workers_lag_seconds",
			"Age of the first change in a feed range that is not projected; 0 if there is none.",
			labels, nil),
		estimates: make(map[string]func(context.Context) ([]RangeLag, error)),
	}
}

// watch adds a processor until the returned function is called.
func (c *lagCollector) watch(processor string, estimate func(context.Context) ([]RangeLag, error)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.estimates[processor] = estimate
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.estimates, processor)
	}
}

func (c *lagCollector) Describe(out chan<- *prometheus.Desc) {
	out <- c.transactions
	out <- c.seconds
}

func (c *lagCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	c.mu.Lock()
	estimates := maps.Clone(c.estimates)
	c.mu.Unlock()
	for _, processor := range slices.Sorted(maps.Keys(estimates)) {
		lags, _ := estimates[processor](ctx) // ranges that could not be read are included, with a growing age
		for _, lag := range lags {
			name := RangeName(lag.Range)
			out <- prometheus.MustNewConstMetric(c.transactions, prometheus.GaugeValue, float64(lag.Transactions),
				processor, name)
			out <- prometheus.MustNewConstMetric(c.seconds, prometheus.GaugeValue, lag.Age.Seconds(), processor, name)
		}
	}
}
