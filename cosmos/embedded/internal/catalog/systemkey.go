package catalog

import (
	"net/http"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// WholeKey fails if the partition key in a header does not have all components. In a container that
// was created without a partition key, items without a key have the empty key.
func (c *Container) WholeKey(key []value.Value) ([]value.Value, error) {
	if c.SystemKey && len(key) == 0 {
		return []value.Value{{}}, nil
	}
	if len(key) != len(c.KeyPaths) || c.SystemKey && !key[0].Defined() {
		return nil, apierror.New(http.StatusBadRequest, apierror.SubKeyMismatch,
			"The partition key supplied has %d components, that of the container %d.", len(key), len(c.KeyPaths))
	}
	return key, nil
}

// RangesFor returns the minimum number of feed ranges of the container for a throughput in RU/s.
func (c *Container) RangesFor(throughput int64) int {
	if c.SystemKey {
		return 1
	}
	return rangesFor(throughput)
}

// LegacyThroughput returns the error for more throughput than a container without a partition key can have.
func LegacyThroughput() error {
	return apierror.BadRequest("A container without a partition key has at most %d RU/s.", RangeRU)
}
