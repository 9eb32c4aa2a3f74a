package embedded

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
)

// maxColumns is SQLite's limit on the columns of a table.
const maxColumns = 2000

// migrateTable brings the table of a container to a new definition: columns and indexes
// that are new are made and filled, indexes no longer wanted dropped. Columns stay.
// What has expired is deleted, for under another time to live it would come back.
func migrateTable(ctx context.Context, db *conn, now int64, old, c *container) error {
	if _, err := db.exec("DELETE FROM "+c.table.name+" WHERE exp <= ?", now); err != nil {
		return err
	}
	columns, err := columnsOf(ctx, db, c)
	if err != nil {
		return err
	}
	added := slices.DeleteFunc(slices.Clone(c.table.indexes), func(p string) bool { return columns[columnName(p)] })
	if len(columns)+len(added) > maxColumns {
		return badRequest("The indexing policies of the container have named too many paths over time.")
	}
	for _, p := range added {
		if _, err := db.exec(fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s BLOB", c.table.name, keyColumn(p))); err != nil {
			return err
		}
	}
	for _, p := range c.table.indexes {
		if slices.Contains(old.table.indexes, p) {
			continue
		}
		if _, err := db.exec(fmt.Sprintf("UPDATE %s SET %s = cosmos_key(body, ?)", c.table.name, keyColumn(p)), p); err != nil {
			return err
		}
	}
	if err := dropIndexes(ctx, db, c); err != nil {
		return err
	}
	ttl := orNull(c.ttl)
	_, err = db.exec(fmt.Sprintf(`UPDATE %s SET exp = CASE WHEN ?1 IS NULL THEN NULL WHEN ttl > 0 THEN ts + ttl
		WHEN ttl IS NULL AND ?1 > 0 THEN ts + ?1 END WHERE exp IS NOT NULL OR ?1 IS NOT NULL`, c.table.name), ttl)
	if err != nil {
		return err
	}
	return createIndexes(db, c)
}

// columnsOf are those that the table has.
func columnsOf(ctx context.Context, db *conn, c *container) (map[string]bool, error) {
	names := make(map[string]bool)
	err := db.query(ctx, "SELECT name FROM pragma_table_info(?)", []driver.Value{c.table.name}, func(r []driver.Value) (bool, error) {
		names[asText(r[0])] = true
		return true, nil
	})
	return names, err
}
