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
		"~~": {"del", "s", "strike"}, "~": {"sub"}, "^": {"sup"}} {
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
	joinFormulas(n)
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

// joinFormulas replaces the line breaks in a formula between $$ and $$, with which blogs end the lines of all
// paragraphs.
func joinFormulas(n *html.Node) {
	var breaks []*html.Node
	within := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && strings.Count(c.Data, "$$")%2 == 1:
			for _, line := range breaks {
				*line = html.Node{Type: html.TextNode, Data: " ", Parent: n, PrevSibling: line.PrevSibling,
					NextSibling: line.NextSibling}
			}
			within, breaks = !within, nil
		case c.Data == "br" && within:
			breaks = append(breaks, c)
		case c.Type != html.TextNode:
			within, breaks = false, nil
		}
	}
}

// endsInAddress matches the end of a text in an address, which could go on with the marks of an element.
var endsInAddress = regexp.MustCompile(addressForm + `$`)
