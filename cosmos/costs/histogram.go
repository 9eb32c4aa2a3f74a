package costs

import (
	"math"
	"time"
)

// Buckets of a histogram: the first ends at shortest, each further one at √2 times the end before. So a percentile is
// at most 41 % wrong, and about 10 % after interpolation. The last bucket has no end.
const (
	histogramBuckets = 36
	shortest         = 100 * time.Microsecond // the last bucket begins at 13 s
)

// Histogram counts requests by their latency. The index of a count is that of its bucket.
type Histogram [histogramBuckets]int

// Observe counts a request.
func (h *Histogram) Observe(latency time.Duration) { h[bucketOf(latency)]++ }

func bucketOf(latency time.Duration) int {
	if latency <= shortest {
		return 0
	}
	n := math.Ceil(2 * math.Log2(float64(latency)/float64(shortest)))
	return min(int(n), histogramBuckets-1)
}

// Add adds the counts of another histogram.
func (h *Histogram) Add(o Histogram) {
	for i, n := range o {
		h[i] += n
	}
}

// Quantile returns the latency that a share of the requests did not exceed, such as 0.99 of them. Within a bucket it
// assumes an even distribution. Without requests it is 0.
func (h *Histogram) Quantile(share float64) time.Duration {
	total := 0
	for _, n := range h {
		total += n
	}
	if total == 0 {
		return 0
	}
	wanted, below := share*float64(total), 0.0
	for i, n := range h {
		if below+float64(n) >= wanted && n > 0 {
			begin, end := bucketEnd(i-1), bucketEnd(i)
			return begin + time.Duration(float64(end-begin)*(wanted-below)/float64(n))
		}
		below += float64(n)
	}
	return bucketEnd(histogramBuckets - 1)
}

func bucketEnd(i int) time.Duration {
	if i < 0 {
		return 0
	}
	return time.Duration(float64(shortest) * math.Pow(2, float64(i)/2))
}
