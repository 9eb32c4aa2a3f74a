package writing

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// draftDelete is where authors delete drafts and discard changes.
type draftDelete struct{ handler }

func (h draftDelete) register(e *echo.Echo) {
	site.Get(e, "/drafts/:id/delete", h.show)
	e.POST("/drafts/:id/delete", h.submit)
}

var errNoDraft = domain.Errorf(domain.NotFound, "There is no such draft. It may have been published or deleted.")

func (h draftDelete) show(c echo.Context) error {
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	draft, post, err := h.store.Drafts.Open(c.Request().Context(), author.ID, c.Param("id"))
	if domain.Is(err, domain.NotFound) || err == nil && draft.Version == 0 {
		return errNoDraft
	}
	if err != nil {
		return err
	}
	shown := view.DraftDeletePage{Draft: draft}
	title := "Delete your draft?"
	if draft.Revision > 0 {
		title = "Discard your changes?"
	}
	if post != nil && post.Status == domain.Unpublished {
		if !draft.Rewrites(*post) { // then it is the post that is meant
			return site.SeeOther(c, "/posts/"+post.ID+"/delete")
		}
		shown.Unpublished = true
	}
	shown.Page = h.FallbackLayout(c, title)
	return h.RenderForm(c, http.StatusOK, view.DraftDelete(shown))
}

func (h draftDelete) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if !domain.IsID(c.Param("id")) {
		return errNoDraft
	}
	done, err := h.gone(c.Request().Context(), author.ID, c.Param("id"))
	if err != nil {
		return err
	}
	// A version that is none is not the current one.
	version, _ := strconv.Atoi(sent.Get("version"))
	err = h.store.Drafts.Discard(c.Request().Context(), author.ID, c.Param("id"), version)
	if domain.Is(err, domain.Conflict) {
		return domain.Errorf(domain.Conflict,
			"This draft has changed since you opened it. Review it before you delete it.")
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, "/drafts?done="+done)
}

// What the list of drafts can be asked to say, see draftsDone.
const (
	draftGone       = "gone"
	changesGone     = "discarded"
	changesGoneBack = "reset"
)

// draftsDone is what the list of drafts says of what was done.
var draftsDone = map[string]string{
	draftGone:       "Draft deleted.",
	changesGone:     "Changes discarded. The published post stays as it is.",
	changesGoneBack: "Changes discarded. The post is still unpublished.",
}

// gone tells what is to be said when the draft is deleted: what is left.
func (h draftDelete) gone(ctx context.Context, userID, postID string) (string, error) {
	draft, post, err := h.store.Drafts.Open(ctx, userID, postID)
	switch {
	case domain.Is(err, domain.NotFound): // the second half of a double click
		return draftGone, nil
	case err != nil:
		return "", err
	case post == nil:
		return draftGone, nil
	case post.Status == domain.Unpublished && draft.Version > 0:
		return changesGoneBack, nil
	}
	return changesGone, nil
}
