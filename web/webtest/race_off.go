//go:build !race

package webtest

// RaceDetector reports whether the race detector runs.
const RaceDetector = false
