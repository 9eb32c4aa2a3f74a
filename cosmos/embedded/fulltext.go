package embedded

import (
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// checkFullText refuses to look for words where the container has no full-text index or
// policy: the functions take a path of one.
func checkFullText(c *container, stmt *query.Statement) error {
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
			return badRequest("The %s function is only supported on a path that the container's full text policy or a full text index names.", call.Name)
		}
	}
	return nil
}

// fullTextPaths are those that the definition names.
func fullTextPaths(c *container) map[string]bool {
	paths := make(map[string]bool)
	for _, list := range []value.Value{c.definition.At("fullTextPolicy", "fullTextPaths"), c.definition.At("indexingPolicy", "fullTextIndexes")} {
		for _, entry := range list.Elems() {
			if steps, err := parsePath(entry.Member("path").Str()); err == nil {
				paths[pointer(steps)] = true
			}
		}
	}
	return paths
}
