// Package ghost reads exports of Ghost.
package ghost

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// Data is Ghost's export. Ids, dates and booleans are numbers in old exports.
type Data struct {
	Posts     []postData `json:"posts"`
	Tags      []tagData  `json:"tags"`
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
	PostsAuthors []authorData `json:"posts_authors"`
	Settings     []struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	} `json:"settings"`
}

type tagData struct {
	ID   anyID  `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
}

type postData struct {
	ID         anyID            `json:"id"`
	UUID       string           `json:"uuid"`
	Title      string           `json:"title"`
	Slug       string           `json:"slug"`
	Markdown   string           `json:"markdown"` // of Ghost 0
	Mobiledoc  string           `json:"mobiledoc"`
	Lexical    string           `json:"lexical"`
	HTML       string           `json:"html"`
	Image      string           `json:"image"` // of Ghost 0
	Feature    string           `json:"feature_image"`
	Page       truth            `json:"page"`
	Excerpt    string           `json:"custom_excerpt"`
	Head       string           `json:"codeinjection_head"`
	Foot       string           `json:"codeinjection_foot"`
	Type       string           `json:"type"`
	Status     string           `json:"status"`
	Locale     string           `json:"locale"`
	Canonical  string           `json:"canonical_url"`
	Visibility string           `json:"visibility"`
	Created    portable.AnyTime `json:"created_at"`
	Updated    portable.AnyTime `json:"updated_at"`
	Published  portable.AnyTime `json:"published_at"`
	Author     anyID            `json:"author_id"` // of Ghost 0 and 1
}

type authorData struct {
	Post   anyID `json:"post_id"`
	Author anyID `json:"author_id"`
	Order  int   `json:"sort_order"`
}

// anyID is an id: a number or a text.
type anyID string

// truth is a boolean that may be written as 1 or 0.
type truth bool

func (t *truth) UnmarshalJSON(b []byte) error {
	*t = truth(!slices.Contains([]string{"false", "0", "null", ""}, strings.Trim(string(b), `"`)))
	return nil
}

// ownAddress removes the placeholder of the blog's address, which the export does not contain. Only paths remain.
var ownAddress = strings.NewReplacer("__GHOST_URL__/", "/", "__GHOST_URL__", "/")

// ReadData reads an export of Ghost.
func ReadData(data Data, files *portable.Files, now time.Time) *portable.Blog {
	b := &portable.Blog{Format: "Ghost", Files: files}
	var private truth // a password protected the whole blog
	for _, s := range data.Settings {
		var text string
		switch {
		case s.Key == "is_private":
			_ = json.Unmarshal(s.Value, &private) // truth reads every value
		case json.Unmarshal(s.Value, &text) != nil:
		case s.Key == "url":
			b.Sites.Add(text)
		case s.Key == "title":
			b.Title = text
		}
	}
	if private {
		b.AddProblem("", "all posts are imported as drafts: the blog was not public")
	}
	names := make(map[anyID]string)
	for _, tag := range data.Tags {
		names[tag.ID] = tag.Name
		b.NoteTerm("/tag/", tag.Slug, tag.Name)
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
		name := portable.AuthorName(u.Name)
		if name == "" || taken[name] { // two authors have the same name
			name = portable.AuthorName(u.Slug)
		}
		people[u.ID], taken[name] = name, true
		b.AddPerson(name, u.Name, u.Slug, u.Email)
		b.NoteAuthor(u.Slug)
	}
	slices.SortStableFunc(data.PostsAuthors, func(a, b authorData) int { return a.Order - b.Order })
	by := make(map[anyID][]string)
	for _, link := range data.PostsAuthors {
		by[link.Post] = append(by[link.Post], people[link.Author])
	}
	for _, g := range data.Posts {
		if len(by[g.ID]) == 0 {
			by[g.ID] = []string{people[g.Author]}
		}
		if private {
			g.Status = "draft"
		}
		g.add(b, tags[g.ID], by[g.ID], alts[g.ID], now)
	}
	return b
}

func (g postData) add(b *portable.Blog, tags, authors []string, alt [2]string, now time.Time) {
	p := portable.Post{Key: "ghost:" + cmp.Or(g.UUID, string(g.ID), g.Slug, g.Title), Title: strings.TrimSpace(g.Title),
		Slug: g.Slug, Details: domain.Details{Language: g.Locale, CanonicalURL: ownAddress.Replace(g.Canonical)}}
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
			b.AddProblem(p.Where, "the internal tag %s was left out", name)
			continue
		}
		p.Tags = append(p.Tags, name)
	}
	g.setStatus(b, &p, now)
	if g.Slug != "" {
		p.AddPath("/" + url.PathEscape(g.Slug))
	}
	p.DraftPaths()
	for _, text := range []*string{&g.Markdown, &g.Mobiledoc, &g.Lexical, &g.HTML, &g.Image, &g.Feature} {
		*text = ownAddress.Replace(*text)
	}
	t := &markup.Translator{}
	if p.Status != portable.Draft {
		g.HTML = gatedBlock.ReplaceAllStringFunc(g.HTML, func(block string) string {
			if openBlock.MatchString(block) {
				return block
			}
			t.RecordLoss(locale.M("a part that only members could read was left out"))
			return ""
		})
		if strings.TrimSpace(g.HTML) == "" && gatedCard.MatchString(g.Lexical+g.Mobiledoc) {
			t.Hold(locale.M("only members could read a part of it, so the post is a draft"))
		}
	}
	content, err := contentOf(t, g)
	if err != nil {
		b.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	content = markup.WithCover(&p, content, cmp.Or(g.Feature, g.Image), cmp.Or(alt[0], p.Title),
		markup.PlainText(alt[1]))
	p.SetAuthor(b, authors...)
	t.SetSubtitle(&p, g.Excerpt, content)
	if strings.TrimSpace(g.Head+g.Foot) != "" {
		t.RecordLoss(locale.M("code injected around it was left out"))
	}
	t.DraftUntranslated(&p)
	t.AddPost(b, p, content)
}

var (
	// gatedBlock matches a part of the HTML that only some readers see. An open one is for visitors, too.
	gatedBlock = regexp.MustCompile(`(?s)<!--\s*kg-gated-block:begin.*?(?:<!--\s*kg-gated-block:end\s*-->|$)`)
	openBlock  = regexp.MustCompile(`^<!--\s*kg-gated-block:begin[^>]*\bnonMember:true\b`)
	// gatedCard matches the properties of such a part in the format of an editor.
	gatedCard = regexp.MustCompile(`"(?:nonMember|showOnWeb)"\s*:\s*false|"emailOnly"\s*:\s*true`)
)

// contentOf translates the text of a post. It prefers the Markdown that the author typed, then the HTML that Ghost
// made, then the editor's own format.
func contentOf(t *markup.Translator, g postData) (string, error) {
	if g.Markdown != "" && g.Mobiledoc == "" {
		return t.Markdown(g.Markdown), nil
	}
	for _, document := range []*string{&g.Mobiledoc, &g.Lexical} {
		if len(*document) > portable.MaxText {
			return "", portable.ErrTooLarge
		}
		body, replaced := portable.RepairJSON([]byte(*document))
		if err := portable.CheckJSON(body); err != nil {
			return "", err
		}
		if *document = string(body); replaced {
			t.RecordLoss(portable.ReplacedProblem("").Message)
		}
	}
	var doc mobiledoc
	if g.Mobiledoc != "" && json.Unmarshal([]byte(g.Mobiledoc), &doc) == nil {
		if markdown, ok := doc.markdown(); ok {
			return t.Markdown(markdown), nil
		}
	}
	var lexical struct {
		Root lexicalNode `json:"root"`
	}
	err := json.Unmarshal([]byte(cmp.Or(g.Lexical, "{}")), &lexical)
	if nodes := lexical.Root.Children; err == nil && len(nodes) == 1 && nodes[0].Type == "markdown" {
		return t.Markdown(nodes[0].Markdown), nil
	}
	switch {
	case strings.TrimSpace(g.HTML) != "":
		return t.HTML(g.HTML)
	case err != nil:
		return "", portable.NewFault(locale.M("its text is not understood"), err)
	case g.Lexical != "":
		var b strings.Builder
		writeLexical(t, &b, lexical.Root, 0)
		return t.HTML(b.String())
	case g.Mobiledoc != "":
		return t.HTML(doc.html(t))
	}
	return "", nil
}

func (i *anyID) UnmarshalJSON(b []byte) error {
	*i = anyID(strings.Trim(string(b), `"`))
	return nil
}
