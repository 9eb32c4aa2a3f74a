package syndication

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/web/site"
)

// cards serves the pictures that stand for posts without a cover in previews of links. Drawing one takes about as long
// as making a page, so one is drawn at a time.
type cards struct {
	*site.Site
	posts    Posts
	drawings // by the hash of the card
	slots    site.Slots
}

// maxCards is the number of cached cards, in about 4 MB.
const maxCards = 64

func newCards(s *site.Site, posts Posts) cards {
	return cards{s, posts, newDrawings(maxCards), make(site.Slots, 1)}
}

func (h cards) register(e *echo.Echo) { site.Get(e, site.CardRoute, h.show) }

// show serves the card of a post. Only a post that is in lists has one.
func (h cards) show(c echo.Context) error {
	ctx := c.Request().Context()
	if !domain.IsID(c.Param("id")) {
		return site.ErrNoPicture
	}
	p, err := h.posts.Get(ctx, c.Param("id"))
	if err == nil {
		_, err = h.Users.ByID(ctx, p.AuthorID)
	}
	card := picture.NewCard(p, h.Info())
	if domain.Is(err, domain.NotFound) || err == nil && card == (picture.Card{}) {
		return site.ErrNoPicture
	}
	if err != nil {
		return err
	}
	content, err := h.get(ctx, card.Hash(), func(ctx context.Context) ([]byte, error) {
		release, err := h.slots.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		return picture.DrawCard(card)
	})
	if err != nil {
		return err
	}
	servePicture(c, "image/png", cacheHour, card.Hash(), content) // no longer, because the post may be hidden
	return nil
}
