package embedded

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
)

const (
	rangeHeader = "X-Ms-Documentdb-Partitionkeyrangeid"

	// defaultPageSize is the maximum number of items on a page of a query or feed if the request
	// sets none. Microsoft's performance tips say "100 items or 1 MB, whichever limit is hit
	// first". docs/engine.md describes a recording that differs.
	defaultPageSize = 100
)

// feedDocuments handles GET on the documents: the change feed with A-IM, or all items without it.
func (e *Engine) feedDocuments(q *request) (*response, error) {
	switch mode := q.header("A-Im"); {
	case mode == "":
		return e.queryItems(q)
	case !strings.EqualFold(mode, "Incremental feed"):
		return nil, apierror.BadRequest("The change feed mode %q is not supported; only the latest-version mode is.",
			mode)
	}
	return e.readChangeFeed(q)
}

// readChangeFeed returns the items of a feed range that were written after an LSN. Each item occurs
// once, in the order of last writes, and a transaction is never divided. The etag is the LSN at
// which to continue, also in ranges that this one is split into.
func (e *Engine) readChangeFeed(q *request) (*response, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	if err := e.checkConsistency(q.header("X-Ms-Consistency-Level")); err != nil {
		return nil, err
	}
	filter, err := q.changeFilter(c)
	if err != nil {
		return nil, err
	}
	if err := c.CheckSession(q.header("X-Ms-Session-Token")); err != nil {
		return nil, err
	}
	limit, err := q.pageSize()
	if err != nil {
		return nil, err
	}
	if q.rng == nil {
		return e.readAllChanges(q, c, filter, limit)
	}
	page, err := e.readChanges(q, c, filter, limit)
	if err != nil {
		return nil, err
	}
	r := q.changes(c, page)
	q.sessionAt(r, page.current)
	r.set("Etag", `"`+strconv.FormatInt(page.etag, 10)+`"`)
	return r, nil
}

// changes returns a page of changes, or 304 if it is empty.
func (q *request) changes(c *catalog.Container, page changePage) *response {
	if len(page.documents) == 0 {
		return q.respond(http.StatusNotModified, nil, page.charge)
	}
	return q.feed("Documents", c.Rid(), page.documents, page.charge)
}

// readChanges reads a page of the feed range q.rng.
func (e *Engine) readChanges(
	q *request,
	c *catalog.Container,
	filter changeFilter,
	limit int,
) (page changePage, err error) {
	if err := q.throttle(q.rng); err != nil {
		return page, err
	}
	filter.from = filter.places.of(q.rng)
	limit = e.splitter.Size(limit)
	// Take the LSN before the snapshot of the items, which may be newer. Items written in between
	// appear later, at their new positions.
	current := q.rng.LSN.Load()
	if q.header("If-None-Match") == "*" || filter.from > current || filter.since > q.now {
		filter.from = current
	}
	page.etag = current
	if filter.from < current {
		if page, err = e.collectChanges(q, c, filter, current, limit); err != nil {
			return page, err
		}
	}
	page.current = current
	page.charge = charge.ChangeFeedPageRU + charge.QueryShape{}.Rows(len(page.documents), page.bytes)
	q.spend(q.rng, page.charge)
	return page, nil
}

// readAllChanges serves the change feed of all ranges to a client that names none. It returns a
// page of the first range that has changes. The etag contains the position in every range. It begins
// with the range after that one, where the next request starts, so that a range with many changes
// does not delay the others.
func (e *Engine) readAllChanges(q *request, c *catalog.Container, filter changeFilter, limit int) (*response, error) {
	var found changePage
	start := filter.places.first(c.Ranges)
	ranges := slices.Concat(c.Ranges[start:], c.Ranges[:start])
	places := make([]string, len(ranges))
	next := 0
	for i, rng := range ranges {
		place := filter.places.of(rng)
		if len(found.documents) == 0 {
			q.rng = rng
			page, err := e.readChanges(q, c, filter, limit)
			if err != nil {
				return nil, err
			}
			page.charge += found.charge
			found, place = page, page.etag
			if len(page.documents) > 0 {
				next = i + 1
			}
		}
		places[i] = strconv.Itoa(rng.ID) + ":" + strconv.FormatInt(place, 10)
	}
	q.rng = nil
	r := q.changes(c, found)
	etag := strings.Join(slices.Concat(places[next:], places[:next]), ",")
	if filter.since > 0 {
		etag += "@" + strconv.FormatInt(filter.since, 10)
	}
	r.set("Etag", `"`+etag+`"`)
	return r, nil
}
