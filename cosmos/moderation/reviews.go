package moderation

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Reviews is the queue of texts that are held for review, see domain.HeldForReview. It is the partition "held" of
// the container moderation.
//
// The text itself records that it is held. The posts projector finds that in the change feed and writes the entry, so
// no text lacks its entry after a crash. A write that ends a review records that on the post, so that the projector
// removes the entry even if the request that wrote it is interrupted.
type Reviews struct{ c *client.Container }

// NewReviews returns the review queue of a database.
func NewReviews(db *client.Database) *Reviews {
	return &Reviews{c: db.Container(schema.ModerationContainer)}
}

type reviewItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Queue        string         `json:"queue"`
	PostID       string         `json:"postId"`
	CommentID    string         `json:"commentId,omitempty"`
	UserID       string         `json:"userId"`
	CreationDate schema.Instant `json:"creationDate"`
}

func (i reviewItem) domain() domain.Review {
	return domain.Review{Target: domain.Target{PostID: i.PostID, CommentID: i.CommentID}, AuthorID: i.UserID,
		At: time.Time(i.CreationDate)}
}

// Put adds a text to the queue. Repeating it changes only the time since when the text has waited.
func (r *Reviews) Put(ctx context.Context, review domain.Review) error {
	if !review.Valid() || !domain.IsUserID(review.AuthorID) {
		return errNoTarget()
	}
	return client.Translate(r.c.Upsert(client.Writes("hold-for-review").In(ctx), schema.HeldQueue, reviewItem{
		ID:           review.ID(),
		Type:         schema.TypeReview,
		Queue:        schema.HeldQueue,
		PostID:       review.PostID,
		CommentID:    review.CommentID,
		UserID:       review.AuthorID,
		CreationDate: schema.Instant(review.At),
	}))
}

// Done removes an entry from the queue. It ignores a missing entry.
func (r *Reviews) Done(ctx context.Context, target domain.Target) error {
	if !target.Valid() {
		return errNoTarget()
	}
	err := r.c.Delete(client.Writes("reviewed").In(ctx), schema.HeldQueue, target.ID())
	if client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}

// OfPost returns the entries about a post and its comments.
func (r *Reviews) OfPost(ctx context.Context, postID string) ([]domain.Review, error) {
	return r.query(ctx, `SELECT * FROM c WHERE c.queue = @queue AND c.type = 'review' AND c.postId = @post`,
		client.Parameters{"post": postID})
}

// List returns one page of the queue, the oldest entry first.
func (r *Reviews) List(ctx context.Context, page int) (domain.ListPage[domain.Review], error) {
	rows, err := r.query(ctx, `SELECT * FROM c WHERE c.queue = @queue AND c.type = 'review'
		 ORDER BY c.type ASC, c.creationDate ASC, c.id ASC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.ReportsPerPage, client.Parameters{}))
	return domain.Cut(rows, page, domain.ReportsPerPage), err
}

// query returns the entries of a query in the queue's logical partition. It adds the parameter "queue".
func (r *Reviews) query(ctx context.Context, text string, params client.Parameters) ([]domain.Review, error) {
	params["queue"] = schema.HeldQueue
	items, err := client.Query[reviewItem](client.Reads("reviews").In(ctx), r.c, schema.HeldQueue, text, params)
	rows := client.Convert(items, reviewItem.domain)
	return rows, client.Translate(err)
}

// Count counts the entries up to the maximum most, which limits the cost.
func (r *Reviews) Count(ctx context.Context, most int) (int, error) {
	return count(client.Reads("reviews-count").In(ctx), r.c, schema.HeldQueue, schema.TypeReview, most)
}

// count counts the items of a type in a queue, up to the maximum most.
func count(ctx context.Context, c *client.Container, queue, itemType string, most int) (int, error) {
	ids, err := client.Query[string](ctx, c, queue,
		`SELECT VALUE c.id FROM c WHERE c.queue = @queue AND c.type = @type OFFSET 0 LIMIT @most`,
		client.Parameters{"queue": queue, "type": itemType, "most": most})
	return len(ids), client.Translate(err)
}

// All returns the whole queue, in no particular order.
func (r *Reviews) All(ctx context.Context) ([]domain.Review, error) {
	return r.query(ctx, `SELECT * FROM c WHERE c.queue = @queue AND c.type = 'review'`, client.Parameters{})
}

// Forget removes the texts of a deleted user from the queue.
func (r *Reviews) Forget(ctx context.Context, userID string) error {
	all, err := r.All(ctx)
	for _, review := range all {
		if err == nil && review.AuthorID == userID {
			err = r.Done(ctx, review.Target)
		}
	}
	return err
}
