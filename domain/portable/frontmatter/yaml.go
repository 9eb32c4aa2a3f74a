package frontmatter

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"inkfeed/domain/portable"
)

// DecodeYAML decodes a YAML mapping. It returns [portable.ErrTooLarge] for a text longer than [MaxBytes] or with more
// than [maxKeys] keys, and for a text whose aliases expand too far or that has aliases and defines an anchor twice.
func DecodeYAML(text []byte) (Values, error) { return yamlAs[Values](text) }

// DecodeYAMLValue decodes any value of YAML, within the limits of [DecodeYAML].
func DecodeYAMLValue(text []byte) (any, error) { return yamlAs[any](text) }

func yamlAs[T any](text []byte) (v T, err error) {
	var none T
	if len(text) > MaxBytes || bytes.Count(text, []byte(": "))+bytes.Count(text, []byte(":\n")) > maxKeys {
		return none, portable.ErrTooLarge
	}
	defer func() {
		if p := recover(); p != nil { // a parser that panics must not end the import
			v, err = none, fmt.Errorf("panic: %v", p)
		}
	}()
	if err := CheckYAML(text); err != nil {
		return none, err
	}
	if bytes.IndexByte(text, '*') >= 0 {
		file, err := parser.ParseBytes(text, 0)
		if err != nil {
			return none, yamlError(err)
		}
		if expandedSize(file) > maxExpanded {
			return none, portable.ErrTooLarge
		}
	}
	if err := yaml.Unmarshal(text, &v); err != nil {
		return none, yamlError(err)
	}
	return v, nil
}

// maxExpanded bounds the result of expandedSize. A text of MaxBytes without aliases has a smaller size.
const maxExpanded = 2 * MaxBytes

// expandedSize returns about how many bytes a file would have if the values were written in place of their aliases.
// Aliases of values that contain aliases let the size grow exponentially. It stops counting above maxExpanded. A name
// that is defined twice counts as too large.
func expandedSize(file *ast.File) int {
	size := yamlSize{anchors: make(map[string]int)}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(&size, doc.Body)
		}
	}
	return size.total
}

type yamlSize struct {
	total   int
	anchors map[string]int // the sizes of their values
}

// Visit adds the size of a node.
func (s *yamlSize) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.AnchorNode:
		before, name := s.total, n.Name.GetToken().Value
		ast.Walk(s, n.Value)
		if _, twice := s.anchors[name]; twice { // the decoder may use either value for any of the aliases
			s.total = maxExpanded + 1
		}
		s.anchors[name] = s.total - before
		return nil
	case *ast.AliasNode: // sums of sums soon overflow an int
		s.total = min(s.total+s.anchors[n.Value.GetToken().Value], maxExpanded+1)
		return nil
	case *ast.StringNode:
		s.total += len(n.Value)
	}
	s.total = min(s.total+1, maxExpanded+1)
	return s
}
