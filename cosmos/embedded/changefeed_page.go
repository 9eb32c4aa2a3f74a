package embedded

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"net/http"
	"time"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/execution"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
)

// changeFilter selects the changes to read.
type changeFilter struct {
	places   feedContinuation
	from     int64 // LSN after which to start
	since    int64 // Unix time at which to start; 0: from the beginning
	key      []byte
	min, max []byte // bounds of the hash; nil: none
}

type changePage struct {
	documents [][]byte
	bytes     int
	etag      int64
	current   int64 // current LSN of the feed range
	charge    float64
}

// collectChanges reads one page. It continues beyond the limit to the end of the current
// transaction.
func (e *Engine) collectChanges(
	q *request,
	c *catalog.Container,
	f changeFilter,
	current int64,
	limit int,
) (changePage, error) {
	page := changePage{etag: current}
	full := false
	var last int64
	take := func(row []driver.Value) (bool, error) {
		s := items.ScanItem(row)
		if s.Expired(q.now) || s.TS < f.since || !f.admits(c, s.PK) {
			return true, nil
		}
		if (len(page.documents) >= limit || page.bytes+len(s.Body) > execution.MaxPageBytes) &&
			len(page.documents) > 0 && s.LSN != last {
			page.etag, full = last, true
			return false, nil
		}
		last = s.LSN
		d := s.Render(c, true)
		page.documents = append(page.documents, d)
		page.bytes += len(d)
		return true, nil
	}
	err := e.store.Read(q.ctx(), func(conn *storage.Conn) error {
		// A range's LSNs continue those of its parents, so the parents' rows come first.
		for _, parent := range q.rng.Parents {
			if full || parent.LSN.Load() <= f.from {
				continue
			}
			sql, args, err := f.statement(q.ctx(), conn, c, parent, current)
			if err != nil {
				return err
			}
			sql += " AND " + catalog.WithinHash
			args = append(args, c.HashArgs(q.rng)...)
			if err := conn.Query(q.ctx(), sql+" ORDER BY lsn", args, take); err != nil {
				return err
			}
		}
		if full {
			return nil
		}
		sql, args, err := f.statement(q.ctx(), conn, c, q.rng, current)
		if err != nil {
			return err
		}
		return conn.Query(q.ctx(), sql+" ORDER BY lsn", args, take)
	})
	return page, err
}

// statement returns the SQL for the rows whose last write went to a feed range, up to an LSN.
func (f *changeFilter) statement(
	ctx context.Context,
	conn *storage.Conn,
	c *catalog.Container,
	rng *catalog.FeedRange,
	upTo int64,
) (sql string, args []driver.Value, err error) {
	from, err := f.begin(ctx, conn, c, rng, upTo)
	if err != nil {
		return "", nil, err
	}
	sql = "SELECT " + catalog.ItemColumns + " FROM " + c.Table.Name + " WHERE rng = ? AND lsn > ? AND lsn <= ?"
	args = []driver.Value{int64(rng.ID), from, upTo}
	if f.key != nil {
		sql += " AND pk = ?"
		args = append(args, f.key)
	}
	return sql, args, nil
}

// begin returns the LSN after which to read the rows of a feed range. It finds rows after a time by
// binary search, because times increase with LSNs.
func (f *changeFilter) begin(
	ctx context.Context,
	conn *storage.Conn,
	c *catalog.Container,
	rng *catalog.FeedRange,
	upTo int64,
) (int64, error) {
	from := f.from
	if f.since == 0 {
		return from, nil
	}
	sql := "SELECT lsn, ts FROM " + c.Table.Name + " WHERE rng = ? AND lsn > ? AND lsn <= ? ORDER BY lsn LIMIT 1"
	// Invariant: all rows up to from are too old, and the first row after to is not.
	for to := upTo; from < to; {
		middle := from + (to-from)/2
		next, old := upTo+1, false
		err := conn.Query(ctx, sql, []driver.Value{int64(rng.ID), middle, upTo},
			func(row []driver.Value) (bool, error) {
				next, old = row[0].(int64), row[1].(int64) < f.since
				return false, nil
			})
		if err != nil {
			return 0, err
		}
		if old {
			from = next
		} else {
			to = middle
		}
	}
	return from, nil
}

// admits reports whether a partition key is within the filter's bounds.
func (f *changeFilter) admits(c *catalog.Container, pk []byte) bool {
	return c.HashWithin(pk, f.min, f.max)
}

// changeFilter parses the feed range, the position and the bounds of a change feed request.
func (q *request) changeFilter(c *catalog.Container) (f changeFilter, err error) {
	if f.min, f.max, err = q.hashBounds(); err != nil {
		return f, err
	}
	if text := q.header(keyHeader); text != "" && text != "[]" {
		key, err := epk.ParseHeader(text)
		if err != nil {
			return f, err
		}
		if len(key) != len(c.KeyPaths) {
			return f, apierror.BadRequest("The change feed needs the whole partition key.")
		}
		f.key = epk.Encode(key)
		q.rng = c.RangeOf(c.HashKey(key))
	}
	switch id := q.header(rangeHeader); {
	case id != "":
		named, err := c.RangeByID(id)
		if err != nil {
			return f, err
		}
		if q.rng != nil && q.rng != named {
			return f, apierror.New(http.StatusGone, apierror.SubRangeGone,
				"The partition key range does not own the partition key.")
		}
		q.rng = named
	case q.rng != nil:
	case f.max != nil:
		q.rng = c.RangeOf(f.min)
	case len(c.Ranges) == 1:
		q.rng = c.Ranges[0]
	}
	if f.max != nil && f.key == nil && !q.rng.Contains(f.min, f.max) {
		return f, apierror.New(http.StatusGone, apierror.SubRangeGone,
			"The bounds of the feed range are not within one partition key range.")
	}
	if etag := q.header("If-None-Match"); etag != "" && etag != "*" {
		if f.places, err = readFeedContinuation(etag); err != nil {
			return f, err
		}
		f.since = f.places.since
	} else if since := q.header("If-Modified-Since"); since != "" && etag == "" {
		f.since = parseSince(since)
	}
	return f, nil
}

// hashBounds parses the bounds of the hash with which other SDKs restrict a request to a part of a
// range.
func (q *request) hashBounds() (lower, upper []byte, err error) {
	start, end := q.header("X-Ms-Start-Epk"), q.header("X-Ms-End-Epk")
	if start == "" && end == "" {
		return nil, nil, nil
	}
	if end == "" {
		end = "FF"
	}
	lower, err1 := hex.DecodeString(start)
	upper, err2 := hex.DecodeString(end)
	if err1 != nil || err2 != nil {
		return nil, nil, apierror.BadRequest("The bounds of the feed range are not valid.")
	}
	return lower, upper, nil
}

// parseSince returns the second at which a change feed begins. Like the service, it discards a time
// in any form other than HTTP's, "Sun, 06 Nov 1994 08:49:37 GMT". The feed then starts from the
// beginning (github.com/Azure/azure-cosmos-dotnet-v3, issue 2031 and pull request 2042).
func parseSince(text string) int64 {
	t, err := time.Parse(http.TimeFormat, text)
	if err != nil {
		return 0
	}
	return t.Unix()
}
