package markdown

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maths finds formulas: $a_1 * b_1$ within a line, and lines between $$ and $$. Pages show them as MathML. Everything
// else, and a formula that cannot be set, has them as they were typed, with their marks. Nothing inside is read as
// Markdown. Sums of money are not formulas: a closing mark must not follow a space,
// and no digit may follow it.
type maths struct{}

func (maths) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(formulaBlocks{}, 690)),  // just before fenced code
		parser.WithInlineParsers(util.Prioritized(formulaInlines{}, 90))) // before code, emphasis and links
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(formulaRenderer{}, 500)))
}

var (
	kindFormula      = ast.NewNodeKind("Formula")
	kindFormulaBlock = ast.NewNodeKind("FormulaBlock")
)

// formula is a formula within a line. Its children are raw texts, one per line.
type formula struct {
	ast.BaseInline
	set string // its element <math>, or empty
}

func (*formula) Kind() ast.NodeKind              { return kindFormula }
func (n *formula) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type formulaBlock struct {
	ast.BaseBlock
	set string // its element <math>, or empty
}

func (*formulaBlock) Kind() ast.NodeKind              { return kindFormulaBlock }
func (*formulaBlock) IsRaw() bool                     { return true }
func (n *formulaBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

var displayMark = []byte("$$")

// maxFormulaLines and MaxFormula limit the lines and bytes in which the end of a formula within a paragraph is
// searched, so that a text of dollar signs takes little time.
const (
	maxFormulaLines = 20
	MaxFormula      = 1000
)

type formulaInlines struct{}

func (formulaInlines) Trigger() []byte { return []byte{'$'} }

func (formulaInlines) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if !isPunctuationOrSpace(block.PrecendingCharacter()) {
		return nil // US$ 5
	}
	mark := line[:1]
	if bytes.HasPrefix(line, displayMark) {
		mark = displayMark
	}
	number, position := block.Position()
	node := &formula{}
	from, read := len(mark), 0
	for range maxFormulaLines {
		line, segment := block.PeekLine()
		if line == nil || read > MaxFormula {
			break
		}
		end, ok := closingMark(line, from, mark)
		if !ok || from == 1 && isMoney(line[1:max(end, 1)]) {
			break
		}
		if end > 0 {
			rest := segment.WithStop(segment.Start + end)
			for parent.Kind() == extensionast.KindTableCell { // where a backslash stands before each bar
				i := bytes.Index(rest.Value(block.Source()), []byte(`\|`))
				if i < 0 {
					break
				}
				node.AppendChild(node, ast.NewRawTextSegment(rest.WithStop(rest.Start+i)))
				rest = rest.WithStart(rest.Start + i + 1)
			}
			node.AppendChild(node, ast.NewRawTextSegment(rest))
			block.Advance(end)
			return node
		}
		node.AppendChild(node, ast.NewRawTextSegment(segment))
		block.AdvanceLine()
		read += len(line)
		from = 0
	}
	block.SetPosition(number, position)
	return nil
}

// FormulaEnd returns the end of the formula within a line that begins with the dollar sign at a position, or 0 if none
// begins there.
func FormulaEnd(line string, at int) int {
	if before, size := utf8.DecodeLastRuneInString(line[:at]); size > 0 && !isPunctuationOrSpace(before) {
		return 0
	}
	rest := []byte(line[at:min(len(line), at+MaxFormula)])
	mark := rest[:1]
	if bytes.HasPrefix(rest, displayMark) {
		mark = displayMark
	}
	end, ok := closingMark(rest, len(mark), mark)
	if !ok || end == 0 || len(mark) == 1 && isMoney(rest[1:end]) {
		return 0
	}
	return at + end
}

// closingMark returns the end of the closing mark of a formula in a line, or 0 if it is not in this line. The opening
// mark ends at from; 0 means that it is in an earlier line. It returns false if there is no formula.
func closingMark(line []byte, from int, mark []byte) (end int, ok bool) {
	if len(mark) == 1 && from == 1 && (len(line) < 2 || isSpace(line[1])) {
		return 0, false // 5 $ and 6 $
	}
	for i := from; i+len(mark) <= len(line) && i < MaxFormula; i++ {
		switch {
		case line[i] == '\\':
			i++
		case !bytes.HasPrefix(line[i:], mark):
		case len(mark) == 2:
			return i + 2, i > from
		case i == from || isSpace(line[i-1]) || i+1 < len(line) && line[i+1] >= '0' && line[i+1] <= '9':
			return 0, false
		default:
			return i + 1, true
		}
	}
	return 0, true
}

// isMoney reports whether a text is between two sums of money, such as "5 or 6", and not a formula that begins with a
// number.
func isMoney(between []byte) bool {
	return len(between) > 0 && between[0] >= '0' && between[0] <= '9' &&
		bytes.ContainsAny(between, " \t") && !bytes.ContainsAny(between, "\\^_=")
}

func isSpace(b byte) bool { return util.IsSpace(b) }

func isPunctuationOrSpace(r rune) bool { return util.IsPunctRune(r) || util.IsSpaceRune(r) }

// formulaBlocks reads formulas that begin and end with $$ at the beginning and the end of a line.
type formulaBlocks struct{}

func (formulaBlocks) Trigger() []byte { return []byte{'$'} }

func (formulaBlocks) Open(_ ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := context.BlockOffset()
	if at < 0 || !bytes.HasPrefix(line[at:], displayMark) {
		return nil, parser.NoChildren
	}
	rest := bytes.TrimSpace(line[at+2:])
	whole := len(rest) > 2 && bytes.Index(rest, displayMark) == len(rest)-2
	if !whole && bytes.Contains(rest, displayMark) {
		return nil, parser.NoChildren // $$a$$ and more
	}
	if !whole && !closesLater(reader.Source()[segment.Stop:]) {
		return nil, parser.NoChildren
	}
	node := &formulaBlock{}
	node.Lines().Append(segment)
	if whole {
		context.Set(formulaClosed, node)
	}
	reader.AdvanceToEOL()
	return node, parser.NoChildren
}

// formulaClosed is the key under which a parser context stores the block that has ended.
var formulaClosed = parser.NewContextKey()

// closesLater reports whether the formula that begins before these lines ends before a blank line.
func closesLater(lines []byte) bool {
	for range 10 * maxFormulaLines {
		line, rest, _ := bytes.Cut(lines, []byte{'\n'})
		if line = bytes.TrimSpace(line); bytes.HasSuffix(line, displayMark) || len(line) == 0 {
			return len(line) > 0
		}
		lines = rest
	}
	return false
}

func (formulaBlocks) Continue(node ast.Node, reader text.Reader, context parser.Context) parser.State {
	if context.Get(formulaClosed) == node {
		return parser.Close
	}
	line, segment := reader.PeekLine()
	if util.IsBlank(line) {
		return parser.Close
	}
	node.Lines().Append(segment)
	reader.AdvanceToEOL()
	if bytes.HasSuffix(bytes.TrimSpace(line), displayMark) {
		context.Set(formulaClosed, node)
	}
	return parser.Continue | parser.NoChildren
}

func (formulaBlocks) Close(ast.Node, text.Reader, parser.Context) {}

func (formulaBlocks) CanInterruptParagraph() bool { return true }

func (formulaBlocks) CanAcceptIndentedLine() bool { return false }

// formulaClass is the class of formulas in rendered texts.
const formulaClass = "math"

type formulaRenderer struct{}

func (formulaRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindFormula, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			_, _ = w.WriteString("</span>")
			return ast.WalkContinue, nil
		}
		_, _ = w.WriteString(`<span class="` + formulaClass + `" dir="ltr">`)
		if set := n.(*formula).set; set != "" {
			_, _ = w.WriteString(set)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	r.Register(kindFormulaBlock, func(
		w util.BufWriter, source []byte, n ast.Node, entering bool,
	) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(`<div class="` + formulaClass + `"`)
			if set := n.(*formulaBlock).set; set != "" { // a wide one scrolls, with the keyboard as well
				_, _ = w.WriteString(` role="group" aria-label="Formula" tabindex="0">` + set)
			} else {
				_ = w.WriteByte('>')
				_, _ = w.Write(util.EscapeHTML(bytes.TrimSpace(n.Lines().Value(source))))
			}
			_, _ = w.WriteString("</div>\n")
		}
		return ast.WalkSkipChildren, nil
	})
}

// surround renders the children of a node between two tags.
func surround(before, after string) renderer.NodeRendererFunc {
	return func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(before)
		} else {
			_, _ = w.WriteString(after)
		}
		return ast.WalkContinue, nil
	}
}
