// Package permalink makes addresses as generators do: slugs, and patterns with the values of a page.
package permalink

import (
	"regexp"
	"strings"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

var (
	outputTag  = regexp.MustCompile(`\{\{-?\s*([\w.]+)\s*((?:\|[^{}|]*)*?)\s*-?\}\}`)
	dateFilter = regexp.MustCompile(`^date\w*\s*[:(]\s*["']([^"']*)["']\s*\)?$`)
)

// FillIn inserts values into a pattern of addresses. It fails if it does not know a value or a filter.
func FillIn(pattern string, value func(name string) any) (address string, ok bool) {
	if ok = len(pattern) <= portable.MaxGlob; !ok {
		return "", false
	}
	address = outputTag.ReplaceAllStringFunc(pattern, func(tag string) string {
		m := outputTag.FindStringSubmatch(tag)
		v := value(m[1])
		date, isDate := v.(time.Time)
		text := frontmatter.TextOf(v)
		for filter := range strings.SplitSeq(strings.TrimPrefix(m[2], "|"), "|") {
			filter = strings.TrimSpace(filter)
			format := dateFilter.FindStringSubmatch(filter)
			switch {
			case format != nil && isDate:
				text = Strftime(date, format[1])
			case filter == "slug", filter == "slugify":
				text = ASCII(text)
			case filter == "lower", filter == "downcase":
				text = strings.ToLower(text)
			default:
				ok = ok && (filter == "" || filter == "url" || filter == "safe")
			}
		}
		ok = ok && text != ""
		return text
	})
	return address, ok && !strings.ContainsAny(address, "{}")
}

var timeFields = regexp.MustCompile(`%-?[a-zA-Z]`)

// Strftime formats a time as C and Python do.
func Strftime(t time.Time, format string) string {
	layouts := map[string]string{"%Y": "2006", "%y": "06", "%m": "01", "%-m": "1", "%d": "02", "%-d": "2", "%H": "15",
		"%M": "04", "%S": "05", "%b": "Jan", "%B": "January", "%a": "Mon", "%A": "Monday", "%j": "002"}
	return timeFields.ReplaceAllStringFunc(format, func(field string) string {
		if layout, known := layouts[field]; known {
			return t.Format(layout)
		}
		return field
	})
}

var (
	templateText = regexp.MustCompile("^[^`]*(?:=>|\\breturn)\\s*\\(?\\s*`([^`]*)`[\\s;)}]*$")
	templatePart = regexp.MustCompile(`\$\{\s*(?:data\.)?([\w.]+)\s*\}`)
)

// EleventyPattern returns the pattern of addresses for a function that does no more than insert values into a text.
func EleventyPattern(code string) string {
	m := templateText.FindStringSubmatch(code)
	if m == nil {
		return ""
	}
	return templatePart.ReplaceAllString(m[1], "{{ $1 }}")
}
