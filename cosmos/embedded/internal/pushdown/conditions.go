package pushdown

import (
	"database/sql/driver"
	"strings"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// decide returns SQL that is true exactly if e evaluates to want. ok is false if SQLite cannot
// decide e.
func (c *compiler) decide(e query.Expr, want bool) (cond condition, ok bool) {
	if v, ok := c.constant(e); ok {
		if want && v.IsTrue() || !want && v.IsFalse() {
			return always, true
		}
		return never, true
	}
	switch e := e.(type) {
	case *query.Path:
		col, ok := c.column(e)
		if !ok {
			return condition{}, false
		}
		return c.compare(col, "=", value.OfBool(want)), true
	case *query.Unary:
		if e.Op == "NOT" {
			return c.decide(e.X, !want)
		}
	case *query.Binary:
		return c.decideBinary(e, want)
	case *query.In:
		if want {
			return c.in(e)
		}
	case *query.Between:
		if want {
			return c.decide(&query.Binary{Op: "AND", L: &query.Binary{Op: ">=", L: e.X, R: e.Lo},
				R: &query.Binary{Op: "<=", L: e.X, R: e.Hi}}, true)
		}
	case *query.Call:
		return c.call(e, want)
	}
	return condition{}, false
}

// negated maps each comparison operator to its negation.
var negated = map[string]string{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// mirrored maps each comparison operator to the one for exchanged operands.
var mirrored = map[string]string{"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

func (c *compiler) decideBinary(e *query.Binary, want bool) (condition, bool) {
	switch {
	case e.Op == "AND" || e.Op == "OR":
		if (e.Op == "AND") == want {
			return c.all(query.Flatten(e.Op, e, nil), want)
		}
		return c.any(query.Flatten(e.Op, e, nil), want)
	case negated[e.Op] == "":
		return condition{}, false
	}
	op := e.Op
	if _, ok := e.R.(*query.Path); ok {
		e, op = &query.Binary{Op: mirrored[op], L: e.R, R: e.L}, mirrored[op]
	}
	p, v, ok := c.splitComparison(e)
	if !ok {
		return condition{}, false
	}
	if !want {
		op = negated[op]
	}
	if col, ok := c.column(p); ok {
		return c.compare(col, op, v), true
	}
	if key := c.schema.KeyPaths; len(key) == 1 && key[0] == p.String() && op == "=" && v.Defined() &&
		v.Kind() < value.Array {
		return condition{c.schema.KeyColumn + " = ?", []driver.Value{c.schema.EncodeKey([]value.Value{v})}}, true
	}
	return condition{}, false
}

// all returns the condition that every part evaluates to want.
func (c *compiler) all(parts []query.Expr, want bool) (condition, bool) {
	var list []condition
	if want {
		pin, key, rest := c.findKey(parts)
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

// any returns the condition that some part evaluates to want. A disjunction of partition keys and
// ids, with which SDKs read many items, becomes one lookup in a list.
func (c *compiler) any(parts []query.Expr, want bool) (condition, bool) {
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

// compare returns the condition that a column compares with v by an operator. It follows compare in
// package query: values of different types are unequal and not ordered.
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
		return always // the column is never undefined
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
