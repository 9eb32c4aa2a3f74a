package literals

import (
	"regexp"
	"strings"
)

// maxCall is the maximum length, in bytes, of a call with its filters.
const maxCall = 2000

var chained = regexp.MustCompile(`^[\s,]*\)[\s)]*\.filter\(`)

// Conditions returns the terms, joined by &&, of the filter that is the second argument of a call, and of the filters
// of its result. The source begins after the first argument.
func Conditions(source string) (terms []string) {
	r := reader{source: source[:min(len(source), maxCall)]}
	for {
		if r.space(); strings.HasPrefix(r.source[r.at:], ",") {
			r.at++
		}
		start := r.at
		r.skip(false)
		filter := r.source[start:r.at]
		if _, body, isArrow := strings.Cut(filter, "=>"); isArrow {
			filter = body
		}
		for term := range strings.SplitSeq(filter, "&&") {
			term = strings.TrimPrefix(strings.Trim(term, " \t\r\n(){};,"), "return ")
			if term = strings.Trim(term, " ("); term != "" {
				terms = append(terms, term)
			}
		}
		next := chained.FindString(r.source[r.at:])
		if next == "" {
			return terms
		}
		r.at += len(next)
	}
}
