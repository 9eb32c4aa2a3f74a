package embedded

import (
	"database/sql/driver"

	"modernc.org/sqlite"

	"inkfeed/cosmos/embedded/internal/value"
)

// newDriver returns a driver of our own, so that its function is on no other
// connection of the process.
func newDriver() *sqlite.Driver {
	d := new(sqlite.Driver)
	d.MustRegisterDeterministicScalarFunction("cosmos_key", 2, sqlKey)
	return d
}

// sqlKey is cosmos_key(body, path): the sort key of a property that has no column. It
// orders by such properties, and fills the columns of a new index.
func sqlKey(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	body, _ := args[0].(string)
	path, _ := args[1].(string)
	v, err := value.Parse(body)
	if err != nil {
		return nil, err
	}
	if key := v.At(splitPointer(path)...).Key(); key != nil {
		return key, nil
	}
	return nil, nil
}
