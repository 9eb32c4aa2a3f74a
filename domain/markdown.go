package domain

import (
	"bytes"
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// Markdown renders what users write. It is safe for concurrent use.
type Markdown struct {
	parser goldmark.Markdown
	policy *bluemonday.Policy
}

// NewMarkdown makes a renderer of CommonMark with GitHub's tables,
// strikethrough and bare links.
func NewMarkdown() *Markdown {
	policy := bluemonday.NewPolicy()
	policy.AllowStandardURLs()
	policy.AllowElements("h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "pre", "code",
		"strong", "em", "del", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	policy.AllowAttrs("dir").Matching(regexp.MustCompile(`^auto$`)).OnElements("ul", "ol", "blockquote", "table")
	policy.AllowAttrs("href").OnElements("a")
	policy.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	policy.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[\w+#-]{1,30}$`)).OnElements("code")
	policy.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("td", "th")
	policy.RequireNoFollowOnLinks(true)
	return &Markdown{
		parser: goldmark.New(
			goldmark.WithExtensions(extension.NewTable(
				extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
				extension.Strikethrough, extension.Linkify),
			goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(adapt{}, 100))),
		),
		policy: policy,
	}
}

// Where the headings of a text begin in the outline of the page it stands on:
// below the post's title, and below the heading of its comments.
const (
	topOfPost    = 2
	topOfComment = 3
)

// HTML renders a post's text and sanitises the result: it is safe to put in a
// page as it is. HTML in the source is shown as it was typed, and so is a source
// too intricate to be meant as Markdown.
func (m *Markdown) HTML(source string) string { return m.render(source, topOfPost) }

// CommentHTML is HTML for a comment.
func (m *Markdown) CommentHTML(source string) string { return m.render(source, topOfComment) }

func (m *Markdown) render(source string, top int) string {
	if intricate(source) {
		return asTyped(source)
	}
	context := parser.NewContext()
	context.Set(topHeading, top)
	var out bytes.Buffer
	if err := m.parser.Convert([]byte(source), &out, parser.WithContext(context)); err != nil {
		return asTyped(source)
	}
	return m.policy.SanitizeReader(&out).String()
}
