package embedded

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/hex"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/epk"
)

// split makes two ranges of one, and returns the container that has them.
func splitRange(db *conn, c *container, rng *feedRange, at []byte) (next *container, made []*feedRange, err error) {
	if c.systemKey {
		return nil, nil, badRequest("A container without a partition key has one feed range.")
	}
	if len(c.ranges) >= maxRanges {
		return nil, nil, badRequest("The container has %d feed ranges already.", len(c.ranges))
	}
	bound := formatBound(at)
	parents := append(slices.Clip(rng.parents), rng)
	for i, b := range [][2]string{{rng.min, bound}, {bound, rng.max}} {
		child, err := newRange(c.lastRange()+1+i, b[0], b[1], parents)
		if err != nil || !c.canDivide(at) {
			return nil, nil, badRequest("The feed range %d, from %q to below %q, cannot be split at %q.", rng.id, rng.min, rng.max, bound)
		}
		child.lsn.Store(rng.lsn.Load()) // nothing else is in this transaction
		names := make([]string, len(parents))
		for i, p := range parents {
			names[i] = strconv.Itoa(p.id)
		}
		_, err = db.exec("INSERT INTO ranges (container, id, min, max, parents, lsn, version) VALUES (?, ?, ?, ?, ?, ?, ?)",
			c.num, int64(child.id), child.min, child.max, strings.Join(names, " "), child.lsn.Load(), c.state.version)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, child)
	}
	changed := *c
	i := slices.Index(c.ranges, rng)
	changed.ranges = slices.Replace(slices.Clone(c.ranges), i, i+1, made...)
	changed.split = append(slices.Clip(c.split), rng)
	return &changed, made, nil
}

// splitTo splits until a container has n ranges, always the one that has the most.
func splitTo(db *conn, c *container, n int, hashes [][]byte) (*container, error) {
	for n = min(n, maxRanges); len(c.ranges) < n; {
		rng := c.fullest(hashes)
		next, _, err := splitRange(db, c, rng, c.middle(rng, hashes))
		if err != nil {
			return nil, err
		}
		c = next
	}
	return c, nil
}

// retireSplit marks the ranges that were split as gone. It is for a container that the
// catalog has just got, before anything is written to the new ranges.
func (c *container) retireSplit() {
	for _, rng := range c.split {
		rng.gone.Store(true)
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
func (c *container) canDivide(at []byte) bool {
	return len(bytes.Trim(at, "\x00")) > 0 && len(at) <= c.hashSize() && at[0] < epk.End
}

// hashSize is the number of bytes of a hash in the container.
func (c *container) hashSize() int {
	if c.multiHash {
		return epk.Size * len(c.keyPaths)
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
func sampleHashes(ctx context.Context, s *store, c *container) ([][]byte, error) {
	var hashes [][]byte
	err := s.read(ctx, func(conn *conn) error {
		return sample(ctx, conn, c, "pk", func(row []driver.Value) {
			pk, _ := row[0].([]byte)
			hashes = append(hashes, c.hashKey(decodeKey(pk)))
		})
	})
	slices.SortFunc(hashes, bytes.Compare)
	return slices.CompactFunc(hashes, bytes.Equal), err
}

// within returns those of the sorted hashes that a range has.
func (rng *feedRange) within(hashes [][]byte) [][]byte {
	from, _ := slices.BinarySearchFunc(hashes, rng.lower, bytes.Compare)
	to := len(hashes)
	if rng.upper != nil {
		to, _ = slices.BinarySearchFunc(hashes, rng.upper, bytes.Compare)
	}
	return hashes[from:to]
}

// fullest is the range that has the most of the sampled hashes or, if that says nothing,
// the widest.
func (c *container) fullest(hashes [][]byte) *feedRange {
	return slices.MaxFunc(c.ranges, func(a, b *feedRange) int {
		if n, m := len(a.within(hashes)), len(b.within(hashes)); max(n, m) >= sampleLeft && n != m {
			return n - m
		}
		return new(big.Int).Sub(c.number(a.upper), c.number(a.lower)).Cmp(new(big.Int).Sub(c.number(b.upper), c.number(b.lower)))
	})
}

// middle is where to split a range.
func (c *container) middle(rng *feedRange, hashes [][]byte) []byte {
	if known := rng.within(hashes); len(known) >= sampleLeft {
		return known[len(known)/2]
	}
	sum := new(big.Int).Add(c.number(rng.lower), c.number(rng.upper))
	return sum.Rsh(sum, 1).FillBytes(make([]byte, c.hashSize()))
}

// number reads a bound as a number; nil is the end of all hashes.
func (c *container) number(bound []byte) *big.Int {
	if bound == nil {
		bound = []byte{epk.End}
	}
	return new(big.Int).SetBytes(append(slices.Clone(bound), make([]byte, max(c.hashSize()-len(bound), 0))...))
}
