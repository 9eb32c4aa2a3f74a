package execution

import (
	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// checkFullText refuses to look for words where the container has no full-text index or
// policy: the functions take a path of one.
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
			return apierror.BadRequest("The %s function is only supported on a path that the container's full text policy or a full text index names.", call.Name)
		}
	}
	return nil
}

// fullTextPaths are those that the definition names.
func fullTextPaths(c *catalog.Container) map[string]bool {
	paths := make(map[string]bool)
	for _, list := range []value.Value{c.Definition.At("fullTextPolicy", "fullTextPaths"), c.Definition.At("indexingPolicy", "fullTextIndexes")} {
		for _, entry := range list.Elems() {
			if steps, err := catalog.ParsePath(entry.Member("path").Str()); err == nil {
				paths[value.Pointer(steps)] = true
			}
		}
	}
	return paths
}
