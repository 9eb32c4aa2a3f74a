// Package fanout adds new posts to the timelines of those who follow their authors or tags. It is the transport of
// deliveries to "timelines:…": package workers/delivery owns them, repeats them and goes on with them after a crash.
package fanout
