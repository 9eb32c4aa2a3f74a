// Package changefeed processes a container's change feed, sharing its ranges with other instances through leases.
//
// A Processor reads a container's change feed range by range and passes each batch of changes to a Projector. Every
// change is projected at least once, and in order within a logical partition. A checkpoint follows each success. Any
// number of instances share the ranges through leases. The roles are those of the change feed processors in the .NET
// and Java SDKs, one file each:
//
//	feed.go        what a processor needs: a feed, stores of leases and dead letters, a projector
//	processor.go   the loop that balances the leases, and starts and reviews supervisors
//	bootstrap.go   brings the leases in line with the container
//	plan.go        pure function: which leases to create, split and delete
//	balance.go     pure function: which leases an instance should take
//	ownedlease.go  a lease that this instance owns: acquire, renew, checkpoint, release, detect its loss
//	supervisor.go  runs a reader and a renewer for one owned lease
//	reader.go      reads pages and writes checkpoints
//	isolate.go     projects a page and isolates changes that cannot be projected
//	split.go       replaces a lease by leases of the parts of its range
//	lag.go         the estimator
//	metrics.go, lagmetrics.go
//
// Invariants:
//
//   - All changes of a lease's range before its continuation have been projected, or are dead letters.
//   - An instance owns a stored lease if Owner names the instance and Epoch is that of its acquisition. Every write is
//     conditional on the etag, so a former owner cannot write a checkpoint.
//   - An instance that could not renew a lease for Expiration stops reading its range. Two instances may still project
//     the same changes for a moment, as after every takeover. Projections are therefore idempotent and never replace
//     newer data.
package changefeed
