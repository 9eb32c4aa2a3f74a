package query

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"

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
	Residual Expr // nil: SQL says it all
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
func (s *Statement) Compile(schema *Schema, params Params) Filter {
	if s.Where == nil {
		return Filter{}
	}
	c := &compiler{schema: schema, env: NewEnv(context.Background(), s, params)}
	c.env.limit = SliceSteps
	parts := flatten("AND", s.Where, nil)
	var f Filter
	var sql []condition
	var residual []Expr
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
		f.Residual = balance("AND", residual)
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
	env    *Env // for constants
}

// flatten lists the operands of nested ANDs or ORs.
func flatten(op string, e Expr, list []Expr) []Expr {
	if b, ok := e.(*Binary); ok && b.Op == op {
		return flatten(op, b.R, flatten(op, b.L, list))
	}
	return append(list, e)
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

// pin looks for equalities that fix the partition key or the beginning of it, and
// returns the condition that says so, the components, and the other parts.
func (c *compiler) pin(parts []Expr) (condition, []value.Value, []Expr) {
	var key []value.Value
	rest := parts
	for _, path := range c.schema.KeyPaths {
		i := slices.IndexFunc(rest, func(e Expr) bool { _, ok := c.fixes(e, path); return ok })
		if i < 0 {
			break
		}
		v, _ := c.fixes(rest[i], path)
		key = append(key, v)
		if path == "/id" || !v.Defined() {
			// The id column has an index of its own to use. A key that is undefined may also stand for an object.
			continue
		}
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	if len(key) == 0 {
		return condition{}, nil, parts
	}
	enc := c.schema.EncodeKey(key)
	if len(key) == len(c.schema.KeyPaths) {
		return condition{c.schema.KeyColumn + " = ?", []driver.Value{enc}}, key, rest
	}
	return between(c.schema.KeyColumn, enc, append(slices.Clone(enc), 0xFF)), key, rest
}

// listed looks for an IN that names the values of a partition key of one path.
func (c *compiler) listed(parts []Expr) (keys [][]value.Value) {
	if len(c.schema.KeyPaths) != 1 {
		return nil
	}
	i := slices.IndexFunc(parts, func(e Expr) bool {
		in, ok := e.(*In)
		return ok && isPath(in.X, c.schema.KeyPaths[0])
	})
	if i < 0 {
		return nil
	}
	for _, e := range parts[i].(*In).List {
		v, ok := c.constant(e)
		if !ok || v.Kind() == value.Object { // its key is undefined, like that of other items
			return nil
		}
		if v.Defined() && v.Kind() < value.Array {
			keys = append(keys, []value.Value{v})
		}
	}
	return keys
}

// fixes tells whether e says that path has one certain value.
func (c *compiler) fixes(e Expr, path string) (value.Value, bool) {
	switch e := e.(type) {
	case *Binary:
		if e.Op != "=" {
			break
		}
		for _, e := range []*Binary{e, {Op: "=", L: e.R, R: e.L}} {
			if p, v, ok := c.sides(e); ok && p.String() == path && v.Defined() && v.Kind() < value.Array {
				return v, true
			}
		}
	case *Call:
		if e.Name == "IS_NULL" && isPath(e.Args[0], path) {
			return value.NullValue(), true
		}
	case *Unary:
		if call, ok := e.X.(*Call); ok && e.Op == "NOT" && call.Name == "IS_DEFINED" && isPath(call.Args[0], path) {
			return value.Value{}, true
		}
	}
	return value.Value{}, false
}

func isPath(e Expr, path string) bool {
	p, ok := ItemPath(e)
	return ok && p.String() == path
}

// sides splits a comparison into a path on its left and a constant on its right.
func (c *compiler) sides(e *Binary) (*Path, value.Value, bool) {
	p, ok := ItemPath(e.L)
	if !ok {
		return nil, value.Value{}, false
	}
	v, ok := c.constant(e.R)
	return p, v, ok
}

// constant evaluates an expression that does not depend on the item.
func (c *compiler) constant(e Expr) (value.Value, bool) {
	depends := false
	walk(e, func(e Expr) {
		switch e := e.(type) {
		case *Path, *Aggregate, *Subquery:
			depends = true
		case *Call:
			depends = depends || e.fn.volatile
		}
	})
	if depends {
		return value.Value{}, false
	}
	v := c.env.eval(e)
	return v, c.env.err == nil
}

func (c *compiler) column(e Expr) (Column, bool) {
	p, ok := ItemPath(e)
	if !ok {
		return Column{}, false
	}
	col, ok := c.schema.Columns[p.String()]
	return col, ok
}

// decide returns the SQL for e being true, or false if want is false; ok is false if
// SQLite cannot tell.
func (c *compiler) decide(e Expr, want bool) (cond condition, ok bool) {
	if v, ok := c.constant(e); ok {
		if want && v.IsTrue() || !want && v.IsFalse() {
			return always, true
		}
		return never, true
	}
	switch e := e.(type) {
	case *Path:
		col, ok := c.column(e)
		if !ok {
			return condition{}, false
		}
		return c.compare(col, "=", value.OfBool(want)), true
	case *Unary:
		if e.Op == "NOT" {
			return c.decide(e.X, !want)
		}
	case *Binary:
		return c.decideBinary(e, want)
	case *In:
		if want {
			return c.in(e)
		}
	case *Between:
		if want {
			return c.decide(&Binary{Op: "AND", L: &Binary{">=", e.X, e.Lo}, R: &Binary{"<=", e.X, e.Hi}}, true)
		}
	case *Call:
		return c.call(e, want)
	}
	return condition{}, false
}

// negated maps each comparison to the one that is true when it is false.
var negated = map[string]string{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// mirrored maps each comparison to the one with its sides exchanged.
var mirrored = map[string]string{"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

func (c *compiler) decideBinary(e *Binary, want bool) (condition, bool) {
	switch {
	case e.Op == "AND" || e.Op == "OR":
		if (e.Op == "AND") == want {
			return c.all(flatten(e.Op, e, nil), want)
		}
		return c.any(flatten(e.Op, e, nil), want)
	case negated[e.Op] == "":
		return condition{}, false
	}
	op := e.Op
	if _, ok := e.R.(*Path); ok {
		e, op = &Binary{Op: mirrored[op], L: e.R, R: e.L}, mirrored[op]
	}
	p, v, ok := c.sides(e)
	if !ok {
		return condition{}, false
	}
	if !want {
		op = negated[op]
	}
	if col, ok := c.column(p); ok {
		return c.compare(col, op, v), true
	}
	if key := c.schema.KeyPaths; len(key) == 1 && key[0] == p.String() && op == "=" && v.Defined() && v.Kind() < value.Array {
		return condition{c.schema.KeyColumn + " = ?", []driver.Value{c.schema.EncodeKey([]value.Value{v})}}, true
	}
	return condition{}, false
}

// all is for every part having the wanted truth.
func (c *compiler) all(parts []Expr, want bool) (condition, bool) {
	var list []condition
	if want {
		pin, key, rest := c.pin(parts)
		if len(key) > 0 {
			list, parts = append(list, pin), rest
		}
	}
	for _, part := range parts {
		cond, ok := c.decide(part, want)
		if !ok {
			return condition{}, false
		}
		list = append(list, cond)
	}
	if len(list) == 0 {
		return always, true
	}
	return join("AND", list), true
}

// any is for some part having the wanted truth. Items named one by one, which is how
// SDKs read many, become one lookup by a list.
func (c *compiler) any(parts []Expr, want bool) (condition, bool) {
	list := make([]condition, len(parts))
	named := want
	point := c.schema.KeyColumn + " = ? AND id = ?"
	for i, part := range parts {
		var ok bool
		if list[i], ok = c.decide(part, want); !ok {
			return condition{}, false
		}
		named = named && list[i].sql == "("+point+")"
	}
	if !named || len(parts) == 1 {
		return join("OR", list), true
	}
	var args []driver.Value
	for _, l := range list {
		args = append(args, l.args...)
	}
	sql := "(" + c.schema.KeyColumn + ", id) IN (VALUES (?,?)" + strings.Repeat(",(?,?)", len(list)-1) + ")"
	return condition{sql, args}, true
}

var operators = map[string]string{"=": " = ?", "!=": " <> ?", "<": " < ?", "<=": " <= ?", ">": " > ?", ">=": " >= ?"}

// compare returns the condition under which a column compares with v by an operator. It follows the
// function of the same name in eval.go: values of another type are unequal to v and not ordered
// with it.
func (c *compiler) compare(col Column, op string, v value.Value) condition {
	sameType := true
	var arg driver.Value
	switch col.Kind {
	case TextColumn:
		arg, sameType = v.Str(), v.Kind() == value.String
	case IntColumn:
		if i, ok := v.Int(); ok {
			arg = i
		} else {
			arg, sameType = v.Float(), v.Kind() == value.Number
		}
	default:
		arg = v.Key()
	}
	switch {
	case !v.Defined():
		return never
	case !sameType && op == "!=":
		return always // the column is always defined
	case !sameType:
		return never
	case op == "=" || op == "!=" || col.Kind != KeyColumn:
		return condition{col.Name + operators[op], []driver.Value{arg}}
	case v.Kind() >= value.Array:
		return never
	}
	from, to := v.KeyRange()
	bound, limit := " < ?", to
	if op == "<" || op == "<=" {
		bound, limit = " >= ?", from
	}
	return condition{"(" + col.Name + operators[op] + " AND " + col.Name + bound + ")", []driver.Value{arg, limit}}
}

func between(column string, from, to []byte) condition {
	return condition{"(" + column + " >= ? AND " + column + " < ?)", []driver.Value{from, to}}
}
