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

// split makes two ranges of one, and returns the container that has them.
func SplitRange(db *storage.Conn, c *Container, rng *FeedRange, at []byte) (next *Container, made []*FeedRange, err error) {
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
			return nil, nil, apierror.BadRequest("The feed range %d, from %q to below %q, cannot be split at %q.", rng.ID, rng.Min, rng.Max, bound)
		}
		child.LSN.Store(rng.LSN.Load()) // nothing else is in this transaction
		names := make([]string, len(parents))
		for i, p := range parents {
			names[i] = strconv.Itoa(p.ID)
		}
		_, err = db.Exec("INSERT INTO ranges (container, id, min, max, parents, lsn, version) VALUES (?, ?, ?, ?, ?, ?, ?)",
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

// splitTo splits until a container has n ranges, always the one that has the most.
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

// retireSplit marks the ranges that were split as gone. It is for a container that the
// catalog has just got, before anything is written to the new ranges.
func (c *Container) RetireSplit() {
	for _, rng := range c.split {
		rng.Gone.Store(true)
	}
}

// formatBound writes a bound as the SDKs compare it, for which a shorter hash goes on with
// zeros: no shorter than a hash, and without needless zeros beyond.
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

// canDivide tells whether there can be hashes on both sides of a bound.
func (c *Container) canDivide(at []byte) bool {
	return len(bytes.Trim(at, "\x00")) > 0 && len(at) <= c.hashSize() && at[0] < epk.End
}

// hashSize is the number of bytes of a hash in the container.
func (c *Container) hashSize() int {
	if c.multiHash {
		return epk.Size * len(c.KeyPaths)
	}
	return epk.Size
}

// How many items are looked at to find out where most are, and how many keys of them a
// range must have for that to mean something.
const (
	sampleSize = 1000
	sampleLeft = 16
)

// sampleHashes returns, in order, the different hashes of some items from all over the
// container.
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

// within returns those of the sorted hashes that a range has.
func (rng *FeedRange) within(hashes [][]byte) [][]byte {
	from, _ := slices.BinarySearchFunc(hashes, rng.Lower, bytes.Compare)
	to := len(hashes)
	if rng.Upper != nil {
		to, _ = slices.BinarySearchFunc(hashes, rng.Upper, bytes.Compare)
	}
	return hashes[from:to]
}

// fullest is the range that has the most of the sampled hashes or, if that says nothing,
// the widest.
func (c *Container) Fullest(hashes [][]byte) *FeedRange {
	return slices.MaxFunc(c.Ranges, func(a, b *FeedRange) int {
		if n, m := len(a.within(hashes)), len(b.within(hashes)); max(n, m) >= sampleLeft && n != m {
			return n - m
		}
		return new(big.Int).Sub(c.number(a.Upper), c.number(a.Lower)).Cmp(new(big.Int).Sub(c.number(b.Upper), c.number(b.Lower)))
	})
}

// middle is where to split a range.
func (c *Container) Middle(rng *FeedRange, hashes [][]byte) []byte {
	if known := rng.within(hashes); len(known) >= sampleLeft {
		return known[len(known)/2]
	}
	sum := new(big.Int).Add(c.number(rng.Lower), c.number(rng.Upper))
	return sum.Rsh(sum, 1).FillBytes(make([]byte, c.hashSize()))
}

// number reads a bound as a number; nil is the end of all hashes.
func (c *Container) number(bound []byte) *big.Int {
	if bound == nil {
		bound = []byte{epk.End}
	}
	return new(big.Int).SetBytes(append(slices.Clone(bound), make([]byte, max(c.hashSize()-len(bound), 0))...))
}
