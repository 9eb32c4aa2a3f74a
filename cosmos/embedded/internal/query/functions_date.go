package query

import (
	"strings"
	"time"

	"inkfeed/cosmos/embedded/internal/value"
)

// dateFunctions are functions of points in time: ISO 8601 in UTC, milliseconds since 1970
// ("timestamps"), or units of 100 nanoseconds since 1970 ("ticks").
var dateFunctions = map[string]function{
	"GETCURRENTDATETIME":        {apply: now(formatDate)},
	"GETCURRENTDATETIMESTATIC":  {apply: now(formatDate)},
	"GETCURRENTTIMESTAMP":       {apply: now(timestamp)},
	"GETCURRENTTIMESTAMPSTATIC": {apply: now(timestamp)},
	"GETCURRENTTICKS":           {apply: now(ticks)},
	"GETCURRENTTICKSSTATIC":     {apply: now(ticks)},

	"DATETIMEADD":         {min: 3, max: 3, apply: dateAdd},
	"DATETIMEDIFF":        {min: 3, max: 3, apply: dateDiff},
	"DATETIMEPART":        {min: 2, max: 2, apply: datePartOf},
	"DATETIMEBIN":         {min: 2, max: 4, apply: dateBin},
	"DATETIMEFROMPARTS":   {min: 3, max: 7, apply: dateFromParts},
	"DATETIMETOTICKS":     {min: 1, max: 1, apply: dateMap(ticks)},
	"DATETIMETOTIMESTAMP": {min: 1, max: 1, apply: dateMap(timestamp)},
	"TICKSTODATETIME": {min: 1, max: 1,
		apply: toDate(func(n int64) time.Time { return time.Unix(n/1e7, n%1e7*100) })},
	"TIMESTAMPTODATETIME": {min: 1, max: 1, apply: toDate(time.UnixMilli)},
}

const dateFormat = "2006-01-02T15:04:05.0000000Z"

// formatDate returns undefined for a year that the format cannot represent.
func formatDate(t time.Time) value.Value {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return value.Value{}
	}
	return value.OfString(t.Format(dateFormat))
}

func timestamp(t time.Time) value.Value { return value.OfInt(t.UnixMilli()) }

func ticks(t time.Time) value.Value {
	return value.OfInt(t.Unix()*1e7 + int64(t.Nanosecond())/100)
}

// parseDate parses ISO 8601.
func parseDate(v value.Value) (time.Time, bool) {
	if v.Kind() != value.String {
		return time.Time{}, false
	}
	for _, layout := range [...]string{"2006-01-02T15:04:05.999999999Z", "2006-01-02",
		"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, v.Str()); err == nil && t.Year() > 0 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func now(to func(time.Time) value.Value) body {
	return func([]value.Value) value.Value { return to(time.Now()) }
}

func dateMap(to func(time.Time) value.Value) body {
	return func(args []value.Value) value.Value {
		t, ok := parseDate(args[0])
		if !ok {
			return value.Value{}
		}
		return to(t)
	}
}

func toDate(from func(int64) time.Time) body {
	return func(args []value.Value) value.Value {
		n, ok := args[0].Int()
		if !ok {
			return value.Value{}
		}
		return formatDate(from(n))
	}
}

// dateUnits maps all names of the parts of a date. Parts up to a day have a length.
var dateUnits = map[string]dateUnit{
	"year": {name: "year"}, "yyyy": {name: "year"}, "yy": {name: "year"},
	"month": {name: "month"}, "mm": {name: "month"}, "m": {name: "month"},
	"day": dayUnit, "dd": dayUnit, "d": dayUnit,
	"hour": hourUnit, "hh": hourUnit,
	"minute": minuteUnit, "mi": minuteUnit, "n": minuteUnit,
	"second": secondUnit, "ss": secondUnit, "s": secondUnit,
	"millisecond": milliUnit, "ms": milliUnit,
	"microsecond": microUnit, "mcs": microUnit,
	"nanosecond": nanoUnit, "ns": nanoUnit,
}

type dateUnit struct {
	name   string
	length time.Duration // 0: months and years, whose lengths vary
}

var (
	dayUnit    = dateUnit{"day", 24 * time.Hour}
	hourUnit   = dateUnit{"hour", time.Hour}
	minuteUnit = dateUnit{"minute", time.Minute}
	secondUnit = dateUnit{"second", time.Second}
	milliUnit  = dateUnit{"millisecond", time.Millisecond}
	microUnit  = dateUnit{"microsecond", time.Microsecond}
	nanoUnit   = dateUnit{"nanosecond", time.Nanosecond}
)

func unitOf(v value.Value) (dateUnit, bool) {
	u, ok := dateUnits[strings.ToLower(v.Str())]
	return u, ok && v.Kind() == value.String
}

func dateAdd(args []value.Value) value.Value {
	unit, ok1 := unitOf(args[0])
	n, ok2 := args[1].Int()
	t, ok3 := parseDate(args[2])
	const most = 400_000_000_000 // seconds; more than the difference of any two dates
	if !ok1 || !ok2 || !ok3 || unit.length == 0 && (n > 10_000*12 || n < -10_000*12) {
		return value.Value{}
	}
	switch unit.name {
	case "year":
		return formatDate(addMonths(t, 12*int(n)))
	case "month":
		return formatDate(addMonths(t, int(n)))
	}
	perSecond := int64(time.Second / min(unit.length, time.Second))
	seconds, rest := n/perSecond, n%perSecond
	if unit.length > time.Second {
		factor := int64(unit.length / time.Second)
		if n > most/factor || n < -most/factor {
			return value.Value{}
		}
		seconds, rest = n*factor, 0
	}
	if seconds > most || seconds < -most {
		return value.Value{}
	}
	return formatDate(time.Unix(t.Unix()+seconds, int64(t.Nanosecond())+rest*int64(min(unit.length, time.Second))))
}

// addMonths adds months. If the day does not exist in the resulting month, it returns the last day
// of that month.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

// dateDiff counts the boundaries of a unit between two dates.
func dateDiff(args []value.Value) value.Value {
	unit, ok1 := unitOf(args[0])
	from, ok2 := parseDate(args[1])
	to, ok3 := parseDate(args[2])
	if !ok1 || !ok2 || !ok3 {
		return value.Value{}
	}
	switch unit.name {
	case "year":
		return value.OfInt(int64(to.Year() - from.Year()))
	case "month":
		return value.OfInt(int64(12*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())))
	}
	if unit.length < time.Second {
		per := int64(time.Second / unit.length)
		size := int64(unit.length)
		return value.OfInt((to.Unix()-from.Unix())*per + int64(to.Nanosecond())/size - int64(from.Nanosecond())/size)
	}
	size := int64(unit.length / time.Second)
	return value.OfInt(floorDiv(to.Unix(), size) - floorDiv(from.Unix(), size))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func datePartOf(args []value.Value) value.Value {
	unit, ok1 := unitOf(args[0])
	t, ok2 := parseDate(args[1])
	if !ok1 || !ok2 {
		return value.Value{}
	}
	n := 0
	switch unit.name {
	case "year":
		n = t.Year()
	case "month":
		n = int(t.Month())
	case "day":
		n = t.Day()
	case "hour":
		n = t.Hour()
	case "minute":
		n = t.Minute()
	case "second":
		n = t.Second()
	default:
		n = t.Nanosecond() / int(unit.length)
	}
	return value.OfInt(int64(n))
}

// dateBin rounds a date down to a multiple of a number of units since 1970, or since the fourth
// argument. Months and years are not supported.
func dateBin(args []value.Value) value.Value {
	t, ok1 := parseDate(args[0])
	unit, ok2 := unitOf(args[1])
	size, origin, ok3, ok4 := int64(1), time.Unix(0, 0).UTC(), true, true
	if len(args) > 2 {
		size, ok3 = args[2].Int()
	}
	if len(args) > 3 {
		origin, ok4 = parseDate(args[3])
	}
	if !ok1 || !ok2 || !ok3 || !ok4 || size <= 0 || size > 1<<40 {
		return value.Value{}
	}
	switch unit.name {
	case "year":
		years := floorDiv(int64(t.Year()-origin.Year()), size) * size
		return formatDate(addMonths(origin, 12*int(years)))
	case "month":
		months := int64(12*(t.Year()-origin.Year()) + int(t.Month()) - int(origin.Month()))
		return formatDate(addMonths(origin, int(floorDiv(months, size)*size)))
	}
	const tick = 100 * time.Nanosecond
	ticksOf := func(t time.Time) int64 { n, _ := ticks(t).Int(); return n }
	width := size * int64(unit.length/tick)
	if unit.length < tick {
		width = max(size/int64(tick), 1)
	} else if size > (1<<62)/int64(unit.length/tick) {
		return value.Value{}
	}
	start := ticksOf(origin)
	return toDate(func(n int64) time.Time { return time.Unix(n/1e7, n%1e7*100) })(
		[]value.Value{value.OfInt(start + floorDiv(ticksOf(t)-start, width)*width)})
}

// dateFromParts takes year, month, day and optionally hour, minute, second and ticks.
func dateFromParts(args []value.Value) value.Value {
	parts := [7]int{}
	for i, a := range args {
		n, ok := a.Int()
		if !ok || n < 0 || n > 9_999_999 {
			return value.Value{}
		}
		parts[i] = int(n)
	}
	t := time.Date(parts[0], time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5], 100*parts[6], time.UTC)
	if t.Year() != parts[0] || int(t.Month()) != parts[1] || t.Day() != parts[2] || t.Hour() != parts[3] ||
		t.Minute() != parts[4] || t.Second() != parts[5] {
		return value.Value{}
	}
	return formatDate(t)
}
