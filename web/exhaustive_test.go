package web_test

import (
	"maps"
	"os"
	"slices"
)

// exhaustive reports whether tests try all combinations, as under make check. Otherwise they try a sample.
var exhaustive = os.Getenv("INKFEED_EXHAUSTIVE") != ""

// samples hands out values in turn. So all cases together use every value, although each uses only a few.
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
