package markup

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"
)

// renderDetails writes a foldable section in Inkfeed's Markdown.
func renderDetails(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var title, content bytes.Buffer
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == "summary" && title.Len() == 0 {
			ctx.RenderChildNodes(ctx, &title, c)
			n.RemoveChild(c)
			break
		}
	}
	ctx.RenderChildNodes(ctx, &content, n)
	begin := "\n\n<details>\n"
	for _, a := range n.Attr {
		if a.Key == "open" {
			begin = "\n\n<details open>\n"
		}
	}
	_, _ = w.WriteString(begin)
	if line := strings.Join(strings.Fields(title.String()), " "); line != "" {
		_, _ = w.WriteString("<summary>" + line + "</summary>\n")
	}
	_, _ = w.WriteString("\n")
	_, _ = w.Write(bytes.TrimSpace(content.Bytes()))
	_, _ = w.WriteString("\n\n</details>\n\n")
	return converter.RenderSuccess
}

// maxWrappers is the maximum nesting depth of quotes and foldable sections around Markdown. The content is parsed again
// at each level.
const maxWrappers = 8

// maxSearched is the maximum number of bytes of a post that are searched for closing tags. Without a limit, each of
// many unclosed tags would cause a search to the end.
const maxSearched = 16 << 20

var (
	wrapperTag  = regexp.MustCompile(`^(blockquote|details)\b[^<>]*>`)
	summaryTags = regexp.MustCompile(`(?is)^\s*<summary\b[^<>]*>(.*?)</summary>`)
	openAttr    = regexp.MustCompile(`\sopen\b`)
)

// wrapper is a pair of tags around Markdown. A blank line ends a block of HTML, so Markdown parsers see two separate
// tags and Markdown between them.
type wrapper struct {
	begin Span // the opening tag and the container's marks before it
	end   Span // the closing tag
	name  string
	place string // an anchor for its id
	open  bool   // whether the section is unfolded
	lines string // the beginning of the lines between: marks of the surrounding quote or list
}

// wrapperAt finds a pair of tags whose opening tag begins a block of HTML and whose closing tag is in another block.
func (t *Translator) wrapperAt(source, lower string, block Span, code []Span) (w wrapper, ok bool) {
	start := block.End - len(strings.TrimLeft(source[block.Start:block.End], " \t"))
	if start >= block.End || source[start] != '<' {
		return w, false
	}
	m := wrapperTag.FindStringSubmatch(lower[start+1 : block.End])
	if m == nil || t.searched > maxSearched {
		return w, false
	}
	defer func(start int) {
		if !ok {
			w.end.End = len(source)
		}
		t.searched += w.end.End - start
	}(start)
	w = wrapper{name: m[1], begin: Span{start, start + 1 + len(m[0])}, open: openAttr.MatchString(m[0])}
	w.place = t.placeOf(source[start:w.begin.End])
	opening, closing := "<"+w.name, "</"+w.name+">"
	for at, depth := w.begin.End, 1; ; {
		i := strings.Index(lower[at:], closing)
		if i < 0 {
			return w, false
		}
		for from := at; ; {
			j := strings.Index(lower[from:at+i], opening)
			if j < 0 {
				break
			}
			if from += j + len(opening); !Within(code, from) {
				depth++
			}
		}
		at += i + len(closing)
		if Within(code, at-1) {
			continue
		}
		if depth--; depth == 0 {
			w.end = Span{at - len(closing), at}
			line := strings.LastIndexByte(source[:start], '\n') + 1
			w.lines = strings.TrimRight(Continued(source[line:start]), " ")
			return w, w.end.Start >= block.End
		}
	}
}

// wrapped translates a pair of tags and the Markdown between them.
func (t *Translator) wrapped(source string, w wrapper, depth int) Edit {
	inner := source[w.begin.End:w.end.Start]
	if w.lines != "" {
		inner = strings.ReplaceAll(inner, "\n"+w.lines, "\n")
	}
	title := ""
	if w.name == "details" {
		if m := summaryTags.FindStringSubmatchIndex(inner); m != nil {
			title, inner = strings.Join(strings.Fields(t.markdownWithin(inner[m[2]:m[3]], depth)), " "), inner[m[1]:]
		}
	}
	inner = strings.Trim(t.markdownWithin(dedented(inner), depth), "\n")
	var b strings.Builder
	if w.place != "" {
		b.WriteString(w.place + "\n\n")
	}
	switch {
	case w.name == "blockquote":
		for i, line := range strings.Split(inner, "\n") {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(strings.TrimRight("> "+line, " "))
		}
	default:
		b.WriteString("<details")
		if w.open {
			b.WriteString(" open")
		}
		b.WriteString(">\n")
		if title != "" {
			b.WriteString("<summary>" + title + "</summary>\n")
		}
		b.WriteString("\n" + inner + "\n\n</details>")
	}
	line := strings.LastIndexByte(source[:w.begin.Start], '\n') + 1
	text := strings.ReplaceAll(b.String(), "\n", "\n"+Continued(source[line:w.begin.Start]))
	// The lines next to the tags must not join the translation.
	before := strings.TrimRight(source[:line], " \t")
	if line > 0 && !strings.HasSuffix(before, "\n\n") && w.lines == "" {
		text = "\n" + text
	}
	if after := source[w.end.End:]; after != "" && !strings.HasPrefix(after, "\n\n") {
		text += "\n"
		if !strings.HasPrefix(after, "\n") {
			text += "\n"
		}
	}
	return Edit{Span{w.begin.Start, w.end.End}, text}
}

// dedented removes the indentation that all lines of a text share. It comes from the tags around the text, and would
// turn paragraphs into code.
func dedented(text string) string {
	least := -1
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimLeft(line, " "); strings.TrimSpace(line) != "" {
			if indent := len(line) - len(trimmed); least < 0 || indent < least {
				least = indent
			}
		}
	}
	if least <= 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(line[min(least, len(line)-len(strings.TrimLeft(line, " "))):])
	}
	return b.String()
}
