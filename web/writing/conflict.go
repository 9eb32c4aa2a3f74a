package writing

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// conflict shows the author's text beside the text that was saved in the meantime. Choosing one
// replaces the version shown, and no later one.
func (h editor) conflict(c echo.Context, t postForm, cause error) error {
	stored, post, err := h.store.Drafts.Open(c.Request().Context(), t.draft.AuthorID, t.draft.PostID)
	switch {
	case domain.Is(err, domain.NotFound), err == nil && post == nil && (t.draft.Revision > 0 || t.edit) &&
		stored.Version == t.draft.Version:
		return h.renderDeleted(c, t)
	case err != nil:
		return h.redisplay(c, t, err)
	}
	page := view.ConflictPage{LayoutData: h.FallbackLayout(c, site.T(c, "This draft has two versions")),
		PostID: t.draft.PostID, Revision: stored.Revision, Version: stored.Version, Mine: t.fields(),
		Intent: t.intent()}
	page.FormToken, _, _ = h.WritingCheck.CheckUser(page.Viewer, t.sent)
	switch {
	case stored.Version > 0 && stored.Version != t.draft.Version && !stored.SameText(t.draft):
		page.Theirs = view.Text{Title: stored.Title, Content: stored.Content, Tags: stored.Tags,
			Details: stored.Details, Status: stored.Status}
		page.TheirsSaved = stored.Saved
	case post != nil && post.Revision != t.draft.Revision:
		page.Theirs = view.Text{Title: post.Title, Content: post.Content,
			Tags: strings.Join(post.Tags.List(), ", "), Details: post.Details, Status: post.Status}
		page.TheirsSaved, page.TheirsPublished, page.Revision = post.PastVersion().Saved, true, post.Revision
		page.Title = site.T(c, "This post has two versions")
		if domain.IsPageID(t.draft.PostID) {
			page.Title = site.T(c, "This page has two versions")
		}
	default:
		return h.redisplay(c, t, cause)
	}
	return h.RenderForm(c, http.StatusConflict, view.Conflict(page))
}

// intent returns the action to perform with the chosen version.
func (t postForm) intent() string {
	switch t.do {
	case doKeepMine, doKeepTheirs:
		return t.then
	case "":
		return doPublish
	}
	return t.do
}

// renderDeleted returns the author's text after the post was deleted, in a form for a new post. It
// fails with Forbidden if the post is another user's.
func (h editor) renderDeleted(c echo.Context, t postForm) error {
	if p, err := h.store.Posts.Get(c.Request().Context(), t.draft.PostID); err == nil &&
		p.AuthorID != t.draft.AuthorID {
		return domain.NewError(domain.Forbidden, "You can only edit your own posts.")
	}
	title := site.T(c, "Post deleted")
	t.draft.Revision, t.edit = 0, false
	if domain.IsPageID(t.draft.PostID) { // the id of a deleted page leads nowhere
		t.draft.PostID, t.draft.Version, t.listed = domain.NewPageID(), 0, false
		title = site.T(c, "Page deleted")
	}
	return h.write(c, http.StatusNotFound, t, domain.Draft{}, nil, func(w *view.WritePage) {
		w.LayoutData.Title, w.PostDeleted = title, true
	})
}
