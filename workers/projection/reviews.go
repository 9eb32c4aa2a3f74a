package projection

import (
	"context"
	"slices"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// ReviewList stores the texts that wait for a moderator.
type ReviewList interface {
	// Put adds a text. Adding it again changes nothing.
	Put(ctx context.Context, r domain.Review) error
	// Done removes a text. A missing one is no error.
	Done(ctx context.Context, target domain.Target) error
	// OfPost returns the entries about a post and its comments.
	OfPost(ctx context.Context, postID string) ([]domain.Review, error)
	// All returns all entries.
	All(ctx context.Context) ([]domain.Review, error)
}

// waiting returns the texts in a batch of changes that wait for a moderator.
func waiting(changes []feeds.PostChange) (list []domain.Review) {
	known := make(map[domain.Target]bool)
	for _, c := range slices.Backward(changes) { // the latest state of each
		var r domain.Review
		waits := false
		switch {
		case c.Post != nil:
			p := c.Post
			r.PostID, r.AuthorID, r.At = p.ID, p.AuthorID, latest(p.Created, p.Edited)
			waits = p.Held == domain.HeldForReview && p.Deleted.IsZero() && !p.InTrash()
		case c.Comment != nil:
			m := c.Comment
			r.PostID, r.CommentID, r.AuthorID, r.At = m.PostID, m.ID, m.AuthorID, latest(m.Created, m.Edited)
			waits = m.Held == domain.HeldForReview && m.Deleted.IsZero()
		default:
			continue
		}
		if waits && !known[r.Target] {
			list = append(list, r)
		}
		known[r.Target] = true
	}
	return list
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// listWaiting puts texts that are held for review on the moderators' list. The change feed delivers such a text even if
// the process that stored it died. A batch of changes may come late, so a text that has been decided by then is removed
// again.
func (p *PostsProjector) listWaiting(ctx context.Context, changes []feeds.PostChange) error {
	return loop.InParallel(ctx, waiting(changes), func(ctx context.Context, r domain.Review) error {
		if err := p.Reviews.Put(ctx, r); err != nil {
			return err
		}
		waits, err := p.waits(ctx, r.Target)
		if err != nil || waits {
			return err
		}
		return p.Reviews.Done(ctx, r.Target)
	})
}

// waits reads the text and reports whether it is held for review.
func (p *PostsProjector) waits(ctx context.Context, t domain.Target) (bool, error) {
	var hold domain.Hold
	var deleted time.Time
	var err error
	if t.CommentID == "" {
		var post domain.Post
		if post, err = p.Posts.Latest(ctx, t.PostID); post.InTrash() {
			return false, err
		}
		hold, deleted = post.Held, post.Deleted
	} else {
		var comment domain.Comment
		comment, err = p.Posts.Comment(ctx, t.PostID, t.CommentID)
		hold, deleted = comment.Held, comment.Deleted
	}
	if domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return hold == domain.HeldForReview && deleted.IsZero(), err
}

// removeEndedReviews removes from the review queue the entries about a post and its comments whose texts are no longer
// held for review: their authors have deleted them or edited them so that they need no review, or a moderator has
// decided about them and the request was interrupted.
func (p *PostsProjector) removeEndedReviews(ctx context.Context, postID string) error {
	listed, err := p.Reviews.OfPost(ctx, postID)
	if err != nil {
		return err
	}
	return p.removeEndedReviewsOf(ctx, listed)
}

// RemoveEndedReviews removes all entries from the review queue whose texts are not held for review. A rebuild calls it,
// since a replay does not reach the entries of erased posts.
func (p *PostsProjector) RemoveEndedReviews(ctx context.Context) error {
	all, err := p.Reviews.All(ctx)
	if err != nil {
		return err
	}
	return p.removeEndedReviewsOf(ctx, all)
}

func (p *PostsProjector) removeEndedReviewsOf(ctx context.Context, listed []domain.Review) error {
	return loop.InParallel(ctx, listed, func(ctx context.Context, r domain.Review) error {
		waits, err := p.waits(ctx, r.Target)
		if err != nil || waits {
			return err
		}
		return p.Reviews.Done(ctx, r.Target)
	})
}
