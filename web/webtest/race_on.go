//go:build race

package webtest

// RaceDetector: the race detector runs, which makes a test several times as slow.
const RaceDetector = true
