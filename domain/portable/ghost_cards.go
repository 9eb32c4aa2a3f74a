package portable

import (
	"cmp"
	"fmt"
	"html"
	"strings"

	htmltree "golang.org/x/net/html"
)

// ghostCard is what stands between paragraphs, of whatever kind.
type ghostCard struct {
	Markdown string `json:"markdown"`
	HTML     string `json:"html"`
	Src      string `json:"src"`
	Alt      string `json:"alt"`
	Caption  string `json:"caption"`
	Code     string `json:"code"`
	Language string `json:"language"`
	URL      string `json:"url"`
	Images   []struct {
		Src string `json:"src"`
		Alt string `json:"alt"`
	} `json:"images"`
	Metadata struct {
		Title string `json:"title"`
	} `json:"metadata"`
	Emoji              string `json:"calloutEmoji"`
	Callout            string `json:"calloutText"`
	Heading            string `json:"heading"`
	Content            string `json:"content"`
	ButtonText         string `json:"buttonText"`
	ButtonURL          string `json:"buttonUrl"`
	Title              string `json:"title"`
	FileTitle          string `json:"fileTitle"`
	FileName           string `json:"fileName"`
	FileCaption        string `json:"fileCaption"`
	Header             string `json:"header"`
	Subheader          string `json:"subheader"`
	ProductTitle       string `json:"productTitle"`
	ProductDescription string `json:"productDescription"`
	ProductURL         string `json:"productUrl"`
	ProductButton      string `json:"productButton"`
	ProductImage       string `json:"productImageSrc"`
}

// card is a card as HTML.
func (t *translator) card(name string, c ghostCard) string {
	switch name {
	case "markdown", "card-markdown":
		return rendered(c.Markdown)
	case "html":
		return c.HTML
	case "image", "card-image":
		return `<figure><img src="` + html.EscapeString(c.Src) + `" alt="` + html.EscapeString(c.Alt) + `">` + captioned(c.Caption) + `</figure>`
	case "gallery":
		var b strings.Builder
		for _, image := range c.Images {
			b.WriteString(`<p><img src="` + html.EscapeString(image.Src) + `" alt="` + html.EscapeString(image.Alt) + `"></p>`)
		}
		return b.String() + captioned(c.Caption)
	case "code", "codeblock":
		return `<pre><code class="language-` + html.EscapeString(c.Language) + `">` + html.EscapeString(c.Code) + `</code></pre>` + captioned(c.Caption)
	case "hr", "horizontalrule":
		return "<hr>"
	case "callout":
		return `<blockquote>` + strings.Replace(c.Callout, "<p>", "<p>"+html.EscapeString(c.Emoji)+" ", 1) + `</blockquote>`
	case "toggle":
		return "<h4>" + c.Heading + "</h4>" + c.Content
	case "button":
		return link(c.ButtonURL, c.ButtonText)
	case "bookmark":
		return link(c.URL, cmp.Or(c.Metadata.Title, c.URL)) + captioned(c.Caption)
	case "file":
		return link(c.Src, cmp.Or(c.FileTitle, c.FileName, c.Src)) + "<p>" + html.EscapeString(c.FileCaption) + "</p>"
	case "audio", "video":
		return t.embeddedHTML(c.Src) + captioned(cmp.Or(c.Caption, html.EscapeString(c.Title)))
	case "header":
		return "<h2>" + c.Header + "</h2><p>" + c.Subheader + "</p>"
	case "product":
		picture := ""
		if c.ProductImage != "" {
			picture = `<p><img src="` + html.EscapeString(c.ProductImage) + `" alt=""></p>`
		}
		return picture + "<h4>" + c.ProductTitle + "</h4>" + c.ProductDescription + link(c.ProductURL, c.ProductButton)
	}
	if c.URL != "" {
		return t.embeddedHTML(c.URL)
	}
	t.lose(fmt.Sprintf("a card of the kind %q was left out", name))
	return ""
}

func captioned(caption string) string {
	if caption == "" {
		return ""
	}
	return "<figcaption>" + caption + "</figcaption>"
}

func link(address, text string) string {
	if address == "" || text == "" {
		return ""
	}
	return `<p><a href="` + html.EscapeString(address) + `">` + html.EscapeString(text) + `</a></p>`
}

// decorations are classes of what shows nothing that the text beside it does not: controls
// of players, icons, a second link to the same file.
var decorations = map[string]bool{
	"kg-bookmark-metadata": true, "kg-bookmark-thumbnail": true, "kg-file-card-metadata": true, "kg-file-card-icon": true,
	"kg-toggle-card-icon": true, "kg-video-overlay": true, "kg-video-player-container": true, "kg-audio-player": true,
	"kg-audio-thumbnail": true, "kg-product-card-rating": true, "wp-block-file__button": true,
}

func decorates(n *htmltree.Node) bool {
	for class := range strings.FieldsSeq(attribute(n, "class")) {
		if decorations[class] {
			return true
		}
	}
	return false
}

// callout makes a quote of a text that Ghost sets apart, behind a sign.
func callout(n *htmltree.Node) {
	switch classes := " " + attribute(n, "class") + " "; {
	case strings.Contains(classes, " kg-callout-card "):
		rename(n, "blockquote")
	case strings.Contains(classes, " kg-callout-emoji "):
		rename(n, "span")
		n.AppendChild(&htmltree.Node{Type: htmltree.TextNode, Data: " "})
	case strings.Contains(classes, " kg-callout-text "):
		rename(n, "span")
	}
}

// firstBlock is the first block with text within a link that is around blocks: what the
// link is called. Nil is of a link around words.
func firstBlock(n *htmltree.Node) *htmltree.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != htmltree.ElementNode || !hasText(c) {
			continue
		}
		if found := firstBlock(c); found != nil {
			return found
		}
		switch c.Data {
		case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6":
			return c
		}
	}
	return nil
}
