// Package wordpress reads exports of WordPress (WXR).
package wordpress

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// Export is an export of WordPress while it is read. It may have several files.
type Export struct {
	blog        *portable.Blog
	now         time.Time
	site        string // the blog's address, with which the keys of posts begin
	items       []wxrItem
	attachments attachments
	others      map[string]int // number of other items by type
	templates   portable.TemplatePolicy
	parents     map[string]string // the parents of categories, by slug
	typed       bool              // an item has a type
	patterns    map[int]*pattern  // synced patterns, by their numbers
	inserted    int               // bytes of patterns in all texts
}

// ReadXML reads a file of an export of WordPress.
func ReadXML(r io.Reader, files *portable.Files, o portable.Options, now time.Time) (*Export, error) {
	w := &Export{blog: &portable.Blog{Format: "WordPress", Files: files}, now: now,
		others: make(map[string]int), parents: make(map[string]string), patterns: make(map[int]*pattern),
		templates: o.Templates}
	err := w.blog.ReadXML(r, "rss", w.element)
	if err == nil && !w.typed {
		err = errors.New("no item has a type")
	}
	if err != nil {
		return nil, portable.InvalidExport("WordPress", err)
	}
	return w, nil
}

// Join adds another file of the same blog's export.
func (w *Export) Join(other portable.Part) bool {
	part, ok := other.(*Export)
	if !ok || part.site != w.site || !w.blog.Join(part.blog) {
		return false
	}
	w.items = append(w.items, part.items...)
	w.attachments.list = append(w.attachments.list, part.attachments.list...)
	maps.Copy(w.parents, part.parents)
	for id, p := range part.patterns {
		if old, twice := w.patterns[id]; twice {
			p.public = p.public && old.public
		}
		w.patterns[id] = p
	}
	for name, n := range part.others {
		w.others[name] += n
	}
	return true
}

// Finish imports the items of all files.
func (w *Export) Finish() *portable.Blog {
	w.attachments.index()
	for i := range w.items {
		w.add(&w.items[i])
	}
	for _, p := range w.patterns {
		if !p.used {
			w.others["wp_block"]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.others)) {
		w.blog.AddMessage(locale.M("left out: {n} items of the type {type}, which are not posts",
			"n", w.others[name], "type", name))
	}
	return w.blog
}

// element reads an item or an element of the head with its content. It returns false for an element that it does not
// read.
func (w *Export) element(d *portable.XML, depth int, token xml.StartElement) (read bool, err error) {
	if depth != 2 {
		return false, nil
	}
	switch token.Name.Local {
	case "item":
		var item wxrItem
		if err := d.DecodeElement(&item, &token); err != nil {
			return true, err
		}
		item.trim()
		d.ReportReplaced(item.where())
		w.typed = w.typed || item.Type != ""
		w.collect(item)
	case "author":
		var a struct {
			ID    int    `xml:"author_id"`
			Login string `xml:"author_login"`
			Name  string `xml:"author_display_name"`
			Email string `xml:"author_email"`
		}
		if err := d.DecodeElement(&a, &token); err != nil {
			return true, err
		}
		w.blog.AddPerson(portable.AuthorName(a.Login), a.Name, a.Email)
		if a.ID > 0 {
			w.blog.NoteList("/?author="+strconv.Itoa(a.ID), portable.Listing{})
		}
	case "category":
		var category struct {
			ID     int    `xml:"term_id"`
			Slug   string `xml:"category_nicename"`
			Parent string `xml:"category_parent"`
			Name   string `xml:"cat_name"`
		}
		if err := d.DecodeElement(&category, &token); err != nil {
			return true, err
		}
		w.parents[strings.TrimSpace(category.Slug)] = strings.TrimSpace(category.Parent)
		if category.ID > 0 {
			w.blog.NoteList("/?cat="+strconv.Itoa(category.ID), portable.Listing{Tag: markup.PlainText(category.Name)})
		}
	case "base_site_url", "base_blog_url", "link", "title":
		var text string
		if err := d.DecodeElement(&text, &token); err != nil {
			return true, err
		}
		w.describe(token.Name.Local, strings.TrimSpace(text))
	default:
		return false, nil
	}
	return true, nil
}

// describe records a text of the head.
func (w *Export) describe(element, text string) {
	switch element {
	case "title":
		w.blog.Title = text
	case "base_site_url":
		w.blog.Sites.Add(text)
	default:
		if text != "" {
			w.blog.Sites.Add(text)
			w.site = text
		}
	}
}

func (w *Export) collect(item wxrItem) {
	switch item.Type {
	case "attachment":
		w.attachments.add(&item)
		w.blog.Sites.AddFileHost(item.Attachment)
	case "post", "page":
		w.items = append(w.items, item)
	case "wp_block":
		w.patterns[item.ID] = &pattern{content: item.content(), public: item.Status == "publish" && item.Password == ""}
	case "nav_menu_item", "revision", "wp_global_styles", "custom_css", "wp_navigation", "oembed_cache",
		"customize_changeset", "wp_template", "wp_template_part":
		// The design of the old blog.
	default:
		w.others[item.Type]++
	}
}

func (w *Export) add(item *wxrItem) {
	title := item.Title.String()
	p := portable.Post{Key: fmt.Sprintf("wordpress:%s#%d", strings.TrimSuffix(w.site, "/"), item.ID), Title: title,
		Slug: portable.UnescapedSlug(item.Name)}
	if item.ID == 0 {
		p.Key = "wordpress:" + item.GUID
	}
	p.Where = item.where()
	if !w.setStatus(&p, item) {
		return
	}
	w.addPaths(&p, item)
	p.DraftPaths()
	w.addTags(&p, item)
	b := w.blog
	t := &markup.Translator{Templates: w.templates}
	content, err := w.translate(t, item)
	if err != nil {
		b.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	for _, meta := range item.Meta {
		if meta.Key == "_yoast_wpseo_canonical" || meta.Key == "rank_math_canonical_url" { // of the common plugins
			p.CanonicalURL = meta.Value
		}
		if id, err := strconv.Atoi(strings.TrimSpace(meta.Value)); err == nil && meta.Key == "_thumbnail_id" {
			picture := w.attachments.byID[id]
			content = markup.WithCover(&p, content, picture.address, cmp.Or(picture.alt, title), "")
		}
	}
	t.DraftUntranslated(&p)
	if item.Sticky == "1" {
		t.RecordLoss(locale.M("it was a sticky post, and is now ordered by its date"))
	}
	t.SetSubtitle(&p, item.excerpt(), content)
	p.SetAuthor(b, item.Creator)
	t.AddPost(b, p, content)
	b.NoteAuthor(strings.ToLower(strings.ReplaceAll(strings.TrimSpace(item.Creator), " ", "-")))
	if comments := item.readersComments(); comments > 0 {
		b.AddProblem(p.Where, "comments by readers were left out: %d", comments)
	}
}

// translate translates the text of an item.
func (w *Export) translate(t *markup.Translator, item *wxrItem) (string, error) {
	source, ok := w.insertPatterns(t, item.content())
	if !ok {
		return "", errPatterns
	}
	source, notes := holdNotes(t, item, source)
	content, err := translateText(t, source, item.ID, &w.attachments)
	if err != nil {
		return "", err
	}
	return addNotes(t, content, notes)
}

// addTags adds the categories and tags of an item to a post, and records the addresses of their lists.
func (w *Export) addTags(p *portable.Post, item *wxrItem) {
	for _, c := range item.Categories {
		name := markup.PlainText(c.Name)
		switch c.Domain {
		case "category":
			w.blog.NoteTerm("/category/", w.categoryPath(c.Slug), name)
		case "post_tag":
			w.blog.NoteTerm("/tag/", c.Slug, name)
		}
		if c.Domain != "category" && c.Domain != "post_tag" || c.Slug == "uncategorized" || name == "" {
			continue
		}
		p.Tags = append(p.Tags, name)
	}
}

// categoryPath returns the end of a category's address. It begins with the parent categories.
func (w *Export) categoryPath(slug string) string {
	address := slug
	for range portable.MaxParents {
		if slug = w.parents[slug]; slug == "" {
			break
		}
		address = slug + "/" + address
	}
	return address
}

// parseTime parses a date, of which WordPress gives several forms. A date of zeros means none.
func parseTime(gmt, local, rfc string) time.Time {
	for _, text := range []string{gmt, local} {
		if t, err := time.Parse("2006-01-02 15:04:05", strings.TrimSpace(text)); err == nil && t.Year() > 1 {
			return t
		}
	}
	if t, ok := portable.ParseTime(rfc, time.UTC); ok && t.Year() > 1 {
		return t
	}
	return time.Time{}
}
