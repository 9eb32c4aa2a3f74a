package embedded

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
)

// usage is what a container holds.
type usage struct {
	items     int64
	documents int64 // bytes of the items
	indexes   int64 // bytes of their index entries
}

// measureUsage counts the items. How large they are it estimates from a sample of them, as to
// look at all would take long where they are many. Where they are few, the sample is all.
func measureUsage(ctx context.Context, c *conn, of *container) (u usage, err error) {
	row, err := c.one("SELECT count(*) FROM " + of.table.name)
	if err != nil {
		return u, err
	}
	u.items = asInt(row[0])
	// Each index entry has the columns that it is over, the rid and some overhead.
	const entry = 12
	index := fmt.Sprintf("2*length(pk) + length(id) + %d", 3*entry)
	for _, path := range of.table.indexes {
		index += fmt.Sprintf(" + coalesce(length(%s), 0) + %d", keyColumn(path), entry)
	}
	var sampled, documents, indexes int64
	err = sample(ctx, c, of, strings.Join([]string{"length(CAST(body AS BLOB))", index}, ", "), func(row []driver.Value) {
		sampled++
		documents += asInt(row[0])
		indexes += asInt(row[1])
	})
	if sampled > 0 {
		u.documents, u.indexes = documents*u.items/sampled, indexes*u.items/sampled
	}
	return u, err
}

const (
	kilobyte   = 1 << 10
	megabyte   = 1 << 20
	rangeQuota = 50 << 30 // bytes of a feed range
)

// String is the usage in the form of the service, which counts in KB but for documentSize,
// in MB.
func (u usage) String() string {
	return fmt.Sprintf("functions=0;storedProcedures=0;triggers=0;documentSize=%d;documentsSize=%d;documentsCount=%d;collectionSize=%d;",
		u.documents/megabyte, ceil(u.documents, kilobyte), u.items, ceil(u.documents+u.indexes, kilobyte))
}

// quota is what a container may hold, in the same form.
func (c *container) quota() string {
	n := int64(len(c.ranges))
	return fmt.Sprintf("functions=50;storedProcedures=100;triggers=25;documentSize=%d;documentsSize=%d;documentsCount=-1;collectionSize=%d;",
		n*rangeQuota/megabyte, n*rangeQuota/kilobyte, n*rangeQuota/kilobyte)
}
