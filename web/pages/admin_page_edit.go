package pages

import (
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	view "inkfeed/views/pages"
	"inkfeed/web/site"
)

// adminPageEdit adds static pages, and changes where they appear. The text is written in the editor of posts.
type adminPageEdit struct{ handler }

func (h adminPageEdit) register(e *echo.Echo) {
	site.Get(e, site.AdminPagesPath+"/new", h.create)
	e.POST(site.AdminPagesPath, h.submitNew)
	site.Get(e, site.AdminPagesPath+"/:page", h.show)
	e.POST(site.AdminPagesPath+"/:page", h.submit)
}

func (h adminPageEdit) create(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.PageFormPage{Entry: siteinfo.StaticPage{Footer: true}})
}

func (h adminPageEdit) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	entry, err := h.entry(c)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.PageFormPage{Entry: entry})
}

// entry returns the page that the address names.
func (h handler) entry(c echo.Context) (siteinfo.StaticPage, error) {
	if !domain.IsPageID(c.Param("page")) {
		return siteinfo.StaticPage{}, site.ErrNoPage
	}
	pages, err := h.store.Pages.Get(c.Request().Context())
	if err != nil {
		return siteinfo.StaticPage{}, err
	}
	entry, ok := pages.ByID(c.Param("page"))
	if !ok {
		return entry, site.ErrNoPage
	}
	return entry, nil
}

func (h adminPageEdit) submitNew(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	entry := entryOf(sent)
	entry.PostID = "p." + site.AttemptID(sent) // a double click adds one page
	actor, err := h.Administrator(c)
	if err == nil {
		_, err = h.put(c, actor, entry)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.PageFormPage{Entry: entry})
	}
	return site.SeeOther(c, views.PostPath(entry.PostID)+"/edit")
}

func (h adminPageEdit) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	entry := entryOf(sent)
	entry.PostID = c.Param("page")
	actor, err := h.Administrator(c)
	if err == nil {
		var stored siteinfo.StaticPage
		stored, err = h.entry(c)
		entry.Title, entry.Published = stored.Title, stored.Published
	}
	if err == nil {
		_, err = h.put(c, actor, entry)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.PageFormPage{Entry: entry})
	}
	return site.SeeOther(c, site.AdminPagesPath+"?done="+doneSaved)
}

// entryOf reads the form of a page.
func entryOf(sent url.Values) siteinfo.StaticPage {
	return siteinfo.StaticPage{Path: sent.Get("path"), Label: sent.Get("label"),
		Navigation: sent.Get("navigation") != "", Footer: sent.Get("footer") != ""}
}

// put checks and stores a page.
func (h handler) put(c echo.Context, actor domain.User, entry siteinfo.StaticPage) (siteinfo.StaticPage, error) {
	entry, err := domain.CleanPage(entry)
	if err != nil {
		return entry, err
	}
	ctx := c.Request().Context()
	if there, listed := h.StaticPages().ByID(entry.PostID); !(listed && there.Path == entry.Path) &&
		h.taken(c, entry.Path) {
		return entry, domain.ErrPagePathTaken()
	}
	_, err = h.store.Redirects.Find(ctx, (&url.URL{Path: entry.Path}).EscapedPath())
	switch {
	case err == nil:
		return entry, domain.FieldError("path",
			"This address is used by an imported post. Choose a different one.")
	case !domain.Is(err, domain.NotFound):
		return entry, err
	}
	var before siteinfo.StaticPage
	pages, err := h.store.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		var listed bool
		if before, listed = pages.ByID(entry.PostID); !listed && c.Param("page") != "" { // deleted at this moment
			return pages, site.ErrNoPage
		}
		return domain.PutPage(pages, entry)
	})
	if err != nil {
		return entry, err
	}
	h.Pages.Apply(pages)
	saved := domain.NewAuditEntry(actor, domain.AuditPage, time.Now()).AboutPage(entry.Path)
	if before.Path != "" && before.Path != entry.Path {
		saved = saved.AboutMovedPage(before.Path, entry.Path)
	}
	h.audit.Record(ctx, saved)
	return entry, nil
}

func (h adminPageEdit) form(c echo.Context, status int, p view.PageFormPage) error {
	title := site.T(c, "Add a page")
	if c.Param("page") != "" {
		title = site.T(c, "Page settings")
	} else if p.Attempt = c.FormValue("attempt"); p.Attempt == "" {
		p.Attempt = domain.NewID()
	}
	p.LayoutData = h.FallbackLayout(c, title)
	return h.RenderForm(c, status, view.PageForm(p))
}
