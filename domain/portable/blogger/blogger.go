// Package blogger reads exports of Blogger: Atom feeds and folders of Google Takeout.
package blogger

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
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

type blogger struct {
	blog     *portable.Blog
	now      time.Time
	private  bool
	entries  []feedEntry
	comments map[string]int             // number by the id of the post
	pictures map[string]map[string]bool // addresses without the size, by file name
	feeds    int                        // number of feeds that were read
}

// New returns a reader of the feeds of a blog. The caller decodes each feed and calls Finish last.
func New(files *portable.Files, now time.Time) *blogger {
	return &blogger{blog: &portable.Blog{Format: "Blogger", Files: files}, now: now, comments: make(map[string]int),
		pictures: make(map[string]map[string]bool)}
}

// ReadFolder reads all feeds in an export. A Takeout has one for each blog.
func ReadFolder(files *portable.Files, now time.Time) (*portable.Blog, error) {
	b := New(files, now)
	var refused error
	for _, name := range files.Paths {
		if strings.EqualFold(path.Ext(name), ".atom") {
			refused = cmp.Or(refused, b.readFile(name))
		}
	}
	switch {
	case b.feeds == 0 && slices.ContainsFunc(files.Paths, portable.IsText): // a site with a feed of its own
		return nil, nil
	case b.feeds == 0:
		return nil, refused
	case refused != nil:
		b.blog.AddProblem("", "a feed was left out: %v", refused)
	}
	return b.Finish(), nil
}

func (b *blogger) readFile(name string) error {
	file, err := b.blog.Files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := b.Decode(io.LimitReader(file, portable.MaxDocument)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Decode collects the entries of a feed. It returns an error for feeds of other sites.
func (b *blogger) Decode(r io.Reader) error {
	d := portable.NewXMLDecoder(r)
	depth, seen := 0, false
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return portable.InvalidExport("Blogger", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch {
			case depth == 0 && token.Name.Local != "feed":
				return portable.InvalidExport("Blogger", fmt.Errorf("it begins with <%s>", token.Name.Local))
			case depth == 1 && token.Name.Local == "entry":
				var e feedEntry
				if err := d.DecodeElement(&e, &token); err != nil {
					return portable.InvalidExport("Blogger", err)
				}
				if e.kind() != "" {
					seen = true
					b.collect(e)
				}
				continue
			case depth == 1 && token.Name.Local == "title":
				var text string
				if err := d.DecodeElement(&text, &token); err != nil {
					return portable.InvalidExport("Blogger", err)
				}
				b.blog.Title = cmp.Or(b.blog.Title, strings.TrimSpace(text))
				continue
			}
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if !seen {
		return portable.InvalidExport("Blogger", errors.New("no entry has a kind"))
	}
	b.feeds++
	return nil
}

// readersSetting is the end of the id of the setting for who may read the blog.
const readersSetting = ".BLOG_READ_ACCESS_MODE"

func (b *blogger) collect(e feedEntry) {
	switch e.kind() {
	case "post", "page":
		b.entries = append(b.entries, e)
		for _, address := range portable.AddressInText.FindAllString(e.Content, -1) {
			if name, folder, ok := pictureName(address); ok {
				if b.pictures[name] == nil {
					b.pictures[name] = make(map[string]bool)
				}
				b.pictures[name][folder] = true
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

// Finish imports the collected entries and returns the blog.
func (b *blogger) Finish() *portable.Blog {
	if b.private {
		b.blog.AddProblem("", "all posts are imported as drafts: the blog was not public")
	}
	for i := range b.entries {
		b.add(&b.entries[i])
	}
	if len(b.blog.Sites.Hosts) == 0 { // Takeout does not state the address
		b.blog.FindSite()
	}
	return b.blog
}

// add imports a post or page.
func (b *blogger) add(e *feedEntry) {
	title := markup.PlainText(e.Title)
	id := strings.TrimSpace(e.ID)
	p := portable.Post{Key: "blogger:" + id, Title: title, Where: cmp.Or(title, id, "a post without a name")}
	p.Created, _ = portable.ParseTime(e.Published, time.UTC)
	if edited, _ := portable.ParseTime(e.Updated, time.UTC); edited.After(p.Created.Add(time.Minute)) {
		p.Edited = edited
	}
	if strings.HasSuffix(e.Status, "TRASHED") || strings.TrimSpace(e.Trashed) != "" {
		b.blog.AddProblem(p.Where, "left out: it is in the trash")
		return
	}
	b.status(&p, e)
	for _, l := range e.Links {
		u, ok := markup.WebAddress(l.Href)
		if l.Rel != "alternate" || !ok || strings.HasSuffix(u.Host, "blogger.com") {
			continue
		}
		b.blog.Sites.Add(u.Scheme + "://" + u.Host)
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

func (b *blogger) status(p *portable.Post, e *feedEntry) {
	draft := strings.ToLower(strings.TrimSpace(e.Draft))
	switch state := strings.TrimSpace(e.Status); {
	case draft == "yes", state == "DRAFT", b.private:
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
