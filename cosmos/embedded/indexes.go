package embedded

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// createIndexes makes the indexes that the container's policies ask for, numbered. A
// composite index serves queries of one partition key, an index of one path those across
// keys.
func createIndexes(db *conn, c *container) error {
	n := 0
	create := func(kind string, columns ...string) error {
		n++
		_, err := db.exec(fmt.Sprintf("CREATE %s %s_x%d ON %s (%s)", kind, c.table.name, n, c.table.name, strings.Join(columns, ", ")))
		return err
	}
	for _, composite := range c.policy.composites {
		columns := []string{"pk"}
		for _, p := range composite {
			column := c.table.columnOf(p.path)
			if p.desc {
				column += " DESC"
			}
			columns = append(columns, column)
		}
		if err := create("INDEX", columns...); err != nil {
			return err
		}
	}
	for _, p := range c.policy.ranges {
		if slices.Contains(c.table.indexes, p) {
			if err := create("INDEX", keyColumn(p)); err != nil {
				return err
			}
		}
	}
	for _, key := range c.uniqueKeys {
		columns := []string{"pk"}
		for _, p := range key {
			columns = append(columns, "coalesce("+c.table.columnOf(p)+", x'01')")
		}
		if err := create("UNIQUE INDEX", columns...); err != nil {
			return err
		}
	}
	return nil
}

// dropIndexes undoes createIndexes.
func dropIndexes(ctx context.Context, db *conn, c *container) error {
	var names []string
	err := db.query(ctx, "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND instr(name, ?) = 1",
		[]driver.Value{c.table.name, c.table.name + "_x"}, func(r []driver.Value) (bool, error) {
			names = append(names, asText(r[0]))
			return true, nil
		})
	for _, name := range names {
		if err == nil {
			_, err = db.exec("DROP INDEX " + name)
		}
	}
	return err
}
