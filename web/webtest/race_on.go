//go:build race

package webtest

// RaceDetector reports whether the race detector runs. It makes a test several times as slow.
const RaceDetector = true
