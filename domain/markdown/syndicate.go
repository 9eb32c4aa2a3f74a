package markdown

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// FeedHTML renders a post's text as sanitised HTML for feed readers: all addresses are absolute, relative to base,
// the post's address, and nothing needs a style sheet. It also returns the other findings about the text, without
// HTML.
func (m *Renderer) FeedHTML(source, base string) (string, Rendered) {
	about := m.render(source, forFeed)
	rendered := about.HTML
	about.HTML = ""
	at, err := url.Parse(base)
	if err != nil {
		return rendered, about
	}
	var b strings.Builder
	b.Grow(len(rendered) + len(rendered)/8) // addresses become longer
	z := html.NewTokenizer(strings.NewReader(rendered))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String(), about
		case html.StartTagToken:
			token := z.Token()
			token.Attr = elsewhere(token.Attr, at)
			b.WriteString(token.String())
		default:
			b.Write(z.Raw())
		}
	}
}

// elsewhere returns the attributes that are meaningful outside the page, with absolute addresses.
func elsewhere(attributes []html.Attribute, base *url.URL) []html.Attribute {
	kept := attributes[:0]
	for _, a := range attributes {
		switch a.Key {
		case "href", "src":
			if u, err := base.Parse(a.Val); err == nil {
				a.Val = u.String()
			}
		case "class":
			if !strings.HasPrefix(a.Val, "language-") {
				continue
			}
		case "id", "tabindex", "data-language", "role", "aria-label", "srcset", "sizes", "loading", "decoding":
			continue
		}
		kept = append(kept, a)
	}
	return kept
}
