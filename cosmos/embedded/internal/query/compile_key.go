package query

import (
	"database/sql/driver"
	"slices"

	"inkfeed/cosmos/embedded/internal/value"
)

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
	Walk(e, func(e Expr) {
		switch e := e.(type) {
		case *Path, *Aggregate, *Subquery:
			depends = true
		case *Call:
			depends = depends || e.Volatile()
		}
	})
	if depends {
		return value.Value{}, false
	}
	v := c.env.Eval(e)
	return v, c.env.Err() == nil
}

func (c *compiler) column(e Expr) (Column, bool) {
	p, ok := ItemPath(e)
	if !ok {
		return Column{}, false
	}
	col, ok := c.schema.Columns[p.String()]
	return col, ok
}
