package pages

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/pages"
	"inkfeed/web/site"
)

// adminPageDelete deletes static pages with their drafts.
type adminPageDelete struct{ handler }

func (h adminPageDelete) register(e *echo.Echo) {
	site.Get(e, site.AdminPagesPath+"/:page/delete", h.show)
	e.POST(site.AdminPagesPath+"/:page/delete", h.submit)
}

func (h adminPageDelete) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	entry, err := h.entry(c)
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.PageDelete(view.PageDeletePage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Delete this page?")), Entry: entry}))
}

// submit deletes the text first. If the process dies after that, the posts projector removes the page from the list.
func (h adminPageDelete) submit(c echo.Context) error {
	actor, err := h.Administrator(c)
	if err != nil {
		return err
	}
	entry, err := h.entry(c)
	if domain.Is(err, domain.NotFound) { // the second request of a double click
		return site.SeeOther(c, site.AdminPagesPath+"?done="+doneDeleted)
	}
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := h.deleteText(ctx, entry.PostID); err != nil {
		return err
	}
	pages, err := h.store.Pages.Change(ctx, func(p siteinfo.Pages) (siteinfo.Pages, error) {
		return domain.RemovePage(p, entry.PostID), nil
	})
	if err != nil {
		return err
	}
	h.Pages.Apply(pages)
	h.audit.Record(ctx, domain.NewAuditEntry(actor, domain.AuditPageDeleted, time.Now()).AboutPage(entry.Path))
	return site.SeeOther(c, site.AdminPagesPath+"?done="+doneDeleted)
}

// deleteText deletes the text of a page, and its draft. After the deletion of a text, the posts projector deletes the
// draft.
func (h adminPageDelete) deleteText(ctx context.Context, postID string) error {
	err := h.store.Posts.Delete(ctx, postID, domain.SiteUserID)
	if !domain.Is(err, domain.NotFound) {
		return err
	}
	d, err := h.store.Drafts.Get(ctx, domain.SiteUserID, postID)
	if domain.Is(err, domain.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.store.Drafts.Discard(ctx, domain.SiteUserID, postID, d.Version)
}
