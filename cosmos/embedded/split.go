package embedded

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/value"
)

// A split replaces a feed range by two that divide its hashes. It writes two rows of the
// catalog and none of the items, however many there are: an item stays with the range
// that its last write went to, and whoever reads one of the new ranges also reads those
// of its parents' items whose hash it has. The LSNs of both go on from the parent's last.
// So the change feed of a new range, the parents' part first, is in the order of its
// LSNs, a continuation of the parent means the same on both, and a reader who is past
// the parent no longer pays for it.
//
// The range that was split stays in the catalog as a parent. To name it in a request is
// answered 410, upon which clients ask for the ranges again.

// Split divides a feed range of a container in two while the container is in use. An
// empty rangeID chooses the range that has the most. It divides a range of many items in
// the middle of these, another in the middle of its hashes.
//
// The service splits by itself, when throughput or storage ask for it; this is for
// operators, and for tests of what follows a split.
func (e *Engine) Split(ctx context.Context, database, container, rangeID string) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return errClosed()
	}
	c, err := e.catalog.Load().container(database, container)
	if err != nil {
		return fmt.Errorf("there is no container %s in a database %s", container, database)
	}
	_, _, err = e.splitRange(ctx, c, rangeID, "")
	return err
}

// postRanges is Split for clients of other processes, an extension of the protocol: the
// service has no such request. The body is a JSON object, of which all is optional:
// {"range": the id of the range, "at": where, as the hash in hex}. The answer has the new
// ranges.
func (e *Engine) postRanges(q *request) (*response, error) {
	q.ours = true
	c, err := q.container(errOwnerMissing)
	if err != nil {
		return nil, err
	}
	order, err := q.json()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"range", "at"} {
		if v := order.Member(name); v.Defined() && v.Kind() != value.String {
			return nil, badRequest("The member %s of a split is not a string.", name)
		}
	}
	next, made, err := e.splitRange(q.ctx(), c, order.Member("range").Str(), order.Member("at").Str())
	if err != nil {
		return nil, err
	}
	q.coll = next
	var documents [][]byte
	for _, rng := range made {
		documents = append(documents, rng.document(next).AppendJSON(nil))
	}
	r := q.feed("PartitionKeyRanges", next.rid(), documents, metadataRU)
	r.status = http.StatusCreated
	return r, nil
}

// splitRange returns the container as it is after the split, and the new ranges.
func (e *Engine) splitRange(ctx context.Context, c *container, rangeID, at string) (next *container, made []*feedRange, err error) {
	var bound []byte
	if at != "" {
		if bound, err = hex.DecodeString(at); err != nil {
			return nil, nil, badRequest("The bound %q is not a hash in hexadecimal.", at)
		}
	}
	hashes, err := e.sampleHashes(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	err = e.change(ctx, func(t *txn, cat *catalog) (*catalog, error) {
		c, err := t.current(c.num)
		if err != nil {
			return nil, err
		}
		rng := c.fullest(hashes)
		if rangeID != "" {
			if rng, err = c.rangeByID(rangeID); err != nil {
				return nil, err
			}
		}
		if bound == nil {
			bound = c.middle(rng, hashes)
		}
		if next, made, err = t.split(c, rng, bound); err != nil {
			return nil, err
		}
		return cat.with(next), nil
	})
	if err != nil {
		return nil, nil, err
	}
	e.log.Info("feed range split", "container", c.names.altPath, "range", made[0].parents[len(made[0].parents)-1].id,
		"into", []int{made[0].id, made[1].id}, "at", made[1].min)
	return next, made, nil
}

// split makes two ranges of one, and returns the container that has them.
func (t *txn) split(c *container, rng *feedRange, at []byte) (next *container, made []*feedRange, err error) {
	if c.systemKey {
		return nil, nil, badRequest("A container without a partition key has one feed range.")
	}
	if len(c.ranges) >= MaxRanges {
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
		_, err = t.exec("INSERT INTO ranges (container, id, min, max, parents, lsn, version) VALUES (?, ?, ?, ?, ?, ?, ?)",
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
	// Once the catalog has the new ranges, and before anything is written to them.
	t.after = append(t.after, func() { rng.gone.Store(true) })
	return &changed, made, nil
}

// splitTo splits until a container has n ranges, always the one that has the most.
func (t *txn) splitTo(c *container, n int, hashes [][]byte) (*container, error) {
	for n = min(n, MaxRanges); len(c.ranges) < n; {
		rng := c.fullest(hashes)
		next, _, err := t.split(c, rng, c.middle(rng, hashes))
		if err != nil {
			return nil, err
		}
		c = next
	}
	return c, nil
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
func (e *Engine) sampleHashes(ctx context.Context, c *container) ([][]byte, error) {
	var hashes [][]byte
	err := e.store.read(ctx, func(conn *conn) error {
		return conn.sample(ctx, c, "pk", func(row []driver.Value) {
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
