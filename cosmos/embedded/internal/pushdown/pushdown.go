// Package pushdown compiles the part of a WHERE clause that SQLite can decide exactly to a SQL
// condition over the columns of a container's table. The rest is left to package query.
package pushdown

import (
	"context"
	"database/sql/driver"
	"slices"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// ColumnKind is the kind of value that a column holds.
type ColumnKind uint8

const (
	// KeyColumn holds sort keys (value.Value.Key); NULL means undefined.
	KeyColumn ColumnKind = iota
	// TextColumn holds a string and is never undefined.
	TextColumn
	// IntColumn holds an integer and is never undefined.
	IntColumn
)

// Column is the SQLite column of a path.
type Column struct {
	Name string
	Kind ColumnKind
}

// Schema describes the SQLite columns of a container's table.
type Schema struct {
	Columns map[string]Column // by path
	// KeyPaths are the paths of the partition key. KeyColumn is the column with its encoding. The
	// encoding of a prefix of a key is a prefix of the key's encoding.
	KeyPaths  []string
	KeyColumn string
	EncodeKey func(components []value.Value) []byte
	// EncodeKeyPrefix returns the common prefix of the encodings of all keys that are strings with
	// a prefix.
	EncodeKeyPrefix func(prefix string) []byte
}

// Filter divides a WHERE clause into the part that SQLite evaluates and the residual part.
type Filter struct {
	SQL      string // condition for SQLite; "" if there is none
	Args     []driver.Value
	Residual query.Expr // condition to evaluate in Go; nil if SQL is the whole condition
	// Key holds the leading components of the partition key that the clause fixes by equality.
	Key []value.Value
	// Keys are the partition keys, or prefixes of keys, that the clause admits. It is empty if the
	// clause does not restrict them.
	Keys [][]value.Value
}

// MaxArgs is the maximum number of arguments of a filter. It is below SQLite's limit on the variables of a statement.
const MaxArgs = 30000

// Compile divides the WHERE clause of a query for a container.
func Compile(s *query.Statement, schema *Schema, params query.Params) Filter {
	if s.Where == nil {
		return Filter{}
	}
	c := &compiler{schema: schema, env: query.NewLimitedEnv(context.Background(), s, params, query.SliceSteps)}
	parts := query.Flatten("AND", s.Where, nil)
	var f Filter
	var sql []condition
	var residual []query.Expr
	pin, key, rest := c.findKey(parts)
	if f.Key = key; len(key) > 0 {
		sql = append(sql, pin)
		f.Keys = [][]value.Value{key}
	} else {
		f.Keys = c.findListedKeys(parts)
	}
	args := len(pin.args)
	for _, part := range rest {
		if cond, ok := c.decide(part, true); ok && args+len(cond.args) < MaxArgs {
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

// condition is SQL that is true exactly if an expression has the wanted truth value. Otherwise it
// is false or NULL, which makes no difference in a WHERE clause.
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
	env    *query.Env // to evaluate constants
}

// join combines conditions into a balanced tree, because SQLite limits the depth of expressions.
func join(op string, list []condition) condition {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	l, r := join(op, list[:half]), join(op, list[half:])
	return condition{"(" + l.sql + " " + op + " " + r.sql + ")", slices.Concat(l.args, r.args)}
}
