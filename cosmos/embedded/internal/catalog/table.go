package catalog

import (
	"fmt"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// table is the SQLite table of a container and the statements over it.
//
// Its columns, in the order of the statements:
//
//	rid     what the item's _rid counts; also the order of scans
//	pk      the partition key, see encodeKey; unique together with id
//	id
//	rng     the feed range that the last write went to; it may have been split since
//	lsn     of the last write, in that range
//	version of the last write, in the container: the etag
//	ts      of the last write, in seconds
//	ttl     the item's own, if it has one
//	exp     when it expires: NULL is never
//	units   what creating it would be charged
//	k_…     the sort keys of the indexed paths
//	body    canonical JSON, without the system properties
type Table struct {
	Name       string
	indexes    []string   // paths that have a key column, in the order of the columns
	IndexPaths [][]string // the same, split

	Insert, Update, Delete, Find string
	// refresh is update where no key has changed, which spares their indexes.
	Refresh string
}

// rowColumns are the columns of a row but for keys and body.
const rowColumns = "rid, pk, id, rng, lsn, version, ts, ttl, exp, units"

// itemColumns are what a reader needs of an item.
const (
	ItemColumns     = "rid, version, ts, exp, units, lsn, pk, id, body"
	ItemColumnCount = 9
)

// foundColumns are what is needed of an item found by its identity. Each column that a
// statement has costs, however little it holds.
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
	const update = "UPDATE OR IGNORE %s SET rng = ?, lsn = ?, version = ?, ts = ?, ttl = ?, exp = ?, units = ?%s, body = ? WHERE rid = ?"
	t.Update = fmt.Sprintf(update, t.Name, sets.String())
	t.Refresh = fmt.Sprintf(update, t.Name, "")
	t.Delete = fmt.Sprintf("DELETE FROM %s WHERE rid = ?", t.Name)
	t.Find = fmt.Sprintf("SELECT %s FROM %s WHERE pk = ? AND id = ?", foundColumns, t.Name)
	return t
}

// maxKeyColumns bounds the columns for paths, below SQLite's limit on those of a table.
const MaxKeyColumns = 1000

// keyColumn is the quoted name of the column for a path.
func keyColumn(path string) string {
	return `"` + strings.ReplaceAll(columnName(path), `"`, `""`) + `"`
}

// columnName marks capital letters, for SQLite does not tell names apart by case.
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

// indexedPaths lists the paths that need a key column: those of composite indexes,
// those included one by one, and those of unique keys.
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

// columnOf returns the SQL for ordering by a path.
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

// querySchema tells the query compiler of the columns.
func (c *Container) querySchema() *query.Schema {
	s := &query.Schema{KeyColumn: "pk", EncodeKey: epk.Encode, EncodeKeyPrefix: epk.EncodePrefix, Columns: map[string]query.Column{
		"/id":  {Name: "id", Kind: query.TextColumn},
		"/_ts": {Name: "ts", Kind: query.IntColumn},
	}}
	for _, p := range c.Table.indexes {
		s.Columns[p] = query.Column{Name: keyColumn(p), Kind: query.KeyColumn}
	}
	for _, path := range c.KeyPaths {
		s.KeyPaths = append(s.KeyPaths, value.Pointer(path))
	}
	return s
}

// createTable makes the table with the indexes that every container has.
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
