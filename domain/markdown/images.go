package markdown

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain"
	"inkfeed/domain/embed"
	"inkfeed/domain/plaintext"
)

// imageSizes is the width of an image on a page, that of the column of text: --measure in 01-tokens.css, or a narrow
// window without its gutters.
const imageSizes = "(min-width: 42rem) 38rem, 90vw"

// wideSizes is the width of a wide image, which extends beyond the column. 32-post.css has the same measures.
const wideSizes = "(min-width: 66rem) 60rem, " + imageSizes

// fullSizes is the width of an image that fills the window, which the author asks for.
const fullSizes = "100vw"

// wideWidth is the minimum width in pixels of an image that extends beyond the column of text.
const wideWidth = 960

// isWide reports whether an image extends beyond the column if it is alone in its paragraph. An image that is nearly
// as high as wide stays in the column, because it would be higher than the window.
func isWide(n domain.ImageName) bool { return n.Width >= wideWidth && 3*n.Width >= 4*n.Height }

// allowImages allows what imageTag writes: images of this site only.
func allowImages(p *bluemonday.Policy) {
	const file = domain.MediaPrefix + `[a-z0-9]{26}-\d+x\d+(\.\d+)?\.[a-z]+`
	p.AllowAttrs("src").Matching(regexp.MustCompile("^" + file + "$")).OnElements("img")
	p.AllowAttrs("srcset").Matching(regexp.MustCompile("^" + file + ` \d+w(, ` + file + ` \d+w)*$`)).OnElements("img")
	p.AllowAttrs("sizes").Matching(regexp.MustCompile("^(" + regexp.QuoteMeta(imageSizes) + "|" +
		regexp.QuoteMeta(wideSizes) + "|" + fullSizes + ")$")).OnElements("img")
	p.AllowAttrs("width", "height").Matching(bluemonday.Integer).OnElements("img")
	p.AllowAttrs("loading").Matching(regexp.MustCompile("^lazy$")).OnElements("img")
	p.AllowAttrs("decoding").Matching(regexp.MustCompile("^async$")).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
}

// image shows an image of this site. It replaces any other by a link or a placeholder, so that a page loads nothing
// from other hosts. Comments show no images.
func (a *adapter) image(n *ast.Image) {
	name, ours := domain.ParseImagePath(string(n.Destination))
	if !ours || a.about.purpose == forComment || a.about.purpose == forBio {
		a.otherImage(n)
		return
	}
	if !a.pictured {
		a.pictured = true
		n.SetAttributeString("first", true)
	}
	a.replace = append(a.replace, func() { // after the walk, which changes the description's typography
		alt := plaintext.WithoutDirections(headingText(n, a.source))
		a.about.Pictures = append(a.about.Pictures, domain.Cover{Image: name, Alt: alt})
	})
	if alone(n) {
		n.Parent().SetAttributeString("figure", true)
		width := domain.PictureWidth(string(n.Destination))
		if n.Parent().Parent().Kind() == ast.KindDocument && (isWide(name) || width != "") && width != "#normal" {
			n.Parent().SetAttributeString("wide", cmp.Or(strings.TrimPrefix(width, "#"), "wide"))
			n.SetAttributeString("wide", width)
		}
	} else if inGallery(n, a.source) {
		n.Parent().SetAttributeString("gallery", true)
	}
}

// embed makes a card of an address that is alone in a paragraph of a page, unless the text has too many. Elsewhere it
// stays a link.
func (a *adapter) embed(n *ast.AutoLink) {
	paragraph, ok := n.Parent().(*ast.Paragraph)
	if !a.about.purpose.onPage() || !ok || paragraph.ChildCount() != 1 ||
		paragraph.Parent().Kind() != ast.KindDocument || len(a.about.Embeds) == embed.Max {
		return
	}
	if e, ok := embed.Find(string(util.URLEscape(n.URL(a.source), true))); ok {
		a.about.Embeds = append(a.about.Embeds, e)
		paragraph.SetAttributeString("embed", true)
	}
}

// alone reports whether a paragraph consists of one image.
func alone(n *ast.Image) bool {
	paragraph, ok := n.Parent().(*ast.Paragraph)
	return ok && paragraph.ChildCount() == 1
}

// inGallery reports whether an image is the first of a paragraph that consists of images of this site.
func inGallery(n *ast.Image, source []byte) bool {
	paragraph, ok := n.Parent().(*ast.Paragraph)
	if !ok || paragraph.FirstChild() != ast.Node(n) {
		return false
	}
	for sibling := n.NextSibling(); sibling != nil; sibling = sibling.NextSibling() {
		switch sibling := sibling.(type) {
		case *ast.Image:
			if _, ours := domain.ParseImagePath(string(sibling.Destination)); !ours {
				return false
			}
		case *ast.Text:
			if strings.TrimSpace(string(sibling.Value(source))) != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func renderImage(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.Image)
	if p, isPlaceholder := n.AttributeString("placeholder"); isPlaceholder {
		p.(placeholder).write(w)
		return ast.WalkSkipChildren, nil
	}
	name, _ := domain.ParseImagePath(string(n.Destination))
	_, _ = w.WriteString(`<img src="` + name.Path() + `"`)
	if set := name.SrcSet(); set != "" {
		sizes := imageSizes
		if width, wide := n.AttributeString("wide"); width == "#full" {
			sizes = fullSizes
		} else if wide {
			sizes = wideSizes
		}
		_, _ = w.WriteString(` srcset="` + set + `" sizes="` + sizes + `"`)
	}
	_, _ = w.WriteString(` width="` + strconv.Itoa(name.Width) + `" height="` + strconv.Itoa(name.Height) + `" alt="`)
	_, _ = w.Write(util.EscapeHTML([]byte(headingText(n, source))))
	if _, first := n.AttributeString("first"); !first { // the first image is likely to be visible at once
		_, _ = w.WriteString(`" loading="lazy`)
	}
	_, _ = w.WriteString(`" decoding="async">`)
	return ast.WalkSkipChildren, nil
}

// renderParagraph renders a single image as a figure with its title as the caption.
func renderParagraph(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	_, figure := n.AttributeString("figure")
	_, gallery := n.AttributeString("gallery")
	width, wide := n.AttributeString("wide")
	_, attributed := n.AttributeString("attribution")
	_, embedded := n.AttributeString("embed")
	switch {
	case entering && embedded:
		_, _ = w.WriteString(`<p class="embed">`)
	case entering && wide:
		_, _ = w.WriteString(`<figure class="` + width.(string) + `-picture">`)
	case entering && figure:
		_, _ = w.WriteString("<figure>")
	case entering && attributed:
		_, _ = w.WriteString(`<p class="attribution">`)
	case entering && gallery:
		_, _ = w.WriteString(`<p class="gallery">`)
	case entering:
		_, _ = w.WriteString("<p")
		writeDirection(w, n)
		_ = w.WriteByte('>')
	case figure:
		if caption := strings.TrimSpace(string(n.FirstChild().(*ast.Image).Title)); caption != "" {
			_, _ = w.WriteString("<figcaption>")
			html.DefaultWriter.Write(w, []byte(caption))
			_, _ = w.WriteString("</figcaption>")
		}
		_, _ = w.WriteString("</figure>\n")
	default:
		_, _ = w.WriteString("</p>\n")
	}
	return ast.WalkContinue, nil
}
