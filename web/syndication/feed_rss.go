package syndication

import (
	"cmp"
	"encoding/xml"
	"html"
	"regexp"
	"strings"
	"time"

	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
)

// rss is a feed in RSS 2.0 as specified by the RSS Advisory Board. It uses elements of Atom, Dublin
// Core and the content module where RSS lacks them.
type rss struct {
	XMLName xml.Name   `xml:"rss"`
	Version string     `xml:"version,attr"`
	Atom    string     `xml:"xmlns:atom,attr"`
	Content string     `xml:"xmlns:content,attr"`
	DC      string     `xml:"xmlns:dc,attr"`
	Channel rssChannel `xml:"channel"`
}

type rssChannel struct {
	Title       string    `xml:"title"`
	Link        string    `xml:"link"`
	Description string    `xml:"description"`
	Language    string    `xml:"language,omitempty"`
	Built       string    `xml:"lastBuildDate"`
	Generator   string    `xml:"generator"`
	Docs        string    `xml:"docs"`
	Image       rssImage  `xml:"image"`
	Self        atomLink  `xml:"atom:link"`
	Items       []rssItem `xml:"item"`
}

type rssImage struct {
	URL    string `xml:"url"`
	Title  string `xml:"title"`
	Link   string `xml:"link"`
	Width  int    `xml:"width"`
	Height int    `xml:"height"`
}

type rssItem struct {
	Title       string   `xml:"title"`
	Link        string   `xml:"link"`
	GUID        rssGUID  `xml:"guid"`
	Published   string   `xml:"pubDate"`
	Creator     string   `xml:"dc:creator"`
	Categories  []string `xml:"category"`
	Comments    string   `xml:"comments"`
	Description string   `xml:"description"` // HTML, unlike all other texts but Content
	Content     string   `xml:"content:encoded"`
	Updated     string   `xml:"atom:updated"`
}

type rssGUID struct {
	IsPermaLink bool   `xml:"isPermaLink,attr"`
	ID          string `xml:",chardata"`
}

// rssIcon is the width and height of the feed's picture in pixels. RSS allows at most 144.
const rssIcon = 144

func writeRSS(f feed, texts []feedText) ([]byte, error) {
	page := site.AbsoluteURL(f.base, f.page)
	channel := rssChannel{Title: f.title, Link: page, Description: f.description, Language: sameLanguage(texts),
		Built: rssTime(f.updated()), Generator: siteinfo.Product, Docs: "https://www.rssboard.org/rss-specification",
		Image: rssImage{f.icon(siteinfo.MediumIcon), f.title, page, rssIcon, rssIcon},
		Self:  atomLink{"self", "application/rss+xml", site.AbsoluteURL(f.base, f.path)}}
	for i, p := range f.posts {
		url := f.postURL(p)
		channel.Items = append(channel.Items, rssItem{Title: p.Title, Link: url, GUID: rssGUID{true, f.postID(p)},
			Published: rssTime(p.Created), Creator: names.Called(p.AuthorName,
				p.AuthorDisplayName), Categories: p.Tags.List(), Comments: url + "#Page-comments",
			Description: html.EscapeString(cmp.Or(texts[i].summary, p.Title)), Content: texts[i].html,
			Updated: atomTime(modified(p))})
	}
	body, err := encodeXML(rss{Version: "2.0", Atom: "http://www.w3.org/2005/Atom",
		Content: "http://purl.org/rss/1.0/modules/content/",
		DC:      "http://purl.org/dc/elements/1.1/", Channel: channel})
	return rssText.ReplaceAllFunc(body, func(text []byte) []byte {
		return []byte(rssReferences.Replace(string(text)))
	}), err
}

// rssReferences writes "&", "<" and ">" as the RSS Advisory Board recommends. Many readers take a plain text for HTML,
// and most of them show the right characters of such a text if they are hexadecimal references.
var (
	rssReferences = strings.NewReplacer("&amp;", "&#x26;", "&lt;", "&#x3C;", "&gt;", "&#x3E;")
	rssText       = regexp.MustCompile(`<(?:title|description|dc:creator|category)>[^<]*`)
)

// rssTime formats a time as in RFC 822, with a four-digit year.
func rssTime(t time.Time) string { return t.UTC().Format(time.RFC1123Z) }
