package markdown

import (
	"fmt"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// pageRenderer renders nodes whose HTML differs from that of goldmark's own renderers. The sanitising policy keeps all
// of its output.
type pageRenderer struct{}

func (pageRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, renderHeading)
	r.Register(ast.KindParagraph, renderParagraph)
	r.Register(ast.KindBlockquote, renderQuote)
	r.Register(ast.KindImage, renderImage)
	r.Register(kindAnchor, renderAnchor)
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindAutoLink, renderAutoLink)
	r.Register(ast.KindCodeBlock, renderCode)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(extensionast.KindTaskCheckBox, renderTask)
	r.Register(extensionast.KindDefinitionList, renderDefinitions)
	r.Register(extensionast.KindFootnoteLink, renderFootnoteLink)
	r.Register(extensionast.KindFootnoteBacklink, renderFootnoteBacklink)
	r.Register(extensionast.KindFootnoteList,
		surround("<section class=\"footnotes\" aria-label=\"Footnotes\">\n<ol>\n", "</ol>\n</section>\n"))
	r.Register(extensionast.KindFootnote, renderFootnote)
}

// renderHeading puts the link to a heading beside the heading. Inside, screen readers would read it out with the text.
func renderHeading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading)
	id, named := n.AttributeString("id")
	title, _ := n.AttributeString("title")
	switch {
	case entering && named:
		_, _ = fmt.Fprintf(w, `<div class="section" id="%s"><h%d`, id, n.Level)
		if former, ok := n.AttributeString("former"); ok {
			_, _ = fmt.Fprintf(w, ` id="%s"`, former)
		}
		writeDirection(w, n)
		_ = w.WriteByte('>')
		also, _ := n.AttributeString("also")
		for _, id := range also.([]string) {
			writeAnchor(w, id)
		}
	case entering:
		_, _ = fmt.Fprintf(w, "<h%d", n.Level)
		writeDirection(w, n)
		_ = w.WriteByte('>')
	case named:
		_, _ = fmt.Fprintf(w, `</h%d><a class="anchor" href="#%s" aria-label="`, n.Level, id)
		_, _ = w.Write(util.EscapeHTML([]byte("Link to this section: " + title.(string))))
		_, _ = w.WriteString("\">#</a></div>\n")
	default:
		_, _ = fmt.Fprintf(w, "</h%d>\n", n.Level)
	}
	return ast.WalkContinue, nil
}

func renderLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		openLink(w, node, node.(*ast.Link).Destination)
	} else {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func openLink(w util.BufWriter, n ast.Node, destination []byte) {
	_, _ = w.WriteString(`<a href="`)
	if !html.IsDangerousURL(destination) {
		_, _ = w.Write(util.EscapeHTML(util.URLEscape(destination, true)))
	}
	if rel, _ := n.AttributeString("rel"); rel != "" && rel != nil {
		_, _ = w.WriteString(`" rel="` + rel.(string))
	}
	_, _ = w.WriteString(`">`)
}

func renderAutoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.AutoLink)
	destination := n.URL(source)
	if n.AutoLinkType == ast.AutoLinkEmail && !hasMailto(destination) {
		destination = append([]byte("mailto:"), destination...)
	}
	openLink(w, n, destination)
	_, _ = w.Write(util.EscapeHTML(n.Label(source)))
	_, _ = w.WriteString("</a>")
	return ast.WalkContinue, nil
}

func hasMailto(destination []byte) bool {
	return len(destination) > 7 && string(destination[:7]) == "mailto:"
}

// renderCode makes a code block focusable, because a keyboard can only scroll a wide block that has the focus. The
// style sheet shows its language.
func renderCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var language []byte
	if fenced, ok := n.(*ast.FencedCodeBlock); ok {
		language = fenced.Language(source)
	}
	_, _ = w.WriteString(`<pre tabindex="0"`)
	if len(language) > 0 {
		escaped := util.EscapeHTML(language)
		_, _ = fmt.Fprintf(w, ` data-language="%s"><code class="language-%[1]s"`, escaped)
	} else {
		_, _ = w.WriteString("><code")
	}
	_ = w.WriteByte('>')
	code := n.Lines().Value(source)
	var tokens []chroma.Token
	left, highlighted := n.AttributeString("highlight")
	if highlighted {
		tokens, highlighted = left.(*timeBudget).tokens(string(code), string(language))
	}
	if highlighted {
		writeTokens(w, string(code), tokens)
	} else {
		_, _ = w.Write(util.EscapeHTML(code))
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// renderTask writes a check box as a character, which needs no form and no style sheet.
func renderTask(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		if node.(*extensionast.TaskCheckBox).IsChecked {
			_, _ = w.WriteString(`<span class="task" role="img" aria-label="Done:">☑</span> `)
		} else {
			_, _ = w.WriteString(`<span class="task" role="img" aria-label="To do:">☐</span> `)
		}
	}
	return ast.WalkContinue, nil
}

func referenceID(index, reference int) string {
	if reference == 0 {
		return fmt.Sprintf("fnref-%d", index)
	}
	return fmt.Sprintf("fnref-%d-%d", index, reference+1)
}

func renderFootnoteLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*extensionast.FootnoteLink)
	if _, bare := n.AttributeString("bare"); bare && entering {
		_, _ = fmt.Fprintf(w, `<sup>%d</sup>`, n.Index)
	} else if entering {
		_, _ = fmt.Fprintf(w, `<sup><a id="%s" href="#fn-%d" aria-label="Footnote %d">%d</a></sup>`,
			referenceID(n.Index, n.RefIndex), n.Index, n.Index, n.Index)
	}
	return ast.WalkContinue, nil
}

func renderFootnoteBacklink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		n := node.(*extensionast.FootnoteBacklink)
		_, _ = fmt.Fprintf(w, ` <a class="backlink" href="#%s" aria-label="Back to the text">↩︎</a>`,
			referenceID(n.Index, n.RefIndex))
	}
	return ast.WalkContinue, nil
}

func renderFootnote(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	switch _, named := node.AttributeString("id"); {
	case entering && named:
		_, _ = fmt.Fprintf(w, "<li id=\"fn-%d\">\n", node.(*extensionast.Footnote).Index)
	case entering:
		_, _ = w.WriteString("<li>\n")
	default:
		_, _ = w.WriteString("</li>\n")
	}
	return ast.WalkContinue, nil
}

func renderDefinitions(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<dl")
		writeDirection(w, n)
		_, _ = w.WriteString(">\n")
	} else {
		_, _ = w.WriteString("</dl>\n")
	}
	return ast.WalkContinue, nil
}
