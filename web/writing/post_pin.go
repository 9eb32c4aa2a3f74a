package writing

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/web/site"
)

// postPin pins posts to the top of their author's page, and unpins them. Both lead back to the page of the form.
type postPin struct{ handler }

func (h postPin) register(e *echo.Echo) {
	e.POST("/posts/:id/pin", h.pin)
	e.POST("/posts/:id/unpin", h.unpin)
}

var pinRefusal = locale.M("You can only pin your own posts.")

func (h postPin) pin(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	p, err := h.finder.OwnPost(c, pinRefusal)
	if err != nil {
		return err
	}
	if !p.Listed() {
		return domain.NewError(domain.Conflict, "Only a published post that everyone can see can be pinned.")
	}
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	gone, err := h.unlisted(ctx, author)
	if err == nil {
		err = h.store.Profiles.Pin(ctx, author.ID, p.ID, gone)
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, site.NextOr(sent.Get("back"), names.UserPath(author.Username)))
}

// unlisted returns the pinned posts that are not public any more, if no further post can be pinned beside them.
func (h postPin) unlisted(ctx context.Context, author domain.User) (gone []string, err error) {
	pinned := author.Pinned()
	if len(pinned) < domain.MaxPins {
		return nil, nil
	}
	for _, id := range pinned {
		_, err := h.store.UserCopies.Post(ctx, author.ID, id)
		if domain.Is(err, domain.NotFound) {
			gone = append(gone, id)
		} else if err != nil {
			return nil, err
		}
	}
	return gone, nil
}

func (h postPin) unpin(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	p, err := h.finder.OwnPost(c, pinRefusal)
	if err != nil {
		return err
	}
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if err := h.store.Profiles.Unpin(c.Request().Context(), author.ID, p.ID); err != nil {
		return err
	}
	return site.SeeOther(c, site.NextOr(sent.Get("back"), names.UserPath(author.Username)))
}
