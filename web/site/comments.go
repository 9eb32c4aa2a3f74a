package site

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// CommentView is a comment as that viewer, "" for a stranger, sees it.
func (s *Site) CommentView(viewerID string, c domain.Comment) views.Comment {
	return views.Comment{Comment: c, HTML: TableBoxes.Replace(s.Markdown.CommentHTML(c.Content)),
		Own: c.AuthorID == viewerID && viewerID != ""}
}

// CommentFor is commentView of a comment on a post, which may be hidden: of one that the
// viewer is not shown nothing is left but, if it has replies, a placeholder that holds them.
func (s *Site) CommentFor(viewer domain.User, p domain.Post, c domain.Comment) (view views.Comment, seen bool) {
	if c.ShownTo(viewer, p) {
		return s.CommentView(viewer.ID, c), true
	}
	held := domain.Comment{ID: c.ID, PostID: c.PostID, Created: c.Created, ParentID: c.ParentID,
		ParentCreated: c.ParentCreated, Replies: c.Replies}
	return views.Comment{Comment: held, Withheld: true}, c.ParentID == "" && c.Replies > 0
}

// CommentList is a page of a post's comments as a viewer sees them.
func (s *Site) CommentList(viewer domain.User, p domain.Post, page domain.Page[domain.Comment]) views.CommentList {
	list := views.CommentList{PostID: p.ID, Number: page.Number, More: page.More, SignedIn: viewer.ID != "",
		Closed: p.CommentsClosed || !p.Open(), PostIsOwn: viewer.ID != "" && viewer.ID == p.AuthorID,
		Moderates: viewer.Role.MayModerate(), Administers: viewer.Role.MayAdminister()}
	for _, c := range page.Items {
		if view, seen := s.CommentFor(viewer, p, c); seen {
			list.Items = append(list.Items, view)
		}
		list.Last = c.Place()
	}
	return list.WithoutEmpty()
}

// AddHidingReasons adds to the reader's own comments why moderators hid them.
func (s *Site) AddHidingReasons(ctx context.Context, list *views.CommentList) {
	for i, c := range list.Items {
		if c.Own && c.Held == domain.HeldByModerator {
			list.Items[i].HiddenFor = s.HidingReason(ctx, domain.Target{PostID: c.PostID, CommentID: c.ID})
		}
	}
}

// HidingReason is why a moderator hid something. Without it a page is as good as whole.
func (s *Site) HidingReason(ctx context.Context, target domain.Target) string {
	known, err := s.Reports.Of(ctx, target)
	if err != nil {
		s.Logger.WarnContext(ctx, "it is not known why something is hidden", "err", err)
	}
	return known.Why
}

// NewCommentForm is the form for a comment on a post, for whoever asks.
func (s *Site) NewCommentForm(c echo.Context, postID string) views.CommentForm {
	form := views.CommentForm{PostID: postID, Attempt: domain.NewID()}
	if viewer, err := s.Viewer(c); err == nil && viewer.ID != "" {
		form.Stamp = s.WritingCheck.TokenFor(viewer)
	}
	return form
}
