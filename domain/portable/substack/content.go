package substack

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable/markup"
)

// widgetSelector selects elements for readers of an email or the site. They contain nothing by the author.
const widgetSelector = `.subscription-widget-wrap, .subscription-widget-wrap-editor, .subscription-widget,
	.subscribe-widget, .captioned-button-wrap, .install-substack-app-embed, .community-chat, .directMessage,
	.sponsorship-campaign-embed, .image-link-expand, .header-anchor-parent, .paywall-jump, .native-video-embed button`

// translateText translates the text of a post.
func translateText(p *markup.Page, row csvRow) (string, error) {
	p.Remove(widgetSelector, locale.Message{})
	p.Remove(".poll-embed", locale.M("a poll was left out"))
	p.Remove(".comment, .embedded-comment", locale.M("an embedded comment or note was left out"))
	p.Find("p.button-wrapper, div.button-wrapper").Each(func(_ int, s *goquery.Selection) {
		if to := s.Find("a[href]").AttrOr("href", ""); isControl(to) {
			s.Remove()
		}
	})
	translatePictures(p)
	linkEmbeds(p)
	p.Find("div.pullquote").Each(func(_ int, s *goquery.Selection) { markup.Rename(s.Get(0), "blockquote") })
	p.Find(".latex-rendered").Each(func(_ int, s *goquery.Selection) {
		var data struct {
			Formula string `json:"persistentExpression"`
		}
		if markup.DecodeData(s, &data); data.Formula != "" {
			paragraph := markup.Element("p")
			paragraph.AppendChild(p.Keep("$$\n" + strings.TrimSpace(data.Formula) + "\n$$"))
			s.ReplaceWithNodes(paragraph)
		}
	})
	p.Find("span.mention-wrap").Each(func(_ int, s *goquery.Selection) {
		var data struct {
			Name string `json:"name"`
		}
		if markup.DecodeData(s, &data); strings.TrimSpace(s.Text()) == "" {
			s.SetText(data.Name)
		}
	})
	if err := translateNotes(p); err != nil {
		return "", err
	}
	p.Remove(".hide-text", locale.Message{}) // it explains a block to its author
	p.KeepWords("div[data-attrs], div[data-component-name]", "data-attrs", unknownKind)
	body := p.Find("body")
	if row.podcast != "" {
		if _, ok := markup.WebAddress(row.podcast); ok {
			body.PrependHtml(p.Translator.EmbedLinkHTML(row.podcast))
		}
	}
	if plaintext.Exceeds(row.subtitle, domain.MaxSubtitle) { // too long for the field of a subtitle
		subtitle, em := markup.Element("p"), markup.Element("em")
		em.AppendChild(&html.Node{Type: html.TextNode, Data: row.subtitle})
		subtitle.AppendChild(em)
		body.PrependNodes(subtitle)
	}
	return p.Markdown(body)
}

// knownBlock matches the classes of the blocks that remain, whose content is their text.
var knownBlock = regexp.MustCompile(`^(?:button-wrapper|callout-block|captioned-image-container|` +
	`highlighted_code_block|preformatted-block|pullquote|image2-inset|image3|footnote|youtube-inner)\b`)

// unknownKind returns the name of a block of Substack that is not known.
func unknownKind(s *goquery.Selection, _ map[string]any) string {
	class := strings.TrimSpace(s.AttrOr("class", ""))
	if knownBlock.MatchString(class) {
		return ""
	}
	name, _, _ := strings.Cut(class, " ")
	return cmp.Or(s.AttrOr("data-component-name", ""), name, "div")
}

// isControl reports whether a button is one of Substack's own.
func isControl(to string) bool {
	if strings.HasPrefix(to, "%%") { // filled in when an email is sent
		return true
	}
	u, err := url.Parse(to)
	if err != nil {
		return false
	}
	q := u.Query()
	return q.Get("action") == "share" || q.Get("gift") == "true" || strings.HasSuffix(u.Path, "/comments") ||
		strings.HasSuffix(u.Path, "/subscribe") || strings.HasPrefix(u.Path, "/refer") || to == ""
}

// pictureData is the description of a picture in the attribute data-attrs.
type pictureData struct {
	Src     string `json:"src"`
	Alt     string `json:"alt"`
	Title   string `json:"title"`
	Href    string `json:"href"`
	Gallery struct {
		Caption string        `json:"caption"`
		Alt     string        `json:"alt"`
		Images  []pictureData `json:"images"`
	} `json:"gallery"`
}

// original returns the address of the original of a picture that Substack's host has scaled down.
func (p pictureData) original() string {
	_, fetched, ok := strings.Cut(p.Src, "/image/fetch/")
	if !ok {
		return p.Src
	}
	if at := strings.Index(fetched, "http"); at >= 0 {
		if address, err := url.QueryUnescape(strings.ReplaceAll(fetched[at:], "+", "%2B")); err == nil {
			return address
		}
	}
	return p.Src
}

func translatePictures(p *markup.Page) {
	p.Find(".image-gallery-embed").Each(func(_ int, s *goquery.Selection) {
		var data pictureData
		if markup.DecodeData(s, &data); len(data.Gallery.Images) == 0 {
			return
		}
		var nodes []*html.Node
		for _, image := range data.Gallery.Images {
			nodes = append(nodes, markup.FigureNode(image.original(), cmp.Or(image.Alt, data.Gallery.Alt), nil))
		}
		if data.Gallery.Caption != "" {
			caption := markup.Element("figcaption")
			caption.AppendChild(&html.Node{Type: html.TextNode, Data: data.Gallery.Caption})
			nodes[len(nodes)-1].AppendChild(caption)
		}
		s.ReplaceWithNodes(nodes...)
	})
	p.Find(".captioned-image-container, a.image-link, .image3").Each(func(_ int, s *goquery.Selection) {
		var data pictureData
		img := s.Find("img").First()
		if !markup.DecodeData(img, &data) && !markup.DecodeData(s, &data) &&
			!markup.DecodeData(s.Find("[data-attrs]"), &data) {
			data = pictureData{}
		}
		data.Src = cmp.Or(data.Src, img.AttrOr("src", ""))
		data.Alt = cmp.Or(data.Alt, img.AttrOr("alt", ""), data.Title)
		if data.Src == "" {
			return
		}
		figure := markup.FigureNode(data.original(), data.Alt, s.Find("figcaption").First())
		if data.Href != "" {
			link := markup.Element("a")
			markup.SetAttribute(link, "href", data.Href)
			img := figure.FirstChild
			figure.InsertBefore(link, img)
			figure.RemoveChild(img)
			link.AppendChild(img)
		}
		s.ReplaceWithNodes(figure)
	})
	p.Find("img").Each(func(_ int, s *goquery.Selection) {
		s.SetAttr("src", pictureData{Src: s.AttrOr("src", "")}.original())
	})
}

// embedSelector selects content that is embedded from elsewhere, except tweets.
const embedSelector = `.youtube-wrap, .vimeo-wrap, .spotify-wrap, .soundcloud-wrap, .apple-podcast-container,
	.instagram, .tiktok-wrap, .bandcamp-wrap, .datawrapper-wrap, .digest-post-embed, .embedded-post-wrap,
	.embedded-publication-wrap,
	.native-audio-embed, .native-video-embed, .file-embed-wrapper`

// linkEmbeds replaces embedded content by links. The addresses are in JSON.
func linkEmbeds(p *markup.Page) {
	type embed struct {
		URL       string `json:"url"`
		Canonical string `json:"canonical_url"`
		Target    string `json:"targetUrl"`
		Video     string `json:"videoId"`
		Instagram string `json:"instagram_id"`
		Title     string `json:"title"`
		Text      string `json:"full_text"`
		Name      string `json:"name"`
		Username  string `json:"username"`
	}
	p.Find(".tweet, .twitter-embed").Each(func(_ int, s *goquery.Selection) {
		var data embed
		address := s.Find("a[href]").AttrOr("href", "")
		if markup.DecodeData(s, &data); data.URL != "" {
			address = data.URL
		}
		text := cmp.Or(data.Text, s.Find(".tweet-text").Text())
		if _, ok := markup.WebAddress(address); !ok || text == "" {
			p.Embed(s, address)
			return
		}
		quote, said, by := markup.Element("blockquote"), markup.Element("p"), markup.Element("p")
		said.AppendChild(&html.Node{Type: html.TextNode, Data: strings.TrimSpace(text)})
		link := markup.Element("a")
		markup.SetAttribute(link, "href", address)
		name := cmp.Or(data.Name, s.Find(".tweet-author-name").Text(), data.Username, address)
		link.AppendChild(&html.Node{Type: html.TextNode, Data: name})
		by.AppendChild(&html.Node{Type: html.TextNode, Data: "— "})
		by.AppendChild(link)
		quote.AppendChild(said)
		quote.AppendChild(by)
		s.ReplaceWithNodes(quote)
	})
	p.Find(embedSelector).Each(func(_ int, s *goquery.Selection) {
		var data embed
		markup.DecodeData(s, &data)
		address, title := cmp.Or(data.URL, data.Canonical, data.Target), data.Title
		switch {
		case s.HasClass("youtube-wrap") && data.Video != "":
			address = "https://www.youtube.com/watch?v=" + data.Video
		case s.HasClass("vimeo-wrap") && data.Video != "":
			address = "https://vimeo.com/" + data.Video
		case s.HasClass("instagram") && data.Instagram != "":
			address = "https://www.instagram.com/p/" + data.Instagram + "/"
		case s.HasClass("file-embed-wrapper"):
			address, title = s.Find(".file-embed-button").AttrOr("href", ""), s.Find(".file-embed-details-h1").Text()
		}
		if address == "" {
			address = cmp.Or(s.Find("iframe").AttrOr("src", ""), s.Find("a[href]").AttrOr("href", ""))
		}
		if _, ok := markup.WebAddress(address); ok && strings.TrimSpace(title) != "" && !s.HasClass("spotify-wrap") {
			s.ReplaceWithHtml(markup.LinkParagraph(address, strings.TrimSpace(title)))
			return
		}
		p.Embed(s, markup.Watchable(address))
	})
}

// translateNotes converts footnotes to those of Markdown.
func translateNotes(p *markup.Page) (err error) {
	p.Find("a.footnote-anchor").Each(func(_ int, s *goquery.Selection) {
		if label := footnoteLabel(s.AttrOr("href", "")); label != "" {
			s.ReplaceWithNodes(p.Keep("[^" + label + "]"))
		}
	})
	p.Find("div.footnote").Each(func(_ int, s *goquery.Selection) {
		number := s.Find("a.footnote-number").AttrOr("id", "")
		label := cmp.Or(footnoteLabel("#"+number), footnoteLabel("#"+s.AttrOr("id", "")))
		if label == "" || err != nil {
			return
		}
		err = p.Note(label, s.Find(".footnote-content").First())
		s.Remove()
	})
	return err
}

var footnoteID = regexp.MustCompile(`#footnote-(\w{1,30})$`)

func footnoteLabel(address string) string {
	if m := footnoteID.FindStringSubmatch(address); m != nil {
		return m[1]
	}
	return ""
}
