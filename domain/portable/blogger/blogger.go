// Package blogger reads exports of Blogger: Atom feeds and folders of Google Takeout.
package blogger

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// feedEntry is an entry of a feed of Blogger. Blogger exports an Atom feed (RFC 4287) with posts, pages, comments
// and settings in one list. Blogger's own backup states the kind of an entry by a category with the scheme
// http://schemas.google.com/g/2005#kind and marks drafts by app:draft (RFC 5023). The feed.atom of Google Takeout has
// elements of the namespace http://schemas.google.com/blogger/2018 instead.
type feedEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Content    string         `xml:"content"`
	Published  string         `xml:"published"`
	Updated    string         `xml:"updated"`
	Author     feedAuthor     `xml:"author"`
	Categories []feedCategory `xml:"category"`
	Links      []feedLink     `xml:"link"`
	Draft      string         `xml:"control>draft"`
	ReplyTo    struct {
		Ref string `xml:"ref,attr"`
	} `xml:"in-reply-to"`
	// Of Takeout.
	Type     string `xml:"type"`
	Status   string `xml:"status"`
	Parent   string `xml:"parent"`
	Filename string `xml:"filename"`
	Trashed  string `xml:"trashed"`

	private bool // its blog was not public
}

type feedAuthor struct {
	Name string `xml:"name"`
}

type feedCategory struct {
	Scheme string `xml:"scheme,attr"`
	Term   string `xml:"term,attr"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

const kindScheme = "http://schemas.google.com/g/2005#kind"

// kind is "post", "page", "comment", "settings" or "template".
func (e *feedEntry) kind() string {
	for _, c := range e.Categories {
		if c.Scheme == kindScheme {
			_, kind, _ := strings.Cut(c.Term, "#")
			return kind
		}
	}
	return strings.ToLower(strings.TrimSpace(e.Type))
}

// where names the entry in the report.
func (e *feedEntry) where() string {
	return cmp.Or(markup.PlainText(e.Title), strings.TrimSpace(e.ID), "a post without a name")
}

// Export is an export of Blogger while it is read. A Takeout has a feed for each blog.
type Export struct {
	blog     *portable.Blog
	now      time.Time
	private  bool
	entries  []feedEntry
	comments map[string]int             // number by the id of the post
	pictures map[string]map[string]bool // addresses without the size, by file name
}

// ReadXML reads a feed of Blogger. It returns an error for feeds of other sites.
func ReadXML(r io.Reader, files *portable.Files, now time.Time) (*Export, error) {
	b := &Export{blog: &portable.Blog{Format: "Blogger", Files: files}, now: now, comments: make(map[string]int),
		pictures: make(map[string]map[string]bool)}
	seen := false
	err := b.blog.ReadXML(r, "feed", func(d *portable.XML, depth int, token xml.StartElement) (bool, error) {
		switch {
		case depth == 1 && token.Name.Local == "entry":
			var e feedEntry
			if err := d.DecodeElement(&e, &token); err != nil {
				return true, err
			}
			d.ReportReplaced(e.where())
			if e.kind() != "" {
				seen = true
				b.collect(e)
			}
			return true, nil
		case depth == 1 && token.Name.Local == "title":
			return true, d.DecodeElement(&b.blog.Title, &token)
		}
		return false, nil
	})
	if err == nil && !seen {
		err = errors.New("no entry has a kind")
	}
	if err != nil {
		return nil, portable.InvalidExport("Blogger", err)
	}
	b.blog.Title = strings.TrimSpace(b.blog.Title)
	if b.private {
		b.blog.AddProblem(b.blog.Title, "all posts are imported as drafts: the blog was not public")
	}
	for i := range b.entries {
		b.entries[i].private = b.private
	}
	return b, nil
}

// Join adds the feed of another file. It may be that of another blog.
func (b *Export) Join(other portable.Part) bool {
	feed, ok := other.(*Export)
	if !ok || !b.blog.Join(feed.blog) {
		return false
	}
	b.entries = append(b.entries, feed.entries...)
	for post, n := range feed.comments {
		b.comments[post] += n
	}
	for name, folders := range feed.pictures {
		for folder := range folders {
			b.notePicture(name, folder)
		}
	}
	return true
}

// readersSetting is the end of the id of the setting for who may read the blog.
const readersSetting = ".BLOG_READ_ACCESS_MODE"

func (b *Export) collect(e feedEntry) {
	switch e.kind() {
	case "post", "page":
		b.entries = append(b.entries, e)
		for _, address := range portable.AddressInText.FindAllString(e.Content, -1) {
			if name, folder, ok := pictureName(address); ok {
				b.notePicture(name, folder)
			}
		}
	case "comment":
		if e.Draft != "yes" && (e.Status == "" || e.Status == "LIVE") {
			b.comments[cmp.Or(e.ReplyTo.Ref, strings.TrimSpace(e.Parent))]++
		}
	case "settings":
		access := strings.TrimSpace(e.Content)
		b.private = b.private || strings.HasSuffix(e.ID, readersSetting) && access != "" && access != "PUBLIC"
	}
}

// notePicture records that posts show the picture with a file name from a folder.
func (b *Export) notePicture(name, folder string) {
	if b.pictures[name] == nil {
		b.pictures[name] = make(map[string]bool)
	}
	b.pictures[name][folder] = true
}

// Finish imports the collected entries and returns the blog.
func (b *Export) Finish() *portable.Blog {
	blogs := make(map[string][]portable.Post)
	for i := range b.entries {
		blogs[b.entries[i].blogID()] = nil
	}
	for i := range b.entries {
		b.add(&b.entries[i], len(blogs) > 1)
	}
	for _, p := range b.blog.Posts {
		blogs[p.Blog] = append(blogs[p.Blog], p)
	}
	for _, id := range b.blog.Sites.Blogs {
		delete(blogs, id)
	}
	for id, posts := range blogs { // Takeout does not state the addresses
		part := portable.Blog{Posts: posts}
		part.FindSite()
		for host := range part.Sites.Hosts {
			b.blog.Sites.AddBlog("https://"+host, id)
		}
	}
	return b.blog
}

// blogID returns the id of the entry's blog, which is in its own id.
func (e *feedEntry) blogID() string {
	if blog, _, ok := strings.Cut(strings.TrimSpace(e.ID), ".post-"); ok {
		return blog
	}
	return ""
}

// add imports a post or page.
func (b *Export) add(e *feedEntry, several bool) {
	title := markup.PlainText(e.Title)
	id := strings.TrimSpace(e.ID)
	p := portable.Post{Key: "blogger:" + id, Title: title, Where: e.where()}
	if several {
		p.Blog = e.blogID() // posts of several blogs may have the same path
	}
	p.Created, _ = portable.ParseTime(e.Published, time.UTC)
	if edited, _ := portable.ParseTime(e.Updated, time.UTC); edited.After(p.Created.Add(time.Minute)) {
		p.Edited = edited
	}
	if strings.HasSuffix(e.Status, "TRASHED") || strings.TrimSpace(e.Trashed) != "" {
		b.blog.AddProblem(p.Where, "left out: it is in the trash")
		b.blog.Remove(p)
		return
	}
	b.status(&p, e)
	for _, l := range e.Links {
		u, ok := markup.WebAddress(l.Href)
		if l.Rel != "alternate" || !ok || strings.HasSuffix(u.Host, "blogger.com") {
			continue
		}
		b.blog.Sites.AddBlog(u.Scheme+"://"+u.Host, p.Blog)
		p.AddPath(u.EscapedPath())
	}
	if e.Filename != "" {
		p.AddPath(strings.TrimSpace(e.Filename))
	}
	if len(p.Paths) > 0 {
		p.Slug = path.Base(p.Paths[0])
	}
	p.DraftPaths()
	for _, c := range e.Categories {
		if c.Scheme != kindScheme && strings.TrimSpace(c.Term) != "" {
			p.Tags = append(p.Tags, strings.TrimSpace(c.Term))
		}
	}
	page, err := markup.ParsePage(e.Content)
	if err != nil {
		b.blog.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	content, err := translateText(page, b.file)
	if err != nil {
		b.blog.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	p.SetAuthor(b.blog, e.Author.Name)
	page.Translator.AddPost(b.blog, p, content)
	if n := b.comments[id]; n > 0 {
		b.blog.AddProblem(p.Where, "comments by readers were left out: %d", n)
	}
}

func (b *Export) status(p *portable.Post, e *feedEntry) {
	draft := strings.ToLower(strings.TrimSpace(e.Draft))
	switch state := strings.TrimSpace(e.Status); {
	case draft == "yes", state == "DRAFT", e.private:
		p.Status = portable.Draft
	case draft != "" && draft != "no":
		p.Status = portable.Draft
		b.blog.AddProblem(p.Where, "imported as a draft: its status %s is not known", strconv.Quote(draft))
	case state != "" && state != "LIVE" && state != "SCHEDULED":
		p.Status = portable.Draft
		b.blog.AddProblem(p.Where, "imported as a draft: its status %s is not known", state)
	case p.Created.After(b.now):
		p.Status, p.Publish = portable.Scheduled, p.Created
	case state == "SCHEDULED": // its time has passed, but it was not published
		p.Status = portable.Draft
	default:
		p.Status = portable.Published
	}
	if e.kind() == "page" && p.Status == portable.Published {
		p.Status = portable.Unlisted
		b.blog.AddProblem(p.Where, "imported as an unlisted post: it was a page")
	}
}
