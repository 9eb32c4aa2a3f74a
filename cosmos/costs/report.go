package costs

import (
	"cmp"
	"slices"
	"time"
)

// Report is what all instances measured in a span.
type Report struct {
	Span      Span
	From, To  time.Time     // the span; From is the start of the first step
	Measured  time.Duration // for how long at least one instance measured; 0 if there are no figures
	Until     time.Time     // the end of the last interval
	Instances int           // that measured, one after another included
	Total     Figures
	// BusiestMinute is the average of the busiest minute, in RU per second. Each interval has only the busiest minute
	// of its instance. If the minutes of several instances differ, the true value can be higher.
	BusiestMinute float64
	Cache         CacheFigures
	Steps         []Step
	Operations    []Line // with the highest charge first
	Containers    []Line
	Partitions    []Partition // the hottest ten
}

// Step is what was measured in one step of a span.
type Step struct {
	Start         time.Time
	Figures               // of all sources
	Rate          float64 // in RU per second
	BusiestMinute float64
	Cache         CacheFigures
	measured      time.Duration // for how long at least one instance measured
	end           time.Time     // of what was measured
}

// Line is what an operation or a container costs.
type Line struct {
	Name string
	Figures
	Rates []float64 // in RU per second, for each step
}

// NewReport adds up the intervals of a span that ends now. It leaves out intervals outside of the span. The current
// step belongs to the span once there are figures of it.
func NewReport(span Span, intervals []Interval, now time.Time) Report {
	step := span.Step()
	steps := int(span.Length() / step)
	last := now.UTC().Truncate(step)
	if !slices.ContainsFunc(intervals, func(i Interval) bool { return i.Start().Equal(last) }) {
		last = last.Add(-step)
	}
	r := Report{Span: span, From: last.Add(-time.Duration(steps-1) * step), To: now, Steps: make([]Step, steps)}
	for i := range r.Steps {
		r.Steps[i].Start = r.From.Add(time.Duration(i) * step)
	}
	operations, containers := newLines(steps), newLines(steps)
	instances := make(map[string]bool)
	minutes := make(map[int64]float64) // RU per second by the time of the minute
	var partitions partitionSums
	byBegin := slices.SortedFunc(slices.Values(intervals), func(a, b Interval) int { return a.Begin.Compare(b.Begin) })
	for _, interval := range byBegin {
		n := int(interval.Start().Sub(r.From) / step)
		if interval.Start().Before(r.From) || n >= steps {
			continue
		}
		instances[interval.Instance] = true
		s := &r.Steps[n]
		s.measured += max(interval.End.Sub(latest(s.end, interval.Begin)), 0)
		s.end, r.Until = latest(s.end, interval.End), latest(r.Until, interval.End)
		minute := interval.BusiestAt.Unix()
		minutes[minute] += interval.BusiestMinute
		s.BusiestMinute = max(s.BusiestMinute, minutes[minute])
		s.Cache.Add(interval.Cache)
		for source, f := range interval.Figures {
			s.Figures.Add(f)
			operations.add(source.Operation, n, f)
			containers.add(source.Container, n, f)
		}
		partitions.add(interval)
	}
	rates := make([]float64, steps) // 1/s for each step
	for i := range r.Steps {
		s := &r.Steps[i]
		rates[i] = 1 / r.measuredIn(i).Seconds()
		s.Rate = s.Charge * rates[i]
		r.Measured += s.measured
		r.Total.Add(s.Figures)
		r.Cache.Add(s.Cache)
		r.BusiestMinute = max(r.BusiestMinute, s.BusiestMinute)
	}
	r.Operations, r.Containers = operations.sorted(rates), containers.sorted(rates)
	r.Partitions, r.Instances = partitions.top(ShownPartitions), len(instances)
	if len(instances) > 0 {
		r.Measured = max(r.Measured, time.Second)
	}
	return r
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// measuredIn returns how much of a step was measured. It is at least a tenth of the step, so that a short measurement
// makes no peak.
func (r *Report) measuredIn(i int) time.Duration {
	step := r.Span.Step()
	return min(max(r.Steps[i].measured, step/10), step)
}

// Rate returns the average rate in RU per second, over the measured time.
func (r *Report) Rate() float64 {
	if r.Measured == 0 {
		return 0
	}
	return r.Total.Charge / r.Measured.Seconds()
}

// HitRate returns the share of cacheable pages that came from the cache, and false if there were no requests.
func (c CacheFigures) HitRate() (share float64, ok bool) {
	if c.Requests == 0 {
		return 0, false
	}
	return float64(c.Hits) / float64(c.Requests), true
}

// lines collects lines by their names.
type lines struct {
	steps int
	byKey map[string]*Line
}

func newLines(steps int) lines { return lines{steps, make(map[string]*Line)} }

func (l lines) add(name string, step int, f Figures) {
	line := l.byKey[name]
	if line == nil {
		line = &Line{Name: name, Rates: make([]float64, l.steps)}
		l.byKey[name] = line
	}
	line.Figures.Add(f)
	line.Rates[step] += f.Charge
}

// sorted divides the charges of the steps by their durations and returns the lines by their charge.
func (l lines) sorted(rates []float64) []Line {
	all := make([]Line, 0, len(l.byKey))
	for _, line := range l.byKey {
		for i := range line.Rates {
			line.Rates[i] *= rates[i]
		}
		all = append(all, *line)
	}
	slices.SortFunc(all, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Charge, a.Charge), cmp.Compare(a.Name, b.Name))
	})
	return all
}
