// Package templates translates template code in posts, such as Jekyll's Liquid and the shortcodes of Hugo and Zola,
// into Markdown.
package templates

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/portable/markup"
)

// shortcode is a shortcode of Hugo in a text.
type shortcode struct {
	markup.Span
	name    string
	params  string
	closes  bool   // {{< /name >}}
	single  bool   // {{< name />}}
	escaped string // of {{</* name */>}} the shortcode that is shown
	match   int    // index of the shortcode that closes it, or -1
}

const (
	maxShortcode = 8 << 10 // bytes of one
	maxPaired    = 32      // shortcodes within each other
)

var shortcodeHead = regexp.MustCompile(`^\{\{[<%]-?\s*(/?)\s*([\w./-]*\w)`)

// shortcodes returns Hugo's shortcodes in a text, with their matching closing tags.
func shortcodes(source string) []shortcode {
	var list []shortcode
	for at := 0; ; {
		i := strings.Index(source[at:], "{{")
		if i < 0 {
			break
		}
		at += i
		s, ok := shortcodeAt(source[at:min(len(source), at+maxShortcode)])
		if !ok {
			at += 2
			continue
		}
		s.Span = markup.Span{Start: at, End: at + s.End}
		list = append(list, s)
		at = s.End
	}
	var open []int // indexes of shortcodes without a closing tag so far
	waiting := make(map[string]int)
	for i := range list {
		s := &list[i]
		s.match = -1
		switch {
		case s.escaped != "" || s.single:
		case !s.closes:
			open = append(open, i)
			waiting[s.name]++
		case waiting[s.name] > 0:
			for list[i].match < 0 {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				waiting[list[last].name]--
				if list[last].name == s.name {
					list[last].match, s.match = i, last
				}
			}
		}
	}
	return list
}

// shortcodeAt parses the shortcode with which a text begins. Its end is its length.
func shortcodeAt(source string) (s shortcode, ok bool) {
	end := ">}}"
	if strings.HasPrefix(source, "{{%") {
		end = "%}}"
	}
	if strings.HasPrefix(source, "{{</*") || strings.HasPrefix(source, "{{%/*") {
		shown, _, ok := strings.Cut(source[len("{{</*"):], "*/"+end)
		s.escaped, s.End = source[:3]+shown+end, len("{{</*")+len(shown)+len("*/")+len(end)
		return s, ok
	}
	m := shortcodeHead.FindStringSubmatch(source)
	if m == nil {
		return s, false
	}
	s.name, s.closes = strings.ToLower(strings.TrimSuffix(m[2], ".html")), m[1] != ""
	begin := len(m[0])
	for at := begin; at < len(source); {
		switch c := source[at]; {
		case strings.HasPrefix(source[at:], end):
			s.params = strings.TrimSuffix(strings.TrimSpace(source[begin:at]), "-")
			s.params, s.single = strings.CutSuffix(strings.TrimSpace(s.params), "/")
			if s.single && strings.HasSuffix(s.params, ":/") { // the end of an address
				s.params, s.single = s.params+"/", false
			}
			s.End = at + len(end)
			return s, true
		case strings.HasPrefix(source[at:], "{{"):
			return s, false
		case c == '"', c == '`':
			i := at + 1
			for i < len(source) && source[i] != c {
				if c == '"' && source[i] == '\\' {
					i++
				}
				i++
			}
			at = i + 1
		default:
			at++
		}
	}
	return s, false
}

// TranslateShortcodes translates Hugo's shortcodes.
func TranslateShortcodes(t *markup.Translator, site *HugoSite, source string) string {
	source = markup.FigureMarks.Replace(source)
	if !strings.Contains(source, "{{<") && !strings.Contains(source, "{{%") {
		return source
	}
	h := &hugoText{Translator: t, site: site, source: source, list: shortcodes(source), budget: newBudget(site.spent)}
	start := h.budget
	h.findCode()
	source = markup.SetApart(h.translated(markup.Span{Start: 0, End: len(source)}, 0, len(h.list), 0))
	site.spent += int(start - h.budget)
	return source
}

// hugoText is a text while its shortcodes are translated.
type hugoText struct {
	*markup.Translator
	site           *HugoSite
	source         string
	list           []shortcode
	fences, inline []markup.Span // code
	budget         budget
}

// findCode finds the code blocks and code spans of the text. It hides parameters and the content of code shortcodes
// from the parser, because they may contain backticks.
func (h *hugoText) findCode() {
	masked := []byte(h.source)
	for _, s := range h.list {
		if s.escaped != "" {
			continue
		}
		hidden := s.Span
		if s.match >= 0 && !s.closes && (s.name == "highlight" || s.name == "mermaid") {
			hidden.End = h.list[s.match].Start
		}
		for i := hidden.Start; i < hidden.End; i++ {
			if masked[i] != '\n' {
				masked[i] = 'x'
			}
		}
	}
	doc, ok := markdown.ParseWithin(markup.Parser, masked)
	if !ok {
		return
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if lines := n.Lines(); entering && lines.Len() > 0 {
				h.fences = append(h.fences, markup.Span{Start: lines.At(0).Start, End: lines.At(lines.Len() - 1).Stop})
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); entering && c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					h.inline = append(h.inline, markup.Span{Start: t.Segment.Start, End: t.Segment.Stop})
				}
			}
		}
		return ast.WalkContinue, nil
	})
}

// translated translates a part of the text, which contains the shortcodes between two indexes.
func (h *hugoText) translated(part markup.Span, from, to, depth int) string {
	var b strings.Builder
	at := part.Start
	for i := from; i < to; i++ {
		s := h.list[i]
		b.WriteString(h.source[at:s.Start])
		at = s.End
		typed := h.source[s.Start:s.End]
		fence, line := markup.Within(h.fences, s.Start), markup.Within(h.inline, s.Start)
		switch {
		case s.escaped != "" && (fence || line):
			b.WriteString(s.escaped)
		case s.escaped != "":
			b.WriteString("`" + strings.Join(strings.Fields(s.escaped), " ") + "`")
		case line:
			b.WriteString(typed)
		case s.closes && s.match < 0:
			b.WriteString(h.Template(locale.M("the shortcode {name}", "name", s.name), typed, ""))
		case s.closes: // the closing tag of a shortcode that is nested too deeply
			b.WriteString(typed)
		case s.match < 0 || depth == maxPaired:
			b.WriteString(h.translateShortcode(s, fence, typed, "", "", "", ""))
		default:
			end := h.list[s.match]
			raw := h.source[s.End:end.Start]
			inner := raw
			if s.name == "highlight" || s.name == "mermaid" { // these show their text
				inner = ""
			} else {
				inner = h.translated(markup.Span{Start: s.End, End: end.Start}, i+1, s.match, depth+1)
			}
			b.WriteString(h.translateShortcode(s, fence, typed, h.source[end.Start:end.End], inner, raw,
				indentAt(h.source, s.Start)))
			i, at = s.match, end.End
		}
	}
	b.WriteString(h.source[at:part.End])
	return b.String()
}

// translateShortcode translates one shortcode, with its closing tag if it has one.
func (h *hugoText) translateShortcode(
	s shortcode, fence bool, typed, closing, inner, raw, indent string,
) string {
	c := markup.Construct{Name: s.name, Args: markup.Parameters(s.params), Paired: closing != "", Inner: inner,
		Indent: indent}
	c.Raw = unescapedCodes(raw)
	if s.name == "param" {
		if value := h.site.param(c.Arg("0")); value != "" && h.budget.spend(len(value)) {
			return value
		}
	}
	if !fence {
		if text, ok := h.folderGallery(c); ok {
			return text
		}
		if text, ok := h.Construct(c); ok {
			return text
		}
	}
	if h.budget > 0 {
		if text, ok := h.site.expand(c, &h.budget); ok {
			return text
		}
	}
	return h.Template(locale.M("the shortcode {name}", "name", s.name), typed+inner+closing, inner)
}

var shownCode = regexp.MustCompile(`(?s)\{\{([<%])/\*(.*?)\*/([>%])\}\}`)

// unescapedCodes shows the escaped shortcodes in code as readers saw them.
func unescapedCodes(code string) string { return shownCode.ReplaceAllString(code, "{{$1$2$3}}") }

// indentAt returns the text with which lines after the line at a position must begin to stay in the same list item or
// quote. It examines a bounded number of bytes.
func indentAt(source string, at int) string {
	before := source[max(0, at-markup.MaxIndent):at]
	start := strings.LastIndexByte(before, '\n') + 1
	if start == 0 && at > markup.MaxIndent {
		return ""
	}
	return markup.Continued(markup.Container.FindString(before[start:]))
}
