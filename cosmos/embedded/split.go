package embedded

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"

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
	_, _, err = e.split(ctx, c, rangeID, "")
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
	next, made, err := e.split(q.ctx(), c, order.Member("range").Str(), order.Member("at").Str())
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

// split returns the container as it is after the split, and the new ranges.
func (e *Engine) split(ctx context.Context, c *container, rangeID, at string) (next *container, made []*feedRange, err error) {
	var bound []byte
	if at != "" {
		if bound, err = hex.DecodeString(at); err != nil {
			return nil, nil, badRequest("The bound %q is not a hash in hexadecimal.", at)
		}
	}
	hashes, err := sampleHashes(ctx, e.store, c)
	if err != nil {
		return nil, nil, err
	}
	err = e.writer.change(ctx, func(t *txn, cat *catalog) (*catalog, error) {
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
		if next, made, err = splitRange(t.conn, c, rng, bound); err != nil {
			return nil, err
		}
		t.after = append(t.after, next.retireSplit)
		return cat.with(next), nil
	})
	if err != nil {
		return nil, nil, err
	}
	e.log.Info("feed range split", "container", c.names.altPath, "range", made[0].parents[len(made[0].parents)-1].id,
		"into", []int{made[0].id, made[1].id}, "at", made[1].min)
	return next, made, nil
}
