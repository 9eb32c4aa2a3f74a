package views

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

// siteName is what the site calls itself.
const siteName = "Inkfeed"

// count is a number with its noun: "1 like", "12,000 likes".
func count(n int, one, many string) string {
	return plaintext.Count(n, one, many)
}

func grouped(n int) string { return plaintext.Grouped(n) }

func date(t time.Time) string { return t.UTC().Format("2 January 2006") }

// isDate tells whether a time is a date alone, as imported posts may have: midnight. Whatever
// happens here has a time with milliseconds.
func isDate(t time.Time) bool { return t.Equal(t.UTC().Truncate(24 * time.Hour)) }

func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// lasting is a length of time in the largest unit of which it is a whole number.
func lasting(d time.Duration) string {
	for _, unit := range []struct {
		length    time.Duration
		one, many string
	}{{24 * time.Hour, "day", "days"}, {time.Hour, "hour", "hours"}, {time.Minute, "minute", "minutes"}} {
		if d >= unit.length && d%unit.length == 0 {
			return count(int(d/unit.length), unit.one, unit.many)
		}
	}
	return d.Round(time.Second).String()
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func postPath(id string) string { return "/posts/" + id }

func userPath(username string) string { return names.UserPath(username) }

// areaText is the content of a textarea or a pre, whose first line break an HTML
// parser drops.
func areaText(s string) string { return "\n" + s }

// CommentsPath is the address of a page of a post's comments.
func CommentsPath(postID string, page int) string {
	return pagePath(postPath(postID)+"/comments", page)
}

// pagePath is the address of a page of the list at base: the first has no
// number, so that every page has one address.
func pagePath(base string, page int) string {
	if page <= 1 {
		return base
	}
	separator := "?"
	if strings.Contains(base, "?") {
		separator = "&"
	}
	return base + separator + "page=" + strconv.Itoa(page)
}

// LoginPath is the log-in page that leads back to next, a path on this site.
func LoginPath(next string) string { return withNext("/login", next) }

func withNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// lang is the attribute that says in which language something is written, when that is known
// and not the page's.
func lang(language string) templ.Attributes {
	if language == "" || language == "en" {
		return nil
	}
	return templ.Attributes{"lang": language}
}

// savedAt is when a post's current text was saved.
func savedAt(p domain.Post) time.Time {
	if p.Edited.IsZero() {
		return p.Created
	}
	return p.Edited
}

// tagText is how a form shows tags, and takes them.
func tagText(tags domain.Tags) string { return strings.Join(tags.List(), ", ") }
