package embedded

import (
	"database/sql/driver"
	"slices"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// target is the part of a container that a query is about.
type target struct {
	key    []value.Value // of the header, whole or a prefix
	ranges []*feedRange
	single bool // one partition key or one range: everything is served
	pinned bool // the whole partition key is fixed, and its owner is the only range
	filter query.Filter
	min    []byte // bounds of the hash; max nil: none
	max    []byte
}

// outdated tells whether a range has been split meanwhile: rows may have moved on to the
// new ones before they were read.
func (t *target) outdated() bool {
	return !t.pinned && slices.ContainsFunc(t.ranges, func(r *feedRange) bool { return r.gone.Load() })
}

// onePartition tells SQLite how few items of a container a partition has. It would
// guess that all equalities are alike, and then might take the index of a type, say, and
// read every item of that type.
const onePartition = "likelihood(pk = ?, 0.000001)"

// where is the condition on the rows that a query's target and filter make.
func (t *target) where(c *container, now int64) (conditions []string, args []driver.Value) {
	add := func(sql string, a ...driver.Value) {
		conditions = append(conditions, sql)
		args = append(args, a...)
	}
	if n := len(t.key); n > 0 {
		enc := encodeKey(t.key)
		if n == len(c.keyPaths) {
			add(onePartition, enc)
		} else {
			add("pk >= ? AND pk < ?", enc, append(encodeKey(t.key), 0xFF))
		}
	}
	if t.filter.SQL != "" {
		add(t.filter.SQL, t.filter.Args...)
	}
	if c.ttl != nil {
		add("(exp IS NULL OR exp > ?)", now)
	}
	return conditions, args
}

// admits tells whether a row is within the bounds of the hash.
func (t *target) admits(c *container, pk []byte) bool {
	return c.hashWithin(pk, t.min, t.max)
}
