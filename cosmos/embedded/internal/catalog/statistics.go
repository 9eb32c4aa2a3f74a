package catalog

import (
	"context"
	"database/sql/driver"
	"strconv"

	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// Statistics returns the number of items and the size of each feed range, in the form of .NET's
// PartitionKeyRangeStatistics. The service estimates them from samples, the engine counts. The
// service also lists partition keys with more than a gigabyte, the engine does not.
func Statistics(ctx context.Context, s *storage.Store, c *Container) (value.Value, error) {
	list := make([]value.Value, len(c.Ranges))
	for i, rng := range c.Ranges {
		sql := "SELECT COUNT(*), TOTAL(octet_length(body)), COUNT(DISTINCT pk) FROM " + c.Table.Name
		condition, args := c.RowsOf(rng)
		if condition != "" {
			sql += " WHERE " + condition
		}
		err := s.Read(ctx, func(conn *storage.Conn) error {
			return conn.Query(ctx, sql, args, func(row []driver.Value) (bool, error) {
				bytes, _ := row[1].(float64)
				list[i] = value.OfObject([]value.Member{
					{Name: "id", Value: value.OfString(strconv.Itoa(rng.ID))},
					{Name: "sizeInKB", Value: value.OfInt(ceil(int64(bytes), Kilobyte))},
					{Name: "documentCount", Value: value.OfInt(storage.AsInt(row[0]))},
					{Name: "sampledDistinctPartitionKeyCount", Value: value.OfInt(storage.AsInt(row[2]))},
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
