package client

import (
	"context"

	"inkfeed/domain/dependency"
)

// Operation is the purpose of storage requests. Its name labels their metrics, spans and costs: C1 to Q6 of the model,
// and others. It also says what the requests write, so the page cache drops what shows it. Each name is declared once,
// beside the store that carries the operation out.
type Operation struct {
	name      string
	onlyReads bool
	changes   dependency.Facets
}

// Reads returns an operation that writes nothing.
func Reads(name string) Operation { return Operation{name, true, dependency.AllFacets} }

// Writes returns an operation that may change all facets of the partitions that it writes.
func Writes(name string) Operation { return Operation{name, false, dependency.AllFacets} }

// WritesOnly returns an operation that may change only these facets of the partitions that it writes. With 0, no cached
// page shows its writes. Its transactions may still change the counts in the user item.
func WritesOnly(name string, changes dependency.Facets) Operation {
	return Operation{name, false, changes}
}

// Operations of this package, and those that several packages carry out.
var (
	Erasing       = Writes("erase")       // finishes the deletion of a user or post
	SpreadingName = Writes("spread-name") // writes a user's new name to the user's texts
	CountingItems = Reads("count-items")
	bootstrapping = Writes("bootstrap")
	exporting     = Reads("export")
	unnamed       = Writes("sdk") // of the requests that the SDK makes for its own caches
)

func (o Operation) String() string { return o.name }

// OnlyReads reports whether the operation was declared by [Reads]. If it writes nevertheless, all facets may have
// changed, and the tests of the stores fail.
func (o Operation) OnlyReads() bool { return o.onlyReads }

// changed returns the facets that a request, perhaps a transaction, may change.
func (o Operation) changed(transaction bool) dependency.Facets {
	if o.changes == 0 && transaction {
		return dependency.FacetAccount
	}
	return o.changes
}

type operationKey struct{}

// In returns a context whose requests are made for the operation. The outermost operation wins, so that an operation
// that consists of several others counts as one.
func (o Operation) In(ctx context.Context) context.Context {
	if _, ok := ctx.Value(operationKey{}).(Operation); ok {
		return ctx
	}
	return context.WithValue(ctx, operationKey{}, o)
}

// operationOf returns the context's operation.
func operationOf(ctx context.Context) Operation {
	if o, ok := ctx.Value(operationKey{}).(Operation); ok {
		return o
	}
	return unnamed
}
