// Package workers holds the background work of a process. Its parts are packages of their own:
//
//	changefeed   the change feed processor, whose instances share the ranges of a feed through leases
//	projection   the projectors of posts and users, and the processors that run them
//	tailer       follows a whole change feed for one process, without leases
//	search       the full-text index of a process, kept current by a tailer
//	schedule     publishes posts and deletes accounts at their scheduled times
//	loop         shared tools: growing pauses, panics as errors, bounded parallelism
//	progress     progress bars of commands
//
// This package itself passes the writes of a process on to its workers, keeps the
// site's settings and the list of static pages current, and
// reports how far the workers of all instances are behind.
package workers
