package syndication

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/singleflight"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/domain/siteinfo"
	"inkfeed/static"
	"inkfeed/web/site"
)

// brand serves the site's logo and its icons. Forms of a picture are drawn once in each process.
type brand struct {
	*site.Site
	pictures Pictures
	drawings // by the hash and the form
}

// icoForm is the form of a picture as /favicon.ico.
const icoForm = "ico"

// Limits of drawing. A logo and an icon have seven forms each.
const (
	maxDrawn    = 32 // cached forms
	drawTimeout = 20 * time.Second
)

func newBrand(s *site.Site, pictures Pictures) brand {
	return brand{s, pictures, newDrawings(maxDrawn)}
}

func (h brand) register(e *echo.Echo) {
	site.Get(e, site.BrandRoute, h.show)
	site.Get(e, "/favicon.ico", h.showICO)
	site.Get(e, "/favicon.svg", h.showSVG)
}

func (h brand) show(c echo.Context) error {
	hash, form, ok := siteinfo.ParsePictureFile(c.Param("file"))
	if !ok {
		return site.ErrNoPicture
	}
	// Reading a picture from the storage counts like a page, since an address may name a picture that does not exist.
	if !h.drawn.Contains(drawnName(hash, form)) {
		if err := h.CountRead(c); err != nil {
			return err
		}
	}
	content, err := h.draw(c, hash, form)
	if domain.Is(err, domain.NotFound) {
		return site.ErrNoPicture
	}
	if err != nil {
		return err
	}
	servePicture(c, "image/png", site.CacheForever, drawnName(hash, form), content)
	return nil
}

// cacheHour lets browsers and proxies keep an answer for an hour, as that of an address that does not contain its hash.
const cacheHour = "public, max-age=3600"

// showICO serves the icon to programs that know only this address, such as feed readers. A site whose icon is missing
// has the default one.
func (h brand) showICO(c echo.Context) error {
	p := h.Info().IconPicture()
	if !p.Exists() {
		static.Serve(c.Response(), c.Request(), "favicon.ico")
		return nil
	}
	content, err := h.draw(c, p.Hash, icoForm)
	if domain.Is(err, domain.NotFound) {
		static.Serve(c.Response(), c.Request(), "favicon.ico")
		return nil
	}
	if err != nil {
		return err
	}
	servePicture(c, "image/x-icon", cacheHour, drawnName(p.Hash, icoForm), content)
	return nil
}

// showSVG serves the default icon. Pages from before the site had an icon of its own still name this address.
func (h brand) showSVG(c echo.Context) error {
	p := h.Info().IconPicture()
	if !p.Exists() {
		static.Serve(c.Response(), c.Request(), "favicon.svg")
		return nil
	}
	c.Response().Header().Set("Cache-Control", cacheHour)
	return c.Redirect(http.StatusFound, p.IconPath(siteinfo.MediumIcon))
}

func servePicture(c echo.Context, contentType, caching, tag string, content []byte) {
	header := c.Response().Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", caching)
	header.Set("ETag", `"`+tag+`"`)
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin") // feed readers show the icon
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, bytes.NewReader(content))
}

func drawnName(hash, form string) string { return hash + "-" + form }

// draw returns a form of a stored picture.
func (h brand) draw(c echo.Context, hash, form string) ([]byte, error) {
	return h.get(c.Request().Context(), drawnName(hash, form), func(ctx context.Context) ([]byte, error) {
		stored, err := h.pictures.Picture(ctx, hash)
		if err != nil {
			return nil, err
		}
		if form == icoForm {
			return picture.DrawICO(stored)
		}
		return picture.DrawBrand(stored, form)
	})
}

// drawings draws pictures and caches them by their names.
type drawings struct {
	drawn   simplelru.LRUCache[string, []byte]
	drawing *singleflight.Group
}

func newDrawings(most int) drawings { return drawings{newCache(most), new(singleflight.Group)} }

// get returns the drawing of a name. Concurrent requests for it draw it once, and drawing goes on if they are
// cancelled.
func (d drawings) get(ctx context.Context, name string, draw func(context.Context) ([]byte, error)) ([]byte, error) {
	if content, ok := d.drawn.Get(name); ok {
		return content, nil
	}
	drawn, err, _ := d.drawing.Do(name, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawTimeout)
		defer cancel()
		content, err := draw(ctx)
		if err == nil {
			d.drawn.Add(name, content)
		}
		return content, err
	})
	return drawn.([]byte), err
}
