package portable

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// The shapes of WriteFreely's export of a user, and of one of a single blog.
type writeFreelyData struct {
	Username    string `json:"username"`
	Collections []struct {
		Alias string            `json:"alias"`
		Title string            `json:"title"`
		URL   string            `json:"url"`
		Posts []writeFreelyPost `json:"posts"`
	} `json:"collections"`
	Alias string            `json:"alias"`
	Title string            `json:"title"`
	Posts []writeFreelyPost `json:"posts"` // in no blog, or of the single one
}

type writeFreelyPost struct {
	ID         string   `json:"id"`
	Slug       *string  `json:"slug"`
	Appearance string   `json:"appearance"`
	Created    anyTime  `json:"created"`
	Updated    anyTime  `json:"updated"`
	Title      string   `json:"title"`
	Body       string   `json:"body"`
	Tags       []string `json:"tags"`
}

// readWriteFreelyList reads the other JSON that WriteFreely exports: a list of posts, each
// with its blog. It gives no blog when it is a list of something else.
func readWriteFreelyList(body []byte, files *Files, now time.Time) *Blog {
	var list []struct {
		writeFreelyPost
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
	b := &Blog{Format: "WriteFreely", Files: files}
	for _, p := range list {
		if p.ID == "" || p.Content == nil {
			return nil
		}
		p.Body = *p.Content
		b.Title = cmp.Or(b.Title, p.Collection.Title)
		b.sites.at(p.Collection.URL)
		p.add(b, p.Collection.Alias, now)
	}
	return b
}

// writeFreelyText is what WriteFreely calls a text in its zip: the blog, the slug, the id.
var writeFreelyText = regexp.MustCompile(`^(?:([^/]+)/)?(?:([^/]+)_)?([a-z0-9]{10,20})\.txt$`)

// readWriteFreelyTexts reads the zip of texts that WriteFreely exports. It gives no blog
// when a file is none of those.
func readWriteFreelyTexts(files *Files, now time.Time) (*Blog, error) {
	b := &Blog{Format: "WriteFreely", Files: files}
	for _, name := range files.order {
		m := writeFreelyText.FindStringSubmatch(name)
		if m == nil || m[1] == "" != (m[2] == "") { // of a blog are those that have a slug
			return nil, nil
		}
	}
	for _, name := range files.order {
		m := writeFreelyText.FindStringSubmatch(name)
		body, err := files.Read(name, maxText)
		if err != nil {
			return nil, err
		}
		p := writeFreelyPost{ID: m[3], Created: anyTime(files.modified(name)), Body: string(body)}
		if m[2] != "" { // the slug, unlike the text, is made of the title
			p.Slug = &m[2]
			p.Title, p.Body = titleFrom(p.Body, m[2])
		}
		p.add(b, m[1], now)
	}
	if len(b.Posts) == 0 {
		return nil, nil
	}
	b.problem("", "WriteFreely's zip has neither titles nor tags: import the JSON export to keep them")
	return b, nil
}

func readWriteFreely(data writeFreelyData, files *Files, now time.Time) *Blog {
	b := &Blog{Format: "WriteFreely", Files: files}
	for _, c := range data.Collections {
		if b.Title == "" {
			b.Title = c.Title
		}
		b.sites.at(c.URL)
		for _, p := range c.Posts {
			p.add(b, c.Alias, now)
		}
	}
	for _, p := range data.Posts {
		p.add(b, data.Alias, now)
	}
	return b
}

func (w writeFreelyPost) add(b *Blog, alias string, now time.Time) {
	slug := ""
	if w.Slug != nil {
		slug = *w.Slug
	}
	p := Post{Key: "writefreely:" + cmp.Or(w.ID, slug, w.Title), Where: cmp.Or(slug, w.ID, w.Title, "a post without a name"), Title: strings.TrimSpace(w.Title), Slug: slug,
		Status: Published, Created: time.Time(w.Created), Tags: w.Tags}
	if edited := time.Time(w.Updated); edited.After(p.Created.Add(time.Minute)) {
		p.Edited = edited
	}
	switch {
	case slug == "": // of no blog: WriteFreely lists it among the drafts
		p.Status = Draft
	case p.Created.After(now):
		p.Status, p.Publish = Scheduled, p.Created
	}
	if p.Status != Draft {
		if alias != "" {
			p.addPath("/" + alias + "/" + slug)
		}
		p.addPath("/" + slug)
		p.addPath("/" + w.ID)
	}
	t := &translator{}
	content := strings.ReplaceAll(w.Body, "\r\n", "\n")
	content = more.ReplaceAllString(content, "")
	content = t.markdown(content)
	if p.Title == "" {
		p.Title, content = titleFrom(content, "")
	}
	if w.Appearance == "code" {
		content = fenced("", content)
	}
	p.Content = strings.Trim(content, "\n")
	t.tell(b, p.Where)
	b.Posts = append(b.Posts, p)
}
