package ghost

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable/markup"
)

// cardData is a card of any kind: content between the paragraphs of a text.
type cardData struct {
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
	CallToAction       string `json:"textValue"`
	Sponsor            string `json:"sponsorLabel"`
	ImageURL           string `json:"imageUrl"`
	Description        string `json:"description"`
	Words              string `json:"text"` // of cards that are not known
}

// cardHTML returns a card as HTML.
func cardHTML(t *markup.Translator, name string, c cardData) string {
	switch name {
	case "markdown", "card-markdown":
		return markup.Rendered(c.Markdown)
	case "html":
		return c.HTML
	case "image", "card-image":
		return `<figure><img src="` + html.EscapeString(c.Src) + `" alt="` + html.EscapeString(c.Alt) + `">` +
			markup.Captioned(c.Caption) + `</figure>`
	case "gallery":
		var b strings.Builder
		for _, image := range c.Images {
			b.WriteString(`<p><img src="` + html.EscapeString(image.Src) + `" alt="` + html.EscapeString(image.Alt) +
				`"></p>`)
		}
		return b.String() + markup.Captioned(c.Caption)
	case "code", "codeblock":
		return `<pre><code class="language-` + html.EscapeString(c.Language) + `">` + html.EscapeString(c.Code) +
			`</code></pre>` + markup.Captioned(c.Caption)
	case "hr", "horizontalrule":
		return "<hr>"
	case "callout":
		return `<blockquote>` + strings.Replace(c.Callout, "<p>", "<p>"+html.EscapeString(c.Emoji)+" ", 1) +
			`</blockquote>`
	case "toggle":
		return "<h4>" + c.Heading + "</h4>" + c.Content
	case "call-to-action":
		picture := ""
		if c.ImageURL != "" {
			picture = `<p><img src="` + html.EscapeString(c.ImageURL) + `" alt=""></p>`
		}
		return c.Sponsor + picture + c.CallToAction + markup.LinkParagraph(c.ButtonURL, c.ButtonText)
	case "button":
		return markup.LinkParagraph(c.ButtonURL, c.ButtonText)
	case "bookmark":
		return markup.LinkParagraph(c.URL, cmp.Or(c.Metadata.Title, c.URL)) + markup.Captioned(c.Caption)
	case "file":
		return markup.LinkParagraph(c.Src, cmp.Or(c.FileTitle, c.FileName, c.Src)) + "<p>" +
			html.EscapeString(c.FileCaption) + "</p>"
	case "audio", "video":
		return t.EmbedLinkHTML(c.Src) + markup.Captioned(cmp.Or(c.Caption, html.EscapeString(c.Title)))
	case "header":
		return "<h2>" + c.Header + "</h2><p>" + c.Subheader + "</p>"
	case "product":
		picture := ""
		if c.ProductImage != "" {
			picture = `<p><img src="` + html.EscapeString(c.ProductImage) + `" alt=""></p>`
		}
		return picture + "<h4>" + c.ProductTitle + "</h4>" + c.ProductDescription +
			markup.LinkParagraph(c.ProductURL, c.ProductButton)
	}
	if name == "embed" && c.URL != "" {
		return t.EmbedLinkHTML(c.URL) + markup.Captioned(c.Caption)
	}
	kept := ""
	if !slices.Contains([]string{"email", "email-cta", "paywall", "signup", "transistor"}, name) { // not for visitors
		for _, text := range []string{c.Header, c.Heading, c.Title, c.Subheader, c.Words, c.HTML, c.Content, c.Callout,
			c.CallToAction, c.Description, c.Caption} {
			if text != "" {
				kept += "<div>" + text + "</div>"
			}
		}
		kept += markup.LinkParagraph(c.URL, c.URL) + markup.LinkParagraph(c.ButtonURL, c.ButtonText)
	}
	if kept == "" {
		t.RecordLoss(locale.M("a card of kind {kind} was left out", "kind", strconv.Quote(name)))
	} else {
		t.RecordUnknown(name, true)
	}
	return kept
}
