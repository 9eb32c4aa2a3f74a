package execution

import (
	"database/sql/driver"
	"slices"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// target is the part of a container that a query is about.
type Target struct {
	Key    []value.Value // of the header, whole or a prefix
	Ranges []*catalog.FeedRange
	Single bool // one partition key or one range: everything is served
	Pinned bool // the whole partition key is fixed, and its owner is the only range
	Filter query.Filter
	Min    []byte // bounds of the hash; max nil: none
	Max    []byte
}

// outdated tells whether a range has been split meanwhile: rows may have moved on to the
// new ones before they were read.
func (t *Target) Outdated() bool {
	return !t.Pinned && slices.ContainsFunc(t.Ranges, func(r *catalog.FeedRange) bool { return r.Gone.Load() })
}

// onePartition tells SQLite how few items of a container a partition has. It would
// guess that all equalities are alike, and then might take the index of a type, say, and
// read every item of that type.
const onePartition = "likelihood(pk = ?, 0.000001)"

// where is the condition on the rows that a query's target and filter make.
func (t *Target) where(c *catalog.Container, now int64) (conditions []string, args []driver.Value) {
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
	if c.TTL != nil {
		add("(exp IS NULL OR exp > ?)", now)
	}
	return conditions, args
}

// admits tells whether a row is within the bounds of the hash.
func (t *Target) admits(c *catalog.Container, pk []byte) bool {
	return c.HashWithin(pk, t.Min, t.Max)
}
