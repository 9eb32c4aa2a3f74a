package domain

import (
	"bytes"
	"html"
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
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

// HTML renders source and sanitises the result: it is safe to put in a page as
// it is. Raw HTML in the source is dropped.
func (m *Markdown) HTML(source string) string {
	var out bytes.Buffer
	if err := m.parser.Convert([]byte(source), &out); err != nil {
		return "<p>" + html.EscapeString(source) + "</p>"
	}
	return m.policy.SanitizeReader(&out).String()
}

// adapt fits a document of its own into a page: headings go one level down,
// because the page has its title, and images become links, because a page loads
// nothing from other hosts.
type adapt struct{}

func (adapt) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var images []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(n.Level+1, 6)
		case *ast.Image:
			images = append(images, n)
		}
		return ast.WalkContinue, nil
	})
	for _, image := range images {
		replaceByLink(image)
	}
}

func replaceByLink(image *ast.Image) {
	link := ast.NewLink()
	link.Destination, link.Title = image.Destination, image.Title
	for child := image.FirstChild(); child != nil; {
		next := child.NextSibling()
		link.AppendChild(link, child)
		child = next
	}
	if !link.HasChildren() {
		link.AppendChild(link, ast.NewString(image.Destination))
	}
	if parent, ok := image.Parent().(*ast.Link); ok { // a link cannot hold a link
		for child := link.FirstChild(); child != nil; {
			next := child.NextSibling()
			parent.InsertBefore(parent, image, child)
			child = next
		}
		parent.RemoveChild(parent, image)
		return
	}
	image.Parent().ReplaceChild(image.Parent(), image, link)
}
