// Package changefeed processes a container's change feed, sharing its ranges with other instances through leases.
//
// A Processor reads a container's change feed range by range and hands each page to a
// Projector: at least once, in order within a logical partition, with a checkpoint
// after success. Any number of instances share the ranges through leases. Its roles
// are apart, as in the .NET and Java SDKs' change feed processors, a file each:
//
//	feed.go        what it needs: a feed, a store of leases, one of dead letters, a projector
//	processor.go   the loop that balances, and starts and reviews the supervisors
//	bootstrap.go   brings the leases in line with the container
//	plan.go        the pure decision which leases to make, split and drop
//	balance.go     the pure decision which leases an instance should take
//	ownedlease.go  a lease that this instance owns: acquired, renewed, checkpointed, released, lost
//	supervisor.go  one owned lease: a reader, and a renewer beside it
//	reader.go      reads pages, and checkpoints
//	isolate.go     projects a page, and isolates what cannot be projected
//	split.go       replaces a lease by those of the parts of its range
//	lag.go         the estimator
//	metrics.go, lagmetrics.go
//
// What holds throughout:
//
//   - All changes of a lease's range before its continuation have been projected, or
//     are dead letters.
//   - A stored lease is somebody's who is its Owner and acquired it as its Epoch. Every
//     write is conditional on the etag, so who lost a lease cannot checkpoint.
//   - Who could not write a lease for Expiration stops by itself. Two may still project
//     the same for a moment, as after every takeover: projections are idempotent and
//     never go backwards.
package changefeed
