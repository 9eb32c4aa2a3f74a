package embedded

import (
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// hashKey returns the effective partition key of a key or prefix.
func (c *container) hashKey(components []value.Value) []byte {
	return hashKey(components, c.multiHash)
}

// keyOf extracts the partition key from an item. An object counts as undefined, as the tests of
// Microsoft's SDKs expect; their clients send {} for it.
func (c *container) keyOf(item value.Value) ([]value.Value, error) {
	key := make([]value.Value, len(c.keyPaths))
	for i, path := range c.keyPaths {
		key[i] = item.At(path...)
		switch key[i].Kind() {
		case value.Object:
			key[i] = value.Value{}
		case value.Array:
			return nil, badRequest("The value at the partition key path /%s is not a scalar.", strings.Join(path, "/"))
		}
		if err := checkKeyLength(key[i]); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// hashWithin tells whether the hash of an encoded partition key is from min to below max.
// A nil max admits every key.
func (c *container) hashWithin(pk, min, max []byte) bool {
	if max == nil {
		return true
	}
	hash := string(c.hashKey(decodeKey(pk)))
	return hash >= string(min) && hash < string(max)
}
