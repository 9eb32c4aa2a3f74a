package markup

import (
	stdhtml "html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	goldmarkparser "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"inkfeed/domain/markdown"
	"inkfeed/domain/portable"
)

// Link is an address in a Markdown text.
type Link struct {
	Image       bool
	Destination string // unescaped
	Alt         string // of an image, as it was typed
	start, end  int    // of the destination in the text, with its angle brackets
}

// Rewrite calls change for each address in a Markdown text and replaces the address by the result. It ignores code.
func Rewrite(source string, change func(Link) (destination string, ok bool)) string {
	var b strings.Builder
	end := 0
	for _, link := range links(source) {
		to, ok := change(link)
		if !ok || link.start < end {
			continue
		}
		b.WriteString(source[end:link.start])
		if to = Destination(to); source[link.start] == '<' && to[0] != '<' {
			to = "<" + to + ">"
		}
		b.WriteString(to)
		end = link.end
	}
	if end == 0 {
		return source
	}
	b.WriteString(source[end:])
	return b.String()
}

// Destination returns an address in the form in which Markdown has it in a link.
func Destination(to string) string {
	if to != "" && !strings.ContainsAny(to, " ()<>\t\n\\") {
		return to
	}
	r := strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A", "\\", "%5C")
	return "<" + r.Replace(to) + ">"
}

var renderer = goldmark.New(goldmark.WithParser(markdown.BoundedParser()),
	goldmark.WithExtensions(extension.Table, extension.TaskList, markdown.Inlines{}),
	goldmark.WithRendererOptions(html.WithUnsafe()))

// Rendered returns Markdown as HTML, including raw HTML.
func Rendered(source string) string {
	var b strings.Builder
	context := goldmarkparser.NewContext()
	if err := renderer.Convert([]byte(source), &b, goldmarkparser.WithContext(context)); err != nil {
		return ""
	}
	if markdown.RanOut(context) {
		return "<pre>" + stdhtml.EscapeString(source) + "</pre>"
	}
	return b.String()
}

// Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// Parser parses the Markdown of posts, within the limits of package markdown.
var Parser = goldmark.New(goldmark.WithParser(markdown.BoundedParser()),
	goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()

// parsed holds the positions of code and raw HTML in a text.
type parsed struct {
	Code   []Span   // sorted
	inline []rawTag // between words, sorted
	blocks []Span   // raw HTML that stands alone, sorted
}

// rawTag is an HTML tag between words. Its text lacks the marks of quotes and lists before its further lines.
type rawTag struct {
	Span
	text string
}

// CodeIn returns the code in a text. It returns nothing for a text that is too complex: see Parse.
func CodeIn(source string) []Span {
	p, _ := Parse(source)
	return p.Code
}

// Parse finds code and raw HTML. It fails for a text that is too complex. Such a text is shown as it was typed.
func Parse(source string) (p parsed, ok bool) {
	raw := []byte(source)
	doc, ok := markdown.ParseWithin(Parser, raw)
	if !ok {
		return p, false
	}
	whole := func(lines *text.Segments) Span {
		if lines.Len() == 0 {
			return Span{}
		}
		return Span{lines.At(0).Start, lines.At(lines.Len() - 1).Stop}
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			s := whole(n.Lines())
			if n.Info != nil { // including its line
				s.Start = min(n.Info.Segment.Start, max(s.Start, n.Info.Segment.Start))
				s.End = max(s.End, n.Info.Segment.Stop)
			}
			p.Code = append(p.Code, s)
		case *ast.CodeBlock:
			p.Code = append(p.Code, whole(n.Lines()))
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					p.Code = append(p.Code, Span{t.Segment.Start, t.Segment.Stop})
				}
			}
		case *ast.RawHTML:
			if s := whole(n.Segments); s.End > 0 {
				p.inline = append(p.inline, rawTag{s, string(n.Segments.Value(raw))})
			}
		case *ast.HTMLBlock:
			s := whole(n.Lines())
			if n.HasClosure() {
				if s == (Span{}) {
					s.Start = n.ClosureLine.Start
				}
				s.End = n.ClosureLine.Stop
			}
			p.blocks = append(p.blocks, s)
		}
		return ast.WalkContinue, nil
	})
	byStart := func(a, b Span) int { return a.Start - b.Start }
	slices.SortFunc(p.Code, byStart)
	slices.SortFunc(p.inline, func(a, b rawTag) int { return a.Start - b.Start })
	slices.SortFunc(p.blocks, byStart)
	return p, true
}

// Within reports whether a position is in one of the sorted spans.
func Within(spans []Span, at int) bool {
	i, found := slices.BinarySearchFunc(spans, at, func(s Span, at int) int { return s.Start - at })
	return found && spans[i].End > at || i > 0 && at < spans[i-1].End
}

// definition matches a line that defines the address of links elsewhere in the text.
var definition = regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]{1,300}\]:[ \t]*(<[^<>\n]*>|[^\s<]\S*)`)

// links returns the addresses in a text, in order.
func links(source string) []Link {
	if !strings.Contains(source, "](") && !strings.Contains(source, "]:") {
		return nil
	}
	p, ok := Parse(source)
	if !ok {
		return nil
	}
	code := p.Code
	var list []Link
	for at := 0; ; {
		i := strings.Index(source[at:], "](")
		if i < 0 {
			break
		}
		at += i + 2
		if Within(code, at) {
			continue
		}
		start, end, ok := destinationAt(source, at)
		if !ok {
			continue
		}
		link := Link{Destination: unescape(source[start:end]), start: start, end: end}
		if open := opening(source, at-2); open > 0 && source[open-1] == '!' {
			link.Image, link.Alt = true, source[open+1:at-2]
		}
		list = append(list, link)
	}
	for _, m := range definition.FindAllStringSubmatchIndex(source, -1) {
		if !Within(code, m[2]) && !strings.HasPrefix(strings.TrimLeft(source[m[0]:], " "), "[^") {
			name := source[m[2]:m[3]]
			list = append(list, Link{Image: portable.IsImage(strings.Trim(name, "<>")), Destination: unescape(name),
				start: m[2], end: m[3]})
		}
	}
	slices.SortFunc(list, func(a, b Link) int { return a.start - b.start })
	return list
}

// destinationAt parses an address after its opening parenthesis: in angle brackets, or without spaces and with balanced
// parentheses.
func destinationAt(s string, at int) (start, end int, ok bool) {
	for at < len(s) && (s[at] == ' ' || s[at] == '\t' || s[at] == '\n') {
		at++
	}
	start = at
	if at < len(s) && s[at] == '<' {
		i := strings.IndexAny(s[at+1:min(len(s), at+mostAddress)], "<>\n")
		if i < 0 || s[at+1+i] != '>' {
			return 0, 0, false
		}
		return start, at + i + 2, true
	}
	depth := 0
	for most := at + mostAddress; at < min(len(s), most); at++ {
		switch c := s[at]; {
		case c == '\\' && at+1 < len(s) && s[at+1] != ' ':
			at++
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return start, at, at > start
		case c == ')':
			depth--
		case c <= ' ':
			// A title must follow, or the closing parenthesis.
			rest := strings.TrimLeft(s[at:], " \t\n")
			return start, at, at > start && rest != "" && strings.ContainsRune(`"'()`, rune(rest[0]))
		}
	}
	return 0, 0, false
}

// mostAddress is the maximum length of an address, in bytes.
const mostAddress = 4000

// mostAlt is the number of bytes that are searched backwards for the beginning of a link.
const mostAlt = 2000

// opening returns the position of the matching opening bracket, or -1 if it is not nearby.
func opening(s string, closing int) int {
	depth := 0
	for i := closing; i >= 0 && i > closing-mostAlt; i-- {
		if i > 0 && s[i-1] == '\\' {
			continue
		}
		switch s[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

var escaped = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")

func unescape(destination string) string {
	if len(destination) > 1 && destination[0] == '<' {
		destination = destination[1 : len(destination)-1]
	}
	return strings.ReplaceAll(escaped.ReplaceAllString(destination, "$1"), "&amp;", "&")
}

func sortEdits(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
}
