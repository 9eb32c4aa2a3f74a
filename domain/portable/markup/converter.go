package markup

import (
	"bytes"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// toMarkdown converts simplified HTML to Markdown.
var toMarkdown = newConverter()

func newConverter() *converter.Converter {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithSpanCellBehavior(table.SpanBehaviorEmpty)),
	))
	c.Register.RendererFor("details", converter.TagTypeBlock, renderDetails, converter.PriorityEarly)
	c.Register.UnEscaper(escapeBracket, converter.PriorityEarly)
	return c
}

// maxLinkSearch is the number of bytes after an opening bracket that are searched for the end of a link.
const maxLinkSearch = 200

// escapeBracket escapes an opening bracket if its line goes on without a closing one. For other characters it returns
// -1, which leaves the decision to the converter. The converter searches the whole line for each bracket, which takes
// quadratic time.
func escapeBracket(chars []byte, at int) int {
	if chars[at] != '[' || len(chars)-at < maxLinkSearch ||
		bytes.ContainsAny(chars[at:at+maxLinkSearch], "]\n") {
		return -1
	}
	return 1
}

// joinTexts joins neighbouring text nodes. The converter would join them one by one, which takes quadratic time.
func joinTexts(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if joinTexts(c); c.Type != html.TextNode {
			continue
		}
		var text strings.Builder
		text.WriteString(c.Data)
		for next := c.NextSibling; next != nil && next.Type == html.TextNode; next = c.NextSibling {
			text.WriteString(next.Data)
			n.RemoveChild(next)
		}
		c.Data = text.String()
	}
}
