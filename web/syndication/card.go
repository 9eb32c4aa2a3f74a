package syndication

import (
	"context"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/singleflight"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/web/site"
)

// cards serves the pictures that stand for posts without a cover in previews of links. Drawing one takes about as long
// as making a page, so one is drawn at a time.
type cards struct {
	*site.Site
	posts   Posts
	drawn   simplelru.LRUCache[string, []byte] // by the hash of the card
	drawing *singleflight.Group
	slots   site.Slots
}

// maxCards is the number of cached cards, in about 4 MB.
const maxCards = 64

func newCards(s *site.Site, posts Posts) cards {
	return cards{s, posts, newCache(maxCards), new(singleflight.Group), make(site.Slots, 1)}
}

func (h cards) register(e *echo.Echo) { site.Get(e, site.CardRoute, h.show) }

// cardCaching lets others keep a card for an hour: a post may be hidden meanwhile.
const cardCaching = "public, max-age=3600"

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
	content, err := h.draw(ctx, card)
	if err != nil {
		return err
	}
	servePicture(c, "image/png", cardCaching, card.Hash(), content)
	return nil
}

// draw returns a card. Concurrent requests for it draw it once.
func (h cards) draw(ctx context.Context, card picture.Card) ([]byte, error) {
	name := card.Hash()
	if content, ok := h.drawn.Get(name); ok {
		return content, nil
	}
	drawn, err, _ := h.drawing.Do(name, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawTimeout)
		defer cancel()
		release, err := h.slots.Acquire(ctx)
		if err != nil {
			return []byte(nil), err
		}
		defer release()
		content, err := picture.DrawCard(card)
		if err == nil {
			h.drawn.Add(name, content)
		}
		return content, err
	})
	return drawn.([]byte), err
}
