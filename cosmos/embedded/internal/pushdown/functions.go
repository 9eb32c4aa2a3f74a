package pushdown

import (
	"database/sql/driver"
	"strings"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// call returns the condition that a function of a column evaluates to want.
func (c *compiler) call(e *query.Call, want bool) (condition, bool) {
	if len(e.Args) == 0 {
		return condition{}, false
	}
	col, ok := c.column(e.Args[0])
	if !ok {
		return condition{}, false
	}
	switch e.Name {
	case "IS_DEFINED":
		switch {
		case col.Kind != KeyColumn && want:
			return always, true
		case col.Kind != KeyColumn:
			return never, true
		case want:
			return condition{sql: col.Name + " IS NOT NULL"}, true
		}
		return condition{sql: col.Name + " IS NULL"}, true
	case "IS_NULL":
		switch {
		case col.Kind != KeyColumn && want:
			return never, true
		case col.Kind != KeyColumn:
			return always, true
		case want:
			return condition{col.Name + " = ?", []driver.Value{value.NullValue().Key()}}, true
		}
		return condition{col.Name + " IS NOT ?", []driver.Value{value.NullValue().Key()}}, true
	case "STARTSWITH":
		prefix, ok := c.constant(e.Args[1])
		if !ok || !want || len(e.Args) != 2 {
			break
		}
		cond := startsWith(col, prefix)
		if keys := c.schema.KeyPaths; len(keys) == 1 && prefix.Kind() == value.String {
			if isPath(e.Args[0], keys[0]) {
				from := c.schema.EncodeKeyPrefix(prefix.Str())
				cond = join("AND", []condition{between(c.schema.KeyColumn, from, after(from)), cond})
			}
		}
		return cond, true
	}
	return condition{}, false
}

// startsWith returns the condition that a column holds a string with a prefix, as an interval of an
// index.
func startsWith(col Column, prefix value.Value) condition {
	if prefix.Kind() != value.String || col.Kind == IntColumn {
		return never
	}
	if col.Kind == KeyColumn {
		from := prefix.Key()
		return between(col.Name, from, after(from))
	}
	to := after([]byte(prefix.Str()))
	if to == nil {
		return always
	}
	return condition{"(" + col.Name + " >= ? AND " + col.Name + " < ?)", []driver.Value{prefix.Str(), string(to)}}
}

// after returns the smallest byte string greater than all with the prefix; nil if there is none.
func after(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			to := append([]byte(nil), prefix[:i+1]...)
			to[i]++
			return to
		}
	}
	return nil
}

// in returns the condition that a column, or the partition key, equals one of some constants.
func (c *compiler) in(e *query.In) (condition, bool) {
	col, isColumn := c.column(e.X)
	isKey := len(c.schema.KeyPaths) == 1 && isPath(e.X, c.schema.KeyPaths[0])
	if !isColumn && !isKey {
		return condition{}, false
	}
	var args, keys []driver.Value
	for _, candidate := range e.List {
		v, ok := c.constant(candidate)
		switch {
		case !ok, isKey && v.Kind() == value.Object: // an object's partition key is undefined, like that of other items
			return condition{}, false
		case isKey && v.Defined() && v.Kind() < value.Array:
			keys = append(keys, c.schema.EncodeKey([]value.Value{v}))
		}
		switch {
		case isColumn && col.Kind == TextColumn && v.Kind() == value.String:
			args = append(args, v.Str())
		case isColumn && col.Kind == IntColumn && v.Kind() == value.Number:
			args = append(args, v.Float())
		case isColumn && col.Kind == KeyColumn && v.Defined():
			args = append(args, v.Key())
		}
	}
	var list []condition
	for _, set := range []struct {
		use  bool
		name string
		args []driver.Value
	}{{isKey, c.schema.KeyColumn, keys}, {isColumn, col.Name, args}} {
		switch {
		case !set.use:
		case len(set.args) == 0:
			return never, true
		default:
			list = append(list, condition{set.name + " IN (?" + strings.Repeat(",?", len(set.args)-1) + ")", set.args})
		}
	}
	return join("AND", list), true
}
