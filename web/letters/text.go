package letters

import (
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// Text returns the plain text of an HTML mail, which has everything that the mail shows, with the addresses of its
// links.
func Text(mail string) (string, error) {
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithBulletListMarker("-")),
		strikethrough.NewStrikethroughPlugin(), table.NewTablePlugin()))
	c.Register.TextTransformer(markSigns, converter.PriorityEarly)
	c.Register.RendererFor("a", converter.TagTypeInline, writeLink, converter.PriorityEarly)
	c.Register.RendererFor("img", converter.TagTypeInline, writeAlt, converter.PriorityEarly)
	text, err := c.ConvertString(mail)
	return strings.NewReplacer("  \n", "\n", less, "<", greater, ">").Replace(text) + "\n", err
}

// The signs that the converter would write as character references, while it works.
const less, greater = "\x0e", "\x0f"

func markSigns(_ converter.Context, text string) string {
	return strings.NewReplacer("<", less, ">", greater).Replace(text)
}

// writeLink writes the address after the text of a link, unless they are the same. That of a button has its own line,
// and that of a picture is left out, because the words beside it link to the same.
func writeLink(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var b strings.Builder
	ctx.RenderChildNodes(ctx, &b, n)
	text, address := strings.TrimSpace(b.String()), attribute(n.Attr, "href")
	switch {
	case address == "" || text == address || isPicture(n.FirstChild):
	case attribute(n.Attr, "class") == "button":
		text += ":\n" + address
	default:
		text += " <" + address + ">"
	}
	_, _ = w.WriteString(text)
	return converter.RenderSuccess
}

// writeAlt writes the description of a picture, and the address unless it is in a link.
func writeAlt(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if alt := attribute(n.Attr, "alt"); alt != "" {
		_, _ = w.WriteString("[" + alt + "]")
	}
	if n.Parent.Data != "a" {
		_, _ = w.WriteString(" <" + attribute(n.Attr, "src") + ">")
	}
	return converter.RenderSuccess
}

func isPicture(n *html.Node) bool { return n != nil && n.Data == "img" }
