package writing

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// editor is what /new and /posts/:id/edit share: one form, and what its buttons do.
type editor struct{ handler }

// submit does what a button of the form asks for.
func (h editor) submit(c echo.Context, t typed) error {
	author, err := h.SignedIn(c)
	if err != nil {
		return h.back(c, t, err)
	}
	t.draft.AuthorID = author.ID
	if t.do == doPreview {
		if err := h.Limiter.Allow(c.Request().Context(), ratelimit.Preview, author.ID); err != nil {
			return h.back(c, t, err)
		}
		return h.preview(c, t)
	}
	if t.edit && t.draft.Revision < 1 { // which no post has
		if _, err := t.draft.Edit(time.Now()); err != nil {
			return h.back(c, t, err)
		}
		return h.conflict(c, t, domain.Errorf(domain.Conflict, ""))
	}
	to, err := h.carryOut(c.Request().Context(), author, t)
	switch domain.KindOf(err) {
	case domain.Conflict, domain.NotFound:
		return h.conflict(c, t, err)
	}
	if err != nil {
		return h.back(c, t, err)
	}
	return site.SeeOther(c, to)
}

// carryOut does it, and says where to go then.
func (h editor) carryOut(ctx context.Context, author domain.User, t typed) (to string, err error) {
	switch t.do {
	case doKeepMine:
		if err := h.keepOther(ctx, t.draft); err != nil {
			return "", err
		}
		t.do = t.then
		return h.carryOut(ctx, author, t)
	case doKeepTheirs:
		_, err := h.store.Drafts.Save(ctx, aside(t.draft))
		return editPath(t.draft.PostID, "kept"), err
	case doSave, doUnschedule, doShare, doUnshare:
		return h.saveAnd(ctx, t)
	}
	if _, err := h.WritingCheck.CheckFor(author, t.sent); err != nil {
		return "", err
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Post, author.ID); err != nil {
		return "", err
	}
	if t.do == doSchedule {
		return h.schedule(ctx, t)
	}
	p, err := h.publish(ctx, author, t.draft)
	return p.Path(), err
}

// saveAnd saves the draft, so that nothing typed is lost, and does what is asked for
// besides.
func (h editor) saveAnd(ctx context.Context, t typed) (to string, err error) {
	d, err := h.save(ctx, t.draft)
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

// save saves a draft. It answers Conflict when the draft or its post has been changed
// meanwhile, and NotFound when the post was deleted. What says the same as its post,
// which was published meanwhile, is not saved again: then its version is 0.
func (h editor) save(ctx context.Context, d domain.Draft) (domain.Draft, error) {
	if d.Version > 0 {
		saved, err := h.store.Drafts.Save(ctx, d)
		if !domain.Is(err, domain.NotFound) {
			return saved, err
		}
		d.Version = 0 // published or discarded in another tab
	}
	p, err := h.store.Posts.Own(ctx, d.PostID, d.AuthorID)
	switch {
	case domain.Is(err, domain.NotFound) && d.Revision == 0:
	case err != nil:
		return domain.Draft{}, err
	case p.Revision == d.Revision:
	case !d.Changes(p):
		d.Revision, d.Saved = p.Revision, p.Replaced().Saved
		return d, nil
	default:
		return domain.Draft{}, domain.Errorf(domain.Conflict,
			"The post was changed in another tab or on another device.")
	}
	return h.store.Drafts.Save(ctx, d)
}

// keepOther keeps, as a draft of its own, the draft that is about to be overwritten.
// That of a post is kept by the post, among its versions.
func (h editor) keepOther(ctx context.Context, mine domain.Draft) error {
	stored, err := h.store.Drafts.Get(ctx, mine.AuthorID, mine.PostID)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	case stored.Version != mine.Version || stored.SameText(mine):
		return nil // another conflict, or none
	}
	_, err = h.store.Drafts.Save(ctx, aside(stored))
	return err
}

// aside makes of a version that is not kept a draft of its own. Done twice, it makes
// the same one.
func aside(d domain.Draft) domain.Draft {
	return domain.Draft{PostID: domain.AttemptID(d.PostID, d.AuthorID, d.Title, d.Content, d.Tags),
		AuthorID: d.AuthorID,
		Title:    d.Title + " (other version)", Content: d.Content, Tags: d.Tags, Details: d.Details, Status: d.Status}
}

// preview shows what was typed as readers will see it, above the form.
func (h editor) preview(c echo.Context, t typed) error {
	rendered, err := h.Preview(c.Request().Context(), t.draft.Title, t.draft.Content)
	if err != nil {
		return h.back(c, t, err)
	}
	return h.show(c, http.StatusOK, t, func(w *view.WritePage) { w.Rendered = &rendered })
}
