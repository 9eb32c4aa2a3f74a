package reading

import (
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
	"inkfeed/domain/picture"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
)

// article returns the metadata of a post for search engines and link previews.
func article(of siteinfo.Info, p domain.Post, text markdown.Rendered, author domain.User) *views.Article {
	cover, path := p.Details.CoverOf(text.Pictures), ""
	if !cover.Image.Shareable() {
		if card := picture.NewCard(p, of); card != (picture.Card{}) {
			path = views.PostPath(p.ID) + "/card.png?v=" + card.Hash()
		}
	}
	return &views.Article{Author: p.AuthorName, BlogTitle: author.BlogTitle,
		BlogPath:          of.BlogPath(p.AuthorID, names.UserPath(p.AuthorName)),
		AuthorDisplayName: p.AuthorDisplayName, Published: p.Created,
		Modified: p.Edited, Tags: p.Tags.List(),
		Language: text.Language, Words: text.Length.Words, Comments: p.CommentCount, Likes: p.LikeCount,
		Cover: cover, Card: path}
}
