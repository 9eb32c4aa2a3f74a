package web

import (
	"context"
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/views"
)

// text renders the text of a post.
func (s *site) text(source string) markdown.Rendered { return boxed(s.markdown.Post(source)) }

func boxed(r markdown.Rendered) markdown.Rendered {
	r.HTML = tableBoxes.Replace(r.HTML)
	return r
}

// previewOf renders a text as its readers will see it. It waits for a free slot, and fails with
// TooLarge if the text is too long to publish.
func (s *site) previewOf(ctx context.Context, title, source string) (views.Rendered, error) {
	if domain.StoredBytes(source) > domain.MaxContent {
		return views.Rendered{}, domain.Errorf(domain.TooLarge,
			"This text is too long to preview or publish. Shorten it and try again.")
	}
	release, err := s.rendering.take(ctx)
	if err != nil {
		return views.Rendered{}, err
	}
	defer release()
	return views.Rendered{Title: strings.TrimSpace(title), Text: boxed(s.markdown.Preview(source))}, nil
}

// tableBoxes gives tables a box to scroll in, which the keyboard reaches: a wide one must
// not widen the page, and a table that is itself made a box is none any more to a screen
// reader. The box begins on the side where the table does. This may work on text: in
// sanitised HTML a "<" that is typed is "&lt;".
var tableBoxes = strings.NewReplacer(
	`<table dir="auto">`, `<div class="scroll" dir="auto" role="group" aria-label="Table" tabindex="0"><table>`,
	"</table>", "</table></div>")

// commentView is a comment as that viewer, "" for a stranger, sees it.
func (s *site) commentView(viewerID string, c domain.Comment) views.Comment {
	return views.Comment{Comment: c, HTML: tableBoxes.Replace(s.markdown.CommentHTML(c.Content)),
		Own: c.AuthorID == viewerID && viewerID != ""}
}

// seenComment is commentView of a comment on a post, which may be hidden: of one that the
// viewer is not shown nothing is left but, if it has replies, a placeholder that holds them.
func (s *site) seenComment(viewer domain.User, p domain.Post, c domain.Comment) (view views.Comment, seen bool) {
	if c.ShownTo(viewer, p) {
		return s.commentView(viewer.ID, c), true
	}
	held := domain.Comment{ID: c.ID, PostID: c.PostID, Created: c.Created, ParentID: c.ParentID,
		ParentCreated: c.ParentCreated, Replies: c.Replies}
	return views.Comment{Comment: held, Withheld: true}, c.ParentID == "" && c.Replies > 0
}

// commentList is a page of a post's comments as a viewer sees them.
func (s *site) commentList(viewer domain.User, p domain.Post, page domain.Page[domain.Comment]) views.CommentList {
	list := views.CommentList{PostID: p.ID, Number: page.Number, More: page.More, SignedIn: viewer.ID != "",
		Closed: p.CommentsClosed || !p.Open(), PostIsOwn: viewer.ID != "" && viewer.ID == p.AuthorID,
		Moderates: viewer.Role.MayModerate(), Administers: viewer.Role.MayAdminister()}
	for _, c := range page.Items {
		if view, seen := s.seenComment(viewer, p, c); seen {
			list.Items = append(list.Items, view)
		}
		list.Last = c.Place()
	}
	return list.WithoutEmpty()
}

// tellWhy adds to the reader's own comments why moderators hid them.
func (s *site) tellWhy(ctx context.Context, list *views.CommentList) {
	for i, c := range list.Items {
		if c.Own && c.Held == domain.HeldByModerator {
			list.Items[i].HiddenFor = s.hiddenFor(ctx, domain.Target{PostID: c.PostID, CommentID: c.ID})
		}
	}
}

// hiddenFor is why a moderator hid something. Without it a page is as good as whole.
func (s *site) hiddenFor(ctx context.Context, target domain.Target) string {
	known, err := s.known.Of(ctx, target)
	if err != nil {
		s.logger.WarnContext(ctx, "it is not known why something is hidden", "err", err)
	}
	return known.Why
}
