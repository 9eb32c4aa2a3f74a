package catalog

import (
	"slices"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

const maxUniqueKeys, maxUniquePaths = 10, 16

// readUniqueKeys parses the unique keys of a container, each a list of paths.
func readUniqueKeys(policy value.Value) (keys [][]string, err error) {
	list := policy.Member("uniqueKeys").Elems()
	if len(list) > maxUniqueKeys {
		return nil, apierror.BadRequest("A container has at most %d unique keys.", maxUniqueKeys)
	}
	for _, k := range list {
		var key []string
		for _, p := range k.Member("paths").Elems() {
			steps, err := ParsePath(p.Str())
			if err != nil {
				return nil, err
			}
			if len(steps) == 0 {
				return nil, apierror.BadRequest("A path of a unique key is empty.")
			}
			key = append(key, value.Pointer(steps))
		}
		if len(key) == 0 || len(key) > maxUniquePaths {
			return nil, apierror.BadRequest("A unique key has 1 to %d paths.", maxUniquePaths)
		}
		if !slices.ContainsFunc(keys, func(other []string) bool { return slices.Equal(other, key) }) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
