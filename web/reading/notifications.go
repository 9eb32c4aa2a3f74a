package reading

import (
	"context"
	"net/http"
	"slices"
	"time"

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
	unseen := 0
	if number == 1 && viewer.UnseenNotifications() > 0 {
		// The viewer was read before the list, so a notification that arrived since then stays new.
		h.markSeen(c, viewer)
		unseen = viewer.UnseenNotifications()
		page.Viewer.NotificationsSeen = viewer.Notifications
	}
	shown := view.NotificationsPage{LayoutData: page, Number: found.Number, More: found.More, Now: time.Now(),
		Muted: c.QueryParam("muted") == "yes"}
	for i, e := range events {
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

// concurrentReads is the maximum number of concurrent reads of the events on a page.
const concurrentReads = 8

// extractLength is the maximum length of the beginning of a comment, in characters.
const extractLength = 160

// maxLikesRead is the maximum number of likes of a day that a notification counts.
const maxLikesRead = 100

// events reads what the notifications are about, the latest first. The result has nil for events that the viewer cannot
// or does not want to see any more, and for all but the latest decision about a text.
func (h notifications) events(ctx context.Context, viewer domain.User, list []domain.Notification) (
	[]*view.Event, error) {
	mutes, err := site.MutesOf(ctx, h.store.Mutes, viewer)
	if err != nil {
		return nil, err
	}
	read := make([]*view.Event, len(list))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentReads)
	for i, n := range list {
		group.Go(func() (err error) {
			if read[i], err = h.wanted(ctx, viewer, mutes, n); domain.Is(err, domain.NotFound) {
				err = nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	decided := map[domain.Target]bool{}
	for i, e := range read {
		if e == nil || !e.Kind.OfDecision() {
			continue
		}
		about := domain.Target{PostID: e.PostID, CommentID: e.CommentID}
		if decided[about] {
			read[i] = nil
		}
		decided[about] = true
	}
	return read, nil
}

// isMuted reports whether a viewer has muted a person or tag.
func (h handler) isMuted(ctx context.Context, viewer domain.User, kind domain.MuteKind, id string) (bool, error) {
	mutes, err := site.MutesOf(ctx, h.store.Mutes, viewer)
	return mutes.Has(kind, id), err
}

// wanted reads what a notification is about. It returns nil if the viewer cannot see that any more, or has muted the
// post, or has muted or blocked the person.
func (h notifications) wanted(ctx context.Context, viewer domain.User, mutes domain.Mutes, n domain.Notification) (
	*view.Event, error) {
	switch n.Kind {
	case domain.NotifyFollower:
		follows, err := h.store.Follows.Has(ctx, n.FollowerID, domain.AuthorSource(viewer.ID))
		if err != nil || !follows {
			return nil, err
		}
		follower, err := h.store.Users.ByID(ctx, n.FollowerID)
		if err != nil {
			return nil, err
		}
		return h.unlessUnwanted(ctx, viewer, mutes, &view.Event{Notification: n, Actor: follower})
	case domain.NotifyPutBack:
		draft, err := h.store.Drafts.Get(ctx, viewer.ID, n.PostID)
		if err != nil || draft.Problem == "" {
			return nil, err
		}
		return &view.Event{Notification: n, Post: domain.Post{ID: n.PostID, Title: draft.Title},
			Extract: draft.Problem.Message().In(ctx)}, nil
	}
	post, err := h.store.Posts.Latest(ctx, n.PostID)
	if err != nil || !post.Deleted.IsZero() || post.AuthorID != viewer.ID && !post.Open() {
		return nil, err
	}
	e := &view.Event{Notification: n, Post: post}
	switch {
	case n.Kind == domain.NotifyPublished:
		if post.Status == domain.Unpublished {
			return nil, nil
		}
		return e, nil
	case n.Kind == domain.NotifyLike:
		return h.likes(ctx, viewer, mutes, e)
	case n.CommentID == "" && n.Kind.OfDecision():
		if !n.Kind.Applies(post.Held) {
			return nil, nil
		}
		return e, nil
	case n.CommentID == "":
		e.Actor = post.ShownAuthor()
		return h.unlessUnwanted(ctx, viewer, mutes, e)
	}
	e.Comment, err = h.store.Posts.Comment(ctx, n.PostID, n.CommentID)
	if err != nil || !e.Comment.Deleted.IsZero() || !e.Comment.ShownTo(viewer, post) ||
		!n.Kind.Applies(e.Comment.Held) {
		return nil, err
	}
	e.Extract = h.Markdown.Text(e.Comment.Content, extractLength)
	if !n.Kind.OfDecision() {
		e.Actor = e.Comment.ShownAuthor()
	}
	return h.unlessUnwanted(ctx, viewer, mutes, e)
}

// unlessUnwanted returns an event, or nil if the viewer has muted its post, or has muted or blocked the person.
func (h notifications) unlessUnwanted(ctx context.Context, viewer domain.User, mutes domain.Mutes, e *view.Event) (
	*view.Event, error) {
	if e.Actor.ID == "" {
		return e, nil
	}
	if mutes.Has(domain.MutePost, e.PostID) || mutes.Has(domain.MutePerson, e.Actor.ID) {
		return nil, nil
	}
	if blocked, err := h.store.Blocks.Has(ctx, viewer.ID, e.Actor.ID); err != nil || blocked {
		return nil, err
	}
	return e, nil
}

// likes completes the event of a day's likes with those that there are now. It names the latest person and counts the
// others, of whom it leaves out muted people. It looks for a block of the named person only: blocked people cannot like
// the viewer's posts.
func (h notifications) likes(ctx context.Context, viewer domain.User, mutes domain.Mutes, e *view.Event) (
	*view.Event, error) {
	likes, err := h.store.Posts.LikesOfDay(ctx, e.PostID, domain.DayOfLikes(e.Event), maxLikesRead+1)
	e.More = len(likes) > maxLikesRead
	likes = slices.DeleteFunc(likes, func(l domain.Like) bool {
		return l.UserID == viewer.ID || mutes.Has(domain.MutePerson, l.UserID)
	})
	for i, l := range likes {
		e.Actor, e.Others = l.User(), min(len(likes)-i-1, maxLikesRead-1)
		if shown, err := h.unlessUnwanted(ctx, viewer, mutes, e); err != nil || shown != nil {
			return shown, err
		}
	}
	return nil, err
}
