package projection

import (
	"context"
	"slices"
	"sync"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// maxNotified is the maximum number of notifications that are stored together: a transaction has at most 100
// operations, of which one raises the user's count.
const maxNotified = 99

// NotificationList stores the notifications of users.
type NotificationList interface {
	// Notify adds notifications of one user, at most maxNotified. Adding one again changes nothing.
	Notify(ctx context.Context, list ...domain.Notification) error
	// NotifyLikes adds likes of one post and day to the notification n of its author. Adding one again changes nothing.
	NotifyLikes(ctx context.Context, n domain.Notification, likes []domain.Like) error
}

// Notifier notifies users of what others did, as far as their settings, blocks and mutes allow it at that moment. The
// page of notifications applies blocks and mutes again, and leaves out what was deleted or hidden since.
type Notifier struct {
	Accounts interface {
		// Several reads users, also deleted and suspended ones.
		Several(ctx context.Context, userIDs []string) (map[string]domain.User, error)
	}
	Blocks interface {
		// Has reports whether a user has blocked another.
		Has(ctx context.Context, userID, otherID string) (bool, error)
	}
	Mutes interface {
		// Of returns what a user has muted.
		Of(ctx context.Context, userID string) (domain.Mutes, error)
	}
	List  NotificationList
	Mails *Mails // mails notifications to those who want that at once; nil: none
}

// event is something that a user did, and that another user may be notified of once.
type event struct {
	domain.Notification
	actorID string
	kinds   []domain.NotificationKind // why it concerns the user. The first one that is not switched off counts
	likes   []domain.Like             // of one post and day, by several users; nil for other events
}

// Follower notifies a user of a new follower.
func (n *Notifier) Follower(ctx context.Context, followerID, userID string) error {
	if n == nil {
		return nil
	}
	return n.notify(ctx, []event{{actorID: followerID, kinds: []domain.NotificationKind{domain.NotifyFollower},
		Notification: domain.Notification{UserID: userID, FollowerID: followerID}}})
}

// notify notifies users of events, each user of several events together.
func (n *Notifier) notify(ctx context.Context, events []event) error {
	if len(events) == 0 {
		return nil
	}
	var ids []string
	for _, e := range events {
		ids = append(ids, e.UserID)
		if e.actorID != "" {
			ids = append(ids, e.actorID)
		}
	}
	slices.Sort(ids)
	users, err := n.Accounts.Several(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	mutes, muting := make(map[string]domain.Mutes), make(map[string]bool)
	for id, u := range users {
		if u.MuteCount > 0 {
			muting[id] = true
		}
	}
	if err := addMissing(ctx, mutes, muting, n.Mutes.Of); err != nil {
		return err
	}
	var mu sync.Mutex
	byUser := make(map[string][]domain.Notification)
	if err := loop.InParallel(ctx, events, func(ctx context.Context, e event) error {
		wanted, err := n.isWanted(ctx, &e, users, mutes[e.UserID])
		switch {
		case err != nil || !wanted:
			return err
		case e.likes != nil:
			if err := n.List.NotifyLikes(ctx, e.Notification, e.likes); err != nil {
				return err
			}
			return n.Mails.notify(ctx, []domain.Notification{e.Notification})
		}
		mu.Lock()
		defer mu.Unlock()
		byUser[e.UserID] = append(byUser[e.UserID], e.Notification)
		return nil
	}); err != nil {
		return err
	}
	var together [][]domain.Notification
	for _, list := range byUser {
		together = slices.AppendSeq(together, slices.Chunk(list, maxNotified))
	}
	return loop.InParallel(ctx, together, func(ctx context.Context, list []domain.Notification) error {
		if err := n.List.Notify(ctx, list...); err != nil {
			return err
		}
		return n.Mails.notify(ctx, list)
	})
}

// isWanted reports whether a user is notified of an event, and completes its notification. It removes the user's own
// likes and those by muted users. Blocked users cannot like posts of those who blocked them, so it looks for no blocks
// of likers.
func (n *Notifier) isWanted(ctx context.Context, e *event, users map[string]domain.User, mutes domain.Mutes) (bool,
	error) {
	actor, quiet := users[e.actorID], users[e.UserID].QuietKinds
	kind := slices.IndexFunc(e.kinds, func(k domain.NotificationKind) bool { return !quiet.Has(k) })
	if e.FollowerID != "" && actor.Hasty && !actor.Trusted { // an account in review
		return false, nil
	}
	if kind < 0 || !actor.Deleted.IsZero() || !actor.Suspended.IsZero() || mutes.Has(domain.MutePost, e.PostID) {
		return false, nil
	}
	e.Kind, e.Created = e.kinds[kind], domain.Timestamp(time.Now())
	isUnwanted := func(actorID string) bool { return actorID == e.UserID || mutes.Has(domain.MutePerson, actorID) }
	if e.likes != nil {
		e.likes = slices.DeleteFunc(e.likes, func(l domain.Like) bool { return isUnwanted(l.UserID) })
		return len(e.likes) > 0, nil
	}
	if isUnwanted(e.actorID) {
		return false, nil
	}
	blocked, err := n.Blocks.Has(ctx, e.UserID, e.actorID)
	return !blocked, err
}
