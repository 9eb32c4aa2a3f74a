package catalog

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// Load reads the catalog from the database. It fails if the definitions are inconsistent.
func Load(c *storage.Conn) (*Catalog, error) {
	cat := &Catalog{Databases: make(map[string]*Database), ByNum: make(map[int64]*Container)}
	for _, load := range []func(*Catalog, *storage.Conn) error{loadContainers, loadRanges, loadOffers, checkTables} {
		if err := load(cat, c); err != nil {
			return nil, err
		}
	}
	return cat, nil
}

func loadContainers(cat *Catalog, conn *storage.Conn) error {
	ctx := context.Background()
	dbs := make(map[int64]*Database)
	err := conn.Query(ctx, "SELECT num, id, ts FROM databases", nil, func(r []driver.Value) (bool, error) {
		db := &Database{Num: storage.AsInt(r[0]), ID: storage.AsText(r[1]), TS: storage.AsInt(r[2]),
			Containers: make(map[string]*Container),
			Shared:     new(SharedThroughput)}
		dbs[db.Num], cat.Databases[db.ID] = db, db
		return true, nil
	})
	if err != nil {
		return err
	}
	return conn.Query(ctx, "SELECT num, database, id, ts, revision, definition FROM containers", nil,
		func(r []driver.Value) (bool, error) {
			c := &Container{Num: storage.AsInt(r[0]), Database: dbs[storage.AsInt(r[1])], ID: storage.AsText(r[2]),
				TS: storage.AsInt(r[3]), Revision: storage.AsInt(r[4]),
				State: new(ContainerState)}
			if c.Database == nil {
				return false, fmt.Errorf("container %s has no database", c.ID)
			}
			var err error
			if c.Definition, err = value.Parse(storage.AsText(r[5])); err == nil {
				err = c.Prepare()
			}
			if err != nil {
				return false, fmt.Errorf("container %s: %w", c.ID, err)
			}
			c.Database.Containers[c.ID], cat.ByNum[c.Num] = c, c
			return true, nil
		})
}

func loadRanges(cat *Catalog, conn *storage.Conn) error {
	const sql = "SELECT container, id, min, max, parents, lsn, version FROM ranges ORDER BY container, id"
	err := conn.Query(context.Background(), sql, nil, func(r []driver.Value) (bool, error) {
		id := int(storage.AsInt(r[1]))
		c := cat.ByNum[storage.AsInt(r[0])]
		if c == nil {
			return false, fmt.Errorf("feed range %d has no container", id)
		}
		var parents []*FeedRange
		for name := range strings.FieldsSeq(storage.AsText(r[4])) {
			i := slices.IndexFunc(c.Ranges, func(p *FeedRange) bool { return strconv.Itoa(p.ID) == name })
			if i < 0 {
				return false, fmt.Errorf("feed range %d of container %s was split off from %s, which is missing", id,
					c.ID, name)
			}
			parents = append(parents, c.Ranges[i])
			c.Ranges[i].Gone.Store(true)
		}
		rng, err := NewRange(id, storage.AsText(r[2]), storage.AsText(r[3]), parents)
		if err != nil {
			return false, fmt.Errorf("container %s: %w", c.ID, err)
		}
		rng.LSN.Store(storage.AsInt(r[5]))
		if n := len(parents); n > 0 && rng.LSN.Load() < parents[n-1].LSN.Load() {
			return false, fmt.Errorf("feed range %d of container %s has a lower LSN than the one from which it was "+
				"split off", id,
				c.ID)
		}
		c.Ranges = append(c.Ranges, rng)
		c.State.Version = max(c.State.Version, storage.AsInt(r[6]))
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, c := range cat.ByNum {
		if len(c.Ranges) == 0 {
			return fmt.Errorf("container %s has no feed ranges", c.ID)
		}
		if err := c.sortRanges(); err != nil {
			return fmt.Errorf("container %s: %w", c.ID, err)
		}
	}
	return nil
}

// sortRanges separates the current feed ranges from those that were split. It fails if the current
// ranges do not cover all hashes exactly once.
func (c *Container) sortRanges() error {
	all := c.Ranges
	c.Ranges = nil
	for _, rng := range all {
		if rng.Gone.Load() {
			c.split = append(c.split, rng)
		} else {
			c.Ranges = append(c.Ranges, rng)
		}
	}
	slices.SortFunc(c.Ranges, func(a, b *FeedRange) int { return bytes.Compare(a.Lower, b.Lower) })
	bound := ""
	for _, rng := range c.Ranges {
		if rng.Min != bound {
			return fmt.Errorf("feed range %d begins at %q, not at %q", rng.ID, rng.Min, bound)
		}
		bound = rng.Max
	}
	if bound != lastBound {
		return fmt.Errorf("the feed ranges end at %q", bound)
	}
	return nil
}

func loadOffers(cat *Catalog, conn *storage.Conn) error {
	return conn.Query(context.Background(), "SELECT "+OfferColumns+" FROM offers", nil,
		func(r []driver.Value) (bool, error) {
			o, err := ScanOffer(r)
			if err != nil {
				return false, fmt.Errorf("offer of %s: %w", storage.AsText(r[3]), err)
			}
			cat.Provision(o.Resource, ThroughputOf(o.Content))
			return true, nil
		})
}

func checkTables(cat *Catalog, conn *storage.Conn) error {
	for _, c := range cat.ByNum {
		row, err := conn.One("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", c.Table.Name)
		if err != nil {
			return err
		}
		if row == nil {
			return fmt.Errorf("container %s has no table", c.ID)
		}
	}
	return nil
}
