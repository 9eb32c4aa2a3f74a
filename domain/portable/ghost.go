package portable

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The shapes of Ghost's export. Ids are numbers in old ones, and so are dates and truths.
type ghostData struct {
	Posts     []ghostPost `json:"posts"`
	Tags      []ghostTag  `json:"tags"`
	PostsTags []struct {
		Post  anyID `json:"post_id"`
		Tag   anyID `json:"tag_id"`
		Order int   `json:"sort_order"`
	} `json:"posts_tags"`
	PostsMeta []struct {
		Post    anyID  `json:"post_id"`
		Alt     string `json:"feature_image_alt"`
		Caption string `json:"feature_image_caption"`
	} `json:"posts_meta"`
	Users []struct {
		ID    anyID  `json:"id"`
		Name  string `json:"name"`
		Slug  string `json:"slug"`
		Email string `json:"email"`
	} `json:"users"`
	PostsAuthors []ghostAuthor `json:"posts_authors"`
	Settings     []struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	} `json:"settings"`
}

type ghostTag struct {
	ID   anyID  `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
}

type ghostPost struct {
	ID         anyID   `json:"id"`
	UUID       string  `json:"uuid"`
	Title      string  `json:"title"`
	Slug       string  `json:"slug"`
	Markdown   string  `json:"markdown"` // of Ghost 0
	Mobiledoc  string  `json:"mobiledoc"`
	Lexical    string  `json:"lexical"`
	HTML       string  `json:"html"`
	Image      string  `json:"image"` // of Ghost 0
	Feature    string  `json:"feature_image"`
	Page       truth   `json:"page"`
	Excerpt    string  `json:"custom_excerpt"`
	Head       string  `json:"codeinjection_head"`
	Foot       string  `json:"codeinjection_foot"`
	Type       string  `json:"type"`
	Status     string  `json:"status"`
	Visibility string  `json:"visibility"`
	Created    anyTime `json:"created_at"`
	Updated    anyTime `json:"updated_at"`
	Published  anyTime `json:"published_at"`
	Author     anyID   `json:"author_id"` // of Ghost 0 and 1
}

type ghostAuthor struct {
	Post   anyID `json:"post_id"`
	Author anyID `json:"author_id"`
	Order  int   `json:"sort_order"`
}

// anyID is a number or a text.
type anyID string

// truth is true, or 1.
type truth bool

func (t *truth) UnmarshalJSON(b []byte) error {
	*t = string(b) == "true" || string(b) == "1"
	return nil
}

// ownAddress replaces what stands for the blog's own address, which the export does not
// tell: paths are left.
var ownAddress = strings.NewReplacer("__GHOST_URL__/", "/", "__GHOST_URL__", "/")

// readGhost reads an export of Ghost.
func readGhost(data ghostData, files *Files, now time.Time) *Blog {
	b := &Blog{Format: "Ghost", Files: files}
	for _, s := range data.Settings {
		switch text, _ := s.Value.(string); s.Key {
		case "title":
			b.Title = text
		case "url":
			b.sites.at(text)
		}
	}
	names := make(map[anyID]string)
	for _, tag := range data.Tags {
		names[tag.ID] = tag.Name
		b.noteTerm("/tag/", tag.Slug, tag.Name)
	}
	tags := make(map[anyID][]string)
	for _, link := range data.PostsTags {
		if name := names[link.Tag]; name != "" {
			tags[link.Post] = append(tags[link.Post], name)
		}
	}
	alts := make(map[anyID][2]string)
	for _, m := range data.PostsMeta {
		alts[m.Post] = [2]string{m.Alt, m.Caption}
	}
	people, taken := make(map[anyID]string), make(map[string]bool)
	for _, u := range data.Users {
		name := authorName(u.Name)
		if name == "" || taken[name] { // two people of one name
			name = authorName(u.Slug)
		}
		people[u.ID], taken[name] = name, true
		b.person(name, u.Name, u.Slug, u.Email)
		b.noteAuthor(u.Slug)
	}
	slices.SortStableFunc(data.PostsAuthors, func(a, b ghostAuthor) int { return a.Order - b.Order })
	by := make(map[anyID][]string)
	for _, link := range data.PostsAuthors {
		by[link.Post] = append(by[link.Post], people[link.Author])
	}
	for _, g := range data.Posts {
		if len(by[g.ID]) == 0 {
			by[g.ID] = []string{people[g.Author]}
		}
		g.add(b, tags[g.ID], by[g.ID], alts[g.ID], now)
	}
	return b
}

func (g ghostPost) add(b *Blog, tags, authors []string, alt [2]string, now time.Time) {
	p := Post{Key: "ghost:" + cmp.Or(g.UUID, string(g.ID), g.Slug, g.Title), Title: strings.TrimSpace(g.Title), Slug: g.Slug}
	p.Where = cmp.Or(g.Slug, g.Title, string(g.ID), "a post without a name")
	if p.Title == "(Untitled)" {
		p.Title = ""
	}
	p.Created = time.Time(g.Published)
	if p.Created.IsZero() {
		p.Created = time.Time(g.Created)
	}
	if edited := time.Time(g.Updated); edited.After(p.Created.Add(time.Minute)) {
		p.Edited = edited
	}
	for _, name := range tags {
		if strings.HasPrefix(name, "#") {
			b.problem(p.Where, "the internal tag %s was left out", name)
			continue
		}
		p.Tags = append(p.Tags, name)
	}
	switch g.Status {
	case "published", "sent", "":
		p.Status = Published
		if g.Status == "sent" {
			p.Status = Unlisted
			b.problem(p.Where, "imported as an unlisted post: it was sent by mail only")
		}
	case "scheduled":
		if p.Status = Published; p.Created.After(now) {
			p.Status, p.Publish = Scheduled, p.Created
		}
	default:
		p.Status = Draft
	}
	if g.Visibility != "" && g.Visibility != "public" && p.Status != Draft {
		b.problem(p.Where, "imported as a draft: only %s could read it", g.Visibility)
		p.Status, p.Publish = Draft, time.Time{}
	}
	if (bool(g.Page) || g.Type == "page") && p.Status == Published {
		p.Status = Unlisted
		b.problem(p.Where, "imported as an unlisted post: it was a page")
	}
	if g.Slug != "" {
		p.addPath("/" + url.PathEscape(g.Slug))
	}
	p.draftPaths()
	for _, text := range []*string{&g.Markdown, &g.Mobiledoc, &g.Lexical, &g.HTML, &g.Image, &g.Feature} {
		*text = ownAddress.Replace(*text)
	}
	t := &translator{}
	content, err := ghostContent(t, g)
	if err != nil {
		b.problem(p.Where, "not imported: %v", err)
		return
	}
	if image := cmp.Or(g.Feature, g.Image); image != "" && !strings.Contains(content, image) {
		content = picture(image, cmp.Or(alt[0], p.Title), plainText(alt[1])) + "\n\n" + content
	}
	if p.Title == "" {
		p.Title, content = titleFrom(content, p.Slug)
	}
	p.Content = content
	p.by(b, authors...)
	if strings.TrimSpace(g.Excerpt) != "" {
		t.lose("its excerpt was left out")
	}
	if strings.TrimSpace(g.Head+g.Foot) != "" {
		t.lose("code injected around it was left out")
	}
	t.tell(b, p.Where)
	b.Posts = append(b.Posts, p)
}

// ghost translates the text of a post, from what says most of it: Markdown that its
// author typed, then the HTML that Ghost made, then the editor's own form.
func ghostContent(t *translator, g ghostPost) (string, error) {
	if g.Markdown != "" && g.Mobiledoc == "" {
		return t.markdown(g.Markdown), nil
	}
	var doc mobiledoc
	if g.Mobiledoc != "" && json.Unmarshal([]byte(g.Mobiledoc), &doc) == nil {
		if markdown, ok := doc.markdown(); ok {
			return t.markdown(markdown), nil
		}
	}
	var lexical struct {
		Root lexicalNode `json:"root"`
	}
	err := json.Unmarshal([]byte(cmp.Or(g.Lexical, "{}")), &lexical)
	if nodes := lexical.Root.Children; err == nil && len(nodes) == 1 && nodes[0].Type == "markdown" {
		return t.markdown(nodes[0].Markdown), nil
	}
	switch {
	case strings.TrimSpace(g.HTML) != "":
		return t.html(g.HTML)
	case err != nil:
		return "", fmt.Errorf("its text is not understood: %w", err)
	case g.Lexical != "":
		var b strings.Builder
		writeLexical(t, &b, lexical.Root, 0)
		return t.html(b.String())
	case g.Mobiledoc != "":
		return t.html(doc.html(t))
	}
	return "", nil
}

func (i *anyID) UnmarshalJSON(b []byte) error {
	*i = anyID(strings.Trim(string(b), `"`))
	return nil
}
