package catalog

import (
	"regexp"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// segment matches one segment of a path. A name with other characters than letters, digits and underscores needs
// quotes.
const segment = `/(?:\w+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`

var (
	propertyPath = regexp.MustCompile(`^(?:` + segment + `)+$`)
	indexingPath = regexp.MustCompile(`^(?:/|(?:` + segment + `|/\[\])*/[?*])$`)
)

// maxUniqueBytes is the maximum length of all paths of a unique key together.
const maxUniqueBytes = 60

// checkPaths fails if a definition has a path that the service refuses.
func checkPaths(def value.Value) error {
	for _, p := range def.At("partitionKey", "paths").Elems() {
		if !propertyPath.MatchString(p.Str()) {
			return apierror.BadRequest("The partition key component definition path '%s' could not be accepted. "+
				"Partition key paths must contain only valid characters and not contain a trailing slash or wildcard "+
				"character.", p.Str())
		}
	}
	for _, key := range def.At("uniqueKeyPolicy", "uniqueKeys").Elems() {
		if err := checkUniquePaths(key.Member("paths").Elems()); err != nil {
			return err
		}
	}
	return checkIndexingPaths(def.Member("indexingPolicy"))
}

func checkUniquePaths(paths []value.Value) error {
	length := 0
	for _, p := range paths {
		if !propertyPath.MatchString(p.Str()) {
			return apierror.BadRequest("Error parsing the unique key path '%s'. Make sure the unique key path does "+
				"not contain wildcards and invalid characters.", p.Str())
		}
		length += len(p.Str())
	}
	if length > maxUniqueBytes {
		return apierror.BadRequest("The paths of a unique key have at most %d bytes together.", maxUniqueBytes)
	}
	return nil
}

func checkIndexingPaths(policy value.Value) error {
	check := func(pattern *regexp.Regexp, path string) error {
		if !pattern.MatchString(path) {
			return apierror.BadRequest("The indexing path '%s' could not be accepted. Please ensure that the path is "+
				"a valid path. Common errors include invalid characters or absence of quotes around labels.", path)
		}
		return nil
	}
	for _, name := range []string{"includedPaths", "excludedPaths"} {
		for _, entry := range policy.Member(name).Elems() {
			if err := check(indexingPath, entry.Member("path").Str()); err != nil {
				return err
			}
		}
	}
	for _, composite := range policy.Member("compositeIndexes").Elems() {
		for _, key := range composite.Elems() {
			if err := check(propertyPath, strings.TrimSuffix(key.Member("path").Str(), "/?")); err != nil {
				return err
			}
		}
	}
	return nil
}
