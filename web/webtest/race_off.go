//go:build !race

package webtest

// RaceDetector reports whether the race detector runs, which makes tests several times as slow.
const RaceDetector = false
