package pages

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/pages"
	"inkfeed/web/site"
)

// adminPages lists the static pages and their drafts, and changes their order.
type adminPages struct{ handler }

func (h adminPages) register(e *echo.Echo) {
	site.Get(e, site.AdminPagesPath, h.show)
	e.POST(site.AdminPagesPath+"/move", h.move)
}

// Values of the parameter done of the list.
const (
	doneSaved   = "saved"
	doneDeleted = "deleted"
)

func doneMessage(c echo.Context) locale.Message {
	switch done := c.QueryParam("done"); {
	case done == doneSaved:
		return locale.M("Page saved.")
	case done == doneDeleted, site.IsDeleted(c):
		return locale.M("Page deleted.")
	case done == "gone":
		return locale.M("Draft deleted.")
	case done == "discarded", done == "reset":
		return locale.M("Changes discarded.")
	}
	return locale.Message{}
}

func (h adminPages) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	ctx := c.Request().Context()
	pages, err := h.store.Pages.Get(ctx)
	if err != nil {
		return err
	}
	h.Pages.Apply(pages)
	drafts, err := h.drafts(ctx)
	if err != nil {
		return err
	}
	shown := view.AdminPagesPage{LayoutData: h.FallbackLayout(c, site.T(c, "Pages")), Done: doneMessage(c),
		FrontPage: h.Info().FrontPage}
	for _, p := range pages.List {
		row := view.PageRow{StaticPage: p}
		if i := slices.IndexFunc(drafts, func(d domain.Draft) bool { return d.PostID == p.PostID }); i >= 0 {
			draft := drafts[i]
			row.Draft = &draft
			drafts = slices.Delete(drafts, i, i+1)
		}
		shown.Rows = append(shown.Rows, row)
	}
	shown.Drafts = drafts
	if shown.Claims, err = site.Claims(ctx, pages, h.store.Redirects); err != nil {
		return err
	}
	inSiteLanguage := locale.With(c.Request().Context(), h.LanguageFor("", nil))
	for _, o := range outlines() {
		path := o.path(inSiteLanguage)
		if _, exists := pages.At(path); !exists && !h.taken(c, path) {
			shown.Outlines = append(shown.Outlines, view.OutlineOffer{Kind: o.kind, Label: o.offer})
		}
	}
	return h.RenderForm(c, http.StatusOK, view.AdminPages(shown))
}

// drafts returns all drafts of pages.
func (h adminPages) drafts(ctx context.Context) (all []domain.Draft, err error) {
	for number := 1; ; number++ {
		list, err := h.store.Drafts.List(ctx, domain.SiteUserID, number)
		if all = append(all, list.Items...); err != nil || !list.More {
			return all, err
		}
	}
}

// move moves a page up or down in the list.
func (h adminPages) move(c echo.Context) error {
	sent, _, err := site.ReadForm(c, h.Administrator)
	if err != nil {
		return err
	}
	by := 1
	if sent.Get("to") == "up" {
		by = -1
	}
	pages, err := h.store.Pages.Change(c.Request().Context(), func(p siteinfo.Pages) (siteinfo.Pages, error) {
		return domain.MovePage(p, sent.Get("page"), by), nil
	})
	if err != nil {
		return err
	}
	h.Pages.Apply(pages)
	return site.SeeOther(c, site.AdminPagesPath)
}

// taken reports whether the site has something else than a static page at a path.
func (h handler) taken(c echo.Context, path string) bool { return site.HasRoute(c.Echo(), path) }
