package embedded

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/items"
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
		return apierror.Closed()
	}
	c, err := e.catalog.Load().Container(database, container)
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
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	order, err := q.json()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"range", "at"} {
		if v := order.Member(name); v.Defined() && v.Kind() != value.String {
			return nil, apierror.BadRequest("The member %s of a split is not a string.", name)
		}
	}
	next, made, err := e.split(q.ctx(), c, order.Member("range").Str(), order.Member("at").Str())
	if err != nil {
		return nil, err
	}
	q.coll = next
	var documents [][]byte
	for _, rng := range made {
		documents = append(documents, rng.Document(next).AppendJSON(nil))
	}
	r := q.feed("PartitionKeyRanges", next.Rid(), documents, charge.MetadataRU)
	r.status = http.StatusCreated
	return r, nil
}

// split returns the container as it is after the split, and the new ranges.
func (e *Engine) split(
	ctx context.Context,
	c *catalog.Container,
	rangeID, at string,
) (next *catalog.Container, made []*catalog.FeedRange, err error) {
	var bound []byte
	if at != "" {
		if bound, err = hex.DecodeString(at); err != nil {
			return nil, nil, apierror.BadRequest("The bound %q is not a hash in hexadecimal.", at)
		}
	}
	hashes, err := catalog.SampleHashes(ctx, e.store, c)
	if err != nil {
		return nil, nil, err
	}
	err = e.writer.Change(ctx, func(t *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		c, err := t.Current(c.Num)
		if err != nil {
			return nil, err
		}
		rng := c.Fullest(hashes)
		if rangeID != "" {
			if rng, err = c.RangeByID(rangeID); err != nil {
				return nil, err
			}
		}
		if bound == nil {
			bound = c.Middle(rng, hashes)
		}
		if next, made, err = catalog.SplitRange(t.Conn, c, rng, bound); err != nil {
			return nil, err
		}
		t.After = append(t.After, next.RetireSplit)
		return cat.With(next), nil
	})
	if err != nil {
		return nil, nil, err
	}
	e.log.Info("feed range split", "container", c.Names.AltPath, "range", made[0].Parents[len(made[0].Parents)-1].ID,
		"into", []int{made[0].ID, made[1].ID}, "at", made[1].Min)
	return next, made, nil
}

// readRanges answers with the container's feed ranges. Clients ask again with the etag
// until they get 304. With A-IM they get what is new since their etag: the ranges that
// came about by splits, each of which names those that it replaces.
func (e *Engine) readRanges(q *request) (*response, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	etag := rangesETag(c, c.LastRange())
	known := q.header("If-None-Match")
	if known == etag {
		r := q.respond(http.StatusNotModified, nil, charge.MetadataRU)
		r.set("Etag", etag)
		return r, nil
	}
	since := -1
	if q.header("A-Im") != "" {
		since = lastKnown(c, known)
	}
	var documents [][]byte
	for _, rng := range c.Ranges {
		if rng.ID > since {
			documents = append(documents, rng.Document(c).AppendJSON(nil))
		}
	}
	r := q.feed("PartitionKeyRanges", c.Rid(), documents, charge.MetadataRU)
	r.set("Etag", etag)
	return r, nil
}

// rangesETag is that of the list of ranges of which the newest is last: a split makes
// newer ones.
func rangesETag(c *catalog.Container, last int) string { return fmt.Sprintf(`"%d-%d"`, c.Num, last) }

// lastKnown undoes rangesETag; -1 for what is none of this container's.
func lastKnown(c *catalog.Container, etag string) int {
	_, text, _ := strings.Cut(strings.Trim(etag, `"`), "-")
	last, err := strconv.Atoi(text)
	if err != nil || rangesETag(c, last) != etag || last > c.LastRange() {
		return -1
	}
	return last
}
