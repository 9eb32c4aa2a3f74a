package costs

import (
	"fmt"
	"strconv"
	"time"

	"inkfeed/domain/costs"
	"inkfeed/domain/plaintext"
)

// number formats a quantity with at most three significant digits below a hundred, and in whole numbers above.
func number(f float64) string {
	switch {
	case f == 0:
		return "0"
	case f < 0.01:
		return "<0.01"
	case f < 1:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 100:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return plaintext.Grouped(int64(f + 0.5))
}

// percent formats a share.
func percent(share float64) string {
	if share > 0 && share < 0.001 {
		return "<0.1 %"
	}
	return strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
}

// latency formats the time that a share of the requests did not exceed.
func latency(h costs.Histogram, share float64) string { return duration(h.Quantile(share)) }

func duration(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case d == 0:
		return "–"
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
}

// age formats how long ago something was, or how long it lasts.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return plaintext.Count(int64(d/time.Second), "second", "seconds")
	case d < 2*time.Hour:
		return plaintext.Count(int64(d/time.Minute), "minute", "minutes")
	case d < 48*time.Hour:
		return plaintext.Count(int64(d/time.Hour), "hour", "hours")
	}
	return plaintext.Count(int64(d/(24*time.Hour)), "day", "days")
}

// size formats a number of bytes.
func size(bytes int64) string {
	switch f := float64(bytes); {
	case bytes < 1<<20:
		return plaintext.Grouped((bytes+1023)>>10) + " KB"
	case bytes < 1<<30:
		return fmt.Sprintf("%.1f MB", f/(1<<20))
	default:
		return fmt.Sprintf("%.2f GB", f/(1<<30))
	}
}

// hitRate formats the share of pages that came from the page cache.
func hitRate(c costs.CacheFigures) string {
	if rate, ok := c.HitRate(); ok {
		return percent(rate)
	}
	return "–"
}

// share returns a part of a whole, and 0 of nothing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
