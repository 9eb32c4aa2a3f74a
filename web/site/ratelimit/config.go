package ratelimit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rate is how often something may be done within a period.
type Rate struct {
	Count int
	Per   time.Duration
}

// String formats the rate as Parse reads it, such as 10/15m.
func (r Rate) String() string {
	per := r.Per.String()
	for _, zero := range []string{"m0s", "h0m"} { // shorten 15m0s to 15m
		if strings.HasSuffix(per, zero) {
			per = per[:len(per)-2]
		}
	}
	return fmt.Sprintf("%d/%s", r.Count, per)
}

// Limits are the rates of a site by rule. A rule without a rate is unlimited; the zero value limits
// nothing.
type Limits struct{ rates map[Rule]Rate }

// Off reports whether nothing is limited.
func (l Limits) Off() bool { return len(l.rates) == 0 }

func (l Limits) rate(r Rule) (Rate, bool) {
	often, limited := l.rates[r]
	return often, limited
}

// Parse reads the rates that differ from the defaults, such as
// "login=5/15m,signup=10/1h,search=off". The text "off" turns all limits off.
func Parse(text string) (Limits, error) {
	if strings.TrimSpace(text) == "off" {
		return Limits{}, nil
	}
	l := Limits{make(map[Rule]Rate)}
	for name, r := range rules {
		l.rates[name] = r.often
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if _, known := rules[Rule(name)]; !known {
			return Limits{}, fmt.Errorf("there is no limit %q; there are %s", name, strings.Join(Names(), ", "))
		}
		if value == "off" {
			delete(l.rates, Rule(name))
			continue
		}
		often, ok := parseRate(value)
		if !ok {
			return Limits{}, fmt.Errorf("%q is not like %s=%s or %s=off", part, name, rules[Rule(name)].often, name)
		}
		l.rates[Rule(name)] = often
	}
	return l, nil
}

// The greatest values of a rate; within them, no calculation overflows.
const (
	maxRateCount = 1_000_000
	maxRateTime  = 24 * time.Hour
)

func parseRate(text string) (Rate, bool) {
	count, per, found := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	if !found || err != nil || n < 1 || n > maxRateCount {
		return Rate{}, false
	}
	d, err := time.ParseDuration(per)
	return Rate{n, d}, err == nil && d >= time.Second && d <= maxRateTime
}

// Names returns the names of all rules, sorted.
func Names() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		names = append(names, string(name))
	}
	return names
}
