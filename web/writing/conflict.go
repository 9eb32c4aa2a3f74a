package writing

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/writing"
)

// conflict shows what the author typed beside what was saved meanwhile. Choosing takes
// the place of the version shown, and of no later one.
func (h editor) conflict(c echo.Context, t typed, cause error) error {
	stored, post, err := h.store.Drafts.Open(c.Request().Context(), t.draft.AuthorID, t.draft.PostID)
	switch {
	case domain.Is(err, domain.NotFound), err == nil && post == nil && (t.draft.Revision > 0 || t.edit) &&
		stored.Version == t.draft.Version:
		return h.gone(c, t)
	case err != nil:
		return h.back(c, t, err)
	}
	page := view.ConflictPage{Page: h.FallbackLayout(c, "This draft has two versions"), PostID: t.draft.PostID,
		Revision: stored.Revision,
		Version:  stored.Version, Mine: t.fields(), Intent: t.intent()}
	page.FormToken, _ = h.WritingCheck.CheckFor(page.Viewer, t.sent)
	switch {
	case stored.Version > 0 && stored.Version != t.draft.Version && !stored.SameText(t.draft):
		page.Theirs = view.Text{Title: stored.Title, Content: stored.Content, Tags: stored.Tags}
		page.TheirsSaved = stored.Saved
	case post != nil && post.Revision != t.draft.Revision:
		page.Theirs = view.Text{Title: post.Title, Content: post.Content, Tags: strings.Join(post.Tags.List(), ", ")}
		page.TheirsSaved, page.TheirsPublished, page.Revision = post.Replaced().Saved, true, post.Revision
		page.Title = "This post has two versions"
	default:
		return h.back(c, t, cause)
	}
	return h.RenderForm(c, http.StatusConflict, view.Conflict(page))
}

// intent is what is to be done with the version that is chosen.
func (t typed) intent() string {
	switch t.do {
	case doKeepMine, doKeepTheirs:
		return t.then
	case "":
		return doPublish
	}
	return t.do
}

// gone gives back what the author typed when the post was deleted meanwhile, or is
// somebody else's, in a form that makes a new post of it.
func (h editor) gone(c echo.Context, t typed) error {
	if p, err := h.store.Posts.Get(c.Request().Context(), t.draft.PostID); err == nil &&
		p.AuthorID != t.draft.AuthorID {
		return domain.Errorf(domain.Forbidden, "You can only edit your own posts.")
	}
	t.draft.Revision, t.edit = 0, false
	return h.write(c, http.StatusNotFound, t, domain.Draft{}, nil, func(w *view.WritePage) {
		w.Page.Title, w.PostDeleted = "Post deleted", true
	})
}
