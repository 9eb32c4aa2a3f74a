// Package tumblr reads exports of Tumblr.
package tumblr

import (
	"cmp"
	"encoding/xml"
	"fmt"
	stdhtml "html"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// Tumblr exports a folder media, whose files are named by posts' numbers, and a folder posts or
// a posts.zip of it. There each post is html/NUMBER.html, and newer exports describe all posts
// in posts.xml, in the form of Tumblr's first API: https://www.tumblr.com/docs/en/api/v1.
type tumblr struct {
	blog    *portable.Blog
	numbers map[string]bool     // of all posts
	media   map[string][]string // files by the number of their post
}

// tumblrPost is a post of posts.xml. Its texts are HTML.
type tumblrPost struct {
	ID        string   `xml:"id,attr"`
	URL       string   `xml:"url,attr"`
	Slugged   string   `xml:"url-with-slug,attr"`
	Type      string   `xml:"type,attr"`
	Date      string   `xml:"date-gmt,attr"`
	Slug      string   `xml:"slug,attr"`
	State     string   `xml:"state,attr"`
	Private   string   `xml:"private,attr"`
	Blog      string   `xml:"tumblelog,attr"`
	Tags      []string `xml:"tag"`
	Title     string   `xml:"regular-title"`
	Body      string   `xml:"regular-body"`
	Caption   string   `xml:"photo-caption"`
	PhotoLink string   `xml:"photo-link-url"`
	tumblrPhoto
	Photos      []tumblrPhoto `xml:"photoset>photo"`
	Quote       string        `xml:"quote-text"`
	QuoteSource string        `xml:"quote-source"`
	LinkText    string        `xml:"link-text"`
	LinkURL     string        `xml:"link-url"`
	LinkAbout   string        `xml:"link-description"`
	ChatTitle   string        `xml:"conversation-title"`
	Chat        []struct {
		Label string `xml:"label,attr"`
		Text  string `xml:",chardata"`
	} `xml:"conversation>line"`
	Video       []string `xml:"video-player"`
	VideoSource string   `xml:"video-source"`
	VideoText   string   `xml:"video-caption"`
	Audio       []string `xml:"audio-player"`
	AudioText   string   `xml:"audio-caption"`
	Question    string   `xml:"question"`
	Answer      string   `xml:"answer"`
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

var (
	tumblrFile  = regexp.MustCompile(`(?:^|/)html/(?:submissions/)?(\d{1,20})\.html$`)
	tumblrMedia = regexp.MustCompile(`(?:^|/)media/(\d{1,20})(?:_(\d{1,3}))?\.\w{2,5}$`)
)

func newTumblr(files *portable.Files) *tumblr {
	b := &portable.Blog{Format: "Tumblr", Files: files}
	t := &tumblr{blog: b, numbers: make(map[string]bool), media: make(map[string][]string)}
	for name := range files.Known {
		if m := tumblrMedia.FindStringSubmatch(name); m != nil && portable.IsImage(name) {
			t.media[m[1]] = append(t.media[m[1]], name)
		}
	}
	place := func(name string) int {
		n, _ := strconv.Atoi(tumblrMedia.FindStringSubmatch(name)[2])
		return n
	}
	for _, names := range t.media {
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
	}
	return t
}

// readTumblr reads an export of Tumblr. It returns no blog when the files are not Tumblr's.
func ReadFolder(files *portable.Files, now time.Time) (*portable.Blog, error) {
	name, packed := files.Shallowest("posts.zip")
	if packed && len(files.Names["posts.xml"]) == 0 && !slices.ContainsFunc(files.Order, portable.IsText) {
		if err := files.AddZip(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range files.Order {
		if path.Base(name) != "posts.xml" {
			continue
		}
		file, err := files.Open(name)
		if err != nil {
			return nil, err
		}
		blog, err := ReadXML(io.LimitReader(file, portable.MaxDocument), files)
		file.Close()
		if err == nil {
			return blog, nil
		}
	}
	t := newTumblr(files)
	var posts []string
	for _, name := range files.Order {
		if m := tumblrFile.FindStringSubmatch(name); m != nil {
			posts = append(posts, name)
			t.numbers[m[1]] = true
		}
	}
	recognised := false
	for _, name := range posts {
		page, err := markup.ReadPage(files, name)
		if err == nil && page.Find("#footer #timestamp").Length() == 0 {
			continue
		}
		if err != nil {
			t.blog.AddProblem(path.Base(name), "not imported: %v", err)
			continue
		}
		recognised = true
		t.addPage(name, page)
	}
	if !recognised {
		return nil, nil
	}
	t.blog.FindSite()
	return t.blog, nil
}

// readTumblrXML reads posts.xml, or the answer of the first API, which has the same form.
func ReadXML(r io.Reader, files *portable.Files) (*portable.Blog, error) {
	t := newTumblr(files)
	d := portable.NewXMLDecoder(r)
	var whole struct {
		XMLName xml.Name     `xml:"tumblr"`
		Posts   []tumblrPost `xml:"posts>post"`
		Blog    struct {
			Title string `xml:"title,attr"`
			Name  string `xml:"name,attr"`
		} `xml:"tumblelog"`
	}
	if err := d.Decode(&whole); err != nil {
		return nil, fmt.Errorf("it is no export of Tumblr: %w", err)
	}
	t.blog.Title = cmp.Or(whole.Blog.Title, whole.Blog.Name)
	for _, p := range whole.Posts {
		t.numbers[p.ID] = true
	}
	for _, p := range whole.Posts {
		t.add(p)
	}
	return t.blog, nil
}

// add imports a post of posts.xml.
func (t *tumblr) add(source tumblrPost) {
	b := t.blog
	title := markup.PlainText(cmp.Or(source.Title, source.ChatTitle, source.LinkText))
	p := portable.Post{Key: "tumblr:" + source.ID, Title: title, Slug: source.Slug,
		Where: cmp.Or(title, source.Slug, source.ID, "a post without a number")}
	b.Title = cmp.Or(b.Title, source.Blog)
	p.Created, _ = portable.ParseTime(source.Date, time.UTC)
	p.SetAuthor(b, source.Blog)
	switch {
	case source.Private == "true" || source.State == "private":
		p.Status = portable.Draft
		b.AddProblem(p.Where, "imported as a draft: it was private")
	case source.State == "published" || source.State == "":
		p.Status = portable.Published
	default: // draft, queued, submission
		p.Status = portable.Draft
	}
	for _, address := range []string{source.Slugged, source.URL} {
		if u, ok := markup.WebAddress(address); ok {
			b.Sites.Add(u.Scheme + "://" + u.Host)
			p.AddPath(u.EscapedPath())
		}
	}
	if source.ID != "" {
		p.AddPath("/post/" + source.ID)
	}
	for _, tag := range source.Tags {
		p.Tags = append(p.Tags, strings.TrimSpace(tag))
	}
	page, err := markup.ParsePage(source.html())
	if err != nil {
		b.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	t.finish(&p, page, source.ID)
}

// html is what a post of any type shows.
func (p tumblrPost) html() string {
	escape := stdhtml.EscapeString
	var b strings.Builder
	switch p.Type {
	case "photo":
		photos := p.Photos
		if len(photos) == 0 {
			photos = []tumblrPhoto{p.tumblrPhoto}
		}
		for _, photo := range photos {
			img := `<img src="` + escape(photo.address()) + `" alt="">`
			if _, ok := markup.WebAddress(p.PhotoLink); ok {
				img = `<a href="` + escape(p.PhotoLink) + `">` + img + "</a>"
			}
			b.WriteString("<figure>" + img + markup.Captioned(escape(photo.Caption)) + "</figure>")
		}
		b.WriteString(p.Caption)
	case "quote":
		b.WriteString("<blockquote>" + p.Quote + "</blockquote>")
		if p.QuoteSource != "" {
			b.WriteString("<p>— " + p.QuoteSource + "</p>")
		}
	case "link":
		b.WriteString(markup.LinkParagraph(p.LinkURL, cmp.Or(markup.PlainText(p.LinkText), p.LinkURL)) + p.LinkAbout)
	case "conversation":
		for _, line := range p.Chat {
			b.WriteString("<p><strong>" + escape(strings.TrimSpace(line.Label)) + "</strong> " + escape(line.Text) + "</p>")
		}
	case "video":
		if _, ok := markup.WebAddress(p.VideoSource); ok {
			b.WriteString(markup.LinkParagraph(p.VideoSource, p.VideoSource))
		} else if len(p.Video) > 0 {
			b.WriteString(p.Video[0])
		}
		b.WriteString(p.VideoText)
	case "audio":
		if len(p.Audio) > 0 {
			b.WriteString(p.Audio[0])
		}
		b.WriteString(p.AudioText)
	case "answer":
		b.WriteString("<blockquote>" + p.Question + "</blockquote>" + p.Answer)
	default:
		b.WriteString(p.Body)
	}
	return b.String()
}

// addPage imports a post of which there is the page alone. It says neither the slug nor whether
// the post was private: what is not public lies in other folders.
func (t *tumblr) addPage(name string, page *markup.Page) {
	number := tumblrFile.FindStringSubmatch(name)[1]
	heading := page.Find("body > h1").First()
	title := strings.Join(strings.Fields(heading.Text()), " ")
	heading.Remove()
	p := portable.Post{Key: "tumblr:" + number, Title: title, Where: cmp.Or(title, number), Status: portable.Published, File: name}
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

var ordinal = regexp.MustCompile(`(\d)(?:st|nd|rd|th)\b`)

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

// finish translates the text of a post and adds the post.
func (t *tumblr) finish(p *portable.Post, page *markup.Page, number string) {
	p.DraftPaths()
	t.pictures(page, number)
	page.Find("a[href]").Each(func(_ int, s *goquery.Selection) {
		if to, ok := t.own(s.AttrOr("href", "")); ok {
			s.SetAttr("href", to)
		}
	})
	content, err := page.Markdown(page.Find("body"))
	if err != nil {
		t.blog.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	if p.Title == "" {
		p.Title, content = markup.TitleFrom(content, strings.ReplaceAll(p.Slug, "-", " "))
	}
	p.Content = content
	page.Translator.ReportLosses(t.blog, p.Where)
	t.blog.Posts = append(t.blog.Posts, *p)
}

// pictures uses the files that are named by the post's number. Pages of old exports name those
// of other posts, or none at all.
func (t *tumblr) pictures(page *markup.Page, number string) {
	own := t.media[number]
	var shown []*html.Node
	page.Find("img").Each(func(_ int, s *goquery.Selection) {
		src := s.AttrOr("src", "")
		if here := strings.Contains(src, "media/") && !strings.Contains(src, "://"); here || tumblrHost(src) || src == "" {
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
