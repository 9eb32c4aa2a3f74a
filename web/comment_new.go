package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type commentAdder interface {
	// AddComment returns the post as it has become: its count of comments is the
	// new one's place. It changes nothing when there is a comment of that id.
	AddComment(ctx context.Context, c domain.Comment) (domain.Post, error)
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
	comment, p, err := h.add(c, postID, sent)
	back := views.CommentForm{PostID: postID, Attempt: attemptOf(sent), Content: sent.Get("content")}
	if complaints, status, ok := h.complain(c, err); ok {
		back.Complaints = complaints
		return h.again(c, status, back)
	}
	if domain.Is(err, domain.NotFound) {
		return h.lost(c, back)
	}
	if err != nil {
		return err
	}
	if isFragment(c) {
		return h.renderForm(c, http.StatusOK, views.CommentAdded(h.commentView(comment.AuthorID, comment), p.CommentCount, domain.NewID()))
	}
	return seeOther(c, commentPath(p, comment.ID))
}

func (h commentNew) add(c echo.Context, postID string, sent url.Values) (domain.Comment, domain.Post, error) {
	author, err := h.signedIn(c)
	if err != nil {
		return domain.Comment{}, domain.Post{}, err
	}
	comment, err := domain.NewComment(author, postID, sent.Get("content"), time.Now())
	if err != nil {
		return domain.Comment{}, domain.Post{}, err
	}
	comment.ID = domain.AttemptID(sent.Get("attempt"), author.ID, postID, comment.Content)
	p, err := h.posts.AddComment(c.Request().Context(), comment)
	return comment, p, err
}

// again brings the form back to be mended, without JavaScript on the whole page
// that it stands on.
func (h commentNew) again(c echo.Context, status int, form views.CommentForm) error {
	if isFragment(c) {
		return h.renderForm(c, status, views.CommentFormFragment(form))
	}
	p, err := getPost(c, h.posts)
	if domain.Is(err, domain.NotFound) {
		return h.lost(c, form)
	}
	if err != nil {
		return err
	}
	return h.renderPost(c, status, h.posts, p, form)
}

// lost gives back a comment whose post is gone, without JavaScript on a page of
// its own.
func (h commentNew) lost(c echo.Context, form views.CommentForm) error {
	if strings.TrimSpace(form.Content) == "" {
		return errNoPost
	}
	if isFragment(c) {
		form.Complaints = views.Complaints{Summary: views.PostGone}
		return h.renderForm(c, http.StatusNotFound, views.CommentFormFragment(form))
	}
	return h.renderForm(c, http.StatusNotFound, views.CommentLost(views.CommentLostPage{
		Page: h.frame(c, "This post is gone"), Content: form.Content}))
}

// commentPath is where the last of a post's comments is shown.
func commentPath(p domain.Post, commentID string) string {
	path := p.Path()
	if page := domain.Pages(p.CommentCount, domain.CommentsPerPage); page > 1 {
		path = views.CommentsPath(p.ID, page)
	}
	return path + "#comment-" + commentID
}
