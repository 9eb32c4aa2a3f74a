//go:build !race

package webtest

const RaceDetector = false
