// Package workers holds what a process does in the background. Its parts are packages of their own:
//
//	changefeed   a change feed processor: its instances share the ranges of a feed through leases
//	projection   the projectors of posts and users, and the processors that run them
//	tailer       follows a whole change feed for one process, without leases
//	search       the full-text index of a process, kept current by a tailer
//	schedule     publishes posts and deletes accounts at their time
//	loop         what these share: pauses that grow, panics made errors, bounded parallelism
//	progress     progress bars of commands
//
// This package itself tells workers what their process writes, watches whether registration is open, and reports how
// far the workers of all instances are behind.
package workers
