package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Inlines adds bare links and strikethrough to a parser, and makes them and emphasis work in all scripts. Goldmark's
// own parsers expect addresses in ASCII and spaces around words. Only two tildes strike out: one is in H~2~O.
type Inlines struct{}

// Extend adds the parsers, those of emphasis before goldmark's own.
func (Inlines) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(
		util.Prioritized(marks{parser.NewEmphasisParser(), "*"}, 499),
		util.Prioritized(marks{extension.NewStrikethroughParser(), "~~"}, 500),
		util.Prioritized(bareLinks{extension.NewLinkifyParser(extension.WithLinkifyAllowedProtocols(schemes),
			extension.WithLinkifyURLRegexp(bareURL), extension.WithLinkifyWWWRegexp(bareWWW))}, 999),
		util.Prioritized(scripts{}, 501)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500), util.Prioritized(scripts{}, 500)))
}

// scripts are subscript and superscript as in pandoc: H~2~O and x^2^. Such a text follows a letter, a bracket or, if it
// is superscript, a digit. It has letters, digits and signs only, so ~/a:~/b and 10~20 ~30~ are text. So is what people
// wrote before: a^2+b^2=c^2, (a|b)^c^d and, where a tilde lengthens a word, 好~久~不见.
type scripts struct{}

var kindScript = ast.NewNodeKind("Script")

type scriptNode struct {
	ast.BaseInline
	element string
}

func (*scriptNode) Kind() ast.NodeKind              { return kindScript }
func (n *scriptNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// scripted matches a subscript or superscript with its marks.
var scripted = regexp.MustCompile(`^(?:~[\pL\pM\pN+\-−=().,]{1,30}~|\^[\pL\pM\pN+\-−=().,]{1,30}\^)`)

// Script returns the length of the subscript or superscript, with its marks, with which a text begins after a
// character. It returns 0 if there is none.
func Script(before rune, text string) int {
	found := scripted.FindString(text[:min(len(text), 130)])
	opens := unicode.IsLetter(before) || before == ')' || before == ']' || unicode.IsDigit(before) && text[0] == '^'
	if found == "" || !opens || strings.HasPrefix(text[len(found):], found[:1]) {
		return 0
	}
	content := found[1 : len(found)-1]
	after, _ := utf8.DecodeRuneInString(text[len(found):])
	switch {
	case !balanced(content):
		return 0
	case found[0] == '~' && (IsUnspaced(before) || strings.ContainsFunc(content, IsUnspaced)):
		return 0
	case found[0] == '^' && (unicode.IsLetter(after) || unicode.IsDigit(after)) && !charge.MatchString(content):
		return 0
	}
	return len(found)
}

// charge matches the superscript of an ion, which others may follow: Ca^2+^Cl^-^.
var charge = regexp.MustCompile(`^\d*[+\-−]$`)

// balanced reports whether each parenthesis of a text has its other one.
func balanced(text string) bool {
	open := 0
	for _, r := range text {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		if open < 0 {
			return false
		}
	}
	return open == 0
}

func (scripts) Trigger() []byte { return []byte{'~', '^'} }

func (scripts) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	length := Script(block.PrecendingCharacter(), string(line[:min(len(line), 130)]))
	if length == 0 {
		return nil
	}
	n := &scriptNode{element: map[byte]string{'~': "sub", '^': "sup"}[line[0]]}
	n.AppendChild(n, ast.NewTextSegment(text.NewSegment(segment.Start+1, segment.Start+length-1)))
	block.Advance(length)
	return n
}

func (scripts) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindScript, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		_, _ = w.WriteString(map[bool]string{true: "<", false: "</"}[entering] + n.(*scriptNode).element + ">")
		return ast.WalkContinue, nil
	})
}

// tasks adds check boxes before items of lists. Goldmark's own parser also finds one in a link with the text X.
type tasks struct{ parser.InlineParser }

func (tasks) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(tasks{extension.NewTaskCheckBoxParser()}, 0)))
}

func (p tasks) Parse(parent ast.Node, block text.Reader, context parser.Context) ast.Node {
	if line, _ := block.PeekLine(); len(line) > len("[x]") && !util.IsSpace(line[len("[x]")]) {
		return nil
	}
	return p.InlineParser.Parse(parent, block, context)
}

// marks are marks of emphasis or strikethrough. CommonMark expects spaces around words and finds no emphasis in
// これは**重要。**です. Beside letters and punctuation of scripts without spaces, a mark opens before and closes after
// anything but a space, as in the markdown-cjk-friendly specification. Underscores stay parts of words.
type marks struct {
	parser.InlineParser
	mark string // with which a run begins
}

func (p marks) Parse(parent ast.Node, block text.Reader, context parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if !bytes.HasPrefix(line, []byte(p.mark)) {
		return nil
	}
	before := block.PrecendingCharacter()
	run, ok := p.InlineParser.Parse(parent, block, context).(*parser.Delimiter)
	if !ok {
		return nil
	}
	after, size := utf8.DecodeRune(line[run.OriginalLength:])
	if IsUnspaced(before) || IsUnspaced(after) {
		run.CanOpen, run.CanClose = size > 0 && !util.IsSpaceRune(after), !util.IsSpaceRune(before)
	}
	return run
}

// IsUnspaced reports whether a character is of a script without spaces, or of its punctuation. Korean has spaces, but
// its particles follow marks and foreign words directly.
func IsUnspaced(r rune) bool {
	return joins(r) || unicode.In(r, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// The form of bare addresses. The last part of a host does not mix scripts without spaces with others, because such
// letters may belong to the sentence: https://example.orgを見る. An address does not end with a quotation mark or with
// punctuation that is not ASCII. Goldmark removes other punctuation, and unbalanced parentheses.
const (
	unspaced = `\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}`
	hostForm = `[-@:%._+~#=\p{L}\p{M}\p{N}]{1,256}\.` +
		`(?:xn--[-a-zA-Z0-9]+|(?:[^\P{L}` + unspaced + `]\p{M}*)+|[` + unspaced + `]+)`
	lastForm  = `-@:%_+.~#$!?&/=();,>^{}\[\]` + "`" + `\p{L}\p{M}\p{N}\p{So}\p{Sk}`
	innerForm = lastForm + `'"’·・׳״\x{2010}-\x{2013}\x{200C}\x{200D}`
	bareForm  = hostForm + `(?::\d+)?(?:[/?#](?:[` + innerForm + `]*[` + lastForm + `])?)?`
)

var (
	bareURL = regexp.MustCompile(`^(?i:https?)://` + bareForm)
	bareWWW = regexp.MustCompile(`^www\.` + bareForm)
	schemes = []string{"http:", "https:", "Http:", "Https:", "HTTP:", "HTTPS:"}
	// schemeAfterWord matches a scheme after a letter of a script without spaces, or after punctuation outside ASCII.
	schemeAfterWord = regexp.MustCompile(`(?:[` + unspaced + `]|[^\x00-\x7F\p{L}\p{M}\p{N}])((?i)https?)$`)
)

// bareLinks also finds addresses as schemeAfterWord has them, by their colon: goldmark calls parsers only at spaces and
// ASCII punctuation.
type bareLinks struct{ parser.InlineParser }

func (p bareLinks) Trigger() []byte { return append(p.InlineParser.Trigger(), ':') }

func (p bareLinks) Parse(parent ast.Node, block text.Reader, context parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if line[0] != ':' {
		return wholeHost(p.InlineParser.Parse(parent, block, context), block)
	}
	before, ok := parent.LastChild().(*ast.Text)
	if !ok || before.Segment.Stop != segment.Start || !bytes.HasPrefix(line, []byte("://")) {
		return nil
	}
	word := before.Segment.WithStart(max(before.Segment.Start, segment.Start-len("\U0001F600https")))
	scheme := schemeAfterWord.FindSubmatch(word.Value(block.Source()))
	if scheme == nil {
		return nil
	}
	number, _ := block.Position()
	segment.Start -= len(scheme[1])
	block.SetPosition(number, segment)
	link := p.InlineParser.Parse(parent, block, context)
	if link != nil {
		before.Segment.Stop = segment.Start
	}
	return link
}

// wholeHost turns a link to a mail address into text if its host goes on with letters that goldmark does not know.
func wholeHost(n ast.Node, block text.Reader) ast.Node {
	link, ok := n.(*ast.AutoLink)
	rest, at := block.PeekLine()
	next, _ := utf8.DecodeRune(rest)
	if !ok || link.AutoLinkType != ast.AutoLinkEmail || next < utf8.RuneSelf || !isWord(next) || IsUnspaced(next) {
		return n
	}
	return ast.NewTextSegment(text.NewSegment(at.Start-len(link.Label(block.Source())), at.Start))
}

// joinLines removes the line breaks between East Asian letters, where a space would be wrong. Korean has spaces.
func joinLines(doc ast.Node, source []byte) {
	var line *ast.Text // the last text if it ends with a line break
	var last rune
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		t, ok := n.(*ast.Text)
		switch {
		case beyondProse(n):
			line, last = nil, 0
			return ast.WalkSkipChildren, nil
		case n.Type() == ast.TypeBlock:
			line = nil
		case ok && entering:
			if value := t.Segment.Value(source); len(value) > 0 {
				if first, _ := utf8.DecodeRune(value); line != nil && joins(last) && joins(first) {
					line.SetSoftLineBreak(false)
				}
				line = nil
				last, _ = utf8.DecodeLastRune(value)
			}
			if t.SoftLineBreak() {
				line = t
			}
		}
		return ast.WalkContinue, nil
	})
}

func joins(r rune) bool {
	return strings.Contains("WFH", util.EastAsianWidth(r)) && !unicode.Is(unicode.Hangul, r)
}
