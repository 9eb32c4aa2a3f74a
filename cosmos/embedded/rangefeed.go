package embedded

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
)

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
