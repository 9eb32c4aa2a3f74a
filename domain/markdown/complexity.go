package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits of parsing. A Markdown parser takes quadratic time for some texts, and produces a large page from some
// small ones. The parsers of this site count their steps and stop at a limit. The text is then shown as it was
// typed. A step is about a nanosecond: one byte or one node that the parser looks at.
const (
	maxSteps      = 50_000_000
	stepsPerByte  = 50      // added to the limit, so that plain text of any length stays within it
	maxOpenBlocks = 200     // around a line; a list and its item are two
	maxOpenLinks  = 500     // unclosed brackets in a paragraph
	maxOpenMarks  = 5000    // unclosed marks of emphasis in a paragraph
	maxPadding    = 20_000  // cells added to short rows of tables
	maxReferred   = 1 << 20 // bytes repeated by links that refer to definitions
	maxHeadings   = 2000    // each has an anchor, an address and a place in the contents
	headingBytes  = 100     // of a long text for each heading
	maxMarkedCode = 10_000  // bytes of a line of code that is mostly marks of Markdown
)

// BoundedParser returns a parser with the syntax of CommonMark, to which extensions can be added,
// that stops when a text is too complex. ParseWithin and RanOut report that it has stopped.
func BoundedParser() parser.Parser {
	p := &boundedParser{Parser: parser.NewParser()}
	p.AddOptions(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithParagraphTransformers(util.Prioritized(paragraphCost{}, 0)),
		parser.WithASTTransformers(util.Prioritized(referenceCost{}, 0)))
	return p
}

// ParseWithin parses a source with a parser made by BoundedParser. It returns false if the source is too
// complex.
func ParseWithin(p parser.Parser, source []byte) (_ ast.Node, ok bool) {
	context := parser.NewContext()
	doc := p.Parse(text.NewReader(source), parser.WithContext(context))
	return doc, !RanOut(context)
}

// RanOut reports whether the parser with this context has stopped before the end of its text.
func RanOut(context parser.Context) bool {
	b, ok := context.Get(budgetKey).(*budget)
	return ok && b.left < 0
}

// boundedParser gives all parts of a parser one budget.
type boundedParser struct{ parser.Parser }

func (p *boundedParser) AddOptions(options ...parser.Option) {
	for _, o := range options {
		c := parser.NewConfig()
		o.SetParserOption(c)
		for i, v := range c.BlockParsers {
			c.BlockParsers[i].Value = boundedBlock{v.Value.(parser.BlockParser)}
		}
		for i, v := range c.InlineParsers {
			inline := boundedInline{v.Value.(parser.InlineParser)}
			c.InlineParsers[i].Value = inline
			if closer, ok := v.Value.(parser.CloseBlocker); ok {
				c.InlineParsers[i].Value = struct {
					boundedInline
					parser.CloseBlocker
				}{inline, closer}
			}
		}
		p.Parser.AddOptions(parser.WithBlockParsers(c.BlockParsers...), parser.WithInlineParsers(c.InlineParsers...),
			parser.WithParagraphTransformers(c.ParagraphTransformers...),
			parser.WithASTTransformers(c.ASTTransformers...))
	}
}

// ranOut is the value with which a part of the parser panics after spending the budget.
type ranOut struct{}

func (p *boundedParser) Parse(reader text.Reader, options ...parser.ParseOption) (doc ast.Node) {
	var c parser.ParseConfig
	for _, o := range options {
		o(&c)
	}
	if c.Context == nil {
		c.Context = parser.NewContext()
	}
	b := &budget{left: maxSteps + stepsPerByte*len(reader.Source())}
	b.headings = max(maxHeadings, len(reader.Source())/headingBytes)
	c.Context.Set(budgetKey, b)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case ranOut:
			doc = ast.NewDocument()
		default:
			panic(r)
		}
	}()
	return p.Parser.Parse(reader, parser.WithContext(c.Context))
}

var budgetKey = parser.NewContextKey()

// budget is the number of steps left for parsing a text, with the state on which costs depend.
type budget struct {
	left      int // steps; below 0: the parser has stopped
	headings  int // further headings that are allowed
	padding   int // cells added so far
	pipes     int // escaped pipes in tables
	footnotes int
	paragraph ast.Node // the current one
	end       int      // of the paragraph, in the source
	brackets  int      // of the paragraph that are open
	marks     []mark   // of emphasis in the paragraph that can be paired
	openers   int      // among the marks
	reader    countingReader
}

func budgetOf(context parser.Context) *budget {
	if b, ok := context.Get(budgetKey).(*budget); ok {
		return b
	}
	return &budget{left: maxSteps} // for a parser that is used as a part of another
}

func (b *budget) spend(steps int) {
	if b.left -= steps; b.left < 0 {
		panic(ranOut{})
	}
}

func (b *budget) limit(n, most int) {
	if n > most {
		b.spend(b.left + 1)
	}
}

// boundedBlock counts the calls of a block parser: each line calls that of every block that is open.
type boundedBlock struct{ parser.BlockParser }

func (p boundedBlock) SetOption(name parser.OptionName, value any) {
	if o, ok := p.BlockParser.(parser.SetOptioner); ok {
		o.SetOption(name, value)
	}
}

func (p boundedBlock) Open(parent ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	b := budgetOf(context)
	b.spend(10)
	node, state := p.BlockParser.Open(parent, reader, context)
	if node == nil {
		return node, state
	}
	b.limit(len(context.OpenedBlocks()), maxOpenBlocks)
	switch node.Kind() {
	case ast.KindHeading:
		b.headings--
		b.limit(0, b.headings)
	case extensionast.KindFootnote:
		b.footnotes++
		b.spend(b.footnotes) // they are sorted by comparing each to all before it
	}
	return node, state
}

func (p boundedBlock) Continue(node ast.Node, reader text.Reader, context parser.Context) parser.State {
	b := budgetOf(context)
	b.spend(10)
	if node.Kind() == ast.KindFencedCodeBlock {
		// It costs nothing here, but would in any parser that does not see the fence.
		if line, _ := reader.PeekLine(); len(line) > maxMarkedCode {
			b.limit(2*(len(line)-len(bytes.Map(unmarked, line))), len(line))
		}
	}
	return p.BlockParser.Continue(node, reader, context)
}

// unmarked drops the marks of which a few can keep a parser busy for long.
func unmarked(r rune) rune {
	switch r {
	case '[', '*', '_', '~', '>':
		return -1
	}
	return r
}
