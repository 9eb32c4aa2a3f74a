package pages

import (
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	"inkfeed/web/site"
)

// adminPageOutline begins pages with outlines, which are drafts.
type adminPageOutline struct{ handler }

func (h adminPageOutline) register(e *echo.Echo) { e.POST(site.AdminPagesPath+"/outline", h.submit) }

// submit adds the page and its draft in the site's default language. If the process dies in between, the page has no
// text yet.
func (h adminPageOutline) submit(c echo.Context) error {
	sent, actor, err := site.ReadForm(c, h.Administrator)
	if err != nil {
		return err
	}
	for _, o := range outlines() {
		if o.kind == sent.Get("kind") {
			return h.begin(c, actor, o)
		}
	}
	return site.ErrNoPage
}

func (h adminPageOutline) begin(c echo.Context, actor domain.User, o outline) error {
	ctx := locale.With(c.Request().Context(), h.LanguageFor("", nil))
	entry, err := h.put(c, actor, siteinfo.StaticPage{PostID: domain.NewPageID(), Path: o.path(ctx),
		Navigation: o.navigation, Footer: !o.navigation})
	if domain.Is(err, domain.Invalid) { // the address was taken meanwhile, as by a double click
		return site.SeeOther(c, site.AdminPagesPath)
	}
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, part := range o.parts {
		text.WriteString(part.In(ctx) + "\n\n")
	}
	_, err = h.store.Drafts.Save(ctx, domain.Draft{PostID: entry.PostID, AuthorID: domain.SiteUserID,
		Title: o.title.In(ctx), Content: strings.TrimSpace(text.String()), Begun: time.Now()})
	if err != nil {
		return err
	}
	return site.SeeOther(c, views.PostPath(entry.PostID)+"/edit")
}
