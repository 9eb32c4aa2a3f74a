package writing

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// drafts lists an author's drafts, and the author's unlisted and hidden posts.
type drafts struct{ handler }

func (h drafts) register(e *echo.Echo) {
	site.Get(e, "/drafts", h.show)
	site.Get(e, "/drafts/unlisted", h.unlisted)
}

func (h drafts) show(c echo.Context) error {
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	list, err := h.store.Drafts.List(c.Request().Context(), author.ID, number)
	if err := site.PageOrNotFound(list, err); err != nil {
		return err
	}
	page, err := h.Layout(c, site.T(c, "Drafts"))
	if err != nil {
		return err
	}
	shown := view.DraftsPage{LayoutData: page, Drafts: list}
	if shown.Statuses, err = h.statuses(c.Request().Context(), author.ID, list.Items); err != nil {
		return err
	}
	if number == 1 {
		if shown.Unlisted, err = h.store.UserCopies.UnlistedOf(c.Request().Context(), author.ID, 1); err != nil {
			return err
		}
		if shown.Holds, err = h.finder.Holds(c.Request().Context(), shown.Unlisted.Items); err != nil {
			return err
		}
	}
	shown.Done = draftsMessages[c.QueryParam("done")]
	return h.Render(c, http.StatusOK, view.Drafts(shown))
}

// statuses returns the statuses of the posts that the drafts change.
func (h drafts) statuses(ctx context.Context, authorID string,
	drafts []domain.Draft) (map[string]domain.Status, error) {
	var posts []string
	for _, d := range drafts {
		if d.Revision > 0 {
			posts = append(posts, d.PostID)
		}
	}
	if len(posts) == 0 {
		return nil, nil
	}
	return h.store.UserCopies.Statuses(ctx, authorID, posts)
}

func (h drafts) unlisted(c echo.Context) error {
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	list, err := h.store.UserCopies.UnlistedOf(c.Request().Context(), author.ID, number)
	if err := site.PageOrNotFound(list, err); err != nil {
		return err
	}
	holds, err := h.finder.Holds(c.Request().Context(), list.Items)
	if err != nil {
		return err
	}
	page, err := h.Layout(c, site.T(c, "Unlisted, hidden or in review"))
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.Unlisted(view.UnlistedPage{LayoutData: page, Posts: list, Holds: holds}))
}
