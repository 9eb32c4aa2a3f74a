package markdown

import (
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

// Summarize returns the summary of a post. It is a pure function of the post, so every copy can be checked against
// it.
func (m *Renderer) Summarize(p domain.Post) domain.Summary {
	text := m.render(p.Content, forText)
	s := domain.Summary{PostID: p.ID, AuthorID: p.AuthorID, AuthorName: p.AuthorName,
		AuthorDisplayName: p.AuthorDisplayName, AuthorAvatar: p.AuthorAvatar, Title: p.Title, Slug: p.Slug,
		Text: p.Details.Extract(text.Excerpt(domain.SummaryLimit)),
		Tags: p.Tags, Details: p.Details,
		Length: text.Length, Cover: p.Details.CoverOf(text.Pictures), Status: p.Standing(),
		CommentCount: p.CommentCount, LikeCount: p.LikeCount,
		Created: p.Created, Edited: p.Edited, Revision: p.Revision, Version: p.Version, Deleted: p.Deleted}
	if p.InTrash() {
		s.Trashed = p.Trashed
	}
	return s
}

// SummarizeWhole returns the summary of a post for the search index, with text, details, length and cover only, and the
// subtitle and text of the post as plain text.
func (m *Renderer) SummarizeWhole(p domain.Post) (s domain.Summary, whole string) {
	text := m.Post(p.Content)
	return domain.Summary{PostID: p.ID, Text: p.Details.Extract(text.Excerpt(domain.SummaryLimit)), Details: p.Details,
			Length: text.Length, Cover: p.Details.CoverOf(text.Pictures)},
		strings.TrimSpace(p.Details.Subtitle + "\n" + plainText(text.HTML))
}

// Text returns the plain text of the rendered source in one line, cut at a word boundary to at most limit characters.
// It omits footnotes, and shows formulas as formulaText does. It also omits headings, programs, tables, captions,
// foldable sections and formulas in lines of their own, unless there is nothing else.
func (m *Renderer) Text(source string, limit int) string {
	return m.render(source, forText).Excerpt(limit)
}

// BookmarkedPost returns the user's copy of a bookmark.
func (m *Renderer) BookmarkedPost(b domain.Bookmark, p domain.Post) domain.BookmarkedPost {
	s := m.Summarize(p)
	s.CommentCount, s.LikeCount, s.Edited, s.Trashed, s.Revision = 0, 0, time.Time{}, time.Time{}, 0
	if !s.Status.Shown() {
		s.Title, s.Slug, s.Text, s.Tags, s.Details = "", "", "", "", domain.Details{}
		s.Length, s.Cover = plaintext.Length{}, domain.Cover{}
	}
	return domain.BookmarkedPost{Bookmark: b, Post: s}
}

// FeedHTML renders a post's text as sanitised HTML for feed readers: all addresses are absolute, relative to base,
// the post's address, and nothing needs a style sheet. It also returns the other findings about the text, without
// HTML.
func (m *Renderer) FeedHTML(source, base string) (string, Rendered) {
	about := m.render(source, forFeed)
	rendered := about.HTML
	about.HTML = ""
	at, err := url.Parse(base)
	if err != nil {
		return rendered, about
	}
	var b strings.Builder
	b.Grow(len(rendered) + len(rendered)/8) // addresses become longer
	z := html.NewTokenizer(strings.NewReader(rendered))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String(), about
		case html.StartTagToken:
			token := z.Token()
			token.Attr = elsewhere(token.Attr, at)
			b.WriteString(token.String())
		default:
			b.Write(z.Raw())
		}
	}
}

// elsewhere returns the attributes that are meaningful outside the page, with absolute addresses.
func elsewhere(attributes []html.Attribute, base *url.URL) []html.Attribute {
	kept := attributes[:0]
	for _, a := range attributes {
		switch a.Key {
		case "href", "src":
			if u, err := base.Parse(a.Val); err == nil {
				a.Val = u.String()
			}
		case "class":
			if !strings.HasPrefix(a.Val, "language-") {
				continue
			}
		case "id", "tabindex", "data-language", "role", "aria-label", "srcset", "sizes", "loading", "decoding":
			continue
		}
		kept = append(kept, a)
	}
	return kept
}
