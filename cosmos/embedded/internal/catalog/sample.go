package catalog

import (
	"context"
	"database/sql/driver"

	"inkfeed/cosmos/embedded/internal/storage"
)

// sample reads columns of at most sampleSize items, at even distances in the order of creation. It
// reads every item of a small container.
func sample(ctx context.Context, c *storage.Conn, of *Container, columns string, take func(row []driver.Value)) error {
	first, err := c.One("SELECT (SELECT min(rid) FROM " + of.Table.Name + "), (SELECT max(rid) FROM " + of.Table.Name +
		")")
	if err != nil || first[0] == nil {
		return err
	}
	low, high := storage.AsInt(first[0]), storage.AsInt(first[1])
	step := (high-low)/sampleSize + 1
	statement := "SELECT rid, " + columns + " FROM " + of.Table.Name + " WHERE rid >= ? ORDER BY rid LIMIT 1"
	for next := low; next <= high; {
		found := int64(-1)
		err := c.Query(ctx, statement, []driver.Value{next}, func(row []driver.Value) (bool, error) {
			found = storage.AsInt(row[0])
			take(row[1:])
			return true, nil
		})
		if err != nil || found < 0 { // the item was deleted meanwhile
			return err
		}
		next = max(next+step, found+1)
	}
	return nil
}
