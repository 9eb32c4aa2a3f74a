// Package markup translates HTML and other Markdown dialects into the Markdown of Inkfeed.
package markup

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/portable"
)

// Translator translates HTML to Markdown and records what it cannot keep.
type Translator struct {
	lost     map[string]loss   // by their texts
	referred map[string]bool   // ids to which links in the text lead
	shown    map[string]bool   // addresses of the pictures so far; true: for browsers without scripts
	others   map[string]string // ids that a page cannot have, with those that the text has instead
	Pictures map[string]bool   // addresses of pages that show only a picture
	// Templates is the policy for template code that cannot be translated. If such code stays in a text whose
	// post must become a draft, holds is true.
	Templates portable.TemplatePolicy
	holds     bool
	searched  int // bytes searched for closing tags
}

// loss is something in a text that was not kept.
type loss struct {
	portable.Problem
	times int
}

// RecordLoss records that something in a text was not kept.
func (t *Translator) RecordLoss(what locale.Message) { t.record(portable.MessageProblem(what)) }

// recordEmbed records that embedded content was replaced by a link.
func (t *Translator) recordEmbed(address string) {
	p := portable.MessageProblem(locale.M("embedded content is a link now: {1}", "1", address))
	p.KindMessage = locale.M("embedded content is a link now")
	p.Kind, p.Particulars = p.KindMessage.String(), address
	t.record(p)
}

func (t *Translator) record(p portable.Problem) {
	if t.lost == nil {
		t.lost = make(map[string]loss)
	}
	t.lost[p.Text] = loss{p, t.lost[p.Text].times + 1}
}

// ReportLosses adds the recorded losses of a post to a blog's problems.
func (t *Translator) ReportLosses(b *portable.Blog, where string) {
	for _, text := range slices.Sorted(maps.Keys(t.lost)) {
		lost := t.lost[text]
		lost.Where = where
		b.Problems = append(b.Problems, lost.Repeated(lost.times))
	}
}

// HTML translates a piece of HTML.
func (t *Translator) HTML(source string) (string, error) {
	if len(source) > portable.MaxText {
		return "", portable.ErrTooLarge
	}
	if err := checkHTML(source); err != nil {
		return "", errHTML(err)
	}
	source = unquotedFormula.ReplaceAllStringFunc(source, func(formula string) string {
		return comparison.ReplaceAllString(formula, "&lt;$1")
	})
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil { // it is nested too deeply for the parser
		return "", errHTML(err)
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	t.refer(source)
	return t.tree(body)
}

var (
	// unquotedFormula matches a formula of Jetpack, in which "<" needs not be written as a character reference.
	unquotedFormula = regexp.MustCompile(`\$latex[= ][^$>]{0,1000}\$`)
	comparison      = regexp.MustCompile(`<([^a-zA-Z/!]|[a-zA-Z][^>]*$)`)
)

// tree translates a tree of HTML nodes. It changes the tree.
func (t *Translator) tree(root *html.Node) (string, error) {
	var q quotes
	if q.limit(root, 0); q.marked > maxMarked+q.size/8 {
		return "", errHTML(errMultiplies)
	}
	if q.removed {
		t.RecordLoss(locale.M("quotes and lists that were nested very deeply are on fewer levels now"))
	}
	t.simplify(root)
	joinTexts(root)
	text, err := toMarkdown.ConvertNode(root)
	if err != nil {
		return "", errHTML(err)
	}
	return t.renamed(unmarkIDs(written(strings.TrimSpace(string(text))))), nil
}

// simplify reduces a tree to elements that Markdown can express.
func (t *Translator) simplify(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.CommentNode, c.Type == html.ElementNode && decorates(c):
			n.RemoveChild(c)
		case c.Type == html.TextNode:
			c.Data = withoutWordMarks.Replace(c.Data)
		case c.Type == html.ElementNode:
			t.simplify(c)
			t.element(n, c)
		}
		c = next
	}
}

// element simplifies one element. Its children are simplified already.
func (t *Translator) element(parent, n *html.Node) {
	t.keepID(parent, n)
	t.nameCard(Attribute(n, "class"))
	switch n.Data {
	case "img":
		if character := emoji(n); character != "" {
			parent.InsertBefore(&html.Node{Type: html.TextNode, Data: character}, n)
			parent.RemoveChild(n)
		} else {
			t.picture(parent, n, false)
		}
	case "a":
		href := Attribute(n, "href")
		SetAttribute(n, "href", characterReferences.ReplaceAllString(href, "&amp;$1"))
		// A thumbnail that links to the full picture.
		if img := OnlyChild(n, "img"); href != "" && !markdown.Linkable(href) {
			t.recordUnlinked(href)
			Unwrap(n)
		} else if img != nil && portable.IsImage(strings.SplitN(href, "?", 2)[0]) {
			SetAttribute(img, "src", href)
			Unwrap(n)
		} else if href == "" || img != nil && t.Pictures[href] {
			Unwrap(n)
		} else if title := firstBlock(n); title != nil {
			link := Element("a")
			link.Attr = n.Attr
			MoveChildren(title, link)
			title.AppendChild(link)
			Unwrap(n)
		}
	case "rp":
		parent.RemoveChild(n)
	case "rt":
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: "("}, n.FirstChild)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: ")"})
		Unwrap(n)
	case "span", "u", "small", "big", "font", "abbr", "acronym", "time", "mark", "ins", "ruby", "rb", "rtc", "bdi",
		"bdo", "nobr", "label", "data", "wbr": // texts beside each other must be one
		Unwrap(n)
	case "noscript":
		t.noscript(parent, n)
	case "script", "style", "link", "meta", "template":
		if n.Data == "script" {
			t.RecordLoss(locale.M("a script was left out"))
		}
		parent.RemoveChild(n)
	case "iframe", "embed", "video", "audio", "object", "source":
		t.media(parent, n)
	case "form", "input", "button", "select", "textarea", "canvas", "svg", "math":
		t.RecordLoss(locale.M("a {element} was left out", "element", "<"+n.Data+">"))
		parent.RemoveChild(n)
	case "figcaption":
		Rename(n, "p")
		if !onlyIn(n, "em") && hasText(n) {
			em := Element("em")
			MoveChildren(n, em)
			n.AppendChild(em)
		}
	case "figure", "center", "address", "section", "article", "aside", "header", "footer", "main", "nav", "hgroup",
		"dl":
		Rename(n, "div")
	case "summary":
		flatten(n) // a heading must be a single line
		if parent.Data != "details" {
			Rename(n, "p")
		}
	case "dt":
		strong := Element("strong")
		MoveChildren(n, strong)
		n.AppendChild(strong)
		Rename(n, "p")
	case "dd":
		Rename(n, "p")
	case "kbd", "samp", "tt", "var":
		Rename(n, "code")
	case "cite", "dfn":
		Rename(n, "em")
	case "td", "th": // cells must be single lines
		flatten(n)
		for d := range n.Descendants() {
			if d.Type == html.TextNode && d.Parent.Data == "code" {
				d.Data = strings.ReplaceAll(d.Data, "|", `\|`)
			}
		}
	case "sup", "sub":
		t.script(n)
	case "q":
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: "“"}, n.FirstChild)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: "”"})
	case "div":
		callout(n)
	case "ul", "li":
		if c := Attribute(n, "class"); strings.Contains(c, "blocks-gallery-") {
			Rename(n, "div")
		}
	}
}

// script replaces superscript and subscript numbers by the digits that Unicode has for them, and leaves other words
// that Markdown can express.
func (t *Translator) script(n *html.Node) {
	if c := n.FirstChild; c != nil && c.NextSibling == nil && c.Type == html.TextNode {
		if text, ok := scripted(n.Data, strings.TrimSpace(c.Data)); ok {
			c.Data = text
			Unwrap(n)
			return
		}
		after := ""
		if next := n.NextSibling; next != nil && next.Type == html.TextNode {
			after = next.Data
		}
		if p := n.PrevSibling; p != nil && p.Type == html.TextNode && scripts(p.Data, n.Data, c.Data, after) != "" {
			return
		}
	}
	t.RecordLoss(locale.M("a {element} is plain text now", "element", "<"+n.Data+">"))
	Unwrap(n)
}

// media replaces a player by a link.
func (t *Translator) media(parent, n *html.Node) {
	src := firstSource(n)
	if n.Data == "source" || src == "" {
		if n.Data != "source" {
			t.RecordLoss(locale.M("a {element} without an address was left out", "element", "<"+n.Data+">"))
			parent.RemoveChild(n)
		}
		return
	}
	if strings.HasPrefix(src, "//") {
		src = "https:" + src
	}
	src = Watchable(src)
	t.recordEmbed(src)
	link := Element("a")
	SetAttribute(link, "href", src)
	name := Attribute(n, "title")
	if name == "" {
		name = src
	}
	link.AppendChild(&html.Node{Type: html.TextNode, Data: name})
	p := Element("p")
	p.AppendChild(link)
	parent.InsertBefore(p, n)
	parent.RemoveChild(n)
}

// PlainText removes the markup that WordPress allows in titles and names.
func PlainText(s string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(s, ""))), " ")
}

// EmbedLinkHTML returns a link to embedded content as HTML.
func (t *Translator) EmbedLinkHTML(address string) string {
	t.recordEmbed(address)
	return `<p><a href="` + html.EscapeString(address) + `">` + html.EscapeString(address) + `</a></p>`
}

// BlockElement matches the tag of an element that is not part of a paragraph.
var BlockElement = regexp.MustCompile(`(?i)^</?(?:address|article|aside|blockquote|center|dd|details|div|dl|dt|` +
	`fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|iframe|li|main|nav|object|ol|p|pre|script|section|` +
	`style|table|tbody|td|tfoot|th|thead|tr|ul|video)\b`)

// tags matches HTML tags.
var tags = regexp.MustCompile(`</?[a-zA-Z][^>]*>`)

// ReadMore matches the comments of WordPress and WriteFreely that divide a text into an introduction and the rest.
var ReadMore = regexp.MustCompile(`<!--\s*(?:more|nextpage)[^>]*-->`)
