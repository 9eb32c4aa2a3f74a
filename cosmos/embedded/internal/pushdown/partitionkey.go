package pushdown

import (
	"database/sql/driver"
	"slices"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// findKey searches for equalities that determine the partition key or a prefix of it. It returns their
// condition, the components and the remaining parts.
func (c *compiler) findKey(parts []query.Expr) (condition, []value.Value, []query.Expr) {
	var key []value.Value
	rest := parts
	for _, path := range c.schema.KeyPaths {
		i := slices.IndexFunc(rest, func(e query.Expr) bool { _, ok := c.fixes(e, path); return ok })
		if i < 0 {
			break
		}
		v, _ := c.fixes(rest[i], path)
		key = append(key, v)
		if path == "/id" || !v.Defined() {
			// Keep the condition: id has an index of its own, and an undefined key may also stand
			// for an object.
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

// findListedKeys searches for an IN that lists values of a partition key with one path.
func (c *compiler) findListedKeys(parts []query.Expr) (keys [][]value.Value) {
	if len(c.schema.KeyPaths) != 1 {
		return nil
	}
	i := slices.IndexFunc(parts, func(e query.Expr) bool {
		in, ok := e.(*query.In)
		return ok && isPath(in.X, c.schema.KeyPaths[0])
	})
	if i < 0 {
		return nil
	}
	for _, e := range parts[i].(*query.In).List {
		v, ok := c.constant(e)
		if !ok || v.Kind() == value.Object { // an object's partition key is undefined, like that of other items
			return nil
		}
		if v.Defined() && v.Kind() < value.Array {
			keys = append(keys, []value.Value{v})
		}
	}
	return keys
}

// fixes reports whether e requires path to have one particular value.
func (c *compiler) fixes(e query.Expr, path string) (value.Value, bool) {
	switch e := e.(type) {
	case *query.Binary:
		if e.Op != "=" {
			break
		}
		for _, e := range []*query.Binary{e, {Op: "=", L: e.R, R: e.L}} {
			if p, v, ok := c.splitComparison(e); ok && p.String() == path && v.Defined() && v.Kind() < value.Array {
				return v, true
			}
		}
	case *query.Call:
		if e.Name == "IS_NULL" && isPath(e.Args[0], path) {
			return value.NullValue(), true
		}
	case *query.Unary:
		if call, ok := e.X.(*query.Call); ok && e.Op == "NOT" && call.Name == "IS_DEFINED" &&
			isPath(call.Args[0], path) {
			return value.Value{}, true
		}
	}
	return value.Value{}, false
}

func isPath(e query.Expr, path string) bool {
	p, ok := query.ItemPath(e)
	return ok && p.String() == path
}

// splitComparison splits a comparison into a path on the left and a constant on the right.
func (c *compiler) splitComparison(e *query.Binary) (*query.Path, value.Value, bool) {
	p, ok := query.ItemPath(e.L)
	if !ok {
		return nil, value.Value{}, false
	}
	v, ok := c.constant(e.R)
	return p, v, ok
}

// constant evaluates an expression that does not depend on the item.
func (c *compiler) constant(e query.Expr) (value.Value, bool) {
	depends := false
	query.Walk(e, func(e query.Expr) {
		switch e := e.(type) {
		case *query.Path, *query.Aggregate, *query.Subquery:
			depends = true
		case *query.Call:
			depends = depends || e.Volatile()
		}
	})
	if depends {
		return value.Value{}, false
	}
	v := c.env.Eval(e)
	return v, c.env.Err() == nil
}

func (c *compiler) column(e query.Expr) (Column, bool) {
	p, ok := query.ItemPath(e)
	if !ok {
		return Column{}, false
	}
	col, ok := c.schema.Columns[p.String()]
	return col, ok
}
