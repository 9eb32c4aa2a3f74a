package markdown

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain/plaintext"
)

// findingsKey is the key of a parser context for the findings of a text.
var findingsKey = parser.NewContextKey()

type findings struct {
	purpose   purpose
	otherwise string            // see Renderer.Otherwise
	anchors   *anchors          // for pages and feeds
	usernames map[string]string // see Renderer.Mentioning
	// mentioned are the names that the text mentions, if they are collected.
	mentioned  []string
	collecting bool
	tried      int // names after @ so far
	Rendered
}

// adapt transforms a parsed text so that it fits into a page. Headings get the levels below those of the page,
// without gaps, and ids. Images of this site are shown; others become links, because a page loads nothing from other
// hosts. HTML becomes text, so that nothing typed is lost and nothing is executed. Blocks get the direction of their
// own text. Prose gets the typographic marks of its language.
type adapt struct{ programs *programs }

func (t adapt) Transform(doc *ast.Document, reader text.Reader, context parser.Context) {
	about, ok := context.Get(findingsKey).(*findings)
	if !ok {
		about = &findings{}
	}
	source := reader.Source()
	joinLines(doc, source)
	prose := proseOf(doc, source)
	if about.Length = plaintext.LengthOf(prose); about.Language == "" {
		about.Language = plaintext.LanguageOf(prose, about.otherwise)
	}
	about.RightToLeft = setDirections(doc, source).attribute() == "rtl"
	a := &adapter{source: source, about: about, budget: t.programs.timeBudget()}
	_ = ast.Walk(doc, a.visit)
	for _, do := range a.replace { // after the walk, because replacing nodes would disturb it
		do()
	}
	top := topOfPost
	if about.purpose == forComment {
		top = topOfComment
	}
	closeRanks(a.headings, top)
	switch about.purpose {
	case forPage, forFeed: // links in a feed lead to the page
		var headings []named
		headings, about.anchors = nameHeadings(a, "")
		about.Sections = contents(headings, about.Length)
	case forPreview:
		headings, _ := nameHeadings(a, headingID)
		about.Sections = contents(headings, about.Length)
	default:
		for _, h := range a.headings {
			takeExplicitID(h, source)
		}
	}
	if about.purpose != forText { // a summary must not depend on the recognised language
		typeset(doc, source, about.Language)
	}
}

// adapter is the state of a walk through a document.
type adapter struct {
	source      []byte
	about       *findings
	headings    []*ast.Heading
	places      []*anchor
	closing     ast.Node    // tag of the last place
	links       []*ast.Link // within the text
	replace     []func()
	pictured    bool // a picture was found
	highlighted int  // number of bytes highlighted so far
	formulas    int  // number of bytes of formulas so far
	budget      *timeBudget
}

func (a *adapter) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		a.headings = append(a.headings, n)
	case *ast.Blockquote:
		a.quote(n)
	case *ast.Image:
		a.image(n)
	case *ast.Link:
		if bytes.HasPrefix(n.Destination, []byte("#")) {
			a.links = append(a.links, n)
		}
		a.link(n, string(n.Destination))
	case *ast.AutoLink:
		a.link(n, string(n.URL(a.source)))
		a.embed(n)
	case *mention:
		a.mention(n)
	case *ast.RawHTML:
		if a.within(n) {
			break
		}
		a.replace = append(a.replace, func() {
			n.Parent().ReplaceChild(n.Parent(), n, plain(n.Segments.Value(a.source)))
		})
	case *ast.HTMLBlock:
		a.replace = append(a.replace, func() { replaceByText(n, a.source) })
	case *ast.FencedCodeBlock:
		a.highlight(n)
	case *formula:
		var typed strings.Builder
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			writeInline(&typed, child, a.source)
		}
		n.set = a.setFormula(typed.String())
	case *formulaBlock:
		n.set = a.setFormula(string(n.Lines().Value(a.source)))
	case *detailsNode:
		if !n.closed {
			a.replace = append(a.replace, func() { asTypedSection(n) })
		}
	case *extensionast.FootnoteList:
		if a.about.purpose == forText {
			a.remove(n)
		}
	case *extensionast.FootnoteLink:
		switch a.about.purpose {
		case forText:
			a.remove(n)
		case forFeed, forComment, forBio: // there are many texts on one page
			n.SetAttributeString("bare", true)
		}
	case *extensionast.Footnote:
		if a.about.purpose.onPage() {
			n.SetAttributeString("id", true)
		}
	case *extensionast.FootnoteBacklink:
		if !a.about.purpose.onPage() {
			a.remove(n)
		}
	case *ast.CodeSpan: // code at its beginning must not decide the direction of a text
		setDirection(n, "ltr")
	}
	return ast.WalkContinue, nil
}

// within reports whether n is a tag of an anchor, an empty element such as <a id="place"></a>. It
// replaces the opening tag by a node for the anchor and removes the closing tag.
func (a *adapter) within(n *ast.RawHTML) bool {
	if n == a.closing {
		return true
	}
	place, closing := anchorOf(n, a.source)
	if place == nil {
		return false
	}
	if a.places = append(a.places, place); closing != nil {
		a.closing = closing
		a.remove(closing)
	}
	a.replace = append(a.replace, func() { n.Parent().ReplaceChild(n.Parent(), n, place) })
	return true
}

// highlight selects code for highlighting.
func (a *adapter) highlight(n *ast.FencedCodeBlock) {
	size := 0
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		size += line.Len()
	}
	if !a.about.purpose.onPage() && a.about.purpose != forComment || a.highlighted+size > maxHighlighted ||
		!highlightable(string(n.Lines().Value(a.source)), string(n.Language(a.source))) {
		return
	}
	a.highlighted += size
	n.SetAttributeString("highlight", a.budget)
}

// LinksOutside is the rel attribute of links to other sites: this site does not endorse the target, and the target
// learns nothing about this page.
const LinksOutside = "nofollow ugc noopener"

// link sets the target of a link. A link whose target is not allowed, such as a script, is replaced by its text.
func (a *adapter) link(n ast.Node, destination string) {
	rel, ok := relOf(destination)
	if ok {
		n.SetAttributeString("rel", rel)
		return
	}
	a.replace = append(a.replace, func() { replaceByChildren(n, a.source) })
}

// Linkable reports whether an address may be the target of a link in a text.
func Linkable(destination string) bool {
	_, ok := relOf(destination)
	return ok
}

// relOf returns the rel attribute for a link, empty for links within this site. It returns false if the target is not
// allowed.
func relOf(destination string) (rel string, ok bool) {
	destination = strings.TrimSpace(destination)
	// Character references become characters on the page.
	written := string(util.URLEscape([]byte(destination), true))
	u, err := url.Parse(written)
	switch {
	case err != nil:
		return "", false
	case LeavesBySlashes(destination) || LeavesBySlashes(written):
		return LinksOutside, true
	}
	switch u.Scheme {
	case "http", "https":
		return LinksOutside, true
	case "mailto", "":
		return "", true
	}
	return "", false
}

// LeavesBySlashes reports whether an address without a scheme names a host. Browsers (the URL Standard) take any
// number of slashes as the beginning of a host, treat a backslash as a slash, and ignore tabs and line ends.
func LeavesBySlashes(destination string) bool {
	destination = strings.Map(func(r rune) rune {
		switch r {
		case '\\':
			return '/'
		case '\t', '\r', '\n':
			return -1
		}
		return r
	}, destination)
	return strings.HasPrefix(strings.TrimSpace(destination), "//")
}
