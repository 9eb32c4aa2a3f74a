package embedded

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// readRanges answers with the container's feed ranges. Clients ask again with the etag
// until they get 304. With A-IM they get what is new since their etag: the ranges that
// came about by splits, each of which names those that it replaces.
func (e *Engine) readRanges(q *request) (*response, error) {
	c, err := q.container(errOwnerMissing)
	if err != nil {
		return nil, err
	}
	etag := rangesETag(c, c.lastRange())
	known := q.header("If-None-Match")
	if known == etag {
		r := q.respond(http.StatusNotModified, nil, metadataRU)
		r.set("Etag", etag)
		return r, nil
	}
	since := -1
	if q.header("A-Im") != "" {
		since = lastKnown(c, known)
	}
	var documents [][]byte
	for _, rng := range c.ranges {
		if rng.id > since {
			documents = append(documents, rng.document(c).AppendJSON(nil))
		}
	}
	r := q.feed("PartitionKeyRanges", c.rid(), documents, metadataRU)
	r.set("Etag", etag)
	return r, nil
}

// rangesETag is that of the list of ranges of which the newest is last: a split makes
// newer ones.
func rangesETag(c *container, last int) string { return fmt.Sprintf(`"%d-%d"`, c.num, last) }

// lastKnown undoes rangesETag; -1 for what is none of this container's.
func lastKnown(c *container, etag string) int {
	_, text, _ := strings.Cut(strings.Trim(etag, `"`), "-")
	last, err := strconv.Atoi(text)
	if err != nil || rangesETag(c, last) != etag || last > c.lastRange() {
		return -1
	}
	return last
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
