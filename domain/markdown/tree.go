package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// remove removes a node after the walk.
func (a *adapter) remove(n ast.Node) {
	a.replace = append(a.replace, func() { n.Parent().RemoveChild(n.Parent(), n) })
}

// replaceByChildren replaces a link by its text.
func replaceByChildren(n ast.Node, source []byte) {
	parent := n.Parent()
	if auto, ok := n.(*ast.AutoLink); ok {
		parent.InsertBefore(parent, n, plain(auto.Label(source)))
	}
	for child := n.FirstChild(); child != nil; {
		next := child.NextSibling()
		parent.InsertBefore(parent, n, child)
		child = next
	}
	parent.RemoveChild(parent, n)
}

// proseOf returns the text of a document without code and formulas, one block per line.
func proseOf(doc ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case beyondProse(n):
			if entering {
				b.WriteByte(' ')
			}
			return ast.WalkSkipChildren, nil
		case !entering && n.Type() != ast.TypeInline:
			b.WriteByte('\n')
		case entering:
			writeInline(&b, n, source)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// beyondProse reports whether a node within prose is not prose itself, such as code and formulas.
func beyondProse(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindCodeSpan, ast.KindImage, ast.KindAutoLink, kindFormula, ast.KindRawHTML:
		return true
	}
	return false
}

// writeInline writes the text of a node, without that of its children.
func writeInline(b *strings.Builder, n ast.Node, source []byte) {
	switch n := n.(type) {
	case *ast.Text:
		b.Write(unescaped(n, source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte('\n')
		}
	case *ast.String:
		b.Write(n.Value)
	case *ast.AutoLink:
		b.Write(n.Label(source))
	}
}

// closeRanks renumbers the levels of headings without gaps, from top on.
func closeRanks(headings []*ast.Heading, top int) {
	var levels []int
	for _, h := range headings {
		levels = append(levels, h.Level)
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	for _, h := range headings {
		h.Level = min(top+slices.Index(levels, h.Level), 6)
	}
}

// plain returns a node with a text that is shown exactly as it is.
func plain(value []byte) ast.Node {
	s := ast.NewString(value)
	s.SetRaw(true)
	return s
}

func replaceByText(block *ast.HTMLBlock, source []byte) {
	value := block.Lines().Value(source)
	if block.HasClosure() {
		value = append(slices.Clip(value), block.ClosureLine.Value(source)...)
	}
	paragraph := ast.NewParagraph()
	paragraph.AppendChild(paragraph, plain(value))
	block.Parent().ReplaceChild(block.Parent(), block, paragraph)
}

func replaceByLink(image *ast.Image) {
	rel, ok := relOf(string(image.Destination))
	if !ok || inLink(image) { // a link cannot hold a link
		replaceByChildren(image, nil)
		return
	}
	link := ast.NewLink()
	link.Destination = image.Destination
	link.SetAttributeString("rel", rel)
	moveChildren(image, link)
	image.Parent().ReplaceChild(image.Parent(), image, link)
}

func inLink(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

func moveChildren(from, to ast.Node) {
	for child := from.FirstChild(); child != nil; {
		next := child.NextSibling()
		to.AppendChild(to, child)
		child = next
	}
}
