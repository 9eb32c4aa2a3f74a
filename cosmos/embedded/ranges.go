package embedded

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// readRanges answers with the container's feed ranges. Clients ask again with the etag
// until they get 304.
func (e *Engine) readRanges(q *request) (*response, error) {
	c, err := q.container(errOwnerMissing)
	if err != nil {
		return nil, err
	}
	var last int
	for _, rng := range c.ranges {
		last = max(last, rng.id)
	}
	etag := fmt.Sprintf(`"%d-%d"`, c.num, last)
	if q.header("If-None-Match") == etag {
		r := q.respond(http.StatusNotModified, nil, metadataRU)
		r.set("Etag", etag)
		return r, nil
	}
	documents := make([][]byte, len(c.ranges))
	for i, rng := range c.ranges {
		documents[i] = rng.document(c).AppendJSON(nil)
	}
	r := q.feed("PartitionKeyRanges", c.rid(), documents, metadataRU)
	r.set("Etag", etag)
	return r, nil
}

func (rng *feedRange) document(c *container) value.Value {
	rid := append(c.ridBytes(), make([]byte, 8)...)
	binary.LittleEndian.PutUint64(rid[8:], uint64(rng.id+2)|5<<60)
	text := value.OfString
	parents := make([]value.Value, len(rng.parents))
	for i, p := range rng.parents {
		parents[i] = text(p)
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

// rangeOf finds the range that owns a hash.
func (c *container) rangeOf(hash []byte) *feedRange {
	if len(c.ranges) == 1 {
		return c.ranges[0]
	}
	text := strings.ToUpper(hex.EncodeToString(hash))
	i := len(c.ranges) - 1
	for i > 0 && text < c.ranges[i].min {
		i--
	}
	return c.ranges[i]
}

// contains tells whether the range has all hashes from min to below max. All hashes
// are below FF, the end of the last range.
func (rng *feedRange) contains(min, max []byte) bool {
	text := func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }
	return text(min) >= rng.min && (rng.max == "FF" || text(max) <= rng.max)
}

// rangeByID finds the range that a header names.
func (c *container) rangeByID(id string) (*feedRange, error) {
	i := slices.IndexFunc(c.ranges, func(r *feedRange) bool { return strconv.Itoa(r.id) == id })
	if i < 0 {
		return nil, failure(http.StatusGone, subRangeGone, "The requested partition key range is gone.")
	}
	return c.ranges[i], nil
}

// checkSession refuses a session token that is ahead of us: its client has seen
// another copy of the data.
func (c *container) checkSession(token string) error {
	if token == "" {
		return nil
	}
	for part := range strings.SplitSeq(token, ",") {
		id, state, ok := strings.Cut(strings.TrimSpace(part), ":")
		fields := strings.Split(state, "#")
		if !ok || len(fields) < 2 {
			return badRequest("The session token %q is not valid.", token)
		}
		lsn, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return badRequest("The session token %q is not valid.", token)
		}
		rng, err := c.rangeByID(id)
		if err != nil {
			continue // of a range before a split
		}
		if lsn > rng.lsn.Load() {
			return failure(http.StatusNotFound, subSessionAhead, "The read session is not available for the input session token.")
		}
	}
	return nil
}

// checkConsistency refuses a level that is stronger than the account's.
func checkConsistency(level string) error {
	switch strings.ToLower(level) {
	case "", "session", "consistentprefix", "eventual":
		return nil
	}
	return badRequest("The consistency level %q is stronger than the account's, %s.", level, consistency)
}
