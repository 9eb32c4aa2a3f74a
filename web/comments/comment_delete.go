package comments

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	view "inkfeed/views/comments"
	"inkfeed/web/site"
)

// commentDelete deletes a user's own comment.
type commentDelete struct{ handler }

func (h commentDelete) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/comments/:comment/delete", h.show)
	e.POST("/posts/:id/comments/:comment/delete", h.submit)
}

func (h commentDelete) show(c echo.Context) error {
	if _, err := h.SignedIn(c); err != nil {
		return err
	}
	p, err := h.finder.Post(c)
	if err != nil {
		return err
	}
	comment, err := h.ownComment(c, locale.M("You can only delete your own comments."))
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.CommentDelete(view.CommentDeletePage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Delete your comment?")), Post: p,
		Comment: h.own(c, comment), Number: listPage(c.QueryParam("page"))}))
}

func (h commentDelete) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	removal, err := h.delete(c)
	if err != nil {
		return err
	}
	p, number := removal.Post, listPage(sent.Get("page"))
	if !site.IsFragment(c) {
		to, err := h.commentsAfter(c.Request().Context(), p, number)
		if err != nil {
			return h.RedirectStored(c, deletedPath(p.Path()), err)
		}
		return site.SeeOther(c, to)
	}
	next, err := h.movedUp(c, p, number, sent.Get("last"))
	var placeholder *views.Comment
	if err == nil {
		placeholder, err = h.placeholder(c, removal)
	}
	if err != nil {
		return h.RedirectStored(c, deletedPath(p.Path()), err)
	}
	return h.Render(c, http.StatusOK, view.CommentDeleted(p.CommentCount, placeholder, next))
}

func (h commentDelete) delete(c echo.Context) (domain.CommentRemoval, error) {
	postID, id := c.Param("id"), c.Param("comment")
	if !domain.IsID(postID) {
		return domain.CommentRemoval{}, site.ErrNoPost
	}
	if !domain.IsID(id) {
		return domain.CommentRemoval{}, site.ErrNoComment
	}
	author, err := h.SignedIn(c)
	if err != nil {
		return domain.CommentRemoval{}, err
	}
	removal, err := h.store.Posts.DeleteComment(c.Request().Context(), postID, id, author.ID)
	if domain.Is(err, domain.NotFound) {
		return domain.CommentRemoval{}, site.ErrNoPost
	}
	removal.Post, err = site.OpenOrNotFound(removal.Post, err)
	return removal, err
}

// placeholder tells htmx what to replace when the deletion removes more or less than the comment's
// element. It returns the placeholder of a comment with replies.
func (h commentDelete) placeholder(c echo.Context, removal domain.CommentRemoval) (*views.Comment, error) {
	id, header := c.Param("comment"), c.Response().Header()
	switch {
	case removal.Placeholder:
		comment, err := site.CommentAt(c, h.store.Posts.Comment)
		if err == site.ErrNoComment { // its last reply was deleted in the meantime
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		header.Set("HX-Retarget", views.CommentAnchor(id)+" > .comment")
		header.Set("HX-Reswap", "outerHTML")
		placeholder := h.comments.Comment(c.Request().Context(), "", comment)
		return &placeholder, nil
	case removal.Parent != "":
		header.Set("HX-Retarget", views.CommentAnchor(removal.Parent))
	}
	return nil, nil
}

// movedUp returns the comments that have moved up to the end of the shown page after a deletion:
// those behind the last one shown. Otherwise a reader would miss them on the next page. It returns
// nil for a list without pages.
func (h commentDelete) movedUp(c echo.Context, p domain.Post, number int, last string) (*views.CommentList, error) {
	if number == 0 {
		return nil, nil
	}
	viewer, err := h.SignedIn(c)
	if err != nil {
		return nil, err
	}
	found, err := h.store.Posts.Comments(c.Request().Context(), p.ID, number)
	if err != nil {
		return nil, err
	}
	list, err := h.list(c, viewer, p, found)
	if err != nil {
		return nil, err
	}
	list.Paged = true
	list.Items = slices.DeleteFunc(list.Items, func(c views.Comment) bool { return last == "" || c.Place() <= last })
	return &list, nil
}

// listPage parses the number of a page of comments, from which the form was sent. It returns 0 for
// an invalid number.
func listPage(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > site.MaxPage {
		return 0
	}
	return n
}

// commentsAfter returns the address to go to after a deletion: the post, or the same page of its
// comments or the last one left.
func (h commentDelete) commentsAfter(ctx context.Context, p domain.Post, page int) (string, error) {
	path := p.Path()
	if page > 0 {
		left, err := h.store.Posts.CommentsBefore(ctx, p.ID, domain.PastAllComments)
		if err != nil {
			return "", err
		}
		path = views.CommentsPath(p.ID, min(page, domain.Pages(left, domain.CommentsPerPage)))
	}
	return deletedPath(path), nil
}

func deletedPath(list string) string { return site.DeletedPath(list, "#Page-comments") }
