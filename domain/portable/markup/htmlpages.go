package markup

import (
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Page is the text of one post in an export that keeps posts as HTML.
type Page struct {
	*goquery.Document
	Translator *Translator
	// verbatim is the Markdown that replaces marks in the tree's text: see Keep.
	verbatim []string
	notes    []string // footnotes, as Markdown
}

// ParsePage parses the HTML of a post.
func ParsePage(source string) (*Page, error) {
	if len(source) > portable.MaxText {
		return nil, portable.ErrTooLarge
	}
	if err := checkHTML(source); err != nil {
		return nil, errHTML(err)
	}
	source = verbatimMarks.Replace(strings.ToValidUTF8(source, "\uFFFD"))
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(source))
	if err != nil {
		return nil, errHTML(err)
	}
	page := &Page{Document: doc, Translator: &Translator{}}
	page.Translator.refer(source)
	return page, nil
}

// ReadPage parses a file of the export.
func ReadPage(f *portable.Files, name string) (*Page, error) {
	body, err := f.ReadText(name, portable.MaxText)
	if err != nil {
		return nil, err
	}
	return ParsePage(string(body))
}

// Control characters around the number of a piece of verbatim Markdown.
const (
	verbatimBegin = "\x14"
	verbatimEnd   = "\x15"
)

var (
	verbatimMarks = strings.NewReplacer(verbatimBegin, "", verbatimEnd, "")
	verbatimMark  = regexp.MustCompile("\x14(\\d+)\x15")
)

// Keep returns a text node that becomes the given Markdown, unescaped.
func (p *Page) Keep(markdown string) *html.Node {
	p.verbatim = append(p.verbatim, markdown)
	return &html.Node{Type: html.TextNode, Data: verbatimBegin + strconv.Itoa(len(p.verbatim)-1) + verbatimEnd}
}

// Note adds a footnote, which Markdown puts below the text.
func (p *Page) Note(label string, content *goquery.Selection) error {
	text, err := p.markdownOf(content)
	if err == nil && text != "" {
		p.notes = append(p.notes, Footnote(label, text))
	}
	return err
}

// Footnote returns a footnote in Markdown.
func Footnote(label, text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n    "), "\n    \n", "\n\n")
	return "[^" + label + "]: " + text
}

// Markdown translates the first element of a selection and adds the footnotes of the page.
func (p *Page) Markdown(s *goquery.Selection) (string, error) {
	text, err := p.markdownOf(s)
	if err != nil || len(p.notes) == 0 {
		return text, err
	}
	return text + "\n\n" + strings.Join(p.notes, "\n\n"), nil
}

func (p *Page) markdownOf(s *goquery.Selection) (string, error) {
	if s.Length() == 0 {
		return "", nil
	}
	root := Element("body")
	MoveChildren(s.Get(0), root)
	text, err := p.Translator.tree(root)
	if err != nil {
		return "", err
	}
	return verbatimMark.ReplaceAllStringFunc(text, func(mark string) string {
		if i, err := strconv.Atoi(strings.Trim(mark, verbatimBegin+verbatimEnd)); err == nil && i < len(p.verbatim) {
			return p.verbatim[i]
		}
		return ""
	}), nil
}

// Remove removes the elements that match a selector. It records the loss, unless lost is empty.
func (p *Page) Remove(selector string, lost locale.Message) {
	p.Find(selector).Each(func(_ int, s *goquery.Selection) {
		if !lost.IsZero() {
			p.Translator.RecordLoss(lost)
		}
		s.Remove()
	})
}

// Embed replaces embedded content by a link. Without an address its words stay: see keepWords.
func (p *Page) Embed(s *goquery.Selection, address string) {
	if _, ok := WebAddress(address); !ok {
		var data map[string]any
		DecodeData(s, &data)
		p.keepWords(s, strings.Fields(s.AttrOr("class", "") + " " + goquery.NodeName(s))[0], data)
		return
	}
	s.ReplaceWithHtml(p.Translator.EmbedLinkHTML(address))
}

// WebAddress parses an address with the scheme http or https.
func WebAddress(address string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	return u, err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// DecodeData decodes the JSON of an element's attribute data-attrs.
func DecodeData(s *goquery.Selection, to any) bool {
	return json.Unmarshal([]byte(s.AttrOr("data-attrs", "")), to) == nil
}

// FigureNode returns a figure of a picture with its caption. It moves the caption's nodes into the figure.
func FigureNode(src, alt string, caption *goquery.Selection) *html.Node {
	figure, img := Element("figure"), Element("img")
	SetAttribute(img, "src", src)
	SetAttribute(img, "alt", alt)
	figure.AppendChild(img)
	if caption != nil && caption.Length() > 0 {
		below := Element("figcaption")
		MoveChildren(caption.Get(0), below)
		figure.AppendChild(below)
	}
	return figure
}

// Stem returns the last part of a file's path without its extension.
func Stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }
