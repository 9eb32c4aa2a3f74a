package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type commentAdder interface {
	// AddComment returns the comment's place among the post's comments, from 1.
	AddComment(ctx context.Context, c domain.Comment) (position int, err error)
}

// commentNew takes comments.
type commentNew struct {
	*site
	posts interface {
		postPageReader
		commentAdder
	}
}

func (h commentNew) register(e *echo.Echo) {
	e.POST("/posts/:id/comments", h.submit)
}

func (h commentNew) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	postID := c.Param("id")
	if !domain.IsID(postID) {
		return errNoPost
	}
	comment, position, err := h.add(c, postID, sent.Get("content"))
	if complaints, status, ok := h.complain(c, err); ok {
		return h.again(c, status, views.CommentForm{PostID: postID, Content: sent.Get("content"), Complaints: complaints})
	}
	if err != nil {
		return err
	}
	if isFragment(c) {
		return h.renderForm(c, http.StatusOK, views.CommentAdded(h.commentView(comment), position))
	}
	return seeOther(c, h.commentPath(c, comment, position))
}

func (h commentNew) add(c echo.Context, postID, content string) (domain.Comment, int, error) {
	author, err := h.signedIn(c)
	if err != nil {
		return domain.Comment{}, 0, err
	}
	comment, err := domain.NewComment(author, postID, content, time.Now())
	if err != nil {
		return domain.Comment{}, 0, err
	}
	position, err := h.posts.AddComment(c.Request().Context(), comment)
	return comment, position, err
}

// again brings the form back to be mended, without JavaScript on the whole page
// that it stands on.
func (h commentNew) again(c echo.Context, status int, form views.CommentForm) error {
	if isFragment(c) {
		return h.renderForm(c, status, views.CommentFormFragment(form))
	}
	p, err := getPost(c, h.posts)
	if err != nil {
		return err
	}
	return h.renderPost(c, status, h.posts, p, form)
}

// commentPath is where a comment is shown, given its place from 1.
func (h commentNew) commentPath(c echo.Context, comment domain.Comment, position int) string {
	path := ""
	if page := domain.Pages(position, domain.CommentsPerPage); page == 1 {
		path = pathOf(c, h.posts, comment.PostID)
	} else {
		path = views.CommentsPath(comment.PostID, page)
	}
	return path + "#comment-" + comment.ID
}
