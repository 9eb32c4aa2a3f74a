// Package workers keeps the denormalised copies current from the change feeds.
//
// A Processor reads a container's change feed range by range and hands each
// page to a Projector, at least once and in order within a logical partition.
// Its roles are apart, as in the .NET SDK's change feed processor: bootstrap.go
// makes a lease for each feed range, balance.go decides which leases an
// instance should own, processor.go acts on it, supervisor.go holds one lease,
// reader.go reads its range and checkpoints after success.
//
// PostsProjector and UsersProjector are what Inkfeed projects.
package workers
