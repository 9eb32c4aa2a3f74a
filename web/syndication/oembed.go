package syndication

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	"inkfeed/web/site"
)

// oembed serves the metadata of posts in oEmbed 1.0. The type is "link", since the site's pages
// cannot be framed.
type oembed struct {
	*site.Site
	posts Posts
}

func (h oembed) register(e *echo.Echo) { site.Get(e, "/oembed", h.show) }

type oembedAnswer struct {
	XMLName         xml.Name `json:"-" xml:"oembed"`
	Version         string   `json:"version" xml:"version"`
	Type            string   `json:"type" xml:"type"`
	Title           string   `json:"title" xml:"title"`
	AuthorName      string   `json:"author_name" xml:"author_name"`
	AuthorURL       string   `json:"author_url" xml:"author_url"`
	ProviderName    string   `json:"provider_name" xml:"provider_name"`
	ProviderURL     string   `json:"provider_url" xml:"provider_url"`
	CacheAge        int      `json:"cache_age" xml:"cache_age"`
	ThumbnailURL    string   `json:"thumbnail_url,omitempty" xml:"thumbnail_url,omitempty"`
	ThumbnailWidth  int      `json:"thumbnail_width,omitempty" xml:"thumbnail_width,omitempty"`
	ThumbnailHeight int      `json:"thumbnail_height,omitempty" xml:"thumbnail_height,omitempty"`
}

// oembedTime is how long a response may be cached, in seconds.
const oembedTime = 3600

var errNotEmbedded = domain.NewError(domain.NotFound, "There is no post at that address.")

func (h oembed) show(c echo.Context) error {
	format := c.QueryParam("format")
	if format != "" && format != "json" && format != "xml" {
		return echo.NewHTTPError(http.StatusNotImplemented)
	}
	base := h.BaseURL(c)
	id, ok := postIDAt(c.QueryParam("url"), base)
	if !ok {
		return errNotEmbedded
	}
	p, err := h.posts.Get(c.Request().Context(), id)
	if domain.Is(err, domain.NotFound) || err == nil && !p.Open() {
		return errNotEmbedded
	}
	if err != nil {
		return err
	}
	author, err := h.Users.ByID(c.Request().Context(), p.AuthorID)
	if domain.Is(err, domain.NotFound) { // suspended or deleted
		return errNotEmbedded
	}
	if err != nil {
		return err
	}
	answer := oembedAnswer{Version: "1.0", Type: "link", Title: p.Title,
		AuthorName: names.Called(p.AuthorName, p.AuthorDisplayName),
		AuthorURL:  base + names.UserPath(p.AuthorName), ProviderName: siteinfo.From(c.Request().Context()).Title(),
		ProviderURL: base +
			"/", CacheAge: oembedTime}
	if author.BlogTitle != "" {
		answer.ProviderName, answer.ProviderURL = author.BlogTitle,
			base+siteinfo.From(c.Request().Context()).BlogPath(author.ID, names.UserPath(author.Username))
	}
	if cover := markdown.Cover(p).Image; cover.Shareable() {
		answer.thumbnail(base, cover, c)
	}
	if answer.ThumbnailURL == "" {
		answer.icon(base, h.Info(), c)
	}
	c.Response().Header().Set("Access-Control-Allow-Origin", "*")
	c.Response().Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	if format != "xml" {
		return c.JSON(http.StatusOK, answer)
	}
	body, err := encodeXML(answer)
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "text/xml; charset=utf-8", body)
}

// thumbnail adds the widest variant of a picture that the request allows.
func (a *oembedAnswer) thumbnail(base string, image domain.ImageName, c echo.Context) {
	maxWidth, maxHeight := parseLimit(c.QueryParam("maxwidth")), parseLimit(c.QueryParam("maxheight"))
	for _, width := range append(image.Variants(), image.Width) {
		if height := image.VariantHeight(width); width <= maxWidth && height <= maxHeight {
			a.ThumbnailURL, a.ThumbnailWidth, a.ThumbnailHeight = base+domain.MediaPrefix+image.Variant(width), width,
				height
		}
	}
}

// icon adds the site's own icon, if it has one that is as small as the request asks.
func (a *oembedAnswer) icon(base string, i siteinfo.Info, c echo.Context) {
	most := min(parseLimit(c.QueryParam("maxwidth")), parseLimit(c.QueryParam("maxheight")))
	for _, size := range []int{siteinfo.MediumIcon, siteinfo.LargeIcon} {
		if i.IconPicture().Exists() && size <= most {
			a.ThumbnailURL, a.ThumbnailWidth, a.ThumbnailHeight = base+views.IconPath(i, size), size, size
		}
	}
}

// maxThumbnail is the maximum width and height in pixels; a request may ask for less.
const maxThumbnail = 1600

func parseLimit(parameter string) int {
	n := 0
	for _, digit := range parameter {
		if digit < '0' || digit > '9' || n > maxThumbnail {
			return maxThumbnail
		}
		n = 10*n + int(digit-'0')
	}
	if n == 0 {
		return maxThumbnail
	}
	return n
}

// postIDAt returns the id of the post at an address of this site.
func postIDAt(address, base string) (string, bool) {
	u, err := url.Parse(address)
	at, errBase := url.Parse(base)
	if err != nil || errBase != nil || !strings.EqualFold(u.Host, at.Host) || u.Scheme != "http" &&
		u.Scheme != "https" {
		return "", false
	}
	path := strings.TrimRight(u.Path, "/")
	id, ok := domain.PostIDIn(path)
	return id, ok && strings.Count(path, "/") <= 3 // with or without a slug
}
