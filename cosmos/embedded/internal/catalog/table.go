package catalog

import (
	"fmt"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/pushdown"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// Table is the SQLite table of a container, with the statements for it.
//
// Its columns, in the order of the statements:
//
//	rid     number in the item's _rid; also the order of scans
//	pk      partition key, see epk.Encode; unique together with id
//	id
//	rng     feed range of the last write, which may have been split since
//	lsn     LSN of the last write, in that range
//	version version of the last write, in the container; the etag is made from it
//	ts      time of the last write in Unix seconds
//	ttl     the item's own time to live, if it has one
//	exp     time of expiry in Unix seconds; NULL: never
//	units   request charge of creating the item, in write units
//	k_…     sort keys of the indexed paths
//	body    canonical JSON without the system properties
type Table struct {
	Name       string
	indexes    []string   // paths that have a key column, in the order of the columns
	IndexPaths [][]string // the same paths, split into segments

	Insert, Update, Delete, Find string
	// Refresh is Update for an item whose sort keys have not changed. SQLite then leaves their
	// indexes alone.
	Refresh string
}

// rowColumns are the columns of a row except the sort keys and the body.
const rowColumns = "rid, pk, id, rng, lsn, version, ts, ttl, exp, units"

// ItemColumns are the columns that queries and the change feed read.
const (
	ItemColumns     = "rid, version, ts, exp, units, lsn, pk, id, body"
	ItemColumnCount = 9
)

// foundColumns are the columns that a read by partition key and id needs. Each column that a
// statement reads has a cost, however short its value.
const foundColumns = "rid, version, ts, exp, units, body"

func newTable(num int64, paths []string) *Table {
	t := &Table{Name: fmt.Sprintf("items_%d", num), indexes: paths}
	var names, sets strings.Builder
	for _, p := range paths {
		t.IndexPaths = append(t.IndexPaths, value.SplitPointer(p))
		fmt.Fprintf(&names, ", %s", keyColumn(p))
		fmt.Fprintf(&sets, ", %s = ?", keyColumn(p))
	}
	t.Insert = fmt.Sprintf("INSERT INTO %s (%s%s, body) VALUES (?%s) ON CONFLICT DO NOTHING",
		t.Name, rowColumns, names.String(), strings.Repeat(",?", 10+len(paths)))
	const update = "UPDATE OR IGNORE %s SET rng = ?, lsn = ?, version = ?, ts = ?, ttl = ?, exp = ?, units = ?%s, " +
		"body = ? WHERE rid = ?"
	t.Update = fmt.Sprintf(update, t.Name, sets.String())
	t.Refresh = fmt.Sprintf(update, t.Name, "")
	t.Delete = fmt.Sprintf("DELETE FROM %s WHERE rid = ?", t.Name)
	t.Find = fmt.Sprintf("SELECT %s FROM %s WHERE pk = ? AND id = ?", foundColumns, t.Name)
	return t
}

// MaxKeyColumns is the maximum number of key columns, below SQLite's limit on the columns of a
// table.
const MaxKeyColumns = 1000

// keyColumn returns the quoted name of the key column of a path.
func keyColumn(path string) string {
	return `"` + strings.ReplaceAll(columnName(path), `"`, `""`) + `"`
}

// columnName marks upper-case letters, because SQLite compares names without regard to case.
func columnName(path string) string {
	name := []byte("k_")
	for i := range len(path) {
		if c := path[i]; c == '^' || c >= 'A' && c <= 'Z' {
			name = append(name, '^')
		}
		name = append(name, path[i])
	}
	return string(name)
}

// indexedPaths returns the paths that need a key column: the paths of composite indexes, paths that
// are included individually, and the paths of unique keys.
func (c *Container) indexedPaths() []string {
	var paths []string
	add := func(path string) {
		if path != "/id" && !IsSystemProperty(path[1:]) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, composite := range c.Policy.Composites {
		for _, p := range composite {
			add(p.Path)
		}
	}
	for _, p := range c.Policy.ranges {
		add(p)
	}
	for _, key := range c.UniqueKeys {
		for _, p := range key {
			add(p)
		}
	}
	return paths
}

// ColumnOf returns the SQL expression to order by a path.
func (t *Table) ColumnOf(path string) string {
	switch {
	case path == "/id":
		return "id"
	case path == "/_ts":
		return "ts"
	case path == "/_rid":
		return "rid"
	case slices.Contains(t.indexes, path):
		return keyColumn(path)
	}
	return "cosmos_key(body, '" + strings.ReplaceAll(path, "'", "''") + "')"
}

// querySchema describes the table's columns to the compiler of filters.
func (c *Container) querySchema() *pushdown.Schema {
	s := &pushdown.Schema{KeyColumn: "pk", EncodeKey: epk.Encode, EncodeKeyPrefix: epk.EncodePrefix,
		Columns: map[string]pushdown.Column{
			"/id":  {Name: "id", Kind: pushdown.TextColumn},
			"/_ts": {Name: "ts", Kind: pushdown.IntColumn},
		}}
	for _, p := range c.Table.indexes {
		s.Columns[p] = pushdown.Column{Name: keyColumn(p), Kind: pushdown.KeyColumn}
	}
	for _, path := range c.KeyPaths {
		s.KeyPaths = append(s.KeyPaths, value.Pointer(path))
	}
	return s
}

// createTable creates the table with the indexes that every container has.
func createTable(db *storage.Conn, c *Container) error {
	name := c.Table.Name
	var keys strings.Builder
	for _, p := range c.Table.indexes {
		fmt.Fprintf(&keys, "%s BLOB, ", keyColumn(p))
	}
	script := []string{
		fmt.Sprintf(`CREATE TABLE %s (rid INTEGER PRIMARY KEY, pk BLOB NOT NULL, id TEXT NOT NULL, rng INTEGER NOT NULL,
			lsn INTEGER NOT NULL, version INTEGER NOT NULL, ts INTEGER NOT NULL, ttl INTEGER, exp INTEGER,
			units INTEGER NOT NULL, %sbody TEXT NOT NULL)`, name, keys.String()),
		fmt.Sprintf("CREATE UNIQUE INDEX %s_id ON %s (pk, id)", name, name),
		fmt.Sprintf("CREATE INDEX %s_feed ON %s (rng, lsn)", name, name),
		fmt.Sprintf("CREATE INDEX %s_exp ON %s (exp) WHERE exp IS NOT NULL", name, name),
	}
	for _, statement := range script {
		if _, err := db.Exec(statement); err != nil {
			return err
		}
	}
	return createIndexes(db, c)
}
