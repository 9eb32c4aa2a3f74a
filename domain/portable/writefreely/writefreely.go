// Package writefreely reads exports of WriteFreely.
package writefreely

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// Data is WriteFreely's export of a user, or of a single blog.
type Data struct {
	Username    string `json:"username"`
	Collections []struct {
		Alias string     `json:"alias"`
		Title string     `json:"title"`
		URL   string     `json:"url"`
		Posts []postData `json:"posts"`
		// Public is false if the blog was unlisted, private or had a password: the export does not say which.
		Public *bool `json:"public"`
	} `json:"collections"`
	Alias string     `json:"alias"`
	Title string     `json:"title"`
	Posts []postData `json:"posts"` // posts in no blog, or those of a single blog
	// Public is that of a single blog.
	Public *bool `json:"public"`
}

type postData struct {
	ID         string           `json:"id"`
	Slug       *string          `json:"slug"`
	Appearance string           `json:"appearance"`
	Language   string           `json:"language"`
	Created    portable.AnyTime `json:"created"`
	Updated    portable.AnyTime `json:"updated"`
	Title      string           `json:"title"`
	Body       string           `json:"body"`
	Tags       []string         `json:"tags"`
	private    bool             // whether its blog may have been private
}

// ReadList reads the other JSON that WriteFreely exports: a list of posts, each with its blog. It returns nil if the
// list is of another kind.
func ReadList(body []byte, files *portable.Files, now time.Time) *portable.Blog {
	var list []struct {
		postData
		Content    *string `json:"body"`
		Collection struct {
			Alias string `json:"alias"`
			Title string `json:"title"`
			URL   string `json:"url"`
		} `json:"collection"`
	}
	if json.Unmarshal(body, &list) != nil || len(list) == 0 {
		return nil
	}
	b := &portable.Blog{Format: "WriteFreely", Files: files}
	for _, p := range list {
		if p.ID == "" || p.Content == nil {
			return nil
		}
		p.Body = *p.Content
		b.Title = cmp.Or(b.Title, p.Collection.Title)
		b.Sites.Add(p.Collection.URL)
		p.add(b, p.Collection.Alias, now)
	}
	return b
}

// textFile matches the name of a text in WriteFreely's zip: the blog, the slug and the id.
var textFile = regexp.MustCompile(`^(?:([^/]+)/)?(?:([^/]+)_)?([a-z0-9]{10,20})\.txt$`)

// ReadTexts reads the zip of texts that WriteFreely exports. It returns nil if any file is of another kind.
func ReadTexts(files *portable.Files, now time.Time) (*portable.Blog, error) {
	b := &portable.Blog{Format: "WriteFreely", Files: files}
	for _, name := range files.Paths {
		m := textFile.FindStringSubmatch(name)
		if m == nil || m[1] == "" != (m[2] == "") { // posts in a blog have a slug
			return nil, nil
		}
	}
	for _, name := range files.Paths {
		m := textFile.FindStringSubmatch(name)
		body, err := files.ReadText(name, portable.MaxText)
		if err != nil {
			return nil, err
		}
		p := postData{ID: m[3], Created: portable.AnyTime(files.Modified(name)), Body: string(body)}
		if m[2] != "" { // the slug is made from the title, which the text lacks
			p.Slug = &m[2]
			p.Title, p.Body = markup.TitleFrom(p.Body, m[2])
		}
		p.add(b, m[1], now)
	}
	if len(b.Posts) == 0 {
		return nil, nil
	}
	b.AddProblem("", "WriteFreely's zip has neither titles nor tags: import the JSON export to keep them")
	return b, nil
}

// ReadData reads a decoded export.
func ReadData(data Data, files *portable.Files, now time.Time) *portable.Blog {
	b := &portable.Blog{Format: "WriteFreely", Files: files}
	for _, c := range data.Collections {
		if b.Title == "" {
			b.Title = c.Title
		}
		b.Sites.Add(c.URL)
		addBlog(b, c.Posts, c.Alias, c.Public, now)
	}
	addBlog(b, data.Posts, data.Alias, data.Public, now)
	return b
}

// addBlog imports the posts of one blog.
func addBlog(b *portable.Blog, posts []postData, alias string, public *bool, now time.Time) {
	private := public != nil && !*public
	if private && len(posts) > 0 {
		b.AddProblem(alias, "all posts are imported as drafts: the blog was not public")
	}
	for _, p := range posts {
		p.private = private
		p.add(b, alias, now)
	}
}

func (w postData) add(b *portable.Blog, alias string, now time.Time) {
	slug := ""
	if w.Slug != nil {
		slug = *w.Slug
	}
	p := portable.Post{Key: "writefreely:" + cmp.Or(w.ID, slug, w.Title),
		Where: cmp.Or(slug, w.ID, w.Title, "a post without a name"), Title: strings.TrimSpace(w.Title), Slug: slug,
		Status: portable.Published, Created: time.Time(w.Created), Tags: w.Tags,
		Details: domain.Details{Language: w.Language}}
	if edited := time.Time(w.Updated); edited.After(p.Created.Add(time.Minute)) {
		p.Edited = edited
	}
	switch {
	case slug == "", w.private: // in no blog: WriteFreely lists it among the drafts
		p.Status = portable.Draft
	case p.Created.After(now):
		p.Status, p.Publish = portable.Scheduled, p.Created
	}
	if p.Status != portable.Draft {
		if alias != "" {
			p.AddPath("/" + alias + "/" + slug)
		}
		p.AddPath("/" + slug)
		p.AddPath("/" + w.ID)
	}
	if strings.Contains(w.Body, "<!--paid-->") && slug != "" {
		p.Hold()
		b.AddProblem(p.Where, "imported as a draft: only paying subscribers could read all of it")
	}
	t := &markup.Translator{}
	content := strings.ReplaceAll(w.Body, "\r\n", "\n")
	content = markup.ReadMore.ReplaceAllString(content, "")
	content = t.Markdown(content)
	if p.Title == "" {
		p.Title, content = markup.TitleFrom(content, "")
	}
	if w.Appearance == "code" {
		content = markup.Fenced("", content)
	}
	p.Content = strings.Trim(content, "\n")
	t.ReportLosses(b, p.Where)
	b.Posts = append(b.Posts, p)
}
