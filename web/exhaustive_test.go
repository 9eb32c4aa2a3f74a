package web_test

import (
	"maps"
	"os"
	"slices"
)

// exhaustive reports whether tests try all combinations, as make check has them do. Otherwise they try a sample.
var exhaustive = os.Getenv("INKFEED_EXHAUSTIVE") != ""

// samples takes values in turn, so that a few for each of many cases are all of them together.
type samples[V any] struct {
	values map[string]V
	each   int // how many values a case gets, unless the test is exhaustive
	taken  int
}

// next returns the values of the next case, by their names.
func (s *samples[V]) next() map[string]V {
	if exhaustive {
		return s.values
	}
	names := slices.Sorted(maps.Keys(s.values))
	some := map[string]V{}
	for range s.each {
		name := names[s.taken%len(names)]
		some[name] = s.values[name]
		s.taken++
	}
	return some
}
