package embedded

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// loadCatalog reads the definitions from the database, and refuses those that do not
// agree with one another.
func loadCatalog(c *conn) (*catalog, error) {
	cat := &catalog{databases: make(map[string]*database), byNum: make(map[int64]*container)}
	for _, load := range []func(*catalog, *conn) error{loadContainers, loadRanges, loadOffers, checkTables} {
		if err := load(cat, c); err != nil {
			return nil, err
		}
	}
	return cat, nil
}

func loadContainers(cat *catalog, conn *conn) error {
	ctx := context.Background()
	dbs := make(map[int64]*database)
	err := conn.query(ctx, "SELECT num, id, ts FROM databases", nil, func(r []driver.Value) (bool, error) {
		db := &database{num: asInt(r[0]), id: asText(r[1]), ts: asInt(r[2]), containers: make(map[string]*container),
			shared: new(sharedThroughput)}
		dbs[db.num], cat.databases[db.id] = db, db
		return true, nil
	})
	if err != nil {
		return err
	}
	return conn.query(ctx, "SELECT num, database, id, ts, revision, definition FROM containers", nil, func(r []driver.Value) (bool, error) {
		c := &container{num: asInt(r[0]), db: dbs[asInt(r[1])], id: asText(r[2]), ts: asInt(r[3]), revision: asInt(r[4]),
			state: new(containerState)}
		if c.db == nil {
			return false, fmt.Errorf("container %s is in no database", c.id)
		}
		var err error
		if c.definition, err = value.Parse(asText(r[5])); err == nil {
			err = c.prepare()
		}
		if err != nil {
			return false, fmt.Errorf("container %s: %w", c.id, err)
		}
		c.db.containers[c.id], cat.byNum[c.num] = c, c
		return true, nil
	})
}

func loadRanges(cat *catalog, conn *conn) error {
	const sql = "SELECT container, id, min, max, parents, lsn, version FROM ranges ORDER BY container, id"
	err := conn.query(context.Background(), sql, nil, func(r []driver.Value) (bool, error) {
		id := int(asInt(r[1]))
		c := cat.byNum[asInt(r[0])]
		if c == nil {
			return false, fmt.Errorf("feed range %d is of no container", id)
		}
		var parents []*feedRange
		for name := range strings.FieldsSeq(asText(r[4])) {
			i := slices.IndexFunc(c.ranges, func(p *feedRange) bool { return strconv.Itoa(p.id) == name })
			if i < 0 {
				return false, fmt.Errorf("feed range %d of container %s was split off from %s, which is missing", id, c.id, name)
			}
			parents = append(parents, c.ranges[i])
			c.ranges[i].gone.Store(true)
		}
		rng, err := newRange(id, asText(r[2]), asText(r[3]), parents)
		if err != nil {
			return false, fmt.Errorf("container %s: %w", c.id, err)
		}
		rng.lsn.Store(asInt(r[5]))
		if n := len(parents); n > 0 && rng.lsn.Load() < parents[n-1].lsn.Load() {
			return false, fmt.Errorf("feed range %d of container %s is behind that from which it was split off", id, c.id)
		}
		c.ranges = append(c.ranges, rng)
		c.state.version = max(c.state.version, asInt(r[6]))
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, c := range cat.byNum {
		if len(c.ranges) == 0 {
			return fmt.Errorf("container %s has no feed ranges", c.id)
		}
		if err := c.sortRanges(); err != nil {
			return fmt.Errorf("container %s: %w", c.id, err)
		}
	}
	return nil
}

// sortRanges parts the ranges that were split from the others, which must divide all hashes
// among them.
func (c *container) sortRanges() error {
	all := c.ranges
	c.ranges = nil
	for _, rng := range all {
		if rng.gone.Load() {
			c.split = append(c.split, rng)
		} else {
			c.ranges = append(c.ranges, rng)
		}
	}
	slices.SortFunc(c.ranges, func(a, b *feedRange) int { return bytes.Compare(a.lower, b.lower) })
	bound := ""
	for _, rng := range c.ranges {
		if rng.min != bound {
			return fmt.Errorf("feed range %d begins at %q, not at %q", rng.id, rng.min, bound)
		}
		bound = rng.max
	}
	if bound != lastBound {
		return fmt.Errorf("the feed ranges end at %q", bound)
	}
	return nil
}

func loadOffers(cat *catalog, conn *conn) error {
	return conn.query(context.Background(), "SELECT "+offerColumns+" FROM offers", nil, func(r []driver.Value) (bool, error) {
		o, err := scanOffer(r)
		if err != nil {
			return false, fmt.Errorf("offer of %s: %w", asText(r[3]), err)
		}
		cat.provision(o.resource, throughputOf(o.content))
		return true, nil
	})
}

func checkTables(cat *catalog, conn *conn) error {
	for _, c := range cat.byNum {
		row, err := conn.one("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", c.table.name)
		if err != nil {
			return err
		}
		if row == nil {
			return fmt.Errorf("container %s has no table", c.id)
		}
	}
	return nil
}
