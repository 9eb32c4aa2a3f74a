package costs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/domain/locale"
)

// chart is a small chart of one or several series over the steps of a report.
type chart struct {
	title  locale.Message
	most   locale.Message // the greatest value, formatted
	top    float64
	series []series
}

// series are the values of a line, one for each step, drawn in the style of a class.
type series struct {
	name   locale.Message
	class  string
	values []float64 // negative: there is none
}

// Size of a chart in its own coordinates. The style sheet stretches it to the width of the page.
const chartWidth, chartHeight = 600, 100

// chartsOf returns the charts of a report.
func chartsOf(r costs.Report) []chart {
	each := func(value func(costs.Step) float64) []float64 {
		values := make([]float64, len(r.Steps))
		for i, s := range r.Steps {
			values[i] = value(s)
		}
		return values
	}
	quantile := func(share float64) []float64 {
		return each(func(s costs.Step) float64 {
			if s.Requests == 0 {
				return -1
			}
			return float64(s.Latency.Quantile(share))
		})
	}
	rates := each(func(s costs.Step) float64 { return s.Rate })
	throttled := each(func(s costs.Step) float64 { return float64(s.Throttled) })
	hits := each(func(s costs.Step) float64 {
		if rate, ok := s.Cache.HitRate(); ok {
			return rate
		}
		return -1
	})
	slowest := quantile(0.99)
	return []chart{
		{locale.M("Request units per second"), number(slices.Max(rates)), slices.Max(rates),
			[]series{{class: "area", values: rates}}},
		{locale.M("Latency"), duration(time.Duration(max(slices.Max(slowest), 0))), slices.Max(slowest), []series{
			{locale.M("99th percentile"), "line third", slowest},
			{locale.M("95th percentile"), "line second", quantile(0.95)},
			{locale.M("median"), "line first", quantile(0.5)}}},
		{locale.M("Requests refused with 429"), number(slices.Max(throttled)), slices.Max(throttled),
			[]series{{class: "area bad", values: throttled}}},
		{locale.M("Page cache hit rate"), locale.M("{percent} %", "percent", 100), 1,
			[]series{{class: "line first", values: hits}}},
	}
}

// path returns the line of a series as the data of an SVG path, which is interrupted where there is no value. An area
// is closed at the bottom. top is the value at the upper edge.
func path(s series, top float64) string {
	var d strings.Builder
	drawing, step := false, chartWidth/float64(max(len(s.values)-1, 1))
	area := strings.HasPrefix(s.class, "area")
	if area {
		fmt.Fprintf(&d, "M0,%d", chartHeight)
		drawing = true
	}
	for i, v := range s.values {
		if v < 0 {
			drawing = false
			continue
		}
		command := 'L'
		if !drawing {
			command, drawing = 'M', true
		}
		y := float64(chartHeight)
		if top > 0 {
			y = chartHeight - 1 - (chartHeight-2)*v/top
		}
		fmt.Fprintf(&d, "%c%.1f,%.1f", command, float64(i)*step, y)
		if lonely := (i == 0 || s.values[i-1] < 0) && (i+1 == len(s.values) || s.values[i+1] < 0); lonely {
			d.WriteString("h1") // a point without neighbours is visible, too
		}
	}
	if area {
		fmt.Fprintf(&d, "L%d,%dZ", chartWidth, chartHeight)
	}
	return d.String()
}

// spark returns the small chart of a line of a table.
func spark(l costs.Line) string {
	return path(series{class: "area", values: l.Rates}, slices.Max(l.Rates))
}

// beginning says when a span begins.
func beginning(s costs.Span) locale.Message {
	switch s {
	case costs.Hour:
		return locale.M("{n} minutes ago", "n", 60)
	case costs.Day:
		return locale.M("{n} hours ago", "n", 24)
	}
	return locale.M("{n} days ago", "n", 30)
}
