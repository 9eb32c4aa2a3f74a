package markdown

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// countingReader spends a step for each byte that an inline parser looks at ahead.
type countingReader struct {
	text.Reader
	budget *budget
}

func (r *countingReader) Advance(n int) {
	r.budget.spend(n)
	r.Reader.Advance(n)
}

func (r *countingReader) AdvanceLine() {
	_, segment := r.Position()
	r.budget.spend(segment.Len())
	r.Reader.AdvanceLine()
}

// ReadRune is called for expressions, which are slow.
func (r *countingReader) ReadRune() (rune, int, error) {
	r.budget.spend(50)
	return r.Reader.ReadRune()
}

func (r *countingReader) Match(expression *regexp.Regexp) bool {
	line, segment := r.Position()
	match := expression.FindReaderSubmatchIndex(r)
	r.SetPosition(line, segment)
	if match == nil {
		return false
	}
	r.Advance(match[1] - match[0])
	return true
}

func (r *countingReader) FindClosure(opener, closer byte, options text.FindClosureOptions) (*text.Segments, bool) {
	_, from := r.Position()
	segments, found := r.Reader.FindClosure(opener, closer, options)
	if found {
		_, to := r.Position()
		r.budget.spend(max(to.Start-from.Start, 0))
		return segments, true
	}
	rest := r.Source()[min(from.Start, r.budget.end):r.budget.end]
	if end := bytes.IndexByte(rest, opener); end >= 0 {
		rest = rest[:end]
	}
	r.budget.spend(len(rest))
	return segments, false
}

// paragraphCost spends the cost of looking for definitions and tables in a paragraph before the parser does so.
type paragraphCost struct{}

func (paragraphCost) Transform(paragraph *ast.Paragraph, reader text.Reader, context parser.Context) {
	b, lines, source := budgetOf(context), paragraph.Lines(), reader.Source()
	if lines.Len() < 2 {
		return
	}
	definitions, columns := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := bytes.TrimSpace(segment.Value(source))
		if len(line) > 0 && line[0] == '[' {
			definitions++
		}
		pipes := bytes.Count(line, []byte("|"))
		if columns > 0 {
			b.padding += max(0, columns-pipes-1)
		}
		if bytes.IndexByte(line, '-') >= 0 && len(bytes.Trim(line, "-:| \t")) == 0 {
			columns = max(columns, pipes+1)
		}
		if bytes.IndexByte(line, '`') >= 0 {
			escaped := bytes.Count(line, []byte(`\|`))
			b.pipes += escaped
			b.spend(escaped * b.pipes)
		}
	}
	b.limit(b.padding, maxPadding)
	b.spend(definitions * lines.Len() / 4) // the lines after each definition are copied
}

// referenceCost limits the bytes that links by reference repeat from their definitions.
type referenceCost struct{}

func (referenceCost) Transform(doc *ast.Document, _ text.Reader, context parser.Context) {
	b := budgetOf(context)
	if len(context.References()) == 0 {
		return
	}
	repeated := 0
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering && n.Reference != nil {
				repeated += len(n.Destination) + len(n.Title)
			}
		case *ast.Image:
			if entering && n.Reference != nil {
				repeated += len(n.Destination) + len(n.Title)
			}
		}
		return ast.WalkContinue, nil
	})
	b.limit(repeated, maxReferred)
}
