package catalog

import (
	"net/http"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// wholeKey checks that the partition key in a header has all its components. In a container that
// was created without a partition key, the key of items without one is empty.
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

// rangesFor returns how many feed ranges the container has at least for a throughput in RU/s.
func (c *Container) RangesFor(throughput int64) int {
	if c.SystemKey {
		return 1
	}
	return rangesFor(throughput)
}

func LegacyThroughput() error {
	return apierror.BadRequest("A container without a partition key has at most %d RU/s.", RangeRU)
}
