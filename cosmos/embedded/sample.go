package embedded

import (
	"context"
	"database/sql/driver"
)

// sample reads columns of items from all over a container, at most sampleSize of them at
// even distances, or all if there are fewer.
func sample(ctx context.Context, c *conn, of *container, columns string, take func(row []driver.Value)) error {
	first, err := c.one("SELECT (SELECT min(rid) FROM " + of.table.name + "), (SELECT max(rid) FROM " + of.table.name + ")")
	if err != nil || first[0] == nil {
		return err
	}
	low, high := asInt(first[0]), asInt(first[1])
	step := (high-low)/sampleSize + 1
	statement := "SELECT rid, " + columns + " FROM " + of.table.name + " WHERE rid >= ? ORDER BY rid LIMIT 1"
	for next := low; next <= high; {
		found := int64(-1)
		err := c.query(ctx, statement, []driver.Value{next}, func(row []driver.Value) (bool, error) {
			found = asInt(row[0])
			take(row[1:])
			return true, nil
		})
		if err != nil || found < 0 { // deleted meanwhile
			return err
		}
		next = max(next+step, found+1)
	}
	return nil
}
