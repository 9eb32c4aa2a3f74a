package moderation

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
)

// linkNotes says which links of the site have an address without a route or page on this site, and which lead to a
// page that is linked there anyway, by the names of their fields. Other sites are not asked, and authors and posts
// are not looked up.
func (h adminSettings) linkNotes(c echo.Context, links [siteinfo.MaxLinks]siteinfo.Link) map[string]locale.Message {
	notes := map[string]locale.Message{}
	for n, l := range links {
		if !strings.HasPrefix(l.Address, "/") {
			continue
		}
		note, err := h.linkNote(c, l)
		if err != nil { // the settings can be read and changed without the note
			h.Logger.WarnContext(c.Request().Context(), "cannot check a link of the site", "error", err)
		}
		if !note.IsZero() {
			notes[fmt.Sprint("link", n+1)] = note
		}
	}
	return notes
}

// linkNote returns what is wrong with a link to an address of this site; an empty message if nothing is.
func (h adminSettings) linkNote(c echo.Context, link siteinfo.Link) (locale.Message, error) {
	u, err := url.Parse(link.Address)
	if err != nil || site.HasRoute(c.Echo(), u.Path) {
		return locale.Message{}, nil
	}
	pages := h.StaticPages()
	p, found := pages.At(u.Path)
	if path, err := domain.CleanPagePath(u.Path); err == nil && !found {
		if p, found = pages.At(path); !found {
			p, found = pages.FormerlyAt(path)
		}
	}
	switch {
	case found && !p.Published:
		return locale.M("The page at this address is not published yet."), nil
	case found && p.Footer && !link.Header:
		return locale.M("The footer links to this page anyway."), nil
	case found && p.Navigation && link.Header:
		return locale.M("The header links to this page anyway."), nil
	case found:
		return locale.Message{}, nil
	}
	_, err = h.store.Redirects.Find(c.Request().Context(), u.EscapedPath())
	if domain.Is(err, domain.NotFound) {
		return locale.M("There is nothing at this address."), nil
	}
	return locale.Message{}, err
}
