package embedded

import (
	"net/http"

	"inkfeed/cosmos/embedded/internal/value"
)

// wholeKey checks that the partition key in a header has all its components. In a container that
// was created without a partition key, the key of items without one is empty.
func (c *container) wholeKey(key []value.Value) ([]value.Value, error) {
	if c.systemKey && len(key) == 0 {
		return []value.Value{{}}, nil
	}
	if len(key) != len(c.keyPaths) || c.systemKey && !key[0].Defined() {
		return nil, failure(http.StatusBadRequest, subKeyMismatch,
			"The partition key supplied has %d components, that of the container %d.", len(key), len(c.keyPaths))
	}
	return key, nil
}

// rangesFor returns how many feed ranges the container has at least for a throughput in RU/s.
func (c *container) rangesFor(throughput int64) int {
	if c.systemKey {
		return 1
	}
	return rangesFor(throughput)
}

func errLegacyThroughput() error {
	return badRequest("A container without a partition key has at most %d RU/s.", rangeRU)
}
