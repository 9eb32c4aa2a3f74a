package markdown

import (
	"bytes"
	"cmp"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain/locale"
)

// callouts maps the marks in the first line of a callout, as GitHub has them, to its label:
//
//	> [!NOTE]
//	> Markdown
var callouts = map[string]locale.Message{"NOTE": locale.M("Note|callout"), "TIP": locale.M("Tip|callout"),
	"IMPORTANT": locale.M("Important|callout"), "WARNING": locale.M("Warning|callout"),
	"CAUTION": locale.M("Caution|callout")}

// CalloutMark returns the name of a callout that a line begins: "NOTE" for "[!note]". Otherwise it returns "".
func CalloutMark(line string) string {
	name, ok := strings.CutPrefix(strings.TrimSpace(line), "[!")
	name, closed := strings.CutSuffix(strings.ToUpper(name), "]")
	if _, known := callouts[name]; !ok || !closed || !known {
		return ""
	}
	return name
}

// quote finds out whether a quotation is a callout, and where it names its source.
func (a *adapter) quote(n *ast.Blockquote) {
	first, ok := n.FirstChild().(*ast.Paragraph)
	if !ok {
		return
	}
	line := first.Lines().At(0)
	if name := CalloutMark(string(line.Value(a.source))); name != "" && a.removeLine(first, line.Stop) {
		n.SetAttributeString("callout", name)
		n.SetAttributeString("label", textIn(callouts[name], a.about.Language))
		if a.about.purpose == forFeed || a.about.purpose == forText {
			n.SetAttributeString("quoted", true)
		}
		a.replace = append(a.replace, func() { // the name must not decide the direction
			if block := n.FirstChild(); block != nil {
				setDirection(n, cmp.Or(setDirections(block, a.source).attribute(), "auto"))
			}
		})
		return
	}
	if last, ok := n.LastChild().(*ast.Paragraph); ok {
		a.attribution(n, last)
	}
}

// removeLine removes the first line of a paragraph, up to a position. It returns false if the line is not just text.
func (a *adapter) removeLine(paragraph *ast.Paragraph, stop int) bool {
	var line []ast.Node
	for n := paragraph.FirstChild(); n != nil; n = n.NextSibling() {
		text, ok := n.(*ast.Text)
		if ok && text.Segment.Start >= stop {
			break
		}
		if !ok {
			return false
		}
		line = append(line, n)
	}
	for _, n := range line {
		a.remove(n)
	}
	if len(line) == paragraph.ChildCount() {
		a.remove(paragraph)
	}
	return true
}

// attribution gives the last line of a quotation a paragraph of its own if it names the source: — Name or -- Name.
func (a *adapter) attribution(quote *ast.Blockquote, paragraph *ast.Paragraph) {
	begin := paragraph.LastChild()
	for begin != nil && begin.PreviousSibling() != nil {
		if text, ok := begin.PreviousSibling().(*ast.Text); ok && (text.SoftLineBreak() || text.HardLineBreak()) {
			break
		}
		begin = begin.PreviousSibling()
	}
	text, ok := begin.(*ast.Text)
	if !ok || begin == paragraph.FirstChild() && paragraph == quote.FirstChild() {
		return
	}
	lines := paragraph.Lines()
	line := a.source[text.Segment.Start:lines.At(lines.Len()-1).Stop]
	if !dashed(line) || a.isDialogue(quote, text.Segment.Start) {
		return
	}
	a.replace = append(a.replace, func() {
		source := ast.NewParagraph()
		source.SetAttributeString("attribution", true)
		if before, ok := begin.PreviousSibling().(*ast.Text); ok {
			before.SetSoftLineBreak(false)
			before.SetHardLineBreak(false)
		}
		for n := begin; n != nil; {
			next := n.NextSibling()
			source.AppendChild(source, n)
			n = next
		}
		quote.InsertAfter(quote, paragraph, source)
		if !paragraph.HasChildren() {
			quote.RemoveChild(quote, paragraph)
		}
	})
}

// dashed reports whether a line begins with a dash, as the name of a source or as speech.
func dashed(line []byte) bool {
	return bytes.HasPrefix(line, []byte("— ")) || bytes.HasPrefix(line, []byte("-- "))
}

// isDialogue reports whether a line of a quotation's paragraphs begins with a dash before a position.
func (a *adapter) isDialogue(quote *ast.Blockquote, before int) bool {
	for n := quote.FirstChild(); n != nil; n = n.NextSibling() {
		if paragraph, ok := n.(*ast.Paragraph); ok {
			for _, line := range paragraph.Lines().Sliced(0, paragraph.Lines().Len()) {
				if line.Start < before && dashed(bytes.TrimLeft(line.Value(a.source), " ")) {
					return true
				}
			}
		}
	}
	return false
}

// renderQuote renders a quotation or a callout. Feeds, which have no styles, show a callout as a quotation.
func renderQuote(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	name, callout := n.AttributeString("callout")
	_, quoted := n.AttributeString("quoted")
	element := "blockquote"
	if callout && !quoted {
		element = "div"
	}
	if !entering {
		_, _ = w.WriteString("</" + element + ">\n")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<" + element)
	if callout {
		_, _ = w.WriteString(` class="callout callout-` + strings.ToLower(name.(string)) + `"`)
	}
	writeDirection(w, n)
	_ = w.WriteByte('>')
	if callout {
		label, _ := n.AttributeString("label")
		_, _ = w.WriteString("\n" + `<p><strong class="callout-label">` + html.EscapeString(label.(string)) +
			"</strong></p>\n")
	}
	return ast.WalkContinue, nil
}
