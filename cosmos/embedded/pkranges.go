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

// A split replaces a feed range by two that divide its hashes. It writes two rows of the catalog
// and none of the items. An item stays with the feed range of its last write. Reading a new range
// therefore includes those items of its parents whose hash it covers.
//
// The LSNs of both new ranges continue the parent's last LSN. Three properties follow. The change
// feed of a new range, starting with the parents' items, is in the order of LSNs. A continuation of
// the parent is valid for both new ranges. A reader past the parent's last LSN no longer reads the
// parent's items.
//
// The range that was split stays in the catalog as a parent. Requests that name it are answered
// 410, after which clients read the list of ranges again.

// Split divides a feed range of a container in two while the container is in use. With an empty
// rangeID it chooses the fullest range. It divides a range with many items at their median, and
// other ranges in the middle of their hashes.
//
// The service splits by itself when throughput or storage require it. This method is for operators,
// and for tests of the effects of a split.
func (e *Engine) Split(ctx context.Context, database, container, rangeID string) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return apierror.Closed()
	}
	c, err := e.catalog.Load().Container(database, container)
	if err != nil {
		return fmt.Errorf("split a feed range: container %s does not exist in database %s", container, database)
	}
	_, _, err = e.split(ctx, c, rangeID, "")
	return err
}

// postRanges is Split for other processes, an extension of the protocol. The body is a JSON object
// with optional members: "range", the id of the range, and "at", the hash in hexadecimal at which
// to split. The response contains the new ranges.
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

// split returns the container after the split and the new feed ranges.
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

// readRanges returns the feed ranges of a container. Clients repeat the request with the etag until
// they get 304. With A-IM they get only the ranges created since their etag, each of which names
// its parents.
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

// rangesETag returns the etag of a container's list of ranges. It contains last, the id of the
// newest range. Every split creates ranges with higher ids, and so changes the etag.
func rangesETag(c *catalog.Container, last int) string { return fmt.Sprintf(`"%d-%d"`, c.Num, last) }

// lastKnown is the inverse of rangesETag. It returns -1 for an etag of anything else.
func lastKnown(c *catalog.Container, etag string) int {
	_, text, _ := strings.Cut(strings.Trim(etag, `"`), "-")
	last, err := strconv.Atoi(text)
	if err != nil || rangesETag(c, last) != etag || last > c.LastRange() {
		return -1
	}
	return last
}
