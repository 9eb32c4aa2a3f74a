package tumblr

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// pictures points the pictures of a page to the exported files that are named after the post's number. Pages in old
// exports name the files of other posts, or no files.
func (t *tumblr) pictures(page *markup.Page, number string) {
	own := t.media[number]
	var shown []*html.Node
	page.Find("img").Each(func(_ int, s *goquery.Selection) {
		src := s.AttrOr("src", "")
		here := strings.Contains(src, "media/") && !strings.Contains(src, "://")
		if here || isPictureHost(src) || src == "" {
			shown = append(shown, s.Get(0))
		}
	})
	switch {
	case len(own) == len(shown):
		for i, img := range shown {
			markup.SetAttribute(img, "src", "/"+own[i])
		}
	case len(shown) == 0:
		var nodes []*html.Node
		for _, name := range own {
			nodes = append(nodes, markup.FigureNode("/"+name, "", nil))
		}
		page.Find("body").PrependNodes(nodes...)
	}
}

// isPictureHost reports whether an address is on a host on which Tumblr keeps pictures.
func isPictureHost(address string) bool {
	u, ok := markup.WebAddress(address)
	return ok && strings.HasSuffix(strings.ToLower(u.Hostname()), ".media.tumblr.com")
}

var postPath = regexp.MustCompile(`^/(?:post|(?:blog/view/)?[\w-]+)/(\d{1,20})(?:/|$)`)

// own returns the path of the exported post to which an address leads. It identifies the post by its number, which
// Tumblr never uses twice.
func (t *tumblr) own(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", false
	}
	m := postPath.FindStringSubmatch(u.Path)
	if m == nil || !t.numbers[m[1]] || len(m[1]) < 6 && !strings.HasPrefix(u.Path, "/post/") {
		return "", false
	}
	return "/post/" + m[1], true
}

// photoData is a picture in several sizes.
type photoData struct {
	Caption string `xml:"caption,attr"`
	Sizes   []struct {
		Width   int    `xml:"max-width,attr"`
		Address string `xml:",chardata"`
	} `xml:"photo-url"`
}

// address returns the address of the largest size.
func (p photoData) address() string {
	best, width := "", -1
	for _, size := range p.Sizes {
		if size.Width > width {
			best, width = strings.TrimSpace(size.Address), size.Width
		}
	}
	return best
}

// parseTime parses a date such as "May 11th, 2016 4:54am". Its zone is not known, so it is read as UTC.
func parseTime(text string) time.Time {
	text = ordinal.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1")
	for _, layout := range []string{"January 2, 2006 3:04pm", "January 2, 2006 3:04 pm", "January 2, 2006"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 1 {
			return t
		}
	}
	return time.Time{}
}

var ordinal = regexp.MustCompile(`(\d)(?:st|nd|rd|th)\b`)

// addPage imports a post of which the export has only the page. A page has neither the slug nor the post's visibility:
// Tumblr puts posts that are not public into other folders.
func (t *tumblr) addPage(name string, page *markup.Page) {
	number := postFile.FindStringSubmatch(name)[1]
	heading := page.Find("body > h1").First()
	title := strings.Join(strings.Fields(heading.Text()), " ")
	heading.Remove()
	p := portable.Post{Key: "tumblr:" + number, Title: title, Where: cmp.Or(title, number), Status: portable.Published,
		File: name}
	for _, folder := range []string{"draft", "queue", "private", "submission"} {
		if strings.Contains(strings.ToLower(path.Dir(name)), folder) {
			p.Status = portable.Draft
		}
	}
	footer := page.Find("#footer").Last() // the footers of quoted posts come before it
	p.Created = parseTime(footer.Find("#timestamp").Text())
	footer.Find(".tag").Each(func(_ int, s *goquery.Selection) {
		if tag := strings.TrimSpace(s.Text()); tag != "" {
			p.Tags = append(p.Tags, tag)
		}
	})
	page.Remove("#footer", locale.Message{})
	p.AddPath("/post/" + number)
	if slug := names.Slug(title); title != "" { // as Tumblr makes slugs
		p.AddPath("/post/" + number + "/" + slug)
	}
	t.finish(&p, page, number)
}
