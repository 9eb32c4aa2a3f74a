package catalog

import (
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// IndexingPolicy is the parsed indexing policy of a container.
type IndexingPolicy struct {
	none       bool
	Lazy       bool
	root       policyNode
	Composites [][]IndexPath
	ranges     []string // scalar paths that are included by a pattern of their own
}

// IndexPath is one path of a composite index.
type IndexPath struct {
	Path string // in the form of query.Path.String
	Desc bool
}

// policyNode is a node in the tree of indexed and excluded paths. A nil decision means that the
// parent's decision applies.
type policyNode struct {
	children map[string]*policyNode
	scalar   *bool // decision of /path/?
	subtree  *bool // decision of /path/*
}

// MaxCompositePaths is the maximum number of paths of a composite index. maxComposites is the maximum number of
// composite indexes of a container.
const MaxCompositePaths, maxComposites = 8, 100

// ReadIndexingPolicy parses the member indexingPolicy of a container's definition.
func ReadIndexingPolicy(v value.Value) (*IndexingPolicy, error) {
	p := new(IndexingPolicy)
	mode := strings.ToLower(v.Member("indexingMode").Str())
	switch mode {
	case "", "consistent":
	case "lazy": // treated like consistent
		p.Lazy = true
	case "none":
		p.none = true
	default:
		return nil, apierror.BadRequest("The indexing mode '%s' is not valid.", mode)
	}
	yes, no := true, false
	for _, set := range []struct {
		name     string
		included *bool
	}{{"includedPaths", &yes}, {"excludedPaths", &no}} {
		for _, entry := range v.Member(set.name).Elems() {
			if err := p.add(entry.Member("path").Str(), set.included); err != nil {
				return nil, err
			}
		}
	}
	if p.root.subtree == nil {
		if !p.none && (len(v.Member("includedPaths").Elems()) > 0 || len(v.Member("excludedPaths").Elems()) > 0) {
			return nil,
				apierror.BadRequest(
					"The special mandatory indexing path \"/\" is not provided in any of the path type sets.")
		}
		included := !p.none
		p.root.subtree = &included
	}
	return p, p.readComposites(v.Member("compositeIndexes").Elems())
}

func (p *IndexingPolicy) readComposites(list []value.Value) error {
	if len(list) > maxComposites {
		return apierror.BadRequest("A container has at most %d composite indexes.", maxComposites)
	}
	for _, entry := range list {
		var composite []IndexPath
		for _, key := range entry.Elems() {
			path, err := ParsePath(strings.TrimSuffix(key.Member("path").Str(), "/?"))
			if err != nil {
				return err
			}
			order := strings.ToLower(key.Member("order").Str())
			if order != "" && order != "ascending" && order != "descending" {
				return apierror.BadRequest("The order '%s' of a composite index is not valid.", order)
			}
			if len(path) == 0 {
				return apierror.BadRequest("A path of a composite index is empty.")
			}
			composite = append(composite, IndexPath{value.Pointer(path), order == "descending"})
		}
		if len(composite) < 2 || len(composite) > MaxCompositePaths {
			return apierror.BadRequest("A composite index has 2 to %d paths.", MaxCompositePaths)
		}
		if !slices.ContainsFunc(p.Composites, func(c []IndexPath) bool { return slices.Equal(c, composite) }) {
			p.Composites = append(p.Composites, composite)
		}
	}
	return nil
}

// add enters one included or excluded path.
func (p *IndexingPolicy) add(pattern string, included *bool) error {
	steps, err := ParsePath(pattern)
	if err != nil {
		return err
	}
	if pattern == "/" {
		p.root.subtree = included
		return nil
	}
	last := len(steps) - 1
	node := &p.root
	for _, step := range steps[:last] {
		if node.children == nil {
			node.children = make(map[string]*policyNode)
		}
		if node.children[step] == nil {
			node.children[step] = new(policyNode)
		}
		node = node.children[step]
	}
	switch steps[last] {
	case "*":
		node.subtree = included
	case "?":
		node.scalar = included
		if last == 0 {
			return apierror.BadRequest("The indexing path '%s' names no property.", pattern)
		}
		path := value.Pointer(steps[:last])
		if *included && !strings.Contains(pattern, "[]") && !slices.Contains(p.ranges, path) {
			p.ranges = append(p.ranges, path)
		}
	default:
		return apierror.BadRequest("The indexing path '%s' is not valid: it ends in neither /? nor /*.", pattern)
	}
	return nil
}

// Covers reports whether the scalar at a path is indexed. id and _ts always are.
func (p *IndexingPolicy) Covers(path []string) bool {
	if len(path) == 1 && (path[0] == "id" || path[0] == "_ts") {
		return true
	}
	if p.none {
		return false
	}
	node, decision := &p.root, *p.root.subtree
	for _, step := range path {
		if node = node.children[step]; node == nil {
			return decision
		}
		if node.subtree != nil {
			decision = *node.subtree
		}
	}
	if node.scalar != nil {
		decision = *node.scalar
	}
	return decision
}

// CountLeaves returns the number of indexed scalars of an item plus one for each level of nesting.
// The request charge of a write depends on it.
func (p *IndexingPolicy) CountLeaves(item value.Value) int {
	if p.none {
		return 0
	}
	leaves, depth := 0, 1
	p.root.count(item, p.root.subtree, 1, &leaves, &depth)
	return leaves + depth - 1
}

// count walks an item and the policy tree together. n is nil below the policy's last node.
func (n *policyNode) count(v value.Value, decision *bool, level int, leaves, depth *int) {
	if n != nil && n.subtree != nil {
		decision = n.subtree
	}
	child := func(name string) *policyNode {
		if n == nil {
			return nil
		}
		return n.children[name]
	}
	switch v.Kind() {
	case value.Object:
		for _, m := range v.Members() {
			count(child(m.Name), m.Value, decision, level, level == 1 && m.Name == "id", leaves, depth)
		}
	case value.Array:
		for _, e := range v.Elems() {
			count(child("[]"), e, decision, level, false, leaves, depth)
		}
	}
}

func count(n *policyNode, v value.Value, decision *bool, level int, always bool, leaves, depth *int) {
	if v.Kind() >= value.Array {
		n.count(v, decision, level+1, leaves, depth)
		return
	}
	if n != nil && n.subtree != nil {
		decision = n.subtree
	}
	if n != nil && n.scalar != nil {
		decision = n.scalar
	}
	if always || *decision {
		*leaves++
		*depth = max(*depth, level)
	}
}

// ParsePath splits a path of a policy into its segments, which may be quoted.
func ParsePath(path string) ([]string, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, apierror.BadRequest("The path '%s' does not begin with a slash.", path)
	}
	if strings.Contains(path, "\x00") {
		return nil, apierror.BadRequest("The path %q has a NUL, which no path can have.", path)
	}
	var steps []string
	rest := path[1:]
	for rest != "" {
		if rest[0] == '"' || rest[0] == '\'' {
			step, after, ok := cutQuoted(rest)
			if !ok {
				return nil, apierror.BadRequest("The path '%s' has a quote that does not end with its segment.", path)
			}
			steps = append(steps, step)
			rest = after
			continue
		}
		step, after, _ := strings.Cut(rest, "/")
		if step == "" {
			return nil, apierror.BadRequest("The path '%s' has an empty segment.", path)
		}
		steps = append(steps, step)
		rest = after
	}
	return steps, nil
}

// cutQuoted cuts the first segment off a path. The segment is in single or double quotes; inside, a
// backslash escapes a quote or a backslash.
func cutQuoted(path string) (step, rest string, ok bool) {
	quote := path[0]
	var b strings.Builder
	for i := 1; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path) && (path[i+1] == '\\' || path[i+1] == '"' || path[i+1] == '\''):
			i++
			b.WriteByte(path[i])
		case c == quote:
			rest, follows := strings.CutPrefix(path[i+1:], "/")
			return b.String(), rest, follows || rest == ""
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}
