package projection

import (
	"context"
	"slices"
	"sync"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// notify notifies users of the comments, replies, mentions and likes that are in a batch of changes. A text that was
// held for review is delivered again when it is approved. Its notification has the time of the delivery, because the
// list shows the latest notifications as new. A text that was deleted or hidden since then may still make a
// notification; the page of notifications leaves it out.
func (p *PostsProjector) notify(ctx context.Context, changes []feeds.PostChange) error {
	if p.Notifications == nil {
		return nil
	}
	var events []event
	posts, comments := make(map[string]domain.Post), make(map[domain.Target]domain.Comment)
	likes := make(map[likesOfDay][]domain.Like)
	for _, c := range changes {
		switch {
		case c.Post != nil:
			posts[c.Post.ID] = *c.Post
		case c.Comment != nil:
			comments[domain.Target{PostID: c.Comment.PostID, CommentID: c.Comment.ID}] = *c.Comment
		case c.Like != nil && !c.Like.AuthorSuspended && time.Since(c.Like.Created) < likedAge:
			key := likesOfDay{c.Like.PostID, domain.LikesDay(c.Like.Created)}
			likes[key] = append(likes[key], *c.Like)
		}
	}
	for _, post := range posts {
		events = append(events, mentionsIn(post)...)
	}
	var responses []domain.Comment
	missingPosts, missingComments := make(map[string]bool), make(map[domain.Target]bool)
	for _, c := range comments {
		if c.Counts() && isRecent(c.Created) {
			responses, missingPosts[c.PostID] = append(responses, c), true
			if c.ParentID != "" {
				missingComments[domain.Target{PostID: c.PostID, CommentID: c.ParentID}] = true
			}
		}
	}
	for key := range likes {
		missingPosts[key.postID] = true
	}
	// The transaction that adds a comment or like changes the post too, so most posts are in the batch.
	if err := addMissing(ctx, posts, missingPosts, p.Posts.Latest); err != nil {
		return err
	}
	if err := addMissing(ctx, comments, missingComments, func(ctx context.Context, t domain.Target) (domain.Comment,
		error) {
		return p.Posts.Comment(ctx, t.PostID, t.CommentID)
	}); err != nil {
		return err
	}
	for _, c := range responses {
		parent := comments[domain.Target{PostID: c.PostID, CommentID: c.ParentID}]
		events = append(events, eventsOf(c, parent, posts[c.PostID])...)
	}
	for key, list := range likes {
		if post := posts[key.postID]; post.ID != "" && post.Deleted.IsZero() {
			events = append(events, event{likes: list, kinds: []domain.NotificationKind{domain.NotifyLike},
				Notification: domain.Notification{UserID: post.AuthorID, PostID: post.ID, Event: key.day}})
		}
	}
	return p.Notifications.notify(ctx, events)
}

type likesOfDay struct {
	postID string
	day    int
}

// likedAge is the age from which on a like makes no notification. Likes come through the change feed again when their
// users change their names, and those that made no notification, because the author wanted none, make none later.
const likedAge = 24 * time.Hour

// isRecent reports whether an event of that time makes a notification.
func isRecent(t time.Time) bool { return time.Since(t) < domain.NotifiedAge }

// addMissing reads the values that known lacks, several at a time. Those that do not exist stay missing.
func addMissing[K comparable, T any](ctx context.Context, known map[K]T, keys map[K]bool,
	read func(context.Context, K) (T, error)) error {
	var missing []K
	for key := range keys {
		if _, ok := known[key]; !ok {
			missing = append(missing, key)
		}
	}
	var mu sync.Mutex
	return loop.InParallel(ctx, missing, func(ctx context.Context, key K) error {
		value, err := read(ctx, key)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			known[key] = value
		}
		if domain.Is(err, domain.NotFound) {
			return nil
		}
		return err
	})
}

// mentionsIn returns the events of the users whom a new post mentions, once it is listed. Edits make no events.
func mentionsIn(post domain.Post) (events []event) {
	if !post.News || !post.Listed() || !isRecent(post.Created) {
		return nil
	}
	for _, m := range post.Mentions.List() {
		if slices.ContainsFunc(events, func(e event) bool { return e.UserID == m.UserID }) {
			continue // under another name
		}
		events = append(events, event{actorID: post.AuthorID, kinds: []domain.NotificationKind{domain.NotifyMention},
			Notification: domain.Notification{UserID: m.UserID, PostID: post.ID}})
	}
	return events
}

// eventsOf returns the events that a comment makes: one for each user whom it concerns, also if it is a reply, a
// mention and a comment on the user's post at once. While others cannot see the post, only its author is notified.
func eventsOf(c, parent domain.Comment, post domain.Post) (events []event) {
	if post.ID == "" || !post.Deleted.IsZero() {
		return nil
	}
	concerns := func(userID string, kind domain.NotificationKind) {
		n := slices.IndexFunc(events, func(e event) bool { return e.UserID == userID })
		switch {
		case n >= 0:
			events[n].kinds = append(events[n].kinds, kind)
		case userID == post.AuthorID || post.Open():
			events = append(events, event{actorID: c.AuthorID, kinds: []domain.NotificationKind{kind},
				Notification: domain.Notification{UserID: userID, PostID: c.PostID, CommentID: c.ID}})
		}
	}
	if parent.AuthorID != "" && parent.Deleted.IsZero() {
		concerns(parent.AuthorID, domain.NotifyReply)
	}
	for _, m := range c.Mentions.List() {
		if !m.Added {
			concerns(m.UserID, domain.NotifyMention)
		}
	}
	concerns(post.AuthorID, domain.NotifyComment)
	return events
}
