package writing

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// draftDelete deletes drafts and discards changes of posts.
type draftDelete struct{ handler }

func (h draftDelete) register(e *echo.Echo) {
	site.Get(e, "/drafts/:id/delete", h.show)
	e.POST("/drafts/:id/delete", h.submit)
}

var errNoDraft = domain.NewError(domain.NotFound, "There is no such draft. It may have been published or deleted.")

func (h draftDelete) show(c echo.Context) error {
	author, err := h.AuthorOf(c, c.Param("id"))
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
	title := site.T(c, "Delete your draft?")
	if draft.Revision > 0 {
		title = site.T(c, "Discard your changes?")
	}
	if post != nil && post.Status == domain.Unpublished {
		if !draft.Rewrites(*post) { // without changes, the post itself is to be deleted
			return site.SeeOther(c, "/posts/"+post.ID+"/delete")
		}
		shown.Unpublished = true
	}
	shown.LayoutData = h.FallbackLayout(c, title)
	return h.RenderForm(c, http.StatusOK, view.DraftDelete(shown))
}

func (h draftDelete) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	author, err := h.AuthorOf(c, c.Param("id"))
	if err != nil {
		return err
	}
	if !domain.IsTextID(c.Param("id")) {
		return errNoDraft
	}
	done, err := h.messageFor(c.Request().Context(), author.ID, c.Param("id"))
	if err != nil {
		return err
	}
	// An invalid version counts as outdated.
	version, _ := strconv.Atoi(sent.Get("version"))
	err = h.store.Drafts.Discard(c.Request().Context(), author.ID, c.Param("id"), version)
	if domain.Is(err, domain.Conflict) {
		return domain.NewError(domain.Conflict,
			"This draft has changed since you opened it. Review it before you delete it.")
	}
	if err != nil {
		return err
	}
	if domain.IsPageID(c.Param("id")) {
		return site.SeeOther(c, site.AdminPagesPath+"?done="+done)
	}
	return site.SeeOther(c, "/drafts?done="+done)
}

// Values of the parameter done of the list of drafts; see draftsMessages.
const (
	draftDeleted     = "gone"
	changesDiscarded = "discarded"
	changesReset     = "reset"
)

// draftsMessages are the messages that confirm an action on the list of drafts.
var draftsMessages = map[string]locale.Message{
	draftDeleted:     locale.M("Draft deleted."),
	changesDiscarded: locale.M("Changes discarded. The published post stays as it is."),
	changesReset:     locale.M("Changes discarded. The post is still unpublished."),
}

// messageFor returns which message will confirm the deletion, depending on the post.
func (h draftDelete) messageFor(ctx context.Context, userID, postID string) (string, error) {
	draft, post, err := h.store.Drafts.Open(ctx, userID, postID)
	switch {
	case domain.Is(err, domain.NotFound): // the second request of a double click
		return draftDeleted, nil
	case err != nil:
		return "", err
	case post == nil:
		return draftDeleted, nil
	case post.Status == domain.Unpublished && draft.Version > 0:
		return changesReset, nil
	}
	return changesDiscarded, nil
}
