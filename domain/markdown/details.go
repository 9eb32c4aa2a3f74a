package markdown

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// details adds foldable sections, the only HTML that is not shown as it was typed:
//
//	<details>
//	<summary>Title</summary>
//
//	Markdown
//
//	</details>
//
// Each tag stands in a line of its own, but <summary> may follow <details>. "<details open>"
// is unfolded at first. A section that is never closed is shown as it was typed, so the
// output is balanced whatever the input is.
type details struct{}

func (details) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithBlockParsers( // before goldmark's HTML blocks
		util.Prioritized(detailsOpenings{}, 850), util.Prioritized(summaries{}, 851),
		util.Prioritized(detailsEnds{}, 852)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(detailsRenderer{}, 500)))
}

var (
	kindDetails    = ast.NewNodeKind("Details")
	kindSummary    = ast.NewNodeKind("Summary")
	kindDetailsEnd = ast.NewNodeKind("DetailsEnd")
)

// maxFolding is the maximum depth of nested foldable sections. The parser visits every open section at every
// line.
const maxFolding = 8

// detailsNode is a foldable section.
type detailsNode struct {
	ast.BaseBlock
	open, closed bool
}

func (*detailsNode) Kind() ast.NodeKind              { return kindDetails }
func (n *detailsNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// typed returns the tag that began the section.
func (n *detailsNode) typed() []byte {
	if n.open {
		return []byte("<details open>")
	}
	return []byte("<details>")
}

// summaryNode is the title of a foldable section.
type summaryNode struct{ ast.BaseBlock }

func (*summaryNode) Kind() ast.NodeKind              { return kindSummary }
func (n *summaryNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// detailsEnd is the line that closes a foldable section. It renders to nothing.
type detailsEnd struct{ ast.BaseBlock }

func (*detailsEnd) Kind() ast.NodeKind              { return kindDetailsEnd }
func (n *detailsEnd) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

var (
	detailsTag     = []byte("<details>")
	detailsOpenTag = []byte("<details open>")
	detailsEndTag  = []byte("</details>")
	summaryTag     = []byte("<summary>")
	summaryEndTag  = []byte("</summary>")
)

// isSummary reports whether a line consists of a whole summary.
func isSummary(line []byte) bool {
	line = bytes.TrimSpace(line)
	return bytes.HasPrefix(line, summaryTag) && bytes.HasSuffix(line, summaryEndTag) &&
		len(bytes.TrimSpace(line)) >= len(summaryTag)+len(summaryEndTag) &&
		bytes.Count(line, summaryTag) == 1 && bytes.Count(line, summaryEndTag) == 1
}

// detailsOpenings parses <details>, a container of other blocks.
type detailsOpenings struct{}

func (detailsOpenings) Trigger() []byte { return []byte{'<'} }

func (detailsOpenings) Open(parent ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := context.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	node := &detailsNode{}
	rest, ok := bytes.CutPrefix(line[at:], detailsTag)
	if !ok {
		rest, ok = bytes.CutPrefix(line[at:], detailsOpenTag)
		node.open = true
	}
	if !ok || len(bytes.TrimSpace(rest)) > 0 && !isSummary(rest) || folding(parent) >= maxFolding {
		return nil, parser.NoChildren
	}
	reader.Advance(segment.Len() - len(rest))
	if len(bytes.TrimSpace(rest)) == 0 {
		reader.AdvanceToEOL()
	}
	return node, parser.HasChildren
}

// folding returns the number of foldable sections around a node.
func folding(n ast.Node) (depth int) {
	for ; n != nil; n = n.Parent() {
		if n.Kind() == kindDetails {
			depth++
		}
	}
	return depth
}

func (detailsOpenings) Continue(node ast.Node, _ text.Reader, _ parser.Context) parser.State {
	if node.(*detailsNode).closed {
		return parser.Close
	}
	return parser.Continue | parser.HasChildren
}

func (detailsOpenings) Close(ast.Node, text.Reader, parser.Context) {}

func (detailsOpenings) CanInterruptParagraph() bool { return true }

func (detailsOpenings) CanAcceptIndentedLine() bool { return false }

// summaries parses <summary>, which comes first in a foldable section.
type summaries struct{}

func (summaries) Trigger() []byte { return []byte{'<'} }

func (summaries) Open(parent ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if parent.Kind() != kindDetails || parent.HasChildren() || !isSummary(line) {
		return nil, parser.NoChildren
	}
	node := &summaryNode{}
	start := segment.Start + bytes.Index(line, summaryTag) + len(summaryTag) - segment.Padding
	end := segment.Start + bytes.LastIndex(line, summaryEndTag) - segment.Padding
	if end > start {
		node.Lines().Append(text.NewSegment(start, end))
	}
	reader.AdvanceToEOL()
	return node, parser.NoChildren
}

func (summaries) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }

func (summaries) Close(ast.Node, text.Reader, parser.Context) {}

func (summaries) CanInterruptParagraph() bool { return true }

func (summaries) CanAcceptIndentedLine() bool { return false }

// detailsEnds parses </details>, which closes the section that it stands in.
type detailsEnds struct{}

func (detailsEnds) Trigger() []byte { return []byte{'<'} }

func (detailsEnds) Open(parent ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	section, ok := parent.(*detailsNode)
	if !ok || section.closed || !bytes.Equal(bytes.TrimSpace(line), detailsEndTag) {
		return nil, parser.NoChildren
	}
	section.closed = true
	reader.AdvanceToEOL()
	return &detailsEnd{}, parser.NoChildren
}

func (detailsEnds) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }

func (detailsEnds) Close(ast.Node, text.Reader, parser.Context) {}

func (detailsEnds) CanInterruptParagraph() bool { return true }

func (detailsEnds) CanAcceptIndentedLine() bool { return false }

// asTypedSection replaces an unclosed section by its tags, as they were typed, and its content.
func asTypedSection(n *detailsNode) {
	paragraph := ast.NewParagraph()
	paragraph.AppendChild(paragraph, plain(n.typed()))
	parent := n.Parent()
	parent.InsertBefore(parent, n, paragraph)
	for child := n.FirstChild(); child != nil; {
		next := child.NextSibling()
		if child.Kind() == kindSummary {
			title := ast.NewParagraph()
			title.AppendChild(title, plain(summaryTag))
			moveChildren(child, title)
			title.AppendChild(title, plain(summaryEndTag))
			n.RemoveChild(n, child)
			parent.InsertBefore(parent, n, title)
		} else {
			parent.InsertBefore(parent, n, child)
		}
		child = next
	}
	parent.RemoveChild(parent, n)
}

type detailsRenderer struct{}

func (detailsRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindDetails, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering:
			_, _ = w.WriteString("</details>\n")
		case n.(*detailsNode).open:
			_, _ = w.WriteString("<details open=\"\">\n")
		default:
			_, _ = w.WriteString("<details>\n")
		}
		return ast.WalkContinue, nil
	})
	r.Register(kindSummary, surround("<summary>", "</summary>\n"))
	r.Register(kindDetailsEnd, surround("", ""))
}
