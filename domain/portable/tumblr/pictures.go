package tumblr

import (
	"cmp"
	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// pictures uses the files that are named by the post's number. Pages of old exports name those
// of other posts, or none at all.
func (t *tumblr) pictures(page *markup.Page, number string) {
	own := t.media[number]
	var shown []*html.Node
	page.Find("img").Each(func(_ int, s *goquery.Selection) {
		src := s.AttrOr("src", "")
		here := strings.Contains(src, "media/") && !strings.Contains(src, "://")
		if here || tumblrHost(src) || src == "" {
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

// tumblrHost tells whether Tumblr keeps its pictures at an address.
func tumblrHost(address string) bool {
	u, ok := markup.WebAddress(address)
	return ok && strings.HasSuffix(strings.ToLower(u.Hostname()), ".media.tumblr.com")
}

var tumblrPath = regexp.MustCompile(`^/(?:post|(?:blog/view/)?[\w-]+)/(\d{1,20})(?:/|$)`)

// own is the path of one of the posts in the export, by its number: numbers are never used twice.
func (t *tumblr) own(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", false
	}
	m := tumblrPath.FindStringSubmatch(u.Path)
	if m == nil || !t.numbers[m[1]] || len(m[1]) < 6 && !strings.HasPrefix(u.Path, "/post/") {
		return "", false
	}
	return "/post/" + m[1], true
}

// tumblrPhoto is a picture, in several sizes.
type tumblrPhoto struct {
	Caption string `xml:"caption,attr"`
	Sizes   []struct {
		Width   int    `xml:"max-width,attr"`
		Address string `xml:",chardata"`
	} `xml:"photo-url"`
}

// address is that of the largest size.
func (p tumblrPhoto) address() string {
	best, width := "", -1
	for _, size := range p.Sizes {
		if size.Width > width {
			best, width = strings.TrimSpace(size.Address), size.Width
		}
	}
	return best
}

// tumblrTime reads a date such as "May 11th, 2016 4:54am", whose zone is not known.
func tumblrTime(text string) time.Time {
	text = ordinal.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1")
	for _, layout := range []string{"January 2, 2006 3:04pm", "January 2, 2006 3:04 pm", "January 2, 2006"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 1 {
			return t
		}
	}
	return time.Time{}
}

var ordinal = regexp.MustCompile(`(\d)(?:st|nd|rd|th)\b`)

// addPage imports a post of which there is the page alone. It says neither the slug nor whether
// the post was private: what is not public lies in other folders.
func (t *tumblr) addPage(name string, page *markup.Page) {
	number := tumblrFile.FindStringSubmatch(name)[1]
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
	footer := page.Find("#footer").Last() // those of posts that it quotes come before
	p.Created = tumblrTime(footer.Find("#timestamp").Text())
	footer.Find(".tag").Each(func(_ int, s *goquery.Selection) {
		if tag := strings.TrimSpace(s.Text()); tag != "" {
			p.Tags = append(p.Tags, tag)
		}
	})
	page.Remove("#footer", "")
	p.AddPath("/post/" + number)
	if slug := names.Slug(title); title != "" { // how Tumblr makes them
		p.AddPath("/post/" + number + "/" + slug)
	}
	t.finish(&p, page, number)
}
