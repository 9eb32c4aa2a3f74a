package catalog

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/storage"
)

// maxColumns is SQLite's limit on the columns of a table.
const maxColumns = 2000

// MigrateTable adapts the table of a container to a new definition. It adds and fills new columns,
// creates new indexes and drops unused ones. Columns are never dropped. It deletes expired items
// first, because a longer time to live would bring them back.
func MigrateTable(ctx context.Context, db *storage.Conn, now int64, old, c *Container) error {
	if _, err := db.Exec("DELETE FROM "+c.Table.Name+" WHERE exp <= ?", now); err != nil {
		return err
	}
	columns, err := columnsOf(ctx, db, c)
	if err != nil {
		return err
	}
	added := slices.DeleteFunc(slices.Clone(c.Table.indexes), func(p string) bool { return columns[columnName(p)] })
	if len(columns)+len(added) > maxColumns {
		return apierror.BadRequest("The indexing policies of the container have named too many paths over time.")
	}
	for _, p := range added {
		if _, err := db.Exec(fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s BLOB", c.Table.Name, keyColumn(p))); err != nil {
			return err
		}
	}
	for _, p := range c.Table.indexes {
		if slices.Contains(old.Table.indexes, p) {
			continue
		}
		if _, err := db.Exec(fmt.Sprintf("UPDATE %s SET %s = cosmos_key(body, ?)", c.Table.Name, keyColumn(p)),
			p); err != nil {
			return err
		}
	}
	if err := dropIndexes(ctx, db, c); err != nil {
		return err
	}
	ttl := storage.OrNull(c.TTL)
	_, err = db.Exec(fmt.Sprintf(`UPDATE %s SET exp = CASE WHEN ?1 IS NULL THEN NULL WHEN ttl > 0 THEN ts + ttl
		WHEN ttl IS NULL AND ?1 > 0 THEN ts + ?1 END WHERE exp IS NOT NULL OR ?1 IS NOT NULL`, c.Table.Name), ttl)
	if err != nil {
		return err
	}
	return createIndexes(db, c)
}

// columnsOf returns the names of the table's columns.
func columnsOf(ctx context.Context, db *storage.Conn, c *Container) (map[string]bool, error) {
	names := make(map[string]bool)
	err := db.Query(ctx, "SELECT name FROM pragma_table_info(?)", []driver.Value{c.Table.Name},
		func(r []driver.Value) (bool, error) {
			names[storage.AsText(r[0])] = true
			return true, nil
		})
	return names, err
}
