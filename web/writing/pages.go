package writing

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// pathOf returns the address of a published post or static page. It brings the list of pages up to date. If
// that fails, the posts projector does so. Only for a page without an address does pathOf return the error.
func (h handler) pathOf(ctx context.Context, p domain.Post) (string, error) {
	if !p.IsPage() {
		return p.Path(), nil
	}
	pages, err := h.store.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		pages, err := h.withAddress(pages, p.ID, p.Title)
		return domain.RefreshPage(pages, p), err
	})
	if err == nil {
		h.Pages.Apply(pages)
		page, _ := pages.ByID(p.ID)
		return h.Info().PagePath(page), nil
	}
	page, listed := h.StaticPages().ByID(p.ID)
	if !listed {
		return "", err
	}
	h.Logger.WarnContext(ctx, "cannot update the list of pages", "post", p.ID, "error", err)
	return h.Info().PagePath(page), nil
}

// withAddress gives an address to a page without one: its text was written after the page had been deleted, or kept as
// another version.
func (h handler) withAddress(pages siteinfo.Pages, postID, title string) (siteinfo.Pages, error) {
	if _, listed := pages.ByID(postID); listed {
		return pages, nil
	}
	return domain.PutPage(pages, siteinfo.StaticPage{PostID: postID, Path: domain.FreePagePath(pages, title, h.taken)})
}

// addressScheduled gives an address to a page that is about to be scheduled, if it has none.
func (h handler) addressScheduled(ctx context.Context, d domain.Draft) error {
	if !domain.IsPageID(d.PostID) {
		return nil
	}
	pages, err := h.store.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		return h.withAddress(pages, d.PostID, d.Title)
	})
	if err == nil {
		h.Pages.Apply(pages)
	}
	return err
}

// recordPage adds what an administrator did with the text of a static page to the audit log. It does nothing for a
// post, and for a page that is in no list.
func (h handler) recordPage(ctx context.Context, actor domain.User, action domain.AuditAction, postID string) {
	if page, listed := h.StaticPages().ByID(postID); listed {
		h.audit.Record(ctx, domain.NewAuditEntry(actor, action, time.Now()).AboutPage(page.Path))
	}
}

// refreshPage brings the list of pages up to date after the text of a page was unpublished or deleted. Without it the
// posts projector does.
func (h handler) refreshPage(ctx context.Context, postID string) {
	if !domain.IsPageID(postID) {
		return
	}
	p, err := h.store.Posts.Latest(ctx, postID)
	if err == nil {
		var pages siteinfo.Pages
		if pages, err = h.store.Pages.Refresh(ctx, p); err == nil {
			h.Pages.Apply(pages)
		}
	}
	if err != nil {
		h.Logger.WarnContext(ctx, "cannot update the list of pages", "post", postID, "error", err)
	}
}

// checkNotDeleted fails with NotFound if a form is for a static page that was deleted before it was published. Nothing
// is left of such a page, so saving the form would bring back a draft without an address. A draft that never had an
// address is in no list either, but it exists.
func (h editor) checkNotDeleted(ctx context.Context, t postForm) error {
	d := t.draft
	if !domain.IsPageID(d.PostID) || d.Revision > 0 || d.Version == 0 && !t.listed {
		return nil
	}
	pages, err := h.store.Pages.Get(ctx)
	if _, listed := pages.ByID(d.PostID); err != nil || listed {
		return err
	}
	_, _, err = h.store.Drafts.Open(ctx, d.AuthorID, d.PostID)
	if domain.Is(err, domain.NotFound) {
		return errPageDeleted
	}
	return err
}

// checkNotes fails if the text of a static page contains notes of its outline, unless the author confirms that they
// stay.
func (h editor) checkNotes(t postForm) error {
	notes := h.notesIn(t.draft)
	if len(notes) == 0 || t.notes {
		return nil
	}
	return domain.FieldError("content", "This text still contains notes from its outline, such as “{note}”. "+
		"Replace or delete them, or confirm below that you publish them.", "note", strings.TrimRight(notes[0], "."))
}

// notesIn returns the notes of an outline that the text of a static page contains.
func (h editor) notesIn(d domain.Draft) []string {
	if !domain.IsPageID(d.PostID) {
		return nil
	}
	return h.outlineNotes(d.Content)
}

var errPageDeleted = domain.NewError(domain.NotFound, "The page was deleted in another tab or on another device.")

// unwritten shows an empty form for a static page that has an address but no text yet.
func (h editor) unwritten(c echo.Context) error {
	page, listed := h.StaticPages().ByID(c.Param("id"))
	if !listed {
		return site.ErrNoPage
	}
	d := domain.Draft{PostID: page.PostID, Title: page.Label}
	t := formOf(d)
	t.listed = true
	return h.write(c, http.StatusOK, t, domain.Draft{}, nil, func(w *view.WritePage) { w.Unsaved = false })
}
