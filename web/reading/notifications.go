package reading

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
	"inkfeed/web/site/events"
)

// notifications serves the viewer's notifications.
type notifications struct {
	handler
	events events.Reader
}

func (h notifications) register(e *echo.Echo) {
	site.Get(e, "/notifications", h.show)
}

// show lists the notifications. The first page has the latest ones, so showing it marks all notifications as seen.
func (h notifications) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	viewer, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	found, err := h.store.Notifications.List(ctx, viewer.ID, number)
	if err := site.PageOrNotFound(found, err); err != nil {
		return err
	}
	list, err := h.events.Of(ctx, viewer, found.Items)
	if err != nil {
		return err
	}
	page, err := h.Layout(c, site.T(c, "Notifications"))
	if err != nil {
		return err
	}
	unseen := 0
	if number == 1 && viewer.UnseenNotifications() > 0 {
		// The viewer was read before the list, so a notification that arrived since then stays new.
		h.markSeen(c, viewer)
		unseen = viewer.UnseenNotifications()
		page.Viewer.NotificationsSeen = viewer.Notifications
	}
	shown := view.NotificationsPage{LayoutData: page, Number: found.Number, More: found.More, Now: time.Now(),
		Muted: c.QueryParam("muted") == "yes"}
	for i, e := range list {
		if e != nil {
			e.New = i < unseen
			shown.Events = append(shown.Events, *e)
		}
	}
	shown.Gone = len(shown.Events) == 0 && (len(found.Items) > 0 || number > 1)
	shown.NoIndex = true
	// Never cached, so that going back shows the current list.
	return h.RenderForm(c, http.StatusOK, view.Notifications(shown))
}

// markSeen marks the notifications as seen that the viewer had when they were read. A HEAD request shows none of them.
func (h notifications) markSeen(c echo.Context, viewer domain.User) {
	ctx := c.Request().Context()
	if c.Request().Method == http.MethodHead {
		return
	}
	if err := h.store.Notifications.SetSeen(ctx, viewer.ID, viewer.Notifications); err != nil {
		h.Logger.WarnContext(ctx, "cannot mark notifications as seen", "error", err)
		return
	}
	h.NoteWrite(c)
}

// concurrentReads is the maximum number of concurrent reads of the rows of a page.
const concurrentReads = 8

// isMuted reports whether a viewer has muted a person or tag.
func (h handler) isMuted(ctx context.Context, viewer domain.User, kind domain.MuteKind, id string) (bool, error) {
	mutes, err := site.MutesOf(ctx, h.store.Mutes, viewer)
	return mutes.Has(kind, id), err
}
