package projection

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// NotificationList stores the notifications of users.
type NotificationList interface {
	// Notify adds a notification. Adding it again changes nothing.
	Notify(ctx context.Context, n domain.Notification) error
}

// notify notifies authors of the comments on their posts that are in a page of changes. A comment that was held for
// review is delivered again when it is approved. Its notification has the time of the delivery, because the list shows
// the latest notifications as new. A comment that was deleted or hidden since then may still make a notification; the
// page of notifications leaves it out.
func (p *PostsProjector) notify(ctx context.Context, changes []domain.PostChange) error {
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
	return loop.InParallel(ctx, recent, func(ctx context.Context, c domain.Comment) (err error) {
		post, ok := posts[c.PostID] // the transaction that adds a comment changes the post too
		if !ok {
			post, err = p.Posts.Latest(ctx, c.PostID)
		}
		if domain.Is(err, domain.NotFound) || err == nil && (!post.Deleted.IsZero() || post.AuthorID == c.AuthorID) {
			return nil
		}
		if err != nil {
			return err
		}
		return p.Notifications.Notify(ctx, domain.Notification{UserID: post.AuthorID, Kind: domain.NotifyComment,
			PostID: c.PostID, CommentID: c.ID, Created: domain.Timestamp(time.Now())})
	})
}
