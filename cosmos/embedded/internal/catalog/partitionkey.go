package catalog

import (
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/value"
)

// HashKey returns the effective partition key of a partition key or of a prefix of one.
func (c *Container) HashKey(components []value.Value) []byte {
	return epk.Effective(components, c.multiHash)
}

// KeyOf returns the partition key of an item. An object counts as undefined, as the tests of
// Microsoft's SDKs expect. Their clients send {} for it.
func (c *Container) KeyOf(item value.Value) ([]value.Value, error) {
	key := make([]value.Value, len(c.KeyPaths))
	for i, path := range c.KeyPaths {
		key[i] = item.At(path...)
		switch key[i].Kind() {
		case value.Object:
			key[i] = value.Value{}
		case value.Array:
			return nil, apierror.BadRequest("The value at the partition key path /%s is not a scalar.",
				strings.Join(path, "/"))
		}
		if err := epk.CheckLength(key[i]); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// HashWithin reports whether the hash of an encoded partition key is at least min and below max. A
// nil max admits every key.
func (c *Container) HashWithin(pk, min, max []byte) bool {
	if max == nil {
		return true
	}
	hash := string(c.HashKey(epk.Decode(pk)))
	return hash >= string(min) && hash < string(max)
}
