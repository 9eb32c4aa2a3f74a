// Package tumblr reads exports of Tumblr.
package tumblr

import (
	"cmp"
	"encoding/xml"
	"fmt"
	stdhtml "html"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// tumblr reads an export of Tumblr: a folder media, whose files are named after the numbers of posts, and a folder
// posts or a posts.zip of it. Each post is html/NUMBER.html. Newer exports also describe all posts in posts.xml, in the
// form of Tumblr's first API: https://www.tumblr.com/docs/en/api/v1.
type tumblr struct {
	blog    *portable.Blog
	numbers map[string]bool     // of all posts
	media   map[string][]string // files by the number of their post
}

// postData is a post of posts.xml. Its texts are HTML.
type postData struct {
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
	photoData
	Photos      []photoData `xml:"photoset>photo"`
	Quote       string      `xml:"quote-text"`
	QuoteSource string      `xml:"quote-source"`
	LinkText    string      `xml:"link-text"`
	LinkURL     string      `xml:"link-url"`
	LinkAbout   string      `xml:"link-description"`
	ChatTitle   string      `xml:"conversation-title"`
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

var (
	postFile  = regexp.MustCompile(`(?:^|/)html/(?:submissions/)?(\d{1,20})\.html$`)
	mediaFile = regexp.MustCompile(`(?:^|/)media/(\d{1,20})(?:_(\d{1,3}))?\.\w{2,5}$`)
)

func newReader(files *portable.Files) *tumblr {
	b := &portable.Blog{Format: "Tumblr", Files: files}
	t := &tumblr{blog: b, numbers: make(map[string]bool), media: make(map[string][]string)}
	for name := range files.RootOf {
		if m := mediaFile.FindStringSubmatch(name); m != nil && portable.IsImage(name) {
			t.media[m[1]] = append(t.media[m[1]], name)
		}
	}
	place := func(name string) int {
		n, _ := strconv.Atoi(mediaFile.FindStringSubmatch(name)[2])
		return n
	}
	for _, names := range t.media {
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
	}
	return t
}

// ReadFolder reads an export of Tumblr. It returns nil if the files are not Tumblr's.
func ReadFolder(files *portable.Files, now time.Time) (*portable.Blog, error) {
	name, packed := files.Shallowest("posts.zip")
	if packed && len(files.ByName["posts.xml"]) == 0 && !slices.ContainsFunc(files.Paths, portable.IsText) {
		if err := files.AddZip(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range files.Paths {
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
	t := newReader(files)
	var posts []string
	for _, name := range files.Paths {
		if m := postFile.FindStringSubmatch(name); m != nil {
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

// ReadXML reads posts.xml, or the answer of the first API, which has the same form.
func ReadXML(r io.Reader, files *portable.Files) (*portable.Blog, error) {
	t := newReader(files)
	var posts []postData
	err := t.blog.ReadXML(r, "tumblr", func(d *portable.XML, _ int, token xml.StartElement) (bool, error) {
		switch token.Name.Local {
		case "post":
			var p postData
			if err := d.DecodeElement(&p, &token); err != nil {
				return true, err
			}
			posts = append(posts, p)
			d.ReportReplaced(p.where())
			return true, nil
		case "tumblelog":
			var blog struct {
				Title string `xml:"title,attr"`
				Name  string `xml:"name,attr"`
			}
			err := d.DecodeElement(&blog, &token)
			t.blog.Title = cmp.Or(blog.Title, blog.Name)
			return true, err
		}
		return false, nil
	})
	if err != nil {
		return nil, portable.InvalidExport("Tumblr", err)
	}
	for _, p := range posts {
		t.numbers[p.ID] = true
	}
	for _, p := range posts {
		t.add(p)
	}
	return t.blog, nil
}

// add imports a post of posts.xml.
func (t *tumblr) add(source postData) {
	b := t.blog
	title := source.title()
	p := portable.Post{Key: "tumblr:" + source.ID, Title: title, Slug: source.Slug, Where: source.where()}
	b.Title = cmp.Or(b.Title, source.Blog)
	p.Created, _ = portable.ParseTime(source.Date, time.UTC)
	p.SetAuthor(b, source.Blog)
	switch private := source.Private; {
	case private != "" && private != "false" && private != "0", source.State == "private":
		p.Status = portable.Draft
		b.AddProblem(p.Where, "imported as a draft: it was private")
	case source.State == "published" || source.State == "":
		p.Status = portable.Published
	case slices.Contains([]string{"draft", "queued", "queue", "submission"}, source.State):
		p.Status = portable.Draft
	default:
		p.Status = portable.Draft
		b.AddProblem(p.Where, "imported as a draft: its status %s is not known", strconv.Quote(source.State))
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

func (p postData) title() string { return markup.PlainText(cmp.Or(p.Title, p.ChatTitle, p.LinkText)) }

// where names the post in the report.
func (p postData) where() string { return cmp.Or(p.title(), p.Slug, p.ID, "a post without a number") }

// html returns the content of a post of any type as HTML.
func (p postData) html() string {
	escape := stdhtml.EscapeString
	var b strings.Builder
	switch p.Type {
	case "photo":
		photos := p.Photos
		if len(photos) == 0 {
			photos = []photoData{p.photoData}
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
			b.WriteString("<p><strong>" + escape(strings.TrimSpace(line.Label)) + "</strong> " + escape(line.Text) +
				"</p>")
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

// finish translates the text of a post and adds the post to the blog.
func (t *tumblr) finish(p *portable.Post, page *markup.Page, number string) {
	p.DraftPaths()
	page.KeepWords("[data-npf]", "data-npf", func(_ *goquery.Selection, data map[string]any) string {
		kind, _ := data["type"].(string)
		if slices.Contains([]string{"", "text", "image", "link", "audio", "video"}, kind) {
			return ""
		}
		return kind
	})
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
	page.Translator.AddPost(t.blog, *p, content)
}
