package comments

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/comments"
	"inkfeed/web/site"
)

// commentReply serves the form for a reply. The form submits to commentNew.
type commentReply struct{ handler }

func (h commentReply) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/comments/:comment/reply", h.show)
}

func (h commentReply) show(c echo.Context) error {
	viewer, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	p, err := h.finder.Post(c)
	if err != nil {
		return err
	}
	if refused, err := h.policy.Blocked(c.Request().Context(), p.AuthorID, viewer); err != nil || refused {
		return cmp.Or(err, domain.ErrBlocked(p.AuthorName))
	}
	comment, err := site.CommentAt(c, h.store.Posts.Comment)
	if err != nil {
		return err
	}
	if comment.Hidden() { // hidden comments cannot be replied to or quoted
		return site.ErrNoComment
	}
	form := h.NewCommentForm(c, p.ID)
	form.ParentName = comment.AuthorName
	if form.Parent, _ = comment.Thread(); form.Parent != comment.ID {
		// A reply to a reply appears beside it, so it names its addressee.
		form.Content = "@" + comment.AuthorName + " "
	}
	if site.IsFragment(c) {
		return h.RenderForm(c, http.StatusOK, view.CommentFormFragment(form))
	}
	return h.renderReply(c, http.StatusOK, p, comment, form)
}

// renderReply writes the form on a page of its own, below the parent comment.
func (h handler) renderReply(c echo.Context, status int, p domain.Post, to domain.Comment,
	form views.CommentForm) error {
	title := site.T(c, "Reply to a comment")
	if to.AuthorName != "" {
		title = site.T(c, "Reply to {name}", "name", "@"+to.AuthorName)
	}
	return h.RenderForm(c, status, view.CommentReply(view.CommentReplyPage{
		LayoutData: h.FallbackLayout(c, title), Post: p,
		Comment: h.comments.Comment(c.Request().Context(), "", to), Form: form}))
}
