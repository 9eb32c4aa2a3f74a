package reading

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// notifications serves the viewer's notifications.
type notifications struct{ handler }

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
	events, err := h.events(ctx, viewer, found.Items)
	if err != nil {
		return err
	}
	page, err := h.Layout(c, site.T(c, "Notifications"))
	if err != nil {
		return err
	}
	if number == 1 && viewer.UnseenNotifications() > 0 {
		// The viewer was read before the list, so a notification that arrived since then stays new.
		h.markSeen(c, viewer)
		for i := range events {
			events[i].New = events[i].Number <= viewer.UnseenNotifications()
		}
		page.Viewer.NotificationsSeen = viewer.Notifications
	}
	page.NoIndex = true
	// Never cached, so that going back shows the current list.
	return h.RenderForm(c, http.StatusOK, view.Notifications(view.NotificationsPage{LayoutData: page,
		Number: found.Number, More: found.More, Events: events,
		Gone: len(events) == 0 && (len(found.Items) > 0 || number > 1)}))
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

// concurrentReads is the maximum number of concurrent reads of the events on a page.
const concurrentReads = 8

// extractLength is the maximum length of the beginning of a comment, in characters.
const extractLength = 160

// events reads the posts and comments of the notifications, the latest first. It leaves out notifications for which
// event returns nil, and all but the latest decision about a text.
func (h notifications) events(ctx context.Context, viewer domain.User, list []domain.Notification) (
	[]view.Event, error) {
	read := make([]*view.Event, len(list))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentReads)
	for i, n := range list {
		group.Go(func() (err error) {
			if read[i], err = h.event(ctx, viewer, n); domain.Is(err, domain.NotFound) {
				err = nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var events []view.Event
	decided := map[domain.Target]bool{}
	for i, e := range read {
		if e == nil {
			continue
		}
		if e.Kind != domain.NotifyComment {
			about := domain.Target{PostID: e.PostID, CommentID: e.CommentID}
			if decided[about] {
				continue
			}
			decided[about] = true
		}
		e.Number = i + 1
		events = append(events, *e)
	}
	return events, nil
}

// event reads the post and the comment of a notification. It returns nil if the viewer cannot see the text any more, or
// if a later decision has replaced the one in the notification.
func (h notifications) event(ctx context.Context, viewer domain.User, n domain.Notification) (*view.Event, error) {
	post, err := h.store.Posts.Latest(ctx, n.PostID)
	if err != nil || !post.Deleted.IsZero() || post.AuthorID != viewer.ID && !post.Open() {
		return nil, err
	}
	if n.CommentID == "" {
		if !n.Kind.Applies(post.Held) {
			return nil, nil
		}
		return &view.Event{Notification: n, Post: post}, nil
	}
	comment, err := h.store.Posts.Comment(ctx, n.PostID, n.CommentID)
	if err != nil || !comment.Deleted.IsZero() || !comment.ShownTo(viewer, post) ||
		!n.Kind.Applies(comment.Held) {
		return nil, err
	}
	return &view.Event{Notification: n, Post: post, Comment: comment,
		Extract: h.Markdown.Text(comment.Content, extractLength)}, nil
}
