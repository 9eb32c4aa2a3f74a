package picture

import (
	"strings"
	"testing"
)

func TestAllowedNamesOfSVGAreWhole(t *testing.T) {
	for _, names := range [][]string{svgElements, svgAttributes} {
		seen := make(map[string]bool)
		for _, name := range names {
			if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
				t.Errorf("%q is a part of a name", name)
			}
			if seen[name] {
				t.Errorf("%q occurs twice", name)
			}
			seen[name] = true
		}
	}
}
