package embedded

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"

	"inkfeed/cosmos/embedded/internal/value"
)

// feedRange is a part of a container by the hash of the partition key.
type feedRange struct {
	id           int
	min, max     string       // of the hash, in upper-case hex: from min to below max
	lower, upper []byte       // the same; upper nil: there is no hash beyond
	parents      []*feedRange // that it came out of by splits, oldest first
	lsn          atomic.Int64 // of the last commit
	gone         atomic.Bool  // it was split
	budget       budget
}

// maxRanges bounds the feed ranges of a container.
const maxRanges = 1000

// lastBound is above all hashes.
const lastBound = "FF"

func newRange(id int, min, max string, parents []*feedRange) (*feedRange, error) {
	lower, err1 := hex.DecodeString(min)
	upper, err2 := hex.DecodeString(max)
	if err1 != nil || err2 != nil || bytes.Compare(lower, upper) >= 0 {
		return nil, fmt.Errorf("the bounds of feed range %d are %q and %q", id, min, max)
	}
	if max == lastBound {
		upper = nil
	}
	return &feedRange{id: id, min: min, max: max, lower: lower, upper: upper, parents: parents}, nil
}

// whole tells whether the range has all hashes.
func (rng *feedRange) whole() bool { return len(rng.lower) == 0 && rng.upper == nil }

// contains tells whether the range has all hashes from min to below max; a nil max is
// above all.
func (rng *feedRange) contains(min, max []byte) bool {
	return bytes.Compare(min, rng.lower) >= 0 && (rng.upper == nil || max != nil && bytes.Compare(max, rng.upper) <= 0)
}

// has tells whether a hash is in the range.
func (rng *feedRange) has(hash []byte) bool {
	return bytes.Compare(hash, rng.lower) >= 0 && (rng.upper == nil || bytes.Compare(hash, rng.upper) < 0)
}

// rangeOf finds the range that owns a hash.
func (c *container) rangeOf(hash []byte) *feedRange {
	if len(c.ranges) == 1 {
		return c.ranges[0]
	}
	return c.ranges[sort.Search(len(c.ranges)-1, func(i int) bool { return bytes.Compare(hash, c.ranges[i].upper) < 0 })]
}

// rangeByID finds the range that a header names.
func (c *container) rangeByID(id string) (*feedRange, error) {
	num, err := strconv.Atoi(id)
	i := slices.IndexFunc(c.ranges, func(r *feedRange) bool { return r.id == num })
	if err != nil || i < 0 || strconv.Itoa(num) != id {
		return nil, failure(http.StatusGone, subRangeGone, "The requested partition key range is gone.")
	}
	return c.ranges[i], nil
}

// rangeEver finds a range, were it split meanwhile; nil if there has never been one.
func (c *container) rangeEver(id int) *feedRange {
	for _, list := range [][]*feedRange{c.ranges, c.split} {
		if i := slices.IndexFunc(list, func(r *feedRange) bool { return r.id == id }); i >= 0 {
			return list[i]
		}
	}
	return nil
}

// lastRange is the id of the range made last.
func (c *container) lastRange() (id int) {
	for _, rng := range c.ranges { // a range is older than those that it is split into
		id = max(id, rng.id)
	}
	return id
}

// rowsOf is the condition on the rows of a range, empty for all rows. A row's column rng
// names the range that its last write went to. So the range's own rows are its, those of
// the ranges that it was split into, and of its parents' those whose hash it has.
func (c *container) rowsOf(rng *feedRange) (condition string, args []driver.Value) {
	if rng.whole() {
		return "", nil
	}
	args = append(args, int64(rng.id))
	for _, list := range [][]*feedRange{c.ranges, c.split} {
		for _, other := range list {
			if slices.Contains(other.parents, rng) {
				args = append(args, int64(other.id))
			}
		}
	}
	// The plus keeps SQLite from taking the change feed's index for this.
	condition = "+rng IN (?" + strings.Repeat(",?", len(args)-1) + ")"
	if len(rng.parents) == 0 {
		return condition, args
	}
	condition = "(" + condition + " OR +rng IN (?" + strings.Repeat(",?", len(rng.parents)-1) + ") AND " + withinHash + ")"
	for _, parent := range rng.parents {
		args = append(args, int64(parent.id))
	}
	return condition, append(args, c.hashArgs(rng)...)
}

// withinHash is the condition that a row's hash is in a range; hashArgs are its arguments.
const withinHash = "cosmos_within(pk, ?, ?, ?)"

func (c *container) hashArgs(rng *feedRange) []driver.Value {
	var upper driver.Value
	if rng.upper != nil {
		upper = rng.upper
	}
	multi := int64(0)
	if c.multiHash {
		multi = 1
	}
	return []driver.Value{multi, rng.lower, upper}
}

// divide makes n feed ranges that tile the hashes, which all begin with 00 to 3F.
func divide(n int) []*feedRange {
	n = max(n, 1)
	ranges := make([]*feedRange, n)
	bound := ""
	for i := range ranges {
		next := fmt.Sprintf("%016X%016X", uint64(float64(i+1)/float64(n)*float64(1<<62)), uint64(0))
		if i == n-1 {
			next = lastBound
		}
		ranges[i], _ = newRange(i, bound, next, nil) // these bounds are valid
		bound = next
	}
	return ranges
}

func (rng *feedRange) document(c *container) value.Value {
	rid := append(c.ridBytes(), make([]byte, 8)...)
	binary.LittleEndian.PutUint64(rid[8:], uint64(rng.id+2)|5<<60)
	text := value.OfString
	parents := make([]value.Value, len(rng.parents))
	for i, p := range rng.parents {
		parents[i] = text(strconv.Itoa(p.id))
	}
	return value.OfObject([]value.Member{
		{Name: "_rid", Value: text(ridText(rid))},
		{Name: "id", Value: text(strconv.Itoa(rng.id))},
		{Name: "_etag", Value: text(formatETag(int64(rng.id), c.ts))},
		{Name: "minInclusive", Value: text(rng.min)},
		{Name: "maxExclusive", Value: text(rng.max)},
		{Name: "ridPrefix", Value: value.OfInt(int64(rng.id))},
		{Name: "_self", Value: text(c.self() + "pkranges/" + ridText(rid) + "/")},
		{Name: "throughputFraction", Value: value.OfFloat(1 / float64(len(c.ranges)))},
		{Name: "status", Value: text("online")},
		{Name: "parents", Value: value.OfArray(parents)},
		{Name: "ownedArchivalPKRangeIds", Value: value.OfArray(nil)},
		{Name: "_ts", Value: value.OfInt(c.ts)},
		{Name: "lsn", Value: value.OfInt(rng.lsn.Load())},
	})
}
