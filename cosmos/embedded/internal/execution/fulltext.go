package execution

import (
	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// checkFullText fails if a full-text function is used on a path without a full-text policy or
// index.
func checkFullText(c *catalog.Container, stmt *query.Statement) error {
	var paths map[string]bool
	for _, call := range stmt.Calls() {
		if !call.IsFullText() {
			continue
		}
		if paths == nil {
			paths = fullTextPaths(c)
		}
		path, ok := query.ItemPath(call.Args[0])
		if !ok || !paths[path.String()] {
			return apierror.BadRequest(
				"The %s function is only supported on a path that the container's full text policy or a full text "+
					"index names.",
				call.Name,
			)
		}
	}
	return nil
}

// fullTextPaths returns the paths in the container's full-text policy and indexes.
func fullTextPaths(c *catalog.Container) map[string]bool {
	paths := make(map[string]bool)
	for _, list := range []value.Value{c.Definition.At("fullTextPolicy", "fullTextPaths"),
		c.Definition.At("indexingPolicy", "fullTextIndexes")} {
		for _, entry := range list.Elems() {
			if steps, err := catalog.ParsePath(entry.Member("path").Str()); err == nil {
				paths[value.Pointer(steps)] = true
			}
		}
	}
	return paths
}
