package query

import (
	"database/sql/driver"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// in is for a column, or the partition key, being one of some constants.
func (c *compiler) in(e *In) (condition, bool) {
	col, isColumn := c.column(e.X)
	isKey := len(c.schema.KeyPaths) == 1 && isPath(e.X, c.schema.KeyPaths[0])
	if !isColumn && !isKey {
		return condition{}, false
	}
	var args, keys []driver.Value
	for _, candidate := range e.List {
		v, ok := c.constant(candidate)
		switch {
		case !ok, isKey && v.Kind() == value.Object: // its key is undefined, like that of other items
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
