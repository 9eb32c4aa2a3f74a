package catalog

import "inkfeed/cosmos/embedded/internal/storage"

// InsertContainer stores a new container with at least the given number of feed ranges.
func InsertContainer(db *storage.Conn, c *Container, least int) error {
	_, err := db.Exec("INSERT INTO containers (database, id, ts, revision, definition) VALUES (?, ?, ?, ?, ?)",
		c.Database.Num, c.ID, c.TS, c.Revision, c.Definition.JSON())
	if err != nil {
		return err
	}
	row, err := db.One("SELECT last_insert_rowid()")
	if err != nil {
		return err
	}
	c.Num = storage.AsInt(row[0])
	if err := c.Prepare(); err != nil {
		return err
	}
	throughput := c.State.Throughput.Load()
	if throughput == 0 {
		throughput = c.Database.Shared.Throughput.Load()
	}
	n := max(least, rangesFor(throughput))
	if c.SystemKey {
		n = 1 // clients that create such containers do not know feed ranges
	}
	c.Ranges = divide(n)
	for _, r := range c.Ranges {
		_, err := db.Exec("INSERT INTO ranges (container, id, min, max, lsn, version) VALUES (?, ?, ?, ?, 0, 0)",
			c.Num, int64(r.ID), r.Min, r.Max)
		if err != nil {
			return err
		}
	}
	return createTable(db, c)
}

// DropContainer deletes a container with its items, feed ranges and offer.
func DropContainer(db *storage.Conn, c *Container) error {
	for _, table := range []string{"ranges WHERE container", "containers WHERE num"} {
		if _, err := db.Exec("DELETE FROM "+table+" = ?", c.Num); err != nil {
			return err
		}
	}
	if err := DeleteOffer(db, c.Rid()); err != nil {
		return err
	}
	db.Forget() // prepared statements would keep the table from being dropped
	_, err := db.Exec("DROP TABLE " + c.Table.Name)
	return err
}
