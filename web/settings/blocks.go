package settings

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/settings"
	"inkfeed/web/site"
)

// settingsBlocks lists, blocks and unblocks users.
type settingsBlocks struct{ handler }

func (h settingsBlocks) register(e *echo.Echo) {
	site.Get(e, views.BlocksPath, h.show)
	e.POST(views.BlocksPath, func(c echo.Context) error {
		return h.change(c, "blocked", func(ctx context.Context, userID, other string) error {
			return h.store.Blocks.Block(ctx, userID, other, time.Now())
		})
	})
	e.POST(views.BlocksPath+"/remove", func(c echo.Context) error {
		return h.change(c, "unblocked",
			h.store.Blocks.Unblock)
	})
}

func (h settingsBlocks) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	blocks, err := h.store.Blocks.List(c.Request().Context(), u.ID, number)
	if err := site.PageOrNotFound(blocks, err); err != nil {
		return err
	}
	page, err := h.Layout(c, site.T(c, "Blocked people"))
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.Blocks(view.BlocksPage{LayoutData: page, Blocks: blocks,
		Blocked: c.QueryParam("done") == "blocked", Unblocked: c.QueryParam("done") == "unblocked"}))
}

func (h settingsBlocks) change(c echo.Context, done string, do func(ctx context.Context, userID,
	otherID string) error) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	err = do(c.Request().Context(), u.ID, sent.Get("user"))
	if domain.Is(err, domain.NotFound) {
		return site.ErrNoUser
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, views.BlocksPath+"?done="+done)
}
