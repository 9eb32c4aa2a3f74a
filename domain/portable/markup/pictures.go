package markup

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"inkfeed/domain/portable"
)

// candidate matches an address of a list of pictures in several sizes, with its size.
var candidate = regexp.MustCompile(`(\S*[^\s,])(?:\s+([\d.]+)[wx])?\s*(?:,|$)`)

// pictureSource returns the address of a picture, given its attributes. If a script loads the picture late, the address
// is elsewhere, and something small is in its place.
func pictureSource(get func(attribute string) string) string {
	for _, name := range []string{"data-src", "data-lazy-src", "data-original", "src", "data-orig-file"} {
		if src := strings.TrimSpace(get(name)); src != "" && !strings.HasPrefix(src, "data:") {
			return src
		}
	}
	best, largest := get("src"), -1.0
	for _, name := range []string{"data-srcset", "data-lazy-srcset", "srcset"} {
		for _, m := range candidate.FindAllStringSubmatch(get(name), -1) {
			if size, _ := strconv.ParseFloat(m[2], 64); size > largest && !strings.HasPrefix(m[1], "data:") {
				best, largest = m[1], size
			}
		}
	}
	return best
}

// characterReferences matches what a parser of Markdown would read as character references.
var characterReferences = regexp.MustCompile(`&(#?[0-9A-Za-z]{1,32};)`)

// picture gives a picture its address, and texts in which nothing is read as Markdown.
func (t *Translator) picture(parent, n *html.Node, withoutScripts bool) {
	src := pictureSource(func(name string) string { return Attribute(n, name) })
	if parent.Data == "picture" && src == "" {
		for c := parent.FirstChild; c != nil && src == ""; c = c.NextSibling {
			src = pictureSource(func(name string) string { return Attribute(c, name) })
		}
	}
	switch alt, title := Attribute(n, "alt"), strings.ReplaceAll(Attribute(n, "title"), `\`, `\\`); {
	case src == "", strings.HasPrefix(src, "data:"):
		parent.InsertBefore(&html.Node{Type: html.TextNode, Data: t.described(src, alt)}, n)
		parent.RemoveChild(n)
	case t.isTwin(src, withoutScripts):
		parent.RemoveChild(n)
	default:
		SetAttribute(n, "src", characterReferences.ReplaceAllString(src, "&amp;$1"))
		alt, title = Words(alt), characterReferences.ReplaceAllString(title, "&amp;$1")
		if inCell(parent) {
			alt, title = withoutPipes.Replace(alt), withoutPipes.Replace(title)
		}
		SetAttribute(n, "alt", alt)
		SetAttribute(n, "title", title)
	}
}

// withoutPipes replaces the character that ends a cell of a table.
var withoutPipes = strings.NewReplacer(`\|`, "&#124;", "|", "&#124;")

// inCell reports whether a node is within a cell of a table.
func inCell(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Data == "td" || n.Data == "th" {
			return true
		}
	}
	return false
}

// inlinePicture returns the Markdown of a picture between words.
func (t *Translator) inlinePicture(src, alt string, withoutScripts bool) string {
	switch {
	case src == "", strings.HasPrefix(src, "data:"):
		return Words(t.described(src, alt))
	case t.isTwin(src, withoutScripts):
		return ""
	}
	return picture(src, alt)
}

// isTwin reports whether a picture is there already, for browsers with scripts if this one is for those without, and
// the other way round.
func (t *Translator) isTwin(src string, withoutScripts bool) bool {
	src, _, _ = strings.Cut(src, "?")
	if before, there := t.shown[src]; there && before != withoutScripts {
		delete(t.shown, src)
		return true
	}
	if t.shown == nil {
		t.shown = make(map[string]bool)
	}
	t.shown[src] = withoutScripts
	return false
}

// described reports a picture that is written into the text, and returns its description.
func (t *Translator) described(src, alt string) string {
	if src != "" {
		kind, _, _ := strings.Cut(strings.TrimPrefix(src[:min(len(src), 50)], "data:"), ",")
		kind, _, _ = strings.Cut(kind, ";")
		t.record(portable.NewProblem("", "a picture within the text itself was left out: %s",
			fmt.Sprintf("%s, %.1f KB", kind, float64(len(src))/1000)))
	}
	return alt
}

// noscript replaces what browsers without scripts show by its pictures.
func (t *Translator) noscript(parent, n *html.Node) {
	z := html.NewTokenizer(strings.NewReader(allText(n)))
	for z.Next() != html.ErrorToken {
		if token := z.Token(); token.Data == "img" {
			img := Element("img")
			img.Attr = token.Attr
			parent.InsertBefore(img, n)
			t.picture(parent, img, true)
		}
	}
	parent.RemoveChild(n)
}

// recordUnlinked records a link whose address has a scheme that no page may link to.
func (t *Translator) recordUnlinked(address string) {
	t.record(portable.NewProblem("", "a link is plain text now, because pages cannot link to such an address: %s",
		address[:min(len(address), 100)]))
}
