package projection

import (
	"context"
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
	b := newResponses(changes)
	posts, comments := make(map[string]bool), make(map[domain.Target]bool)
	for _, c := range b.recent {
		posts[c.PostID] = true
		if c.ParentID != "" {
			comments[domain.Target{PostID: c.PostID, CommentID: c.ParentID}] = true
		}
	}
	for key := range b.likes {
		posts[key.postID] = true
	}
	// The transaction that adds a comment or like changes the post too, so most posts are in the batch.
	if err := addMissing(ctx, b.posts, posts, p.Posts.Latest); err != nil {
		return err
	}
	if err := addMissing(ctx, b.comments, comments, func(ctx context.Context, t domain.Target) (domain.Comment, error) {
		return p.Posts.Comment(ctx, t.PostID, t.CommentID)
	}); err != nil {
		return err
	}
	return p.Notifications.notify(ctx, b.events())
}

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
		if domain.Is(err, domain.NotFound) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		known[key] = value
		return err
	})
}

// responses is what a batch of changes has to notify users of, with the texts that it is about.
type responses struct {
	posts    map[string]domain.Post
	comments map[domain.Target]domain.Comment
	changed  []domain.Post // recent posts of the batch
	recent   []domain.Comment
	likes    map[dayOfPost][]domain.Like
}

type dayOfPost struct {
	postID string
	day    int
}

func newResponses(changes []feeds.PostChange) *responses {
	b := &responses{posts: make(map[string]domain.Post), comments: make(map[domain.Target]domain.Comment),
		likes: make(map[dayOfPost][]domain.Like)}
	for _, c := range changes {
		switch {
		case c.Post != nil:
			b.posts[c.Post.ID] = *c.Post
		case c.Comment != nil:
			b.comments[domain.Target{PostID: c.Comment.PostID, CommentID: c.Comment.ID}] = *c.Comment
		case c.Like != nil && !c.Like.AuthorSuspended && isRecent(c.Like.Created):
			key := dayOfPost{c.Like.PostID, domain.LikesDay(c.Like.Created)}
			b.likes[key] = append(b.likes[key], *c.Like)
		}
	}
	for _, c := range b.comments {
		if c.Counts() && isRecent(c.Created) {
			b.recent = append(b.recent, c)
		}
	}
	for _, post := range b.posts {
		if isRecent(post.Created) {
			b.changed = append(b.changed, post)
		}
	}
	return b
}

// isRecent reports whether an event of that time makes a notification.
func isRecent(t time.Time) bool { return time.Since(t) < domain.NotifiedAge }

// events returns the events of the batch. A comment is one event for each user whom it concerns, also if it is a
// comment on the user's post, a reply and a mention at once.
func (b *responses) events() (events []event) {
	for _, post := range b.changed {
		for _, userID := range mentionedInPost(post) {
			if post.Open() {
				events = append(events, event{actorID: post.AuthorID,
					kinds:        []domain.NotificationKind{domain.NotifyMention},
					Notification: domain.Notification{UserID: userID, PostID: post.ID}})
			}
		}
	}
	for _, c := range b.recent {
		events = append(events, b.eventsOf(c)...)
	}
	for key, likes := range b.likes {
		if post := b.posts[key.postID]; post.ID != "" && post.Deleted.IsZero() {
			events = append(events, event{likes: without(likes, post.AuthorID),
				kinds:        []domain.NotificationKind{domain.NotifyLike},
				Notification: domain.Notification{UserID: post.AuthorID, PostID: post.ID, Event: key.day}})
		}
	}
	return events
}

// eventsOf returns the events that a comment makes. While others cannot see the post, only its author is notified.
func (b *responses) eventsOf(c domain.Comment) (events []event) {
	post := b.posts[c.PostID]
	if post.ID == "" || !post.Deleted.IsZero() {
		return nil
	}
	kinds := make(map[string][]domain.NotificationKind)
	concerns := func(userID string, kind domain.NotificationKind) {
		if userID == post.AuthorID || post.Open() {
			kinds[userID] = append(kinds[userID], kind)
		}
	}
	parent := b.comments[domain.Target{PostID: c.PostID, CommentID: c.ParentID}]
	if parent.AuthorID != "" && parent.Deleted.IsZero() {
		concerns(parent.AuthorID, domain.NotifyReply)
	}
	for _, userID := range mentionedInComment(c) {
		concerns(userID, domain.NotifyMention)
	}
	concerns(post.AuthorID, domain.NotifyComment)
	for userID, reasons := range kinds {
		events = append(events, event{actorID: c.AuthorID, kinds: reasons,
			Notification: domain.Notification{UserID: userID, PostID: c.PostID, CommentID: c.ID}})
	}
	return events
}

// without returns the likes of others than a user. It is never nil.
func without(likes []domain.Like, userID string) []domain.Like {
	others := []domain.Like{}
	for _, l := range likes {
		if l.UserID != userID {
			others = append(others, l)
		}
	}
	return others
}

// mentionedInPost returns the users whom a post mentions.
func mentionedInPost(domain.Post) []string { return nil }

// mentionedInComment returns the users whom a comment mentions.
func mentionedInComment(domain.Comment) []string { return nil }
