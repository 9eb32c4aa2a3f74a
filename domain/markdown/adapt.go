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

// findingsKey is where a parser context says what a text is rendered for, and gets to know
// what was found in it.
var findingsKey = parser.NewContextKey()

type findings struct {
	purpose purpose
	anchors *anchors // of a page and a feed
	Rendered
}

// adapt fits a document of its own into a page. Headings take the levels that
// follow those of the page, without gaps, and addresses of their own. Images of ours are
// shown; others become links, because a page loads nothing from other hosts. HTML becomes
// text, so that nothing typed is lost and nothing is executed. Blocks with a side, such as
// lists, take the direction of their own text. Prose is typeset in its language.
type adapt struct{ programs *programs }

func (t adapt) Transform(doc *ast.Document, reader text.Reader, context parser.Context) {
	about, ok := context.Get(findingsKey).(*findings)
	if !ok {
		about = &findings{}
	}
	source := reader.Source()
	prose := proseOf(doc, source)
	about.Language, about.Length = plaintext.LanguageOf(prose), plaintext.LengthOf(prose)

	a := &adapter{source: source, about: about, budget: t.programs.timeBudget()}
	_ = ast.Walk(doc, a.visit)
	for _, do := range a.replace { // after the walk, which they would confuse
		do()
	}
	top := topOfPost
	if about.purpose == forComment {
		top = topOfComment
	}
	closeRanks(a.headings, top)
	switch about.purpose {
	case forPage, forFeed: // a feed's links lead to the page
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
	if about.purpose != forText { // a short form stays the same whatever is taken for its language
		typeset(doc, source, about.Language)
	}
}

// adapter is a walk through a document.
type adapter struct {
	source      []byte
	about       *findings
	headings    []*ast.Heading
	places      []*anchor
	closing     ast.Node    // tag of the last place
	links       []*ast.Link // within the text
	replace     []func()
	highlighted int // bytes so far
	budget      *timeBudget
}

func (a *adapter) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		a.headings = append(a.headings, n)
	case *ast.Image:
		a.image(n)
	case *ast.Link:
		if bytes.HasPrefix(n.Destination, []byte("#")) {
			a.links = append(a.links, n)
		}
		a.link(n, string(n.Destination))
	case *ast.AutoLink:
		a.link(n, string(n.URL(a.source)))
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
		case forFeed, forComment, forBio: // many texts stand on one page
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
	case *ast.List, *ast.Blockquote, *extensionast.Table, *extensionast.DefinitionList:
		n.SetAttributeString("dir", []byte("auto"))
	}
	return ast.WalkContinue, nil
}

// within reports whether a tag is one of an empty element that names a place. The place takes the
// stead of the opening tag.
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

// highlight marks code that is to be coloured.
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

// outside says of a link that nobody here vouches for where it leads, and that the page
// there learns nothing from the one here.
const outside = "nofollow ugc noopener"

// link says where a link leads. One that leads nowhere a page may lead to, such as a
// script, is left as its text.
func (a *adapter) link(n ast.Node, destination string) {
	rel, ok := relOf(destination)
	if ok {
		n.SetAttributeString("rel", rel)
		return
	}
	a.replace = append(a.replace, func() { replaceByChildren(n, a.source) })
}

// relOf is the relation of a link's target to the page, empty within this site. It is
// false for what is not linked to.
func relOf(destination string) (rel string, ok bool) {
	destination = strings.TrimSpace(destination)
	// What is written to the page: references to characters have become those.
	written := string(util.URLEscape([]byte(destination), true))
	if LeavesBySlashes(destination) || LeavesBySlashes(written) {
		return outside, true
	}
	u, err := url.Parse(written)
	if err != nil {
		return "", false
	}
	switch u.Scheme {
	case "http", "https":
		return outside, true
	case "mailto":
		return "", true
	case "":
		return "", true
	}
	return "", false
}

// leavesBySlashes tells whether an address without a scheme names a host all the same. As
// browsers read it (the URL Standard), as many slashes as there are begin a host, a backslash
// is one, and tabs and line ends are not there.
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
