package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// comment is the address of a comment for good: it leads to wherever it stands now, and
// gives htmx the comment by itself.
type comment struct {
	*site
	posts interface {
		postGetter
		latestGetter
		commentGetter
		commentCounter
	}
}

func (h comment) register(e *echo.Echo) {
	get(e, "/posts/:id/comments/:comment", h.show)
}

func (h comment) show(c echo.Context) error {
	p, err := h.findPost(c, h.posts)
	if err != nil {
		return err
	}
	found, err := getComment(c, h.posts)
	if err != nil {
		return err
	}
	viewer, err := h.viewer(c)
	if err != nil {
		return err
	}
	view, seen := h.seenComment(viewer, p, found)
	if !seen {
		return errNoComment
	}
	if isFragment(c) {
		list := h.commentList(viewer, p, domain.Page[domain.Comment]{})
		return h.render(c, http.StatusOK, views.CommentArticle(view, list, true))
	}
	path, err := commentPlace(c.Request().Context(), h.posts, p, found)
	if err != nil {
		return err
	}
	return redirect(c, http.StatusFound, path)
}

// ownComment is getComment for its author; others are refused with those words. Of a
// comment that is deleted only a placeholder may be left, which is nobody's.
func ownComment(s *site, c echo.Context, posts commentGetter, refusal string) (domain.Comment, error) {
	author, err := s.signedIn(c)
	if err != nil {
		return domain.Comment{}, err
	}
	found, err := getComment(c, posts)
	switch {
	case err != nil:
		return domain.Comment{}, err
	case !found.Deleted.IsZero():
		return domain.Comment{}, errNoComment
	case found.AuthorID != author.ID:
		return domain.Comment{}, domain.Errorf(domain.Forbidden, "%s", refusal)
	}
	return found, nil
}
