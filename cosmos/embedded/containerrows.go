package embedded

// insertContainer stores a new container, with at least so many feed ranges.
func insertContainer(db *conn, c *container, least int) error {
	_, err := db.exec("INSERT INTO containers (database, id, ts, revision, definition) VALUES (?, ?, ?, ?, ?)",
		c.db.num, c.id, c.ts, c.revision, c.definition.JSON())
	if err != nil {
		return err
	}
	row, err := db.one("SELECT last_insert_rowid()")
	if err != nil {
		return err
	}
	c.num = asInt(row[0])
	if err := c.prepare(); err != nil {
		return err
	}
	throughput := c.state.throughput.Load()
	if throughput == 0 {
		throughput = c.db.shared.throughput.Load()
	}
	n := max(least, rangesFor(throughput))
	if c.systemKey {
		n = 1 // clients that can create such a container know no ranges
	}
	c.ranges = divide(n)
	for _, r := range c.ranges {
		_, err := db.exec("INSERT INTO ranges (container, id, min, max, lsn, version) VALUES (?, ?, ?, ?, 0, 0)",
			c.num, int64(r.id), r.min, r.max)
		if err != nil {
			return err
		}
	}
	return createTable(db, c)
}

func dropContainer(db *conn, c *container) error {
	for _, table := range []string{"ranges WHERE container", "containers WHERE num"} {
		if _, err := db.exec("DELETE FROM "+table+" = ?", c.num); err != nil {
			return err
		}
	}
	if err := deleteOffer(db, c.rid()); err != nil {
		return err
	}
	db.forget() // its statements, which would keep the table from being dropped
	_, err := db.exec("DROP TABLE " + c.table.name)
	return err
}
