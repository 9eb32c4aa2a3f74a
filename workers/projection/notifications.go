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

// maxNotified is the maximum number of notifications that are stored together: a transaction has at most 100
// operations, of which one raises the user's count.
const maxNotified = 99

// NotificationList stores the notifications of users.
type NotificationList interface {
	// Notify adds notifications of one user, at most maxNotified. Adding one again changes nothing.
	Notify(ctx context.Context, list ...domain.Notification) error
}

// notify notifies authors of the comments on their posts that are in a batch of changes. A comment that was held for
// review is delivered again when it is approved. Its notification has the time of the delivery, because the list shows
// the latest notifications as new. A comment that was deleted or hidden since then may still make a notification; the
// page of notifications leaves it out.
func (p *PostsProjector) notify(ctx context.Context, changes []feeds.PostChange) error {
	if p.Notifications == nil {
		return nil
	}
	posts := make(map[string]domain.Post)
	comments := make(map[string]domain.Comment)
	for _, c := range changes {
		switch {
		case c.Post != nil:
			posts[c.Post.ID] = *c.Post
		case c.Comment != nil:
			comments[c.Comment.ID] = *c.Comment
		}
	}
	var recent []domain.Comment
	for _, c := range comments {
		if c.Counts() && time.Since(c.Created) < domain.NotifiedAge {
			recent = append(recent, c)
		}
	}
	var unread []string // the transaction that adds a comment changes the post too, so most posts are in the page
	for _, c := range recent {
		if _, ok := posts[c.PostID]; !ok {
			posts[c.PostID] = domain.Post{}
			unread = append(unread, c.PostID)
		}
	}
	var mu sync.Mutex
	err := loop.InParallel(ctx, unread, func(ctx context.Context, postID string) error {
		post, err := p.Posts.Latest(ctx, postID)
		if domain.Is(err, domain.NotFound) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		posts[postID] = post
		return err
	})
	if err != nil {
		return err
	}
	byUser := make(map[string][]domain.Notification)
	for _, c := range recent {
		post := posts[c.PostID]
		if post.ID != "" && post.Deleted.IsZero() && post.AuthorID != c.AuthorID {
			byUser[post.AuthorID] = append(byUser[post.AuthorID], domain.Notification{UserID: post.AuthorID,
				Kind: domain.NotifyComment, PostID: c.PostID, CommentID: c.ID, Created: domain.Timestamp(time.Now())})
		}
	}
	var together [][]domain.Notification
	for _, list := range byUser {
		together = slices.AppendSeq(together, slices.Chunk(list, maxNotified))
	}
	return loop.InParallel(ctx, together, func(ctx context.Context, list []domain.Notification) error {
		return p.Notifications.Notify(ctx, list...)
	})
}
