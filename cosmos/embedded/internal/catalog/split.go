package catalog

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/hex"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/storage"
)

// SplitRange replaces a feed range by two and returns the changed container. It writes two rows of
// the catalog and none of the items.
func SplitRange(
	db *storage.Conn,
	c *Container,
	rng *FeedRange,
	at []byte,
) (next *Container, made []*FeedRange, err error) {
	if c.SystemKey {
		return nil, nil, apierror.BadRequest("A container without a partition key has one feed range.")
	}
	if len(c.Ranges) >= MaxRanges {
		return nil, nil, apierror.BadRequest("The container has %d feed ranges already.", len(c.Ranges))
	}
	bound := formatBound(at)
	parents := append(slices.Clip(rng.Parents), rng)
	for i, b := range [][2]string{{rng.Min, bound}, {bound, rng.Max}} {
		child, err := NewRange(c.LastRange()+1+i, b[0], b[1], parents)
		if err != nil || !c.canDivide(at) {
			return nil, nil, apierror.BadRequest("The feed range %d, from %q to below %q, cannot be split at %q.",
				rng.ID, rng.Min, rng.Max, bound)
		}
		child.LSN.Store(rng.LSN.Load()) // no other write is in this transaction
		names := make([]string, len(parents))
		for i, p := range parents {
			names[i] = strconv.Itoa(p.ID)
		}
		_,
			err = db.Exec(
			"INSERT INTO ranges (container, id, min, max, parents, lsn, version) VALUES (?, ?, ?, ?, ?, ?, ?)",
			c.Num, int64(child.ID), child.Min, child.Max, strings.Join(names, " "), child.LSN.Load(), c.State.Version)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, child)
	}
	changed := *c
	i := slices.Index(c.Ranges, rng)
	changed.Ranges = slices.Replace(slices.Clone(c.Ranges), i, i+1, made...)
	changed.split = append(slices.Clip(c.split), rng)
	return &changed, made, nil
}

// SplitTo splits the fullest feed range until the container has n ranges.
func SplitTo(db *storage.Conn, c *Container, n int, hashes [][]byte) (*Container, error) {
	for n = min(n, MaxRanges); len(c.Ranges) < n; {
		rng := c.Fullest(hashes)
		next, _, err := SplitRange(db, c, rng, c.Middle(rng, hashes))
		if err != nil {
			return nil, err
		}
		c = next
	}
	return c, nil
}

// RetireSplit marks the ranges that were split as gone. It is called after the catalog has the new
// ranges and before anything is written to them.
func (c *Container) RetireSplit() {
	for _, rng := range c.split {
		rng.Gone.Store(true)
	}
}

// formatBound formats a bound in hexadecimal as SDKs compare it. SDKs treat a shorter hash as
// padded with zeros. The result is at least as long as a hash and has no further trailing zeros.
func formatBound(at []byte) string {
	b := slices.Clone(at)
	for len(b) < epk.Size {
		b = append(b, 0)
	}
	for len(b) > epk.Size && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return strings.ToUpper(hex.EncodeToString(b))
}

// canDivide reports whether hashes can exist on both sides of a bound.
func (c *Container) canDivide(at []byte) bool {
	return len(bytes.Trim(at, "\x00")) > 0 && len(at) <= c.hashSize() && at[0] < epk.End
}

// hashSize returns the length of a hash in the container, in bytes.
func (c *Container) hashSize() int {
	if c.multiHash {
		return epk.Size * len(c.KeyPaths)
	}
	return epk.Size
}

// sampleSize is the number of items that are sampled to find the fullest range. sampleLeft is the
// number of partition keys that a range must have in the sample for the sample to decide.
const (
	sampleSize = 1000
	sampleLeft = 16
)

// SampleHashes returns the distinct hashes of a sample of the container's items, in order.
func SampleHashes(ctx context.Context, s *storage.Store, c *Container) ([][]byte, error) {
	var hashes [][]byte
	err := s.Read(ctx, func(conn *storage.Conn) error {
		return sample(ctx, conn, c, "pk", func(row []driver.Value) {
			pk, _ := row[0].([]byte)
			hashes = append(hashes, c.HashKey(epk.Decode(pk)))
		})
	})
	slices.SortFunc(hashes, bytes.Compare)
	return slices.CompactFunc(hashes, bytes.Equal), err
}

// within returns the sorted hashes that the range covers.
func (rng *FeedRange) within(hashes [][]byte) [][]byte {
	from, _ := slices.BinarySearchFunc(hashes, rng.Lower, bytes.Compare)
	to := len(hashes)
	if rng.Upper != nil {
		to, _ = slices.BinarySearchFunc(hashes, rng.Upper, bytes.Compare)
	}
	return hashes[from:to]
}

// Fullest returns the range with the most sampled hashes. If the sample is too small, it returns
// the widest range.
func (c *Container) Fullest(hashes [][]byte) *FeedRange {
	return slices.MaxFunc(c.Ranges, func(a, b *FeedRange) int {
		if n, m := len(a.within(hashes)), len(b.within(hashes)); max(n, m) >= sampleLeft && n != m {
			return n - m
		}
		return new(big.Int).Sub(c.number(a.Upper), c.number(a.Lower)).Cmp(new(big.Int).Sub(c.number(b.Upper),
			c.number(b.Lower)))
	})
}

// Middle returns the hash at which to split a range.
func (c *Container) Middle(rng *FeedRange, hashes [][]byte) []byte {
	if known := rng.within(hashes); len(known) >= sampleLeft {
		return known[len(known)/2]
	}
	sum := new(big.Int).Add(c.number(rng.Lower), c.number(rng.Upper))
	return sum.Rsh(sum, 1).FillBytes(make([]byte, c.hashSize()))
}

// number converts a bound to a number. A nil bound is the end of all hashes.
func (c *Container) number(bound []byte) *big.Int {
	if bound == nil {
		bound = []byte{epk.End}
	}
	return new(big.Int).SetBytes(append(slices.Clone(bound), make([]byte, max(c.hashSize()-len(bound), 0))...))
}
