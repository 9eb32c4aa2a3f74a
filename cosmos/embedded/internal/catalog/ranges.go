package catalog

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

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// FeedRange is the part of a container with an interval of hashes of the partition key.
type FeedRange struct {
	ID           int
	Min, Max     string       // bounds of the hash in upper-case hexadecimal; max is exclusive
	Lower, Upper []byte       // the same bounds as bytes; Upper is nil for the last range
	Parents      []*FeedRange // ranges that were split into this one, oldest first
	LSN          atomic.Int64 // LSN of the last commit
	Gone         atomic.Bool  // the range has been split
	Budget       budget
}

// MaxRanges is the maximum number of feed ranges of a container.
const MaxRanges = 1000

// lastBound is the upper bound of the last feed range.
const lastBound = "FF"

// NewRange returns a feed range with the given hexadecimal bounds. It fails for bounds that are invalid or out of
// order.
func NewRange(id int, min, max string, parents []*FeedRange) (*FeedRange, error) {
	lower, err1 := hex.DecodeString(min)
	upper, err2 := hex.DecodeString(max)
	if err1 != nil || err2 != nil || bytes.Compare(lower, upper) >= 0 {
		return nil, fmt.Errorf("the bounds of feed range %d are %q and %q", id, min, max)
	}
	if max == lastBound {
		upper = nil
	}
	return &FeedRange{ID: id, Min: min, Max: max, Lower: lower, Upper: upper, Parents: parents}, nil
}

// whole reports whether the range covers all hashes.
func (rng *FeedRange) whole() bool { return len(rng.Lower) == 0 && rng.Upper == nil }

// Contains reports whether the range covers all hashes from min to below max. A nil max is above
// all hashes.
func (rng *FeedRange) Contains(min, max []byte) bool {
	return bytes.Compare(min, rng.Lower) >= 0 && (rng.Upper == nil || max != nil && bytes.Compare(max, rng.Upper) <= 0)
}

// Has reports whether the range covers a hash.
func (rng *FeedRange) Has(hash []byte) bool {
	return bytes.Compare(hash, rng.Lower) >= 0 && (rng.Upper == nil || bytes.Compare(hash, rng.Upper) < 0)
}

// RangeOf returns the feed range that covers a hash.
func (c *Container) RangeOf(hash []byte) *FeedRange {
	if len(c.Ranges) == 1 {
		return c.Ranges[0]
	}
	return c.Ranges[sort.Search(len(c.Ranges)-1,
		func(i int) bool { return bytes.Compare(hash, c.Ranges[i].Upper) < 0 })]
}

// RangeByID returns the feed range with the id in a request header.
func (c *Container) RangeByID(id string) (*FeedRange, error) {
	num, err := strconv.Atoi(id)
	i := slices.IndexFunc(c.Ranges, func(r *FeedRange) bool { return r.ID == num })
	if err != nil || i < 0 || strconv.Itoa(num) != id {
		return nil, apierror.New(http.StatusGone, apierror.SubRangeGone, "The requested partition key range is gone.")
	}
	return c.Ranges[i], nil
}

// CurrentOrFormerRange returns the feed range with an id, even if it has been split. It is nil if there has
// never been such a range.
func (c *Container) CurrentOrFormerRange(id int) *FeedRange {
	for _, list := range [][]*FeedRange{c.Ranges, c.split} {
		if i := slices.IndexFunc(list, func(r *FeedRange) bool { return r.ID == id }); i >= 0 {
			return list[i]
		}
	}
	return nil
}

// LastRange returns the id of the newest feed range.
func (c *Container) LastRange() (id int) {
	for _, rng := range c.Ranges { // ranges made by a split have higher ids than the range that was split
		id = max(id, rng.ID)
	}
	return id
}

// RowsOf returns a SQL condition on the rows of a feed range. It is empty if every row belongs to
// the range. The column rng names the range of a row's last write, so three kinds of rows belong to
// a range: its own rows, the rows of the ranges that it was split into, and the rows of its parents
// whose hash it covers.
func (c *Container) RowsOf(rng *FeedRange) (condition string, args []driver.Value) {
	if rng.whole() {
		return "", nil
	}
	args = append(args, int64(rng.ID))
	for _, list := range [][]*FeedRange{c.Ranges, c.split} {
		for _, other := range list {
			if slices.Contains(other.Parents, rng) {
				args = append(args, int64(other.ID))
			}
		}
	}
	// The plus sign keeps SQLite from using the change feed's index for this condition.
	condition = "+rng IN (?" + strings.Repeat(",?", len(args)-1) + ")"
	if len(rng.Parents) == 0 {
		return condition, args
	}
	condition = "(" + condition + " OR +rng IN (?" + strings.Repeat(",?", len(rng.Parents)-1) + ") AND " + WithinHash +
		")"
	for _, parent := range rng.Parents {
		args = append(args, int64(parent.ID))
	}
	return condition, append(args, c.HashArgs(rng)...)
}

// WithinHash is the SQL condition that the hash of a row's partition key is within a feed
// range. HashArgs returns its arguments.
const WithinHash = "cosmos_within(pk, ?, ?, ?)"

// HashArgs returns the arguments of WithinHash for a feed range.
func (c *Container) HashArgs(rng *FeedRange) []driver.Value {
	var upper driver.Value
	if rng.Upper != nil {
		upper = rng.Upper
	}
	multi := int64(0)
	if c.multiHash {
		multi = 1
	}
	return []driver.Value{multi, rng.Lower, upper}
}

// divide returns n feed ranges that cover all hashes. Every hash begins with 00 to 3F.
func divide(n int) []*FeedRange {
	n = max(n, 1)
	ranges := make([]*FeedRange, n)
	bound := ""
	for i := range ranges {
		next := fmt.Sprintf("%016X%016X", uint64(float64(i+1)/float64(n)*float64(1<<62)), uint64(0))
		if i == n-1 {
			next = lastBound
		}
		ranges[i], _ = NewRange(i, bound, next, nil) // the bounds are valid
		bound = next
	}
	return ranges
}

// Document returns the feed range as clients see it.
func (rng *FeedRange) Document(c *Container) value.Value {
	rid := append(c.RIDBytes(), make([]byte, 8)...)
	binary.LittleEndian.PutUint64(rid[8:], uint64(rng.ID+2)|5<<60)
	text := value.OfString
	parents := make([]value.Value, len(rng.Parents))
	for i, p := range rng.Parents {
		parents[i] = text(strconv.Itoa(p.ID))
	}
	return value.OfObject([]value.Member{
		{Name: "_rid", Value: text(FormatRID(rid))},
		{Name: "id", Value: text(strconv.Itoa(rng.ID))},
		{Name: "_etag", Value: text(FormatETag(int64(rng.ID), c.TS))},
		{Name: "minInclusive", Value: text(rng.Min)},
		{Name: "maxExclusive", Value: text(rng.Max)},
		{Name: "ridPrefix", Value: value.OfInt(int64(rng.ID))},
		{Name: "_self", Value: text(c.Self() + "pkranges/" + FormatRID(rid) + "/")},
		{Name: "throughputFraction", Value: value.OfFloat(1 / float64(len(c.Ranges)))},
		{Name: "status", Value: text("online")},
		{Name: "parents", Value: value.OfArray(parents)},
		{Name: "ownedArchivalPKRangeIds", Value: value.OfArray(nil)},
		{Name: "_ts", Value: value.OfInt(c.TS)},
		{Name: "lsn", Value: value.OfInt(rng.LSN.Load())},
	})
}
