package writing

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// versions shows authors the past versions of their posts and restores them.
type versions struct{ editor }

func (h versions) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/versions", h.list)
	site.Get(e, "/posts/:id/versions/:revision", h.show)
	site.Get(e, "/posts/:id/versions/:revision/restore", h.confirm)
	e.POST("/posts/:id/versions/:revision/restore", h.restore)
}

// own returns the author's post, also an unpublished one. Other users cannot see its versions.
func (h versions) own(c echo.Context) (domain.Post, error) {
	return h.finder.OwnPost(c, locale.M("You can only see past versions of your own posts."))
}

func (h versions) list(c echo.Context) error {
	p, err := h.own(c)
	if err != nil {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	page, err := h.store.Posts.Versions(c.Request().Context(), p.ID, number)
	if err := site.PageOrNotFound(page, err); err != nil {
		return err
	}
	layout, err := h.Layout(c, site.T(c, "Past versions: {title}", "title", p.Title))
	if err != nil {
		return err
	}
	done := c.QueryParam("done")
	return h.Render(c, http.StatusOK, view.Versions(view.VersionsPage{LayoutData: layout, Post: p, Versions: page,
		Restored:      number == 1 && (done == doneRestored || done == doneRestoredWithDraft),
		SeparateDraft: done == doneRestoredWithDraft}))
}

var errNoVersion = domain.NewError(domain.NotFound, "There is no such version of the post.")

// version returns the past version in the address.
func (h versions) version(c echo.Context, p domain.Post) (domain.PostVersion, error) {
	revision, err := strconv.Atoi(c.Param("revision"))
	if err != nil || strconv.Itoa(revision) != c.Param("revision") {
		return domain.PostVersion{}, errNoVersion
	}
	v, err := h.store.Posts.Version(c.Request().Context(), p.ID, revision)
	if domain.Is(err, domain.NotFound) {
		err = errNoVersion
	}
	return v, err
}

func (h versions) show(c echo.Context) error {
	p, err := h.own(c)
	if err != nil {
		return err
	}
	v, err := h.version(c, p)
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.Version(view.VersionPage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Version {number}: {title}", "number", v.Revision, "title", v.Title)),
		Post:       p, Version: v}))
}

// confirm asks before a version is restored.
func (h versions) confirm(c echo.Context) error {
	p, err := h.own(c)
	if err != nil {
		return err
	}
	v, err := h.version(c, p)
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.Restore(view.VersionPage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Restore version {number}?", "number", v.Revision)), Post: p,
		Version: v}))
}

// Values of the query parameter "done" after a version was restored.
const (
	doneRestored          = "restored"
	doneRestoredWithDraft = "restored-kept" // and saved unpublished changes as a separate draft
)

// restore makes a past version the current one by an edit, so that the current one becomes a past
// version. For an unpublished post, the past version becomes the draft.
func (h versions) restore(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	p, err := h.own(c)
	if err != nil {
		return err
	}
	v, err := h.version(c, p)
	if err != nil {
		return err
	}
	viewer, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	author, err := h.AuthorOf(c, p.ID)
	if err != nil {
		return err
	}
	d := domain.DraftOf(p, time.Now())
	d.Details = v.Details
	d.Title, d.Content, d.Tags = v.Title, v.Content, domain.DraftOf(domain.Post{Tags: v.Tags}, time.Now()).Tags
	d.Revision, _ = strconv.Atoi(sent.Get("revision")) // the revision that the author has seen
	t := formOf(d)
	t.notes = true // they were published once
	ctx, done := c.Request().Context(), doneRestored
	if stored, err := h.store.Drafts.Get(ctx, author.ID, p.ID); err == nil {
		// Existing changes are saved as a separate draft before the version replaces them.
		if t.draft.Version = stored.Version; !stored.SameText(d) {
			done = doneRestoredWithDraft
			if err := h.keepOtherVersion(ctx, t.draft); err != nil {
				return err
			}
		}
	} else if !domain.Is(err, domain.NotFound) {
		return err
	}
	if p.Status == domain.Unpublished {
		if _, err := h.save(ctx, t); err != nil {
			return h.restoreFailed(c, t, err)
		}
		return site.SeeOther(c, editPath(p.ID, done))
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Post, author.ID); err != nil { // restoring publishes the post
		return err
	}
	if _, err := h.publish(ctx, author, t); err != nil {
		return h.restoreFailed(c, t, err)
	}
	h.refreshPage(ctx, p.ID)
	h.recordPage(ctx, viewer, domain.AuditPublishPage, p.ID)
	return site.SeeOther(c, views.PostPath(p.ID)+"/versions?done="+done)
}

// restoreFailed responds to a failed restoration. If the version breaks a rule of posts, for example because its cover
// was deleted, it opens the editor with the version.
func (h versions) restoreFailed(c echo.Context, t postForm, err error) error {
	switch domain.KindOf(err) {
	case domain.Conflict:
		return h.conflict(c, t, err)
	case domain.Invalid:
		t.edit = true
		return h.redisplay(c, t, err)
	}
	return err
}
