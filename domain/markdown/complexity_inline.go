package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// boundedInline counts the bytes that an inline parser looks at.
type boundedInline struct{ parser.InlineParser }

func (p boundedInline) SetOption(name parser.OptionName, value any) {
	if o, ok := p.InlineParser.(parser.SetOptioner); ok {
		o.SetOption(name, value)
	}
}

func (p boundedInline) Parse(parent ast.Node, block text.Reader, context parser.Context) ast.Node {
	b := budgetOf(context)
	b.spend(10)
	if b.paragraph != parent {
		b.paragraph, b.end, b.brackets, b.openers, b.marks = parent, 0, 0, 0, b.marks[:0]
		if lines := parent.Lines(); lines.Len() > 0 {
			b.end = lines.At(lines.Len() - 1).Stop
		}
	}
	line, segment := block.PeekLine()
	b.reader = countingReader{block, b}
	inLink := line[0] == ']' && b.brackets > 0
	if inLink {
		b.spend(b.sinceBracket(parent, line, segment, context))
		b.brackets--
	}
	node := p.InlineParser.Parse(parent, &b.reader, context)
	switch n := node.(type) {
	case nil:
		b.spend(scannedInVain(line, b.footnotes))
	case *parser.Delimiter:
		b.pair(mark{n.Char, n.CanOpen, n.CanClose, n.Length, n.OriginalLength})
	case *ast.AutoLink:
		b.spend(20 * len(n.Label(block.Source())))
	case *extensionast.FootnoteLink:
		b.spend(b.footnotes + referenceSteps)
	default:
		if node.Kind().String() == linkLabel {
			b.brackets++
			b.limit(b.brackets, maxOpenLinks)
		}
	}
	return node
}

// nodeSteps is the cost of going to the next node, which may be anywhere in memory.
const nodeSteps = 5

// referenceSteps is the cost of a reference to a footnote and of the link back to it, which take
// two hundred bytes of a page.
const referenceSteps = 5000

// linkLabel is the kind of node that represents an open bracket.
const linkLabel = "LinkLabelState"

// sinceBracket returns the cost of a closing bracket in nodes and bytes. The parser looks for links within the
// link, for the address, and for emphasis back to the beginning.
func (b *budget) sinceBracket(parent ast.Node, line []byte, segment text.Segment, context parser.Context) (steps int) {
	opened := -1
	for n := parent.LastChild(); n != nil; n = n.PreviousSibling() {
		if steps += nodeSteps; n.Kind().String() == linkLabel {
			opened = n.Pos()
			break
		}
	}
	if last := context.LastDelimiter(); last != nil && last.Segment.Start > opened {
		steps += 2 * nodeSteps * parent.ChildCount()
	}
	if rest, ok := bytes.CutPrefix(line, []byte("](")); ok {
		if rest = bytes.TrimLeft(rest, " \t"); len(rest) > 0 && rest[0] == '<' {
			if end := bytes.IndexByte(rest, '>'); end >= 0 {
				return steps + end
			}
			return steps + len(rest)
		}
	}
	return steps
}

// scannedInVain returns the length of the text in a line that a parser scanned without a result and the reader
// did not count: possible addresses, and the names of footnotes.
func scannedInVain(line []byte, footnotes int) int {
	if bytes.HasPrefix(line, []byte("[^")) || bytes.HasPrefix(line, []byte("![^")) {
		return footnotes
	}
	if line[0] == '@' { // see mentions
		return 0
	}
	rest, steps := line[1:], 1
	start := bytes.ToLower(line[:min(len(line), len(" https:"))])
	for _, prefix := range []string{"http:", "https:", "www.", "//"} {
		if bytes.HasPrefix(start[1:], []byte(prefix)) || bytes.HasPrefix(start, []byte(prefix)) {
			steps = 20 // an expression is slow
		}
	}
	end := 0
	for end < len(rest) && rest[end] > ' ' && (rest[end] < 0x7f || steps > 1) &&
		bytes.IndexByte([]byte("<>(["), rest[end]) < 0 {
		end++
	}
	return steps * end
}

// mark is a run of marks of emphasis.
type mark struct {
	char               byte
	canOpen, canClose  bool
	length, originally int
}

// pair finds the partners of a run as the parser will at the end of the paragraph, and spends the steps for
// that.
func (b *budget) pair(closer mark) {
	for closer.canClose && closer.length > 0 {
		found, maybe := -1, false
		for i := len(b.marks) - 1; i >= 0 && found < 0; i-- {
			b.spend(2)
			if opener := b.marks[i]; opener.canOpen && opener.char == closer.char {
				maybe = true
				// The rule of three of CommonMark.
				three := (opener.originally+closer.originally)%3 == 0 && closer.originally%3 != 0
				if !three || !opener.canClose && !closer.canOpen {
					found = i
				}
			}
		}
		if found < 0 {
			if !maybe && !closer.canOpen {
				return
			}
			break
		}
		opener, used := &b.marks[found], 1
		if opener.length >= 2 && closer.length >= 2 {
			used = 2
		}
		opener.length -= used
		closer.length -= used
		kept := found + 1
		if opener.length == 0 {
			kept = found
		}
		for _, m := range b.marks[kept:] {
			b.opened(m, -1)
		}
		b.marks = b.marks[:kept]
	}
	if closer.length > 0 {
		b.marks = append(b.marks, closer)
		b.opened(closer, 1)
		b.limit(b.openers, maxOpenMarks)
	}
}

func (b *budget) opened(m mark, n int) {
	if m.canOpen {
		b.openers += n
	}
}
