package catalog

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"inkfeed/cosmos/embedded/internal/storage"
)

// Usage is the storage that a container uses.
type Usage struct {
	items     int64
	documents int64 // size of the items in bytes
	indexes   int64 // size of their index entries in bytes
}

// MeasureUsage counts the items and estimates their size from a sample, because reading many items
// would take long. For a small container the sample contains every item.
func MeasureUsage(ctx context.Context, c *storage.Conn, of *Container) (u Usage, err error) {
	row, err := c.One("SELECT count(*) FROM " + of.Table.Name)
	if err != nil {
		return u, err
	}
	u.items = storage.AsInt(row[0])
	// An index entry holds its columns, the rid and some overhead.
	const entry = 12
	index := fmt.Sprintf("2*length(pk) + length(id) + %d", 3*entry)
	for _, path := range of.Table.indexes {
		index += fmt.Sprintf(" + coalesce(length(%s), 0) + %d", keyColumn(path), entry)
	}
	var sampled, documents, indexes int64
	err = sample(ctx, c, of, strings.Join([]string{"length(CAST(body AS BLOB))", index}, ", "),
		func(row []driver.Value) {
			sampled++
			documents += storage.AsInt(row[0])
			indexes += storage.AsInt(row[1])
		})
	if sampled > 0 {
		u.documents, u.indexes = documents*u.items/sampled, indexes*u.items/sampled
	}
	return u, err
}

const (
	// Kilobyte is the unit in which the service reports sizes, in bytes.
	Kilobyte   = 1 << 10
	megabyte   = 1 << 20
	rangeQuota = 50 << 30 // bytes per feed range
)

// String formats the usage as the service does: sizes in KB, documentSize in MB.
func (u Usage) String() string {
	return fmt.Sprintf(
		"functions=0;storedProcedures=0;triggers=0;documentSize=%d;"+
			"documentsSize=%d;documentsCount=%d;collectionSize=%d;",
		u.documents/megabyte,
		ceil(u.documents, Kilobyte),
		u.items,
		ceil(u.documents+u.indexes, Kilobyte),
	)
}

// Quota returns the storage limits of a container in the same form.
func (c *Container) Quota() string {
	n := int64(len(c.Ranges))
	return fmt.Sprintf(
		"functions=50;storedProcedures=100;triggers=25;documentSize=%d;"+
			"documentsSize=%d;documentsCount=-1;collectionSize=%d;",
		n*rangeQuota/megabyte,
		n*rangeQuota/Kilobyte,
		n*rangeQuota/Kilobyte,
	)
}
