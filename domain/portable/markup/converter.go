package markup

import (
	"regexp"
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
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		strikethrough.NewStrikethroughPlugin(), // joins neighbouring elements
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithSpanCellBehavior(table.SpanBehaviorEmpty)),
	))
	c.Register.RendererFor("details", converter.TagTypeBlock, renderDetails, converter.PriorityEarly)
	for mark, elements := range map[string][]string{"*": {"em", "i"}, "**": {"strong", "b"},
		"~~": {"del", "s", "strike"}} {
		for _, element := range elements {
			c.Register.RendererFor(element, converter.TagTypeInline, emphasis(mark), converter.PriorityEarly)
		}
	}
	c.Register.TextTransformer(func(ctx converter.Context, text string) string {
		linked, _ := ctx.Value("is_inside_link").(bool)
		return markWords(text, linked)
	}, converter.PriorityEarly)
	return c
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
		if next := c.NextSibling; next != nil && next.Data != "br" && endsInAddress.MatchString(c.Data) {
			c.Data += glued
		}
	}
}

// endsInAddress matches the end of a text in an address, which could go on with the marks of an element.
var endsInAddress = regexp.MustCompile(`(?i)(?:https?://|www\.)[^\s<>]+$`)
