package web

import (
	"strings"

	"inkfeed/domain"
	"inkfeed/views"
)

// html renders the text of a post.
func (s *site) html(source string) string { return tableBoxes.Replace(s.markdown.HTML(source)) }

// tableBoxes gives tables a box to scroll in: a wide one must not widen the page,
// and a table that is itself made a box is none any more to a screen reader. The
// box begins on the side where the table does. This may work on text: in
// sanitised HTML a "<" that is typed is "&lt;".
var tableBoxes = strings.NewReplacer(`<table dir="auto">`, `<div class="scroll" dir="auto"><table>`, "</table>", "</table></div>")

// commentView is a comment as that viewer, "" for a stranger, sees it.
func (s *site) commentView(viewerID string, c domain.Comment) views.Comment {
	return views.Comment{Comment: c, HTML: tableBoxes.Replace(s.markdown.CommentHTML(c.Content)),
		Own: c.AuthorID == viewerID}
}

func (s *site) commentList(viewerID string, postID string, page domain.Page[domain.Comment]) views.CommentList {
	list := views.CommentList{PostID: postID, Number: page.Number, More: page.More}
	for _, c := range page.Items {
		list.Items = append(list.Items, s.commentView(viewerID, c))
	}
	return list
}
