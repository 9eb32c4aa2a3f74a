package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// commentReply is the form to answer a comment. What it sends goes where all comments
// go.
type commentReply struct {
	*site
	posts interface {
		postGetter
		commentGetter
	}
}

func (h commentReply) register(e *echo.Echo) {
	get(e, "/posts/:id/comments/:comment/reply", h.show)
}

func (h commentReply) show(c echo.Context) error {
	if _, err := h.signedIn(c); err != nil {
		return err
	}
	p, err := getPost(c, h.posts)
	if err != nil {
		return err
	}
	comment, err := getComment(c, h.posts)
	if err != nil {
		return err
	}
	if comment.Hidden() { // nobody answers it, nor is it quoted
		return errNoComment
	}
	form := h.freshComment(c, p.ID)
	form.ParentName = comment.AuthorName
	if form.Parent, _ = comment.Thread(); form.Parent != comment.ID {
		// The answer to a reply stands beside it, so it says whom it is for.
		form.Content = "@" + comment.AuthorName + " "
	}
	if isFragment(c) {
		return h.renderForm(c, http.StatusOK, views.CommentFormFragment(form))
	}
	return renderReply(h.site, c, http.StatusOK, p, comment, form)
}

// renderReply shows the form on a page of its own, below what it answers.
func renderReply(s *site, c echo.Context, status int, p domain.Post, to domain.Comment, form views.CommentForm) error {
	title := "Reply to a comment"
	if to.AuthorName != "" {
		title = "Reply to @" + to.AuthorName
	}
	return s.renderForm(c, status, views.CommentReply(views.CommentReplyPage{
		Page: s.frame(c, title), Post: p, Comment: s.commentView("", to), Form: form}))
}
