package domain

import (
	"slices"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// topHeading is where a parser context says which level the highest heading of
// the text shall have.
var topHeading = parser.NewContextKey()

// adapt fits a document of its own into a page. Headings take the levels that
// follow those of the page, without gaps. Images become links, because a page
// loads nothing from other hosts. HTML becomes text, so that nothing typed is
// lost and nothing is executed. Blocks with a side, such as lists, take the
// direction of their own text.
type adapt struct{}

func (adapt) Transform(doc *ast.Document, reader text.Reader, context parser.Context) {
	var headings []*ast.Heading
	var replace []func()
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			headings = append(headings, n)
		case *ast.Image:
			replace = append(replace, func() { replaceByLink(n) })
		case *ast.RawHTML:
			replace = append(replace, func() {
				n.Parent().ReplaceChild(n.Parent(), n, plain(n.Segments.Value(reader.Source())))
			})
		case *ast.HTMLBlock:
			replace = append(replace, func() { replaceByText(n, reader.Source()) })
		case *ast.List, *ast.Blockquote, *extensionast.Table:
			n.SetAttributeString("dir", []byte("auto"))
		}
		return ast.WalkContinue, nil
	})
	for _, do := range replace { // after the walk, which they would confuse
		do()
	}
	top, _ := context.Get(topHeading).(int)
	closeRanks(headings, max(top, topOfPost))
}

// closeRanks gives the headings the levels from top on, in their order of rank.
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

// plain is a text that is shown to the letter.
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
	link := ast.NewLink()
	link.Destination, link.Title = image.Destination, image.Title
	moveChildren(image, link)
	if !link.HasChildren() {
		link.AppendChild(link, ast.NewString(image.Destination))
	}
	parent, inLink := image.Parent().(*ast.Link)
	if !inLink {
		image.Parent().ReplaceChild(image.Parent(), image, link)
		return
	}
	for child := link.FirstChild(); child != nil; { // a link cannot hold a link
		next := child.NextSibling()
		parent.InsertBefore(parent, image, child)
		child = next
	}
	parent.RemoveChild(parent, image)
}

func moveChildren(from, to ast.Node) {
	for child := from.FirstChild(); child != nil; {
		next := child.NextSibling()
		to.AppendChild(to, child)
		child = next
	}
}
