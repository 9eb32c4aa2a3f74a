package pushdown

import (
	"context"
	"database/sql/driver"
	"slices"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// ColumnKind says what a column holds.
type ColumnKind uint8

const (
	// KeyColumn holds sort keys (value.Value.Key), NULL for undefined.
	KeyColumn ColumnKind = iota
	// TextColumn holds a string that is always defined.
	TextColumn
	// IntColumn holds an integer that is always defined.
	IntColumn
)

// Column is a column that SQLite has for a path.
type Column struct {
	Name string
	Kind ColumnKind
}

// Schema is what SQLite knows of a container's items.
type Schema struct {
	Columns map[string]Column // by path
	// KeyPaths are the partition key's, KeyColumn the column that holds its
	// encoding. The encoding of a prefix of a key begins that of the key.
	KeyPaths  []string
	KeyColumn string
	EncodeKey func(components []value.Value) []byte
	// EncodeKeyPrefix returns what begins the encoding of every key that is a string
	// with this prefix, and of no other key.
	EncodeKeyPrefix func(prefix string) []byte
}

// Filter is the part of a WHERE clause that SQLite decides and the part that is left.
type Filter struct {
	SQL      string // a condition, "" if there is none
	Args     []driver.Value
	Residual query.Expr // nil: SQL says it all
	// Key holds the components of the partition key, from the first, that the clause
	// fixes by equality.
	Key []value.Value
	// Keys are the partition keys, or the beginnings of one, that the clause admits; none
	// if it does not say.
	Keys [][]value.Value
}

// maxArgs is below SQLite's limit on the variables of a statement.
const maxArgs = 30000

// Compile divides the WHERE clause for a container.
func Compile(s *query.Statement, schema *Schema, params query.Params) Filter {
	if s.Where == nil {
		return Filter{}
	}
	c := &compiler{schema: schema, env: query.NewLimitedEnv(context.Background(), s, params, query.SliceSteps)}
	parts := query.Flatten("AND", s.Where, nil)
	var f Filter
	var sql []condition
	var residual []query.Expr
	pin, key, rest := c.pin(parts)
	if f.Key = key; len(key) > 0 {
		sql = append(sql, pin)
		f.Keys = [][]value.Value{key}
	} else {
		f.Keys = c.listed(parts)
	}
	args := len(pin.args)
	for _, part := range rest {
		if cond, ok := c.decide(part, true); ok && args+len(cond.args) < maxArgs {
			args += len(cond.args)
			sql = append(sql, cond)
			continue
		}
		residual = append(residual, part)
	}
	if len(residual) > 0 {
		f.Residual = query.Balance("AND", residual)
	}
	if len(sql) > 0 {
		all := join("AND", sql)
		f.SQL, f.Args = all.sql, all.args
	}
	return f
}

// condition is SQL that is true just when an expression has the wanted truth; it may
// be false or NULL otherwise, which is the same to a WHERE clause.
type condition struct {
	sql  string
	args []driver.Value
}

var (
	always = condition{sql: "1"}
	never  = condition{sql: "0"}
)

type compiler struct {
	schema *Schema
	env    *query.Env // for constants
}

// join combines conditions as a balanced tree, for SQLite bounds the depth of one.
func join(op string, list []condition) condition {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	l, r := join(op, list[:half]), join(op, list[half:])
	return condition{"(" + l.sql + " " + op + " " + r.sql + ")", slices.Concat(l.args, r.args)}
}
