//go:build race

package web_test

// raced: the race detector runs, which makes a test several times as slow.
const raced = true
