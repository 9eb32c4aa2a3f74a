package comments

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	"inkfeed/web/site"
)

// comment serves the permanent address of a comment. It redirects to the comment's current place,
// and returns the comment alone to htmx.
type comment struct{ handler }

func (h comment) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/comments/:comment", h.show)
}

func (h comment) show(c echo.Context) error {
	p, err := h.finder.VisiblePost(c)
	if err != nil {
		return err
	}
	found, err := site.CommentAt(c, h.store.Posts.Comment)
	if err != nil {
		return err
	}
	viewer, err := h.Viewer(c)
	if err != nil {
		return err
	}
	view, seen := h.comments.For(c.Request().Context(), viewer, p, found)
	if !seen {
		return site.ErrNoComment
	}
	if site.IsFragment(c) {
		list, err := h.list(c, viewer, p, domain.ListPage[domain.Comment]{})
		if err != nil {
			return err
		}
		list.Items = []views.Comment{view}
		h.reasons.AddTo(c.Request().Context(), &list)
		return h.Render(c, http.StatusOK, views.CommentArticle(list.Items[0], list, true))
	}
	path, err := h.commentPlace(c.Request().Context(), p, found)
	if err != nil {
		return err
	}
	return site.Redirect(c, http.StatusFound, path)
}

// ownComment returns the comment in the address to its author. Other users get a Forbidden error
// with the text refusal. The placeholder of a deleted comment belongs to no user.
func (h handler) ownComment(c echo.Context, refusal locale.Message) (domain.Comment, error) {
	author, err := h.SignedIn(c)
	if err != nil {
		return domain.Comment{}, err
	}
	found, err := site.CommentAt(c, h.store.Posts.Comment)
	switch {
	case err != nil:
		return domain.Comment{}, err
	case !found.Deleted.IsZero():
		return domain.Comment{}, site.ErrNoComment
	case found.AuthorID != author.ID:
		return domain.Comment{}, &domain.Error{Kind: domain.Forbidden, Message: refusal}
	}
	return found, nil
}

// own returns a comment as its author sees it.
func (h handler) own(c echo.Context, comment domain.Comment) views.Comment {
	return h.comments.Comment(c.Request().Context(), comment.AuthorID, comment)
}
