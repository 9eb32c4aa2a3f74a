package comments

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
	view "inkfeed/views/comments"
	"inkfeed/web/site"
)

type commentFollower interface {
	// CommentsAfter gives as many comments as a page has of those behind a place.
	CommentsAfter(ctx context.Context, postID, place string) (domain.Page[domain.Comment], error)
}

type commentCounter interface {
	// CommentsBefore counts the comments that stand before a place.
	CommentsBefore(ctx context.Context, postID, place string) (int, error)
}

// comments is a page of a post's comments, or for htmx those that follow what is shown.
type comments struct {
	*site.Site
	posts interface {
		site.PostGetter
		site.LatestGetter
		site.CommentLister
		commentFollower
	}
}

func (h comments) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/comments", site.Shared(h.show))
}

func (h comments) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	p, err := h.FindPost(c, h.posts)
	if err != nil {
		return err
	}
	if site.IsFragment(c) {
		return h.following(c, p, number)
	}
	found, err := h.posts.Comments(c.Request().Context(), p.ID, number)
	if err := site.PageOrNotFound(found, err); err != nil {
		return err
	}
	return renderComments(h.Site, c, http.StatusOK, p, found, h.NewCommentForm(c, p.ID))
}

func renderComments(s *site.Site, c echo.Context, status int, p domain.Post, found domain.Page[domain.Comment],
	form views.CommentForm) error {
	page, err := s.Layout(c, "Comments on "+p.Title)
	if err != nil {
		return err
	}
	list := s.CommentList(page.Viewer, p, found)
	list.Paged = true
	s.AddHidingReasons(c.Request().Context(), &list)
	page.Canonical = views.CommentsPath(p.ID, found.Number)
	page.Description, page.NoIndex = "What readers say about “"+p.Title+"” by "+names.Called(p.AuthorName,
		p.AuthorDisplayName)+".", !p.Listed()
	return s.Render(c, status, view.Comments(view.CommentsPage{Page: page, Post: p, Comments: list,
		Form: form, Deleted: page.Viewer.ID != "" && site.IsDeleteDone(c)}))
}

// following gives htmx what comes after a place, and says which page that is about.
func (h comments) following(c echo.Context, p domain.Post, number int) error {
	viewer, err := h.Viewer(c)
	if err != nil {
		return err
	}
	found, err := h.posts.CommentsAfter(c.Request().Context(), p.ID, c.QueryParam("after"))
	if err != nil {
		return err
	}
	found.Number = number
	list := h.CommentList(viewer, p, found)
	h.AddHidingReasons(c.Request().Context(), &list)
	return h.Render(c, http.StatusOK, view.CommentsFragment(list))
}

// commentPlace is where a comment is shown: on its post's page or one of its comments.
func commentPlace(ctx context.Context, posts commentCounter, p domain.Post, comment domain.Comment) (string, error) {
	before, err := posts.CommentsBefore(ctx, p.ID, comment.Place())
	if err != nil {
		return "", err
	}
	path := p.Path()
	if page := before/domain.CommentsPerPage + 1; page > 1 {
		path = views.CommentsPath(p.ID, page)
	}
	return path + views.CommentAnchor(comment.ID), nil
}

// toComment leads from a form that is done to its comment.
func toComment(s *site.Site, c echo.Context, posts commentCounter, p domain.Post, comment domain.Comment) error {
	path, err := commentPlace(c.Request().Context(), posts, p, comment)
	if err != nil {
		// It is saved: that must not look like a failure. Its own address will find it.
		s.Logger.WarnContext(c.Request().Context(), "a comment was not found on its page", "err", err, "request_id",
			site.RequestID(c))
		path = views.CommentPath(p.ID, comment.ID)
	}
	return site.SeeOther(c, path)
}
