package portable

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// htmlPage is the text of one post in an export that keeps posts as HTML.
type htmlPage struct {
	*goquery.Document
	t *translator
	// verbatim is Markdown that stands for marks in the tree's text, see keep.
	verbatim []string
	notes    []string // footnotes, as Markdown
}

// parsePage parses the HTML of a post.
func parsePage(source string) (*htmlPage, error) {
	if len(source) > maxText {
		return nil, errTooLarge
	}
	source = verbatimMarks.Replace(strings.ToValidUTF8(source, "\uFFFD"))
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("its HTML cannot be read: %w", err)
	}
	page := &htmlPage{Document: doc, t: &translator{}}
	page.t.refer(source)
	return page, nil
}

// readPage parses a file of the export.
func readPage(f *Files, name string) (*htmlPage, error) {
	body, err := f.Read(name, maxText)
	if err != nil {
		return nil, err
	}
	return parsePage(string(body))
}

// Control characters around the number of a piece of Markdown.
const (
	verbatimBegin = "\x14"
	verbatimEnd   = "\x15"
)

var (
	verbatimMarks = strings.NewReplacer(verbatimBegin, "", verbatimEnd, "")
	verbatimMark  = regexp.MustCompile("\x14(\\d+)\x15")
)

// keep returns a text node that becomes this Markdown, unescaped.
func (p *htmlPage) keep(markdown string) *html.Node {
	p.verbatim = append(p.verbatim, markdown)
	return &html.Node{Type: html.TextNode, Data: verbatimBegin + strconv.Itoa(len(p.verbatim)-1) + verbatimEnd}
}

// note keeps the content of a footnote, which p.markdown puts below the text.
func (p *htmlPage) note(label string, content *goquery.Selection) error {
	text, err := p.markdownOf(content)
	if err == nil && text != "" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n    "), "\n    \n", "\n\n")
		p.notes = append(p.notes, "[^"+label+"]: "+text)
	}
	return err
}

// markdown translates the first element of a selection, with the footnotes of the page.
func (p *htmlPage) markdown(s *goquery.Selection) (string, error) {
	text, err := p.markdownOf(s)
	if err != nil || len(p.notes) == 0 {
		return text, err
	}
	return text + "\n\n" + strings.Join(p.notes, "\n\n"), nil
}

func (p *htmlPage) markdownOf(s *goquery.Selection) (string, error) {
	if s.Length() == 0 {
		return "", nil
	}
	root := element("body")
	moveChildren(s.Get(0), root)
	text, err := p.t.tree(root)
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

// remove removes the elements that a selector finds. It records the loss, unless lost is empty.
func (p *htmlPage) remove(selector, lost string) {
	p.Find(selector).Each(func(_ int, s *goquery.Selection) {
		if lost != "" {
			p.t.lose(lost)
		}
		s.Remove()
	})
}

// embed replaces embedded content by a link to it.
func (p *htmlPage) embed(s *goquery.Selection, address string) {
	if _, ok := webAddress(address); !ok {
		p.t.lose("embedded content was left out")
		s.Remove()
		return
	}
	s.ReplaceWithHtml(p.t.embeddedHTML(address))
}

// webAddress parses an address of the web.
func webAddress(address string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	return u, err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// dataOf decodes the JSON of an element's attribute data-attrs.
func dataOf(s *goquery.Selection, to any) bool {
	return json.Unmarshal([]byte(s.AttrOr("data-attrs", "")), to) == nil
}

// figureNode is a picture with its caption, whose nodes are moved there.
func figureNode(src, alt string, caption *goquery.Selection) *html.Node {
	figure, img := element("figure"), element("img")
	setAttribute(img, "src", src)
	setAttribute(img, "alt", alt)
	figure.AppendChild(img)
	if caption != nil && caption.Length() > 0 {
		below := element("figcaption")
		moveChildren(caption.Get(0), below)
		figure.AppendChild(below)
	}
	return figure
}

// ending returns the last part of a file's path without its extension.
func ending(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }
