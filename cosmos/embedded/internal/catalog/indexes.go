package catalog

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/storage"
)

// createIndexes creates the SQLite indexes for the container's indexing policy and unique keys. A
// composite index serves queries within one partition key. An index over one path serves queries
// across partition keys.
func createIndexes(db *storage.Conn, c *Container) error {
	n := 0
	create := func(kind string, columns ...string) error {
		n++
		_, err := db.Exec(fmt.Sprintf("CREATE %s %s_x%d ON %s (%s)", kind, c.Table.Name, n, c.Table.Name,
			strings.Join(columns, ", ")))
		return err
	}
	for _, composite := range c.Policy.Composites {
		columns := []string{"pk"}
		for _, p := range composite {
			column := c.Table.ColumnOf(p.Path)
			if p.Desc {
				column += " DESC"
			}
			columns = append(columns, column)
		}
		if err := create("INDEX", columns...); err != nil {
			return err
		}
	}
	for _, p := range c.Policy.ranges {
		if slices.Contains(c.Table.indexes, p) {
			if err := create("INDEX", keyColumn(p)); err != nil {
				return err
			}
		}
	}
	for _, key := range c.UniqueKeys {
		columns := []string{"pk"}
		for _, p := range key {
			columns = append(columns, "coalesce("+c.Table.ColumnOf(p)+", x'01')")
		}
		if err := create("UNIQUE INDEX", columns...); err != nil {
			return err
		}
	}
	return nil
}

// dropIndexes removes the indexes that createIndexes creates.
func dropIndexes(ctx context.Context, db *storage.Conn, c *Container) error {
	var names []string
	err := db.Query(ctx, "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND instr(name, ?) = 1",
		[]driver.Value{c.Table.Name, c.Table.Name + "_x"}, func(r []driver.Value) (bool, error) {
			names = append(names, storage.AsText(r[0]))
			return true, nil
		})
	for _, name := range names {
		if err == nil {
			_, err = db.Exec("DROP INDEX " + name)
		}
	}
	return err
}
