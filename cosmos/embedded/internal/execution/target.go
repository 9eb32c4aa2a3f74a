package execution

import (
	"database/sql/driver"
	"slices"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/pushdown"
	"inkfeed/cosmos/embedded/internal/value"
)

// Target is the part of a container that a query concerns.
type Target struct {
	Key    []value.Value // partition key of the header, whole or a prefix
	Ranges []*catalog.FeedRange
	Single bool // the query concerns one partition key or one feed range, so the gateway serves it
	Pinned bool // the whole partition key is known, and its feed range is the only one
	Filter pushdown.Filter
	Min    []byte // bounds of the hash; Max nil: none
	Max    []byte
}

// Outdated reports whether a feed range of the target was split after the target was determined. The query may then
// have missed rows that were written to the new ranges.
func (t *Target) Outdated() bool {
	return !t.Pinned && slices.ContainsFunc(t.Ranges, func(r *catalog.FeedRange) bool { return r.Gone.Load() })
}

// onePartition tells SQLite that few items have the same partition key. SQLite would otherwise
// assume that all equalities are equally selective. It might then use an index over a property such
// as the type and read every item of that type.
const onePartition = "likelihood(pk = ?, 0.000001)"

// where returns the SQL conditions of the target and the filter.
func (t *Target) where(c *catalog.Container) (conditions []string, args []driver.Value) {
	add := func(sql string, a ...driver.Value) {
		conditions = append(conditions, sql)
		args = append(args, a...)
	}
	if n := len(t.Key); n > 0 {
		enc := epk.Encode(t.Key)
		if n == len(c.KeyPaths) {
			add(onePartition, enc)
		} else {
			add("pk >= ? AND pk < ?", enc, append(epk.Encode(t.Key), 0xFF))
		}
	}
	if t.Filter.SQL != "" {
		add(t.Filter.SQL, t.Filter.Args...)
	}
	return conditions, args
}

// admits reports whether a row is within the bounds of the hash.
func (t *Target) admits(c *catalog.Container, pk []byte) bool {
	return c.HashWithin(pk, t.Min, t.Max)
}
