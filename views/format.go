package views

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

// siteName is what the site calls itself.
const siteName = "Inkfeed"

func FormatDate(t time.Time) string { return t.UTC().Format("2 January 2006") }

// isDate tells whether a time is a date alone, as imported posts may have: midnight. Whatever
// happens here has a time with milliseconds.
func isDate(t time.Time) bool { return t.Equal(t.UTC().Truncate(24 * time.Hour)) }

func FormatDateTime(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// lasting is a length of time in the largest unit of which it is a whole number.
func FormatDuration(d time.Duration) string {
	for _, unit := range []struct {
		length    time.Duration
		one, many string
	}{{24 * time.Hour, "day", "days"}, {time.Hour, "hour", "hours"}, {time.Minute, "minute", "minutes"}} {
		if d >= unit.length && d%unit.length == 0 {
			return plaintext.Count(int(d/unit.length), unit.one, unit.many)
		}
	}
	return d.Round(time.Second).String()
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// areaText is the content of a textarea or a pre, whose first line break an HTML
// parser drops.
func TextareaContent(s string) string { return "\n" + s }

// lang is the attribute that says in which language something is written, when that is known
// and not the page's.
func LangAttribute(language string) templ.Attributes {
	if language == "" || language == "en" {
		return nil
	}
	return templ.Attributes{"lang": language}
}

// savedAt is when a post's current text was saved.
func SavedAt(p domain.Post) time.Time {
	if p.Edited.IsZero() {
		return p.Created
	}
	return p.Edited
}

// tagText is how a form shows tags, and takes them.
func TagText(tags domain.Tags) string { return strings.Join(tags.List(), ", ") }

// megabytes is a size for people.
func Megabytes(bytes int64) string {
	if bytes < 100_000 {
		return fmt.Sprintf("%d KB", (bytes+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// seconds is a time in whole seconds.
func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
