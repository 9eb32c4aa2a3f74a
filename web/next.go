package web

import (
	"net/url"
	"strings"
	"unicode"
)

// maxNext bounds the address that a log-in carries along.
const maxNext = 2000

// safeNext returns next when it is a path on this site, and "" otherwise: what a
// link from elsewhere puts there must not lead off the site.
func safeNext(next string) string {
	if len(next) > maxNext || !strings.HasPrefix(next, "/") || strings.Contains(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool { return r == '\\' || unicode.IsControl(r) || r == unicode.ReplacementChar }) {
		return ""
	}
	// What a lenient browser could read differently than we do is refused too.
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil {
		return ""
	}
	return next
}

// nextOr is where to go after a log-in.
func nextOr(next, otherwise string) string {
	if safe := safeNext(next); safe != "" {
		return safe
	}
	return otherwise
}
