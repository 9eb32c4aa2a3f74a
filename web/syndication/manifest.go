package syndication

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	"inkfeed/web/site"
)

// manifest serves the web app manifest, with which the site can be installed.
type manifest struct{ *site.Site }

func (h manifest) register(e *echo.Echo) { site.Get(e, "/manifest.webmanifest", h.show) }

type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

func (h manifest) show(c echo.Context) error {
	info := h.Info()
	description := cmp.Or(info.Description, info.Tagline, site.T(c, "A place to write and to read."))
	body, err := json.Marshal(map[string]any{
		"id": "/", "name": info.Title(), "short_name": info.Title(), "description": description,
		"lang": h.LanguageFor("", nil).Code(), "start_url": "/", "scope": "/", "display": "minimal-ui",
		// The background colour of the style sheet.
		"theme_color": "#fbfaf6", "background_color": "#fbfaf6",
		"icons":     manifestIcons(info),
		"shortcuts": []map[string]string{{"name": site.T(c, "Write|button"), "url": "/new"}},
	})
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", cacheHour)
	return c.Blob(http.StatusOK, "application/manifest+json", body)
}

func manifestIcons(i siteinfo.Info) []manifestIcon {
	icons := []manifestIcon{
		{views.IconPath(i, siteinfo.MediumIcon), "192x192", "image/png", ""},
		{views.IconPath(i, siteinfo.LargeIcon), "512x512", "image/png", ""},
		{views.MaskableIconPath(i), "512x512", "image/png", "maskable"},
	}
	if i.IconPicture().Exists() {
		return icons
	}
	return append([]manifestIcon{{"/favicon.svg", "any", "image/svg+xml", ""}}, icons...)
}
