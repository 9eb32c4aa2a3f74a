package markdown

import (
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// placeholder stands for an image that the text does not show.
type placeholder struct {
	missing           bool   // it is not at its address either, as far as is known
	note              string // what it is, in the language of the text; no summary has the note
	description       string // or empty
	destination, link string // link is the rel attribute of the link to destination; empty: no link
}

// otherImage replaces an image that the text cannot show: by its description, as a link to an image of another site, or
// in a placeholder if the image is missing. An address is no description.
func (a *adapter) otherImage(n *ast.Image) {
	destination, missing := strings.CutSuffix(string(n.Destination), domain.MissingPicture)
	p := placeholder{destination: destination, description: plaintext.WithoutDirections(headingText(n, a.source))}
	if strings.Contains(p.description, "://") && !strings.Contains(p.description, " ") {
		p.description = ""
	}
	comment := a.about.purpose == forComment || a.about.purpose == forBio
	p.link, _ = relOf(destination)
	p.missing = !comment && (missing || p.link == "")
	if p.description != "" && !p.missing {
		a.replace = append(a.replace, func() { replaceByLink(n) })
		return
	}
	if inLink(n) { // a link cannot hold a link
		p.link = ""
	}
	if p.missing && alone(n) {
		n.Parent().SetAttributeString("figure", true)
	}
	if p.note = noteOf(p, a.about.Language); a.about.purpose == forText {
		p = placeholder{description: p.description}
	}
	n.SetAttributeString("placeholder", p)
}

var languages = sync.OnceValue(func() *locale.Set { return locale.NewSet(locale.All()...) })

// noteOf returns the note of a placeholder in a language, or in English.
func noteOf(p placeholder, language string) string {
	switch {
	case !p.missing:
		return textIn(locale.M("Picture"), language)
	case p.description == "":
		return textIn(locale.M("Missing picture"), language)
	}
	return textIn(locale.M("Missing picture:"), language)
}

// textIn returns a message in the language of a text, or in English.
func textIn(m locale.Message, language string) string {
	if l := languages().Match([]string{language}); l != nil {
		return l.Text(m)
	}
	return locale.English().Text(m)
}

// write writes the note and the description. The link is that of the description, or of the note if there is none.
func (p placeholder) write(w util.BufWriter) {
	open, shut := "", ""
	if p.link != "" {
		address := html.EscapeString(string(util.URLEscape([]byte(p.destination), true)))
		open, shut = `<a href="`+address+`" rel="`+p.link+`">`, "</a>"
	}
	var parts []string
	if p.note != "" {
		parts = append(parts, `<span class="picture-note">`+html.EscapeString(p.note)+"</span>")
	}
	if p.description != "" {
		parts = append(parts, html.EscapeString(p.description))
	}
	if len(parts) > 0 {
		parts[len(parts)-1] = open + parts[len(parts)-1] + shut
	}
	text := strings.Join(parts, " ")
	if p.missing {
		text = `<span class="missing-picture">` + text + "</span>"
	}
	_, _ = w.WriteString(text)
}
