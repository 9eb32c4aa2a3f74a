// Package events reads what notifications are about.
package events

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	about "inkfeed/views/events"
	"inkfeed/web/site"
)

// Reader reads what notifications are about, for their receivers.
type Reader struct {
	Posts    Posts
	Users    site.Users
	Blocks   site.Blocks
	Mutes    site.Mutes
	Follows  Follows
	Drafts   Drafts
	Markdown *markdown.Renderer
}

// Posts reads posts with their comments and likes.
type Posts interface {
	// Latest returns a post whatever its status, and the rest of a deleted post.
	Latest(ctx context.Context, postID string) (domain.Post, error)
	// Comment returns a comment.
	Comment(ctx context.Context, postID, commentID string) (domain.Comment, error)
	// LikesOfDay returns at most so many likes of a post within the day that begins at from, newest first.
	LikesOfDay(ctx context.Context, postID string, from time.Time, most int) ([]domain.Like, error)
}

// Follows reads who follows what.
type Follows interface {
	// Has reports whether a user follows a source.
	Has(ctx context.Context, userID string, source domain.Source) (bool, error)
}

// Drafts reads drafts.
type Drafts interface {
	// Get returns a user's draft of a post.
	Get(ctx context.Context, userID, postID string) (domain.Draft, error)
}

// concurrentReads is the maximum number of concurrent reads of the events on a page.
const concurrentReads = 8

// extractLength is the maximum length of the beginning of a comment, in characters.
const extractLength = 160

// maxLikesRead is the maximum number of likes of a day that a notification counts.
const maxLikesRead = 100

// Of reads what the notifications are about, the latest first. The result has nil for events that the viewer cannot
// or does not want to see any more, and for all but the latest decision about a text.
func (r Reader) Of(ctx context.Context, viewer domain.User, list []domain.Notification) (
	[]*about.Event, error) {
	mutes, err := site.MutesOf(ctx, r.Mutes, viewer)
	if err != nil {
		return nil, err
	}
	read := make([]*about.Event, len(list))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentReads)
	for i, n := range list {
		group.Go(func() (err error) {
			if read[i], err = r.wanted(ctx, viewer, mutes, n); domain.Is(err, domain.NotFound) {
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

// wanted reads what a notification is about. It returns nil if the viewer cannot see that any more, or has muted the
// post, or has muted or blocked the person.
func (r Reader) wanted(ctx context.Context, viewer domain.User, mutes domain.Mutes, n domain.Notification) (
	*about.Event, error) {
	switch n.Kind {
	case domain.NotifyFollower:
		follows, err := r.Follows.Has(ctx, n.FollowerID, domain.AuthorSource(viewer.ID))
		if err != nil || !follows {
			return nil, err
		}
		follower, err := r.Users.ByID(ctx, n.FollowerID)
		if err != nil {
			return nil, err
		}
		return r.unlessUnwanted(ctx, viewer, mutes, &about.Event{Notification: n, Actor: follower})
	case domain.NotifyPutBack:
		draft, err := r.Drafts.Get(ctx, viewer.ID, n.PostID)
		if err != nil || draft.Problem == "" {
			return nil, err
		}
		return &about.Event{Notification: n, Post: domain.Post{ID: n.PostID, Title: draft.Title},
			Extract: draft.Problem.Message().In(ctx)}, nil
	}
	post, err := r.Posts.Latest(ctx, n.PostID)
	if err != nil || !post.Deleted.IsZero() || post.AuthorID != viewer.ID && !post.Open() {
		return nil, err
	}
	e := &about.Event{Notification: n, Post: post}
	switch {
	case n.Kind == domain.NotifyPublished:
		if post.Status == domain.Unpublished || post.InTrash() {
			return nil, nil
		}
		return e, nil
	case n.Kind == domain.NotifyLike:
		return r.likes(ctx, viewer, mutes, e)
	case n.CommentID == "" && n.Kind.OfDecision():
		if !n.Kind.Applies(post.Held) {
			return nil, nil
		}
		return e, nil
	case n.CommentID == "":
		e.Actor = post.ShownAuthor()
		return r.unlessUnwanted(ctx, viewer, mutes, e)
	}
	e.Comment, err = r.Posts.Comment(ctx, n.PostID, n.CommentID)
	if err != nil || !e.Comment.Deleted.IsZero() || !e.Comment.ShownTo(viewer, post) ||
		!n.Kind.Applies(e.Comment.Held) {
		return nil, err
	}
	e.Extract = r.Markdown.Text(e.Comment.Content, extractLength)
	if !n.Kind.OfDecision() {
		e.Actor = e.Comment.ShownAuthor()
	}
	return r.unlessUnwanted(ctx, viewer, mutes, e)
}

// unlessUnwanted returns an event, or nil if the viewer has muted its post, or has muted or blocked the person.
func (r Reader) unlessUnwanted(ctx context.Context, viewer domain.User, mutes domain.Mutes, e *about.Event) (
	*about.Event, error) {
	if e.Actor.ID == "" {
		return e, nil
	}
	if mutes.Has(domain.MutePost, e.PostID) || mutes.Has(domain.MutePerson, e.Actor.ID) {
		return nil, nil
	}
	if blocked, err := r.Blocks.Has(ctx, viewer.ID, e.Actor.ID); err != nil || blocked {
		return nil, err
	}
	return e, nil
}

// likes completes the event of a day's likes with those that there are now. It names the latest person and counts the
// others, of whom it leaves out muted people. It looks for a block of the named person only: blocked people cannot like
// the viewer's posts.
func (r Reader) likes(ctx context.Context, viewer domain.User, mutes domain.Mutes, e *about.Event) (
	*about.Event, error) {
	likes, err := r.Posts.LikesOfDay(ctx, e.PostID, domain.DayOfLikes(e.Event), maxLikesRead+1)
	e.More = len(likes) > maxLikesRead
	likes = slices.DeleteFunc(likes, func(l domain.Like) bool {
		return l.UserID == viewer.ID || mutes.Has(domain.MutePerson, l.UserID)
	})
	for i, l := range likes {
		e.Actor, e.Others = l.User(), min(len(likes)-i-1, maxLikesRead-1)
		if shown, err := r.unlessUnwanted(ctx, viewer, mutes, e); err != nil || shown != nil {
			return shown, err
		}
	}
	return nil, err
}
