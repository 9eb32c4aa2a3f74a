package embedded

import (
	"context"
	"database/sql/driver"
	"strconv"

	"inkfeed/cosmos/embedded/internal/value"
)

// statistics returns the item count and the size of each feed range of a container, in the form of
// .NET's PartitionKeyRangeStatistics. The service estimates them from samples; the engine counts.
// It lists no single partition keys, which the service does for keys with more than a gigabyte.
func statistics(ctx context.Context, s *store, c *container) (value.Value, error) {
	list := make([]value.Value, len(c.ranges))
	for i, rng := range c.ranges {
		sql := "SELECT COUNT(*), TOTAL(octet_length(body)), COUNT(DISTINCT pk) FROM " + c.table.name
		condition, args := c.rowsOf(rng)
		if condition != "" {
			sql += " WHERE " + condition
		}
		err := s.read(ctx, func(conn *conn) error {
			return conn.query(ctx, sql, args, func(row []driver.Value) (bool, error) {
				bytes, _ := row[1].(float64)
				list[i] = value.OfObject([]value.Member{
					{Name: "id", Value: value.OfString(strconv.Itoa(rng.id))},
					{Name: "sizeInKB", Value: value.OfInt(ceil(int64(bytes), kilobyte))},
					{Name: "documentCount", Value: value.OfInt(asInt(row[0]))},
					{Name: "sampledDistinctPartitionKeyCount", Value: value.OfInt(asInt(row[2]))},
					{Name: "partitionKeys", Value: value.OfArray(nil)},
				})
				return false, nil
			})
		})
		if err != nil {
			return value.Value{}, err
		}
	}
	return value.OfArray(list), nil
}
