package costs

import (
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/domain/locale"
)

// none is shown where a figure is missing.
func none() locale.Message { return locale.Verbatim("–") }

// number formats a quantity with at most three significant digits below a hundred, and in whole numbers above.
func number(f float64) locale.Message {
	switch {
	case f == 0:
		return locale.Decimal(0, 0)
	case f < 0.01:
		return locale.M("<{number}", "number", locale.Decimal(0.01, 2))
	case f < 1:
		return locale.Decimal(f, 2)
	case f < 100:
		return locale.Decimal(f, 1)
	}
	return locale.Decimal(f, 0)
}

// count formats a number of things.
func count[N int | int64](n N) locale.Message { return locale.Decimal(float64(n), 0) }

// percent formats a share.
func percent(share float64) locale.Message {
	if share > 0 && share < 0.001 {
		return locale.M("<{percent} %", "percent", 0.1)
	}
	return locale.M("{percent} %", "percent", 100*share)
}

// latency formats the time that a share of the requests did not exceed.
func latency(h costs.Histogram, share float64) locale.Message { return duration(h.Quantile(share)) }

func duration(d time.Duration) locale.Message {
	switch ms := float64(d) / float64(time.Millisecond); {
	case d == 0:
		return none()
	case ms < 10:
		return locale.M("{number} ms", "number", ms)
	case ms < 1000:
		return locale.M("{number} ms", "number", locale.Decimal(ms, 0))
	default:
		return locale.M("{number} s", "number", ms/1000)
	}
}

// age formats how long ago something was, or how long it lasts.
func age(d time.Duration) locale.Message {
	switch {
	case d < time.Minute:
		return locale.M("{n} seconds", "n", int(d/time.Second))
	case d < 2*time.Hour:
		return locale.M("{n} minutes", "n", int(d/time.Minute))
	case d < 48*time.Hour:
		return locale.M("{n} hours", "n", int(d/time.Hour))
	}
	return locale.M("{n} days", "n", int(d/(24*time.Hour)))
}

// size formats a number of bytes.
func size(bytes int64) locale.Message {
	switch f := float64(bytes); {
	case bytes < 1<<20:
		return locale.M("{size} KB", "size", (bytes+1023)>>10)
	case bytes < 1<<30:
		return locale.M("{size} MB", "size", f/(1<<20))
	default:
		return locale.M("{size} GB", "size", locale.Decimal(f/(1<<30), 2))
	}
}

// hitRate formats the share of pages that came from the page cache.
func hitRate(c costs.CacheFigures) locale.Message {
	if rate, ok := c.HitRate(); ok {
		return percent(rate)
	}
	return none()
}

// share returns a part of a whole, and 0 of nothing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
