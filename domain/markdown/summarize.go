package markdown

import (
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

// Summarize returns the summary of a post. It is a pure function of the post, so every copy can be checked against
// it.
func (m *Renderer) Summarize(p domain.Post) domain.Summary {
	text := m.render(p.Content, forText)
	return domain.Summary{PostID: p.ID, AuthorID: p.AuthorID, AuthorName: p.AuthorName,
		AuthorDisplayName: p.AuthorDisplayName, AuthorAvatar: p.AuthorAvatar, Title: p.Title, Slug: p.Slug,
		Text: p.Details.Extract(text.Excerpt(domain.SummaryLimit)),
		Tags: p.Tags, Details: p.Details,
		Length: text.Length, Cover: p.Details.CoverOf(text.Pictures), Status: p.Standing(),
		CommentCount: p.CommentCount, LikeCount: p.LikeCount,
		Created: p.Created, Edited: p.Edited, Revision: p.Revision, Version: p.Version, Deleted: p.Deleted}
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
	s.CommentCount, s.LikeCount, s.Edited, s.Revision = 0, 0, time.Time{}, 0
	if !s.Status.Shown() {
		s.Title, s.Slug, s.Text, s.Tags, s.Details = "", "", "", "", domain.Details{}
		s.Length, s.Cover = plaintext.Length{}, domain.Cover{}
	}
	return domain.BookmarkedPost{Bookmark: b, Post: s}
}
