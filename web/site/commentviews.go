package site

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// CommentViews makes the models of comments for the views.
type CommentViews struct{ Site *Site }

// Comment returns a comment as a viewer sees it. The id of an anonymous viewer is empty. If the users whom it mentions
// cannot be read, their names are text, so do not cache it.
func (v CommentViews) Comment(ctx context.Context, viewerID string, c domain.Comment) views.Comment {
	usernames, _ := v.Site.Usernames(ctx, c.Mentions)
	return v.comment(usernames, viewerID, c)
}

func (v CommentViews) comment(usernames map[string]string, viewerID string, c domain.Comment) views.Comment {
	html := v.Site.Markdown.Mentioning(c.Mentions, usernames).CommentHTML(c.Content)
	return views.Comment{Comment: c, HTML: TableBoxes.Replace(html), Own: c.AuthorID == viewerID && viewerID != ""}
}

// For returns a comment of a post, which may be hidden, as the viewer sees it: see Comment. A comment that the viewer
// may not see becomes a placeholder if it has replies; otherwise shown is false.
func (v CommentViews) For(ctx context.Context, viewer domain.User, p domain.Post,
	c domain.Comment) (view views.Comment, shown bool) {
	usernames, _ := v.Site.Usernames(ctx, c.Mentions)
	return v.with(usernames, viewer, p, c)
}

func (v CommentViews) with(usernames map[string]string, viewer domain.User, p domain.Post,
	c domain.Comment) (view views.Comment, shown bool) {
	if c.ShownTo(viewer, p) {
		return v.comment(usernames, viewer.ID, c), true
	}
	placeholder := domain.Comment{ID: c.ID, PostID: c.PostID, Created: c.Created, ParentID: c.ParentID,
		ParentCreated: c.ParentCreated, Replies: c.Replies}
	return views.Comment{Comment: placeholder, Withheld: true}, c.ParentID == "" && c.Replies > 0
}

// List returns a page of a post's comments as the viewer sees them.
func (v CommentViews) List(ctx context.Context, viewer domain.User, p domain.Post,
	page domain.ListPage[domain.Comment]) (views.CommentList, error) {
	var mentions []domain.Mentions
	for _, c := range page.Items {
		if c.ShownTo(viewer, p) {
			mentions = append(mentions, c.Mentions)
		}
	}
	usernames, err := v.Site.Usernames(ctx, mentions...)
	list := views.CommentList{PostID: p.ID, Number: page.Number, More: page.More, SignedIn: viewer.ID != "",
		Closed: p.CommentsClosed || !p.Open(), PostIsOwn: viewer.ID != "" && viewer.ID == p.AuthorID,
		Moderates: viewer.Role.MayModerate(), Administers: viewer.Role.MayAdminister(),
		Items: make([]views.Comment, 0, len(page.Items))}
	for _, c := range page.Items {
		if view, shown := v.with(usernames, viewer, p, c); shown {
			list.Items = append(list.Items, view)
		}
		list.Last = c.Place()
	}
	return list.WithoutEmpty(), err
}

// NewCommentForm returns an empty form for a comment on a post.
func (s *Site) NewCommentForm(c echo.Context, postID string) views.CommentForm {
	viewer, _ := s.Viewer(c) // if the viewer cannot be read, the form is as for anonymous visitors
	return s.CommentFormFor(viewer, postID)
}

// CommentFormFor is NewCommentForm for a given viewer.
func (s *Site) CommentFormFor(viewer domain.User, postID string) views.CommentForm {
	form := views.CommentForm{PostID: postID, UserID: viewer.ID, Attempt: domain.NewID()}
	if viewer.ID != "" {
		form.FormToken = s.WritingCheck.TokenFor(viewer)
	}
	return form
}

// PostRenderer renders the page of a post with a form for comments. It connects the comments, which show a rejected
// form again, with the page, since features never import each other.
type PostRenderer func(c echo.Context, status int, p domain.Post, form views.CommentForm) error
