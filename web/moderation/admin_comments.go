package moderation

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// adminComments shows moderators the comments of the whole site.
type adminComments struct{ moderation }

func (h adminComments) register(e *echo.Echo) { site.Get(e, view.AdminCommentsPath, h.show) }

// maxPlace is the maximum length of the place that a page begins at.
const maxPlace = 100

func (h adminComments) show(c echo.Context) error {
	viewer, err := h.Moderator(c)
	if err != nil {
		return err
	}
	p := view.AdminCommentsPage{State: domain.CommentState(c.QueryParam("state")), Before: c.QueryParam("before")}
	if !p.State.Valid() || len(p.Before) > maxPlace {
		return site.ErrNoPage
	}
	if p.Comments, p.Next, err = h.store.CommentRows.List(c.Request().Context(), p.State, p.Before); err != nil {
		return err
	}
	if p.LayoutData, err = h.Layout(c, site.T(c, "Comments")); err != nil {
		return err
	}
	if p.Done, err = h.done(c, viewer, p.CurrentPath()); err != nil {
		return err
	}
	// Never cached, so that going back shows the current state.
	return h.RenderForm(c, http.StatusOK, view.AdminComments(p))
}
