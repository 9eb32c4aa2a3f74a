package webtest

import "slices"

// Differences returns the lines that only one of two sorted lists has: those of before with a minus sign, those of
// after with a plus sign.
func Differences(before, after []string) []string {
	var found []string
	for _, line := range before {
		if _, has := slices.BinarySearch(after, line); !has {
			found = append(found, "- "+line)
		}
	}
	for _, line := range after {
		if _, has := slices.BinarySearch(before, line); !has {
			found = append(found, "+ "+line)
		}
	}
	return found
}
