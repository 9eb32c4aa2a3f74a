// Package medium reads exports of Medium.
package medium

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// storyFile matches the files of stories: Medium exports each story as posts/DATE_TITLE-HASH.html or
// posts/draft_TITLE-HASH.html, with the classes of the microformat h-entry (http://microformats.org/wiki/h-entry). In
// the text, classes that begin with "graf--" describe the paragraphs. Responses to other people's stories are among the
// stories, and nothing marks them as responses.
var storyFile = regexp.MustCompile(`^(?:draft|\d{4}-\d\d-\d\d(?:_\d\d-\d\d-\d\d)?)_(?:.*-)?([0-9a-f]{6,16})\.html$`)

type medium struct {
	blog   *portable.Blog
	hashes map[string]bool // of all stories
}

// ReadFolder reads an export of Medium. It returns nil if the files are not Medium's.
func ReadFolder(files *portable.Files, _ time.Time) (*portable.Blog, error) {
	m := &medium{blog: &portable.Blog{Format: "Medium", Files: files}, hashes: make(map[string]bool)}
	var stories []string
	for _, name := range files.Paths {
		found := storyFile.FindStringSubmatch(path.Base(name))
		if found == nil || path.Base(path.Dir(name)) != "posts" && path.Dir(name) != "." {
			continue
		}
		stories = append(stories, name)
		m.hashes[found[1]] = true
	}
	recognised := false
	for _, name := range stories {
		page, err := markup.ReadPage(files, name)
		if err == nil && page.Find(".h-entry .e-content").Length() == 0 {
			continue
		}
		if err != nil {
			m.blog.AddProblem(path.Base(name), "not imported: %v", err)
			continue
		}
		recognised = true
		m.add(name, page)
	}
	if !recognised {
		return nil, nil
	}
	return m.blog, nil
}

// add imports one story.
func (m *medium) add(name string, page *markup.Page) {
	b := m.blog
	hash := storyFile.FindStringSubmatch(path.Base(name))[1]
	title := strings.Join(strings.Fields(page.Find(".p-name").First().Text()), " ")
	p := portable.Post{Key: "medium:" + hash, Where: cmp.Or(title, path.Base(name)), Title: title,
		Status: portable.Published}
	written := page.Find("time.dt-published").First()
	p.Created, _ = portable.ParseTime(written.AttrOr("datetime", ""), time.UTC)
	content := page.Find(".e-content").First()
	switch {
	case strings.HasPrefix(path.Base(name), "draft_"), written.Length() == 0:
		p.Status = portable.Draft
	case isResponse(content, title):
		p.Status = portable.Draft
		b.AddProblem(p.Where, "imported as a draft: it has no title of its own, and may be a response to another story")
	}
	m.paths(&p, page.Find("a.p-canonical").AttrOr("href", ""), hash)
	p.DraftPaths()
	page.Find("a.p-tag, .p-tags a").Each(func(_ int, s *goquery.Selection) {
		if tag := strings.TrimSpace(s.Text()); tag != "" {
			p.Tags = append(p.Tags, tag)
		}
	})
	if by := page.Find("a.p-author").First(); by.Length() > 0 {
		p.SetAuthor(b, by.Text())
		b.AddPerson(p.Author, strings.TrimPrefix(path.Base(by.AttrOr("href", "")), "@"))
	}
	subtitle := content.Find(".graf--title + .graf--subtitle").First()
	if words := strings.Join(strings.Fields(subtitle.Text()), " "); !plaintext.Exceeds(words, domain.MaxSubtitle) &&
		subtitle.Find("a").Length() == 0 {
		p.Subtitle = words
		subtitle.Remove()
	}
	text, err := m.translate(page, content, title)
	if err != nil {
		b.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	page.Translator.AddPost(b, p, text)
}

// paths adds the addresses of a story: below its author or publication, on a domain of one of these, and by its hash
// alone.
func (m *medium) paths(p *portable.Post, canonical, hash string) {
	if u, ok := markup.WebAddress(canonical); ok {
		last, host := path.Base(u.EscapedPath()), "."+strings.ToLower(u.Hostname())
		slug, ours := strings.CutSuffix(last, hash)
		if !ours && !strings.HasSuffix(host, ".medium.com") { // the story was first published there
			p.CanonicalURL = canonical
		}
		if ours {
			p.AddPath(u.EscapedPath())
			p.AddPath("/" + last)
			if p.Slug = strings.TrimSuffix(slug, "-"); p.Slug != "" {
				p.Slug = portable.UnescapedSlug(p.Slug)
			}
		}
	}
	p.AddPath("/p/" + hash)
}

// isResponse guesses whether a story is a response: it has no title, contains nothing but words, and
// Medium's name for it is the beginning of its text.
func isResponse(content *goquery.Selection, title string) bool {
	if content.Find(".graf--title, h1, h2, h3, h4, figure, img").Length() > 0 {
		return false
	}
	text := strings.Join(strings.Fields(content.Text()), " ")
	return strings.HasPrefix(text, strings.TrimRight(title, "…. "))
}

// translate converts the text of a story to Markdown.
func (m *medium) translate(page *markup.Page, content *goquery.Selection, title string) (string, error) {
	content.Find("div.section-divider").First().Remove() // the first section has a divider, too
	content.Find(".graf--title").EachWithBreak(func(_ int, s *goquery.Selection) bool {
		if strings.Join(strings.Fields(s.Text()), " ") == title {
			s.Remove()
		}
		return false
	})
	content.Find("h4.graf--subtitle, h3.graf--subtitle").Each(func(_ int, s *goquery.Selection) {
		markup.Rename(s.Get(0), "p")
		em := markup.Element("em")
		markup.MoveChildren(s.Get(0), em)
		s.AppendNodes(em)
	})
	content.Find("h3, h4").Each(func(_ int, s *goquery.Selection) { // Medium has two sizes of headings
		if n := s.Get(0); n.Data == "h3" {
			markup.Rename(n, "h2")
		} else {
			markup.Rename(n, "h3")
		}
	})
	content.Find(".graf--pullquote").Each(func(_ int, s *goquery.Selection) { markup.Rename(s.Get(0), "blockquote") })
	content.Find("pre").Each(func(_ int, s *goquery.Selection) { rewriteCode(s) })
	content.Find(".graf--mixtapeEmbed").Each(func(_ int, s *goquery.Selection) {
		anchor := s.Find("a.markup--mixtapeEmbed-anchor").First()
		to := anchor.AttrOr("href", "")
		name := strings.TrimSpace(cmp.Or(anchor.Find("strong").First().Text(), anchor.AttrOr("title", ""), to))
		s.ReplaceWithHtml(markup.LinkParagraph(to, name))
	})
	content.Find("script[src]").Each(func(_ int, s *goquery.Selection) {
		to, ok := strings.CutSuffix(s.AttrOr("src", ""), ".js")
		if ok && strings.HasPrefix(to, "https://gist.github.com/") {
			page.Embed(s, to)
		}
	})
	page.KeepWords("div[class*='graf--']", "data-attrs", func(s *goquery.Selection, _ map[string]any) string {
		return strings.Fields(strings.Replace(s.AttrOr("class", ""), "graf ", "", 1))[0]
	})
	content.Find("a[href]").Each(func(_ int, s *goquery.Selection) {
		if to, ok := m.own(s.AttrOr("href", "")); ok {
			s.SetAttr("href", to)
		}
	})
	return page.Markdown(content)
}

var storyHash = regexp.MustCompile(`(?:^|-)([0-9a-f]{6,16})$`)

// own returns the path of the story that an address leads to, and false if the export does not contain that story.
// It compares the hash at the end of the path and ignores the host, because authors on Medium share one host.
func (m *medium) own(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", false
	}
	found := storyHash.FindStringSubmatch(path.Base(u.Path))
	if found == nil || !m.hashes[found[1]] {
		return "", false
	}
	to := "/p/" + found[1]
	if u.Fragment != "" {
		to += "#" + u.EscapedFragment()
	}
	return to, true
}

// rewriteCode converts the line breaks in a program to text, and keeps the name of its language.
func rewriteCode(pre *goquery.Selection) {
	pre.Find("br").Each(func(_ int, s *goquery.Selection) {
		s.ReplaceWithNodes(&html.Node{Type: html.TextNode, Data: "\n"})
	})
	code := markup.Element("code")
	if language := pre.AttrOr("data-code-block-lang", ""); language != "" {
		markup.SetAttribute(code, "class", "language-"+language)
	}
	code.AppendChild(&html.Node{Type: html.TextNode, Data: strings.Trim(pre.Text(), "\n")})
	pre.Empty()
	pre.AppendNodes(code)
}
