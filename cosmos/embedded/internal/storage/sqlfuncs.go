package storage

import (
	"bytes"
	"database/sql/driver"

	"modernc.org/sqlite"

	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/value"
)

// NewDriver returns a separate driver, so that the SQL functions are not registered for other
// connections of the process.
func NewDriver() *sqlite.Driver {
	d := new(sqlite.Driver)
	d.MustRegisterDeterministicScalarFunction("cosmos_key", 2, sqlKey)
	d.MustRegisterDeterministicScalarFunction("cosmos_within", 4, sqlWithin)
	return d
}

// sqlWithin implements cosmos_within(pk, multi, lower, upper). It reports whether the hash of a
// partition key is at least lower and below upper; NULL is above all hashes.
func sqlWithin(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	pk, _ := args[0].([]byte)
	lower, _ := args[2].([]byte)
	upper, _ := args[3].([]byte)
	hash := epk.Effective(epk.Decode(pk), AsInt(args[1]) != 0)
	return bytes.Compare(hash, lower) >= 0 && (upper == nil || bytes.Compare(hash, upper) < 0), nil
}

// sqlKey implements cosmos_key(body, path), the sort key of a property without a column. It serves
// ORDER BY and fills the columns of a new index.
func sqlKey(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	body, _ := args[0].(string)
	path, _ := args[1].(string)
	v, err := value.Parse(body)
	if err != nil {
		return nil, err
	}
	if key := v.AtPointer(path).Key(); key != nil {
		return key, nil
	}
	return nil, nil
}
