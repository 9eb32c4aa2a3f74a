// Package letters turns the sanitised HTML of posts into HTML that mail programs show, and HTML mails into plain text.
// The work is linear in the length of the HTML.
package letters

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"inkfeed/domain"
	"inkfeed/domain/embed"
	"inkfeed/views/mails"
)

// Limits of the HTML of a text, in bytes. Gmail cuts off mails with more than 102 KB, which the layout is a part of.
const (
	enough = 78 << 10 // no further block begins
	most   = 90 << 10
	// longest is more than the source of so much HTML: what is written is longer than what it is made of.
	longest = 4 * most
)

// Source is the text of a post.
type Source struct {
	HTML string // for feeds: see markdown.Renderer.FeedHTML
	Base string // the site's address, without a trailing slash
	// Cover is a picture that the mail shows above the text, so that the text leaves it out where it stands alone.
	Cover domain.ImageName
	Cards []embed.Card // what is known about the addresses of videos and the like
}

// writer writes the HTML of a letter.
type writer struct {
	strings.Builder
	base string
	look mails.Look
	open []string // the elements as they were written, outermost first
	cut  bool     // a text was cut
}

// Write returns a text as HTML for mails. It is cut off if the mail would become too long.
func Write(s Source, look mails.Look) (written string, cut bool) {
	w := &writer{base: s.Base, look: look, cut: len(s.HTML) > longest}
	tags := html.NewTokenizer(strings.NewReader(s.prepared()))
	for kind := tags.Next(); kind != html.ErrorToken; kind = tags.Next() { // the end: it reads from memory
		blank := strings.TrimSpace(string(tags.Raw())) == ""
		if !blank && (w.Len() >= enough && len(w.open) == 0 || w.Len() >= most) {
			w.cut = true
			break
		}
		switch kind {
		case html.TextToken:
			if !blank || len(w.open) > 0 {
				w.text(string(tags.Raw()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			w.start(tags.Token())
		case html.EndTagToken:
			w.end()
		}
	}
	for len(w.open) > 0 {
		w.end()
	}
	return w.String(), w.cut
}

// text writes escaped text. A text that is too long is cut at the end of a word.
func (w *writer) text(raw string) {
	if room := most - w.Len(); len(raw) > room {
		if raw = strings.ToValidUTF8(raw[:max(0, room)], ""); strings.ContainsAny(raw, " \n") {
			raw = raw[:strings.LastIndexAny(raw, " \n")]
		} else if at := strings.LastIndexByte(raw, '&'); at >= 0 {
			raw = raw[:at]
		}
		raw, w.cut = raw+"…", true
	}
	w.WriteString(raw)
}

// instead are the elements that mail programs show in place of others.
var instead = map[string]string{"details": "div", "summary": "p", "section": "div", "figure": "div", "figcaption": "p"}

func (w *writer) start(t html.Token) {
	switch t.Data {
	case "img":
		w.picture(t)
		return
	case "br":
		w.WriteString("<br>")
		return
	case "hr":
		w.WriteString(`<hr class="edge"` + w.style("hr") + ">")
		return
	case "table": // a wide one scrolls
		w.WriteString("<div" + w.style("table-box") + ">")
	case "section":
		w.start(html.Token{Data: "hr"})
	}
	name := t.Data
	if other, ok := instead[name]; ok {
		name = other
	}
	w.open = append(w.open, name)
	w.WriteString("<" + name)
	for _, a := range t.Attr {
		switch a.Key {
		case "href", "dir", "start", "align", "lang":
			w.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
		}
	}
	if class := classes[t.Data]; class != "" {
		w.WriteString(` class="` + class + `"`)
	}
	w.WriteString(w.style(t.Data) + ">")
}

// classes are those that get other colours in the dark scheme.
var classes = map[string]string{"a": "link", "pre": "tint", "td": "edge", "th": "edge",
	"blockquote": "edge", "figcaption": "muted"}

func (w *writer) end() {
	n := len(w.open) - 1
	if n < 0 {
		return
	}
	w.WriteString("</" + w.open[n] + ">")
	if w.open[n] == "table" {
		w.WriteString("</div>")
	}
	w.open = w.open[:n]
}

// style returns the attribute style of an element. Code in a block has that of the block.
func (w *writer) style(element string) string {
	style := w.look.Style(element)
	if style == "" || element == "code" && len(w.open) > 1 && w.open[len(w.open)-2] == "pre" {
		return ""
	}
	return ` style="` + string(style) + `"`
}

// picture writes a picture of the site in a size that fits, or a link to a drawing, which mail programs do not show.
func (w *writer) picture(t html.Token) {
	alt := attribute(t.Attr, "alt")
	name, ok := domain.ParseImagePath(strings.TrimPrefix(attribute(t.Attr, "src"), w.base))
	switch {
	case !ok || !name.Shareable() && slices.Contains(w.open, "a"):
		w.WriteString(html.EscapeString(alt))
	case !name.Shareable():
		address := w.base + name.Path()
		w.start(html.Token{Data: "a", Attr: []html.Attribute{{Key: "href", Val: address}}})
		w.WriteString(html.EscapeString(cmp.Or(alt, address)))
		w.end()
	default:
		w.WriteString(`<img src="` + w.base + name.Small(2*mails.Width) + `" alt="` + html.EscapeString(alt) +
			`" width="` + strconv.Itoa(min(name.Width, mails.Width)) + `"` + w.style("img") + `>`)
	}
}

func attribute(attributes []html.Attribute, key string) string {
	for _, a := range attributes {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// embedded matches an address that is alone in a paragraph.
var embedded = regexp.MustCompile(`<p><a href="([^"]*)"[^>]*>[^<]*</a></p>`)

// prepared returns the text without the cover where it stands alone, and with cards of what other sites show.
func (s Source) prepared() string {
	text := s.HTML[:min(len(s.HTML), longest)]
	if s.Cover.Hash != "" {
		before, rest, found := strings.Cut(text, `<figure><img src="`+s.Base+s.Cover.Path()+`"`)
		if _, after, closed := strings.Cut(rest, "</figure>"); found && closed {
			text = before + after
		}
	}
	return embedded.ReplaceAllStringFunc(text, func(paragraph string) string {
		address := html.UnescapeString(embedded.FindStringSubmatch(paragraph)[1])
		e, ok := embed.Find(address)
		if e = e.With(s.Cards); !ok || !e.Shown() {
			return paragraph
		}
		link, picture := `<a href="`+html.EscapeString(address)+`">`, ""
		if name, ok := domain.ParseImageName(e.Picture); ok {
			picture = link + `<img src="` + s.Base + name.Path() + `" alt=""></a>`
		}
		title := cmp.Or(e.Title, e.Author, strings.TrimPrefix(e.Address, "https://"))
		return "<figure>" + picture + "<figcaption>" + link + html.EscapeString(title) + "</a> · " +
			html.EscapeString(e.Provider) + "</figcaption></figure>"
	})
}
