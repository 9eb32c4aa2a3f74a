package web

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type commentGetter interface {
	Comment(ctx context.Context, postID, commentID string) (domain.Comment, error)
}

type commentDeleter interface {
	// DeleteComment returns the post as it has become. It changes nothing when the
	// comment is gone already, and fails with Forbidden when it is somebody else's.
	DeleteComment(ctx context.Context, postID, commentID, userID string) (domain.Post, error)
}

// commentDelete is where users delete their comments.
type commentDelete struct {
	*site
	posts interface {
		postGetter
		commentGetter
		commentLister
		commentDeleter
	}
}

func (h commentDelete) register(e *echo.Echo) {
	get(e, "/posts/:id/comments/:comment/delete", h.show)
	e.POST("/posts/:id/comments/:comment/delete", h.submit)
}

var errNoComment = domain.Errorf(domain.NotFound, "There is no such comment. It may have been deleted already.")

func (h commentDelete) show(c echo.Context) error {
	author, err := h.signedIn(c)
	if err != nil {
		return err
	}
	p, err := getPost(c, h.posts)
	if err != nil {
		return err
	}
	comment, err := h.comment(c)
	if err != nil {
		return err
	}
	if comment.AuthorID != author.ID {
		return domain.Errorf(domain.Forbidden, "Only its author can delete a comment.")
	}
	return h.renderForm(c, http.StatusOK, views.CommentDelete(views.CommentDeletePage{
		Page: h.frame(c, "Delete your comment?"), Post: p, Comment: h.commentView(author.ID, comment),
		Number: listPage(c.QueryParam("page"))}))
}

// comment gets the comment that the address names.
func (h commentDelete) comment(c echo.Context) (domain.Comment, error) {
	id := c.Param("comment")
	if !domain.IsID(id) {
		return domain.Comment{}, errNoComment
	}
	comment, err := h.posts.Comment(c.Request().Context(), c.Param("id"), id)
	if domain.Is(err, domain.NotFound) {
		return domain.Comment{}, errNoComment
	}
	return comment, err
}

func (h commentDelete) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	p, err := h.delete(c)
	if err != nil {
		return err
	}
	number := listPage(sent.Get("page"))
	if !isFragment(c) {
		return seeOther(c, commentsAfter(p, number))
	}
	next, err := h.movedUp(c, p.ID, number, listPage(sent.Get("shown")))
	if err != nil {
		return err
	}
	return h.render(c, http.StatusOK, views.CommentDeleted(p.CommentCount, next))
}

func (h commentDelete) delete(c echo.Context) (domain.Post, error) {
	postID, id := c.Param("id"), c.Param("comment")
	if !domain.IsID(postID) {
		return domain.Post{}, errNoPost
	}
	if !domain.IsID(id) {
		return domain.Post{}, errNoComment
	}
	author, err := h.signedIn(c)
	if err != nil {
		return domain.Post{}, err
	}
	p, err := h.posts.DeleteComment(c.Request().Context(), postID, id, author.ID)
	if domain.Is(err, domain.NotFound) {
		return domain.Post{}, errNoPost
	}
	return p, err
}

// movedUp is the comment that ends the page shown now that one has gone from it or
// from those before it. Whoever reads on from there would miss it otherwise. Of
// the page's numbers one is 0: it has an address of its own, or is the last of
// those shown below the post. When both are, nothing follows what is shown.
func (h commentDelete) movedUp(c echo.Context, postID string, paged, shown int) (*views.CommentList, error) {
	number := max(paged, shown)
	if number == 0 {
		return nil, nil
	}
	viewer, err := h.signedIn(c)
	if err != nil {
		return nil, err
	}
	found, err := h.posts.Comments(c.Request().Context(), postID, number)
	if err != nil {
		return nil, err
	}
	if n := len(found.Items); n == domain.CommentsPerPage {
		found.Items = found.Items[n-1:]
	} else {
		found.Items = nil // the last page had room: nothing has moved up to it
	}
	list := h.commentList(viewer.ID, postID, found)
	list.Paged = paged > 0
	return &list, nil
}

// listPage is the number of a page of comments, 0 when it is none: it says where
// the reader was, and decides no more than where he is led back to.
func listPage(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxPage {
		return 0
	}
	return n
}

// commentsAfter is where the reader was, on the post's page or on that page of its
// comments, or on the last one left.
func commentsAfter(p domain.Post, page int) string {
	path := p.Path()
	if page > 0 {
		path = views.CommentsPath(p.ID, min(page, domain.Pages(p.CommentCount, domain.CommentsPerPage)))
	}
	return deleteDone(path, "#comments")
}
