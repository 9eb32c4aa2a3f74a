package markup

import (
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"inkfeed/domain/markdown"
)

// generated matches ids that programs make from numbers or for the end of an excerpt. Authors do not link to them.
var generated = regexp.MustCompile(`^(?:more(?:-\d+)?|[0-9a-f]{4,40}|.*\d{5,}.*|.*[0-9a-f]{8}-[0-9a-f]{4}-.*)$`)

// aroundAddresses are the characters that addresses do not have.
const aroundAddresses = " \t\n\f\r\"'()<>"

// refer records the places of a text to which its own links lead.
func (t *Translator) refer(source string) {
	for at := 0; ; at++ {
		next := strings.IndexByte(source[at:], '#')
		if next < 0 {
			return
		}
		at += next
		start := strings.LastIndexAny(source[:at], aroundAddresses+"#") + 1
		if !isLinked(source[:start], source[start:at]) {
			continue
		}
		place := source[at+1:]
		if end := strings.IndexAny(place, aroundAddresses); end >= 0 {
			place = place[:end]
		}
		if place == "" {
			continue
		}
		if t.referred == nil {
			t.referred = make(map[string]bool)
		}
		t.referred[place] = true
		if id, err := url.PathUnescape(place); err == nil {
			t.referred[id] = true
		}
		at += len(place)
	}
}

// isLinked reports whether an address, in Markdown or HTML, is that of a link. The beginning of a link may count as
// part of the address.
func isLinked(before, address string) bool {
	if strings.Contains(address, "]:") || strings.Contains(address, "href=") {
		return true
	}
	trimmed := strings.TrimRight(strings.TrimSuffix(before, "<"), " \t")
	if strings.HasSuffix(trimmed, "](") || strings.HasSuffix(trimmed, "]:") {
		return true
	}
	attribute := strings.TrimRight(before, " \t\r\n\"'")
	attribute, isAttribute := strings.CutSuffix(attribute, "=")
	return isAttribute && strings.HasSuffix(strings.TrimRight(attribute, " \t\r\n"), "href")
}

// wanted returns the id that an element keeps. An id is worth keeping if a link of the text leads to it, or if it is on
// an element used for anchors and looks handwritten. It gets another form if a page cannot have it: see renamed.
func (t *Translator) wanted(element, id string) (kept string, ok bool) {
	switch {
	case t.referred[id] && !markdown.IsAnchor(id):
		if t.others == nil {
			t.others = make(map[string]string)
		}
		t.others[id] = "at-" + strings.Map(func(r rune) rune {
			if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return '-'
		}, id[:min(len(id), maxPlace)])
		return t.others[id], markdown.IsAnchor(t.others[id])
	case t.referred[id]:
		return id, true
	}
	switch element {
	case "a", "span", "h1", "h2", "h3", "h4", "h5", "h6":
		return id, markdown.IsAnchor(id) && !generated.MatchString(id)
	}
	return "", false
}

// maxPlace is the number of bytes of an id that stay when it gets another form.
const maxPlace = 200

// renamed makes the links of a Markdown text lead to the ids that got another form.
func (t *Translator) renamed(source string) string {
	if len(t.others) == 0 {
		return source
	}
	return Rewrite(source, func(l Link) (string, bool) {
		id, within := strings.CutPrefix(l.Destination, "#")
		if plain, err := url.PathUnescape(id); err == nil {
			id = plain
		}
		return "#" + t.others[id], within && t.others[id] != ""
	})
}

// place returns the anchor in Inkfeed's Markdown for the id of a tag between words, or "".
func (t *Translator) place(element string, attributes []html.Attribute) string {
	for _, a := range attributes {
		if a.Key == "id" || a.Key == "name" && element == "a" {
			if id, ok := t.wanted(element, a.Val); ok {
				return anchorTag(id)
			}
		}
	}
	return ""
}

// placeOf is place for a tag as it was typed.
func (t *Translator) placeOf(tag string) string {
	z := html.NewTokenizer(strings.NewReader(tag))
	z.Next()
	token := z.Token()
	return t.place(token.Data, token.Attr)
}

func anchorTag(id string) string { return `<a id="` + id + `"></a>` }

// Marks around an id, in hexadecimal digits so that the translation escapes nothing in it, until
// unmarkIDs writes it: control characters that no text needs.
const (
	placeMark   = "\x14"
	headingMark = "\x15"
	markEnd     = "\x16"
)

var markedID = regexp.MustCompile(`( ?)([\x14\x15])([0-9a-f]*)\x16`)

// keepID marks the id of an element in its text. It omits an id that a heading gets from its text.
func (t *Translator) keepID(parent, n *html.Node) {
	id := Attribute(n, "id")
	if id == "" && n.Data == "a" {
		id = Attribute(n, "name")
	}
	id, ok := t.wanted(n.Data, id)
	if id == "" || !ok {
		return
	}
	mark := func(kind string) *html.Node {
		return &html.Node{Type: html.TextNode, Data: kind + hex.EncodeToString([]byte(id)) + markEnd}
	}
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if !markdown.IsSlugOf(id, strings.Join(strings.Fields(allText(n)), " ")) {
			n.AppendChild(mark(headingMark))
		}
	case "p", "div", "section", "article", "li", "td", "th", "dt", "dd", "blockquote", "figure", "figcaption", "center":
		n.InsertBefore(mark(placeMark), n.FirstChild)
	case "ul", "ol", "table", "pre", "dl":
		p := Element("p")
		p.AppendChild(mark(placeMark))
		parent.InsertBefore(p, n)
	case "tr", "thead", "tbody", "tfoot":
		for cell := range n.Descendants() {
			if cell.Data == "td" || cell.Data == "th" {
				cell.InsertBefore(mark(placeMark), cell.FirstChild)
				break
			}
		}
	default:
		parent.InsertBefore(mark(placeMark), n)
	}
}

// allText returns all text within a node.
func allText(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(allText(c))
	}
	return b.String()
}

// unmarkIDs writes the ids that keepID has marked.
func unmarkIDs(text string) string {
	if !strings.Contains(text, markEnd) {
		return text
	}
	return markedID.ReplaceAllStringFunc(text, func(mark string) string {
		m := markedID.FindStringSubmatch(mark)
		id, err := hex.DecodeString(m[3])
		switch {
		case err != nil || !markdown.IsAnchor(string(id)):
			return ""
		case m[2] == headingMark:
			return " {#" + string(id) + "}"
		}
		return m[1] + anchorTag(string(id))
	})
}

var attributeID = regexp.MustCompile(`(?:#|\bid[ \t]*=[ \t]*["']?)([^\s{}#"'=]+)`)

// Attributes translates a list of kramdown attributes after a text or below a block. Inkfeed supports only the id.
func Attributes(source string, list Span) Edit {
	m := attributeID.FindStringSubmatch(source[list.Start:list.End])
	if m == nil || !markdown.IsAnchor(m[1]) {
		return Edit{list, ""}
	}
	before := strings.TrimRight(source[:list.Start], " \t")
	before = strings.TrimSuffix(before, "\n")
	if strings.HasPrefix(before[strings.LastIndexByte(before, '\n')+1:], "#") { // a heading has them on its line
		return Edit{Span{len(before), list.End}, " {#" + m[1] + "}"}
	}
	return Edit{list, anchorTag(m[1])}
}
