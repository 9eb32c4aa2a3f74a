package reading

import (
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/views"
)

// article is what machines are told of a post on its page.
func article(p domain.Post, text markdown.Rendered) *views.Article {
	image, _ := domain.ParseImagePath(text.Image)
	return &views.Article{Author: p.AuthorName, AuthorDisplayName: p.AuthorDisplayName, Published: p.Created,
		Modified: p.Edited, Tags: p.Tags.List(),
		Language: text.Language, Words: text.Length.Words, Comments: p.CommentCount, Likes: p.LikeCount, Image: image}
}
