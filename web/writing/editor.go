package writing

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// editor is the form of /new and /posts/:id/edit, and the actions of its buttons.
type editor struct{ handler }

// submit performs the action of the form's button.
func (h editor) submit(c echo.Context, t postForm) error {
	author, err := h.authorOf(c, t)
	if err != nil {
		return h.redisplay(c, t, err)
	}
	t.draft.AuthorID = author.ID
	if t.viewer, err = h.Viewer(c); err != nil {
		return h.redisplay(c, t, err)
	}
	if t.do == doPreview {
		if err := h.Limiter.Allow(c.Request().Context(), ratelimit.Preview, author.ID); err != nil {
			return h.redisplay(c, t, err)
		}
		return h.preview(c, t)
	}
	if t.edit && t.draft.Revision < 1 { // the form of an existing post has a revision
		if _, err := t.draft.Edit(time.Now()); err != nil {
			return h.redisplay(c, t, err)
		}
		return h.conflict(c, t, domain.NewError(domain.Conflict, ""))
	}
	if t.draft.PostID, err = h.acceptedID(c.Request().Context(), t.draft); err != nil {
		return h.redisplay(c, t, err)
	}
	to, err := h.perform(c.Request().Context(), author, t)
	switch domain.KindOf(err) {
	case domain.Conflict, domain.NotFound:
		return h.conflict(c, t, err)
	}
	if err != nil {
		return h.redisplay(c, t, err)
	}
	return site.SeeOther(c, to)
}

// authorOf returns the user who sent a form and may write its text.
func (h editor) authorOf(c echo.Context, t postForm) (domain.User, error) {
	if _, err := h.Sender(c, t.sent); err != nil {
		return domain.User{}, err
	}
	return h.AuthorOf(c, t.draft.PostID)
}

// perform performs the action and returns the address to go to.
func (h editor) perform(ctx context.Context, author domain.User, t postForm) (to string, err error) {
	switch t.do {
	case doKeepMine:
		if err := h.keepOtherVersion(ctx, t.draft); err != nil {
			return "", err
		}
		t.do = t.then
		return h.perform(ctx, author, t)
	case doKeepTheirs:
		_, err := h.store.Drafts.Save(ctx, separateDraft(ctx, t.draft))
		return editPath(t.draft.PostID, "kept"), err
	case doSave, doUnschedule, doShare, doUnshare:
		return h.saveAndPerform(ctx, t)
	}
	_, hasty, err := h.WritingCheck.CheckUser(author, t.sent)
	if err != nil {
		return "", err
	}
	author.Hasty = author.Hasty || hasty
	if err := h.Limiter.Allow(ctx, ratelimit.Post, author.ID); err != nil {
		return "", err
	}
	if t.do == doSchedule {
		return h.schedule(ctx, author, t)
	}
	if err := h.checkNotDeleted(ctx, t); err != nil {
		return "", err
	}
	p, err := h.publish(ctx, author, t)
	if err != nil {
		return "", err
	}
	to, err = h.pathOf(ctx, p)
	h.recordPage(ctx, t.viewer, domain.AuditPublishPage, p.ID)
	return to, err
}

// saveAndPerform saves the draft, so that no text is lost, and performs the action.
func (h editor) saveAndPerform(ctx context.Context, t postForm) (to string, err error) {
	d, err := h.save(ctx, t)
	if err != nil {
		return "", err
	}
	switch t.do {
	case doUnschedule:
		_, err = h.store.Drafts.Unschedule(ctx, d.AuthorID, d.PostID)
	case doShare:
		_, err = h.store.Drafts.Share(ctx, d.AuthorID, d.PostID)
	case doUnshare:
		err = h.store.Drafts.Unshare(ctx, d.AuthorID, d.PostID)
	}
	return editPath(d.PostID, t.do), err
}

// save saves a draft. It fails with Conflict if the draft or its post has changed in the meantime,
// and with NotFound if the post was deleted. A draft with the text of its newly published post is
// not saved again; its version is then 0.
func (h editor) save(ctx context.Context, t postForm) (domain.Draft, error) {
	d := t.draft
	if d.Version > 0 {
		saved, err := h.store.Drafts.Save(ctx, d)
		if !domain.Is(err, domain.NotFound) {
			return saved, err
		}
		d.Version = 0 // published or discarded in another tab
	}
	if err := h.checkNotDeleted(ctx, t); err != nil {
		return domain.Draft{}, err
	}
	p, err := h.store.Posts.Own(ctx, d.PostID, d.AuthorID)
	switch {
	case domain.Is(err, domain.NotFound) && d.Revision == 0:
	case domain.Is(err, domain.NotFound) && domain.IsPageID(d.PostID):
		return domain.Draft{}, errPageDeleted
	case err != nil:
		return domain.Draft{}, err
	case p.Revision == d.Revision:
	case !d.Changes(p):
		d.Revision, d.Saved = p.Revision, p.PastVersion().Saved
		return d, nil
	default:
		return domain.Draft{}, domain.NewError(domain.Conflict,
			"The post was changed in another tab or on another device.")
	}
	return h.store.Drafts.Save(ctx, d)
}

// keepOtherVersion saves the draft that is about to be overwritten as a separate draft. A published
// text needs no copy, because the post keeps its past versions.
func (h editor) keepOtherVersion(ctx context.Context, mine domain.Draft) error {
	stored, err := h.store.Drafts.Get(ctx, mine.AuthorID, mine.PostID)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	case stored.Version != mine.Version || stored.SameText(mine):
		return nil // another conflict, or none
	}
	_, err = h.store.Drafts.Save(ctx, separateDraft(ctx, stored))
	return err
}

// separateDraft returns a separate draft with the text of a version that was not chosen. Repeating
// it returns the same draft.
func separateDraft(ctx context.Context, d domain.Draft) domain.Draft {
	id := domain.AttemptTextID(d.PostID, d.AuthorID, d.Title, d.Content, d.Tags, d.Details.JSON(), string(d.Status))
	title := locale.T(ctx, "{title} (other version)", "title", d.Title)
	return domain.Draft{PostID: id, AuthorID: d.AuthorID, Title: title, Content: d.Content,
		Tags: d.Tags, Details: d.Details, Status: d.Status}
}

// preview shows the text as readers will see it, above the form.
func (h editor) preview(c echo.Context, t postForm) error {
	author, err := h.Viewer(c)
	var rendered views.RenderedPost
	if err == nil {
		rendered, err = h.Preview(c.Request().Context(), author, t.draft)
	}
	if err != nil {
		return h.redisplay(c, t, err)
	}
	return h.show(c, http.StatusOK, t, func(w *view.WritePage) { w.Rendered = &rendered })
}
