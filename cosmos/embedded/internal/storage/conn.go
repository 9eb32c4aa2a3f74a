package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// Limits of the prepared statements that a connection retains. A prepared statement takes many times
// the memory of its text, and long texts are unlikely to recur.
const (
	maxStatements    = 200
	maxStatementText = 8 << 10
)

// Conn is a SQLite connection with its prepared statements. It bypasses database/sql, whose
// pooling, conversions and locking cost more than a lookup. It is not safe for concurrent use.
type Conn struct {
	raw   driver.Conn
	stmts map[string]driver.Stmt
	sorts map[sortKey]bool // see Sorts
	args  []driver.NamedValue
}

// OpenConn opens a database file with pragmas.
func OpenConn(drv *sqlite.Driver, file string, readOnly bool, pragmas ...string) (*Conn, error) {
	params := url.Values{}
	if readOnly {
		params.Set("mode", "ro")
	}
	return openWith(drv, file, params, pragmas)
}

// openWith opens a database file with URI parameters of SQLite and pragmas.
func openWith(drv *sqlite.Driver, file string, params url.Values, pragmas []string) (*Conn, error) {
	name, err := dsn(file, params, pragmas)
	if err != nil {
		return nil, err
	}
	raw, err := drv.Open(name)
	if err != nil {
		return nil, err
	}
	return &Conn{raw: raw, stmts: make(map[string]driver.Stmt), sorts: make(map[sortKey]bool)}, nil
}

// dsn returns the data source name of a database file with parameters and pragmas.
func dsn(file string, params url.Values, pragmas []string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	query := url.Values{"_pragma": pragmas}
	maps.Copy(query, params)
	name := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	return name.String(), nil
}

func (c *Conn) Close() error {
	for _, s := range c.stmts {
		s.Close()
	}
	return c.raw.Close()
}

// prepare returns the prepared statement for a text, from the connection's cache if possible. The
// caller passes it to release after its use.
func (c *Conn) prepare(text string) (driver.Stmt, error) {
	if s, ok := c.stmts[text]; ok {
		return s, nil
	}
	retained := len(text) <= maxStatementText
	if retained && len(c.stmts) >= maxStatements {
		c.Forget()
	}
	s, err := c.raw.Prepare(text)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", Abbreviate(text), err)
	}
	if retained {
		c.stmts[text] = s
	}
	return s, nil
}

// release closes a statement from prepare that is not retained because its text is too long.
func (c *Conn) release(text string, s driver.Stmt) {
	if len(text) > maxStatementText {
		s.Close()
	}
}

// Forget closes all prepared statements.
func (c *Conn) Forget() {
	for text, s := range c.stmts {
		s.Close()
		delete(c.stmts, text)
	}
}

// sortKey identifies a statement with the definition of its table's indexes.
type sortKey struct {
	definition any
	text       string
}

// Sorts reports whether SQLite sorts the rows of a statement, rather than reading them in the order of
// an index. definition is a pointer that is another one after the table's indexes have changed.
func (c *Conn) Sorts(ctx context.Context, definition any, text string, args []driver.Value) (bool, error) {
	key := sortKey{definition, text}
	if sorts, ok := c.sorts[key]; ok {
		return sorts, nil
	}
	// A connection notices changes of the schema only when it runs a statement.
	if _, err := c.One("SELECT count(*) FROM sqlite_schema"); err != nil {
		return false, err
	}
	explain := "EXPLAIN QUERY PLAN " + text
	sorts := false
	err := c.Query(ctx, explain, args, func(row []driver.Value) (bool, error) {
		sorts = sorts || strings.Contains(AsText(row[3]), "TEMP B-TREE FOR ")
		return true, nil
	})
	if err != nil {
		return false, err
	}
	if s, ok := c.stmts[explain]; ok {
		s.Close()
		delete(c.stmts, explain)
	}
	if len(text) <= maxStatementText {
		if len(c.sorts) >= maxStatements {
			clear(c.sorts)
		}
		c.sorts[key] = sorts
	}
	return sorts, nil
}

func (c *Conn) bind(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}

// Exec runs a statement and returns the number of rows that it changed.
func (c *Conn) Exec(text string, args ...driver.Value) (int64, error) {
	s, err := c.prepare(text)
	if err != nil {
		return 0, err
	}
	defer c.release(text, s)
	result, err := s.(driver.StmtExecContext).ExecContext(context.Background(), c.bind(args))
	if err != nil {
		return 0, fmt.Errorf("%q: %w", Abbreviate(text), err)
	}
	return result.RowsAffected()
}

// Query runs a statement and calls row for each row of the result until it returns false. The
// callback may keep the values, but not the slice.
func (c *Conn) Query(
	ctx context.Context,
	text string,
	args []driver.Value,
	row func([]driver.Value) (bool, error),
) error {
	s, err := c.prepare(text)
	if err != nil {
		return err
	}
	defer c.release(text, s)
	rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, c.bind(args))
	if err != nil {
		return fmt.Errorf("%q: %w", Abbreviate(text), err)
	}
	defer rows.Close()
	dest := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(dest); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%q: %w", Abbreviate(text), err)
		}
		if more, err := row(dest); err != nil || !more {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// One runs a statement and returns the first row, or nil if there is none.
func (c *Conn) One(text string, args ...driver.Value) (row []driver.Value, err error) {
	err = c.Query(context.Background(), text, args, func(values []driver.Value) (bool, error) {
		row = values
		return false, nil
	})
	return row, err
}

// Abbreviate shortens an SQL statement for messages.
func Abbreviate(sql string) string {
	const limit = 120
	if len(sql) > limit {
		return sql[:limit] + "…"
	}
	return sql
}

// AsInt returns the integer in a column, and 0 for NULL.
func AsInt(v driver.Value) int64 { i, _ := v.(int64); return i }

// AsText returns the text in a column, and "" for NULL.
func AsText(v driver.Value) string { s, _ := v.(string); return s }

// OrNull returns the integer, or NULL if i is nil.
func OrNull(i *int64) driver.Value {
	if i == nil {
		return nil
	}
	return *i
}
