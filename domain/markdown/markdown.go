// Package markdown renders the Markdown that users write as sanitised HTML, as plain text and as summaries.
// The time and memory that a text can take are limited.
package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"time"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain"
	"inkfeed/domain/embed"
	"inkfeed/domain/markdown/mathml"
	"inkfeed/domain/plaintext"
)

// Renderer renders what users write. It is safe for concurrent use.
type Renderer struct {
	converter goldmark.Markdown
	policy    *bluemonday.Policy
	language  string // of all texts; empty: that of each text is detected
	otherwise func() string
	usernames map[string]string // see Mentioning
}

// In returns a renderer of texts in a language, a BCP 47 tag. If it is empty, the language of each text is detected.
func (m *Renderer) In(language string) *Renderer {
	in := *m
	in.language = language
	return &in
}

// Otherwise returns a renderer that asks for the language of texts that do not tell theirs: see plaintext.LanguageOf.
func (m *Renderer) Otherwise(language func() string) *Renderer {
	other := *m
	other.otherwise = language
	return &other
}

// New returns a renderer of CommonMark with GitHub's tables, strikethrough, bare links and task lists, and with
// footnotes, definition lists, formulas, foldable sections, typographic quotation marks and highlighted programs.
func New() *Renderer { return newRenderer(time.Now) }

func newRenderer(now func() time.Time) *Renderer {
	converter := goldmark.New(goldmark.WithParser(BoundedParser()),
		goldmark.WithExtensions(extension.NewTable(
			extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			Inlines{}, tasks{}, extension.Footnote, extension.DefinitionList, maths{}, details{},
			mentions{}),
		// After the extensions' own transformers.
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(adapt{newPrograms(now)}, 2000))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(pageRenderer{}, 100))))
	return &Renderer{converter: converter, policy: newPolicy(), otherwise: func() string { return "" }}
}

// newPolicy allows exactly what our renderer and goldmark's write.
func newPolicy() *bluemonday.Policy {
	exactly := func(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(` + pattern + `)$`) }
	p := bluemonday.NewPolicy()
	p.AllowStandardURLs()
	p.AllowElements("h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "pre", "code",
		"strong", "em", "del", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
		"dl", "dt", "dd", "div", "span", "sub", "sup", "section", "figure", "figcaption", "details", "summary")
	p.AllowAttrs("open").Matching(exactly(``)).OnElements("details")
	p.AllowAttrs("dir").Matching(exactly(`auto|rtl|ltr`)).OnElements("ul", "ol", "dl", "blockquote", "table", "div")
	p.AllowAttrs("dir").Matching(exactly(`rtl|ltr`)).OnElements("p", "h2", "h3", "h4", "h5", "h6", "li")
	p.AllowAttrs("dir").Matching(exactly(`ltr`)).OnElements("code", "span")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("rel").Matching(exactly(LinksOutside)).OnElements("a")
	p.RequireNoFollowOnLinks(false) // which AllowStandardURLs asks for, within the site too
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	p.AllowAttrs("aria-label").OnElements("a", "section", "span", "div")
	p.AllowAttrs("role").Matching(exactly(`img`)).OnElements("span")
	p.AllowAttrs("role").Matching(exactly(`group`)).OnElements("div")
	p.AllowAttrs("id").Matching(anchorForm).OnElements("h2", "h3", "h4", "h5", "h6", "li", "a", "div", "span")
	p.AllowAttrs("tabindex").Matching(exactly(`0`)).OnElements("pre", "div")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(exactly(`left|center|right`)).OnElements("td", "th")
	p.AllowAttrs("class").Matching(exactly(`language-[\w+#-]{1,30}`)).OnElements("code")
	p.AllowAttrs("data-language").Matching(exactly(`[\w+#-]{1,30}`)).OnElements("pre")
	p.AllowAttrs("class").Matching(exactly(`[cksnftidg]|math|task|missing-picture|picture-note`)).OnElements("span")
	p.AllowAttrs("class").Matching(exactly(`section|math`)).OnElements("div")
	p.AllowAttrs("class").Matching(exactly(`footnotes`)).OnElements("section")
	p.AllowAttrs("class").Matching(exactly(`gallery|attribution|embed`)).OnElements("p")
	p.AllowAttrs("class").Matching(exactly(`callout callout-[a-z]+`)).OnElements("div", "blockquote")
	p.AllowAttrs("class").Matching(exactly(`callout-label`)).OnElements("strong")
	p.AllowAttrs("class").Matching(exactly(`(wide|full)-picture`)).OnElements("figure")
	p.AllowAttrs("class").Matching(exactly(`anchor|backlink|mention`)).OnElements("a")
	p.AllowAttrs("dir").Matching(exactly(`auto`)).OnElements("a")
	for element, attributes := range mathml.Elements {
		p.AllowNoAttrs().OnElements(element)
		p.AllowAttrs(attributes...).Matching(mathml.AttributeValue).OnElements(element)
	}
	allowImages(p)
	return p
}

// The first heading level of a text: below the post's title, or below the heading of the comments.
const (
	topOfPost    = 2
	topOfComment = 3
)

// Rendered is a post's rendered text with what was found in it.
type Rendered struct {
	HTML     string    // sanitised: safe to put in a page as it is
	Sections []Section // the table of contents, or nil if the text needs none
	// Language is a BCP 47 tag: that of Renderer.In or, if there is none, the language of the text. If that is not
	// clear, it is that of Renderer.Otherwise, or empty: see plaintext.LanguageOf.
	Language string
	Length   plaintext.Length
	// Pictures are the images of this site that the text shows, in its order, with their descriptions.
	Pictures []domain.Cover
	// Unset are the formulas that could not be set, so that they are shown as they were typed.
	Unset []string
	// Embeds are what the text shows as cards: each is a paragraph of the class "embed" that consists of a link.
	Embeds []embed.Embed
	// Framed reports that the page allows the frames of the embeds.
	Framed bool
	// RightToLeft reports that the text is written from right to left: see plaintext.DirectionOfProse.
	RightToLeft bool
}

// HTML renders a post's text as sanitised HTML. HTML in the source is shown as it was typed, except foldable
// sections, and so is a source that is too complex.
func (m *Renderer) HTML(source string) string { return m.Post(source).HTML }

// Post renders a post's text with its contents, language and length.
func (m *Renderer) Post(source string) Rendered { return m.render(source, forPage) }

// Preview renders a text like Post, for a page that shows it among the fields of a form. The ids of the text
// cannot clash with those of fields.
func (m *Renderer) Preview(source string) Rendered { return m.render(source, forPreview) }

// Fragments returns a function that maps a fragment of an address to the id of that place on the page of a
// text. The function returns false if the text has no such place.
func (m *Renderer) Fragments(source string) func(fragment string) (id string, ok bool) {
	if about := m.findings(source, forFeed); about.anchors != nil {
		return about.anchors.find
	}
	return func(string) (string, bool) { return "", false }
}

// CommentHTML renders a comment. Because a page has many comments, it writes no ids and shows no images.
func (m *Renderer) CommentHTML(source string) string { return m.render(source, forComment).HTML }

// BioHTML renders a user's self-description, below a heading of the page.
func (m *Renderer) BioHTML(source string) string { return m.render(source, forBio).HTML }

// purpose is where a rendered text is used.
type purpose int

const (
	forPage    purpose = iota // the post's own page
	forComment                // one of many texts on a page
	forBio                    // a comment whose headings come right below the page's own
	forFeed                   // a feed reader, which has no style sheet
	forText                   // plain text; the HTML is not sanitised
	forPreview                // as forPage, but among the fields of a form
)

// onPage reports whether the text is the only one of its page, so that it has ids.
func (p purpose) onPage() bool { return p == forPage || p == forPreview }

func (m *Renderer) render(source string, purpose purpose) Rendered {
	return m.findings(source, purpose).Rendered
}

func (m *Renderer) findings(source string, purpose purpose) *findings {
	context := parser.NewContext()
	about := &findings{purpose: purpose, otherwise: m.otherwise(), usernames: m.usernames}
	about.Language = m.language
	context.Set(findingsKey, about)
	var out output
	out.Grow(len(source) + len(source)/4)
	if err := m.converter.Convert([]byte(source), &out, parser.WithContext(context)); err != nil || RanOut(context) {
		about = unread(source)
		about.Language = m.language
		return about
	}
	about.HTML = out.String()
	switch {
	case purpose == forText:
	case isPlain(about.HTML):
		about.HTML = sanitisedQuotes.Replace(about.HTML)
	default:
		about.HTML = m.policy.SanitizeReader(&out).String()
	}
	// This is done after rendering, because the source may contain character references such as &#8238;.
	about.HTML = plaintext.WithoutDirections(about.HTML)
	return about
}

// plainTags are tags that the sanitising policy keeps.
var plainTags = map[string]bool{"p": true, "/p": true, "br": true, "em": true, "/em": true, "strong": true,
	"/strong": true, "del": true, "/del": true, "ul": true, "/ul": true, "ol": true, "/ol": true, "li": true,
	"/li": true}

// isPlain reports whether HTML has only plainTags and no attributes, so that the sanitising policy would change only
// how quotation marks are escaped. Most comments are plain, and for them the policy would take longer than the parser.
func isPlain(html string) bool {
	for {
		i := strings.IndexAny(html, "<&\r")
		if i < 0 {
			return true
		}
		begin := html[i]
		html = html[i+1:]
		switch begin {
		case '<':
			tag, after, closed := strings.Cut(html, ">")
			if !closed || !plainTags[tag] {
				return false
			}
			html = after
		case '&':
			name, after, closed := strings.Cut(html, ";")
			if !closed || name != "amp" && name != "lt" && name != "gt" && name != "quot" {
				return false
			}
			html = after
		default: // the policy changes line ends
			return false
		}
	}
}

// sanitisedQuotes escapes quotation marks as the sanitising policy does.
var sanitisedQuotes = strings.NewReplacer("&quot;", "&#34;", "'", "&#39;")

// output collects rendered HTML. It is a util.BufWriter, so goldmark puts no buffer in front of it.
type output struct{ bytes.Buffer }

func (*output) Buffered() int { return 0 }
func (*output) Flush() error  { return nil }

// unread returns the result for a text that is not parsed as Markdown.
func unread(source string) *findings {
	return &findings{Rendered: Rendered{HTML: asTyped(source), Length: plaintext.LengthOf(source),
		RightToLeft: plaintext.RightToLeft(source)}}
}

// asTyped returns HTML that shows a source without parsing it as Markdown.
func asTyped(source string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(plaintext.WithoutDirections(source), "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			b.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(paragraph), "\n", "<br>\n") + "</p>\n")
		}
	}
	return b.String()
}
