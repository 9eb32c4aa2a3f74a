package locale

import (
	"context"
	"strconv"
	"time"
)

// Date formats the date of a time in its own time zone: "2 January 2006".
func Date(ctx context.Context, t time.Time) string { return dateMessage(t).In(ctx) }

func dateMessage(t time.Time) Message {
	return M("{day} {month} {year}", "day", dayOfDate(t), "month", monthOfDate(t.Month()), "year",
		strconv.Itoa(t.Year()))
}

// firstDay is the first day of a month as it stands in dates.
func firstDay() Message { return M("1|first day of a month") }

func dayOfDate(t time.Time) Message {
	if t.Day() == 1 {
		return firstDay()
	}
	return Verbatim(strconv.Itoa(t.Day()))
}

// FirstDayOfDates returns the first day of a month as it stands in dates, for scripts. It is empty if it is a number
// like the other days.
func FirstDayOfDates(ctx context.Context) string {
	if day := firstDay().In(ctx); day != "1" {
		return day
	}
	return ""
}

// DateTime formats a time in its own time zone, which it names: "2 January 2006, 15:04 UTC".
func DateTime(ctx context.Context, t time.Time) string {
	zone, _ := t.Zone()
	return T(ctx, "{date}, {time} {zone}", "date", Date(ctx, t), "time", Clock(ctx, t), "zone", zone)
}

// Clock formats the time of day: "15:04".
func Clock(ctx context.Context, t time.Time) string {
	return T(ctx, "{hour}:{minute}", "hour", t.Format("15"), "minute", t.Format("04"))
}

// Month formats a month by itself, as in headings: "January 2006".
func Month(ctx context.Context, t time.Time) string {
	return T(ctx, "{month} {year}", "month", months()[t.Month()-1], "year", strconv.Itoa(t.Year()))
}

// MonthName returns the name of a month by itself: "January".
func MonthName(ctx context.Context, m time.Month) string { return months()[m-1].In(ctx) }

// Day formats a date without its year: "2 January".
func Day(ctx context.Context, t time.Time) string {
	return T(ctx, "{day} {month}", "day", dayOfDate(t), "month", monthOfDate(t.Month()))
}

// DateFormat returns the format of dates for scripts: "{day} {month} {year}".
func DateFormat(ctx context.Context) string { return T(ctx, "{day} {month} {year}") }

// LocalTimeFormat returns the format of a date with a time of day in the reader's own time zone, for scripts: "{date},
// {hour}:{minute}".
func LocalTimeFormat(ctx context.Context) string {
	return T(ctx, "{date}, {time}", "time", T(ctx, "{hour}:{minute}"))
}

// MonthsOfDates returns the names of the months as they stand in dates, for scripts.
func MonthsOfDates(ctx context.Context) []string {
	var names []string
	for m := time.January; m <= time.December; m++ {
		names = append(names, monthOfDate(m).In(ctx))
	}
	return names
}

// months returns the names of the months as they stand alone.
func months() [12]Message {
	return [...]Message{M("January|alone"), M("February|alone"), M("March|alone"), M("April|alone"), M("May|alone"),
		M("June|alone"), M("July|alone"), M("August|alone"), M("September|alone"), M("October|alone"),
		M("November|alone"), M("December|alone")}
}

// monthOfDate returns the name of a month as it stands beside a day. Many languages put it into the genitive.
func monthOfDate(m time.Month) Message {
	return [...]Message{M("January|in a date"), M("February|in a date"), M("March|in a date"), M("April|in a date"),
		M("May|in a date"), M("June|in a date"), M("July|in a date"), M("August|in a date"), M("September|in a date"),
		M("October|in a date"), M("November|in a date"), M("December|in a date")}[m-1]
}

// And joins texts as a sentence does: "a, b and c".
func And(ctx context.Context, texts []string) string {
	switch n := len(texts); n {
	case 0:
		return ""
	case 1:
		return texts[0]
	default:
		list := texts[0]
		for _, text := range texts[1 : n-1] {
			list = T(ctx, "{list}, {text}", "list", list, "text", text)
		}
		return T(ctx, "{list} and {text}", "list", list, "text", texts[n-1])
	}
}
