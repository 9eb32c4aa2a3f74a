package projection

import (
	"context"
	"maps"
	"slices"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// CommentRows is the overview of all comments.
type CommentRows interface {
	// Rewrite makes the row of a comment equal to its source, or deletes it if source returns NotFound. It calls source
	// after it has read the row.
	Rewrite(ctx context.Context, t domain.Target, source func(context.Context) (domain.CommentRow, error)) error
	// Each calls visit for the comments of all rows, some at a time, until it fails.
	Each(ctx context.Context, visit func([]domain.Target) error) error
}

// listComments brings the rows of changed comments up to date, and deletes those of deleted comments.
func (p *PostsProjector) listComments(ctx context.Context, changes []feeds.PostChange) error {
	deleted := make(map[domain.Target]bool) // whether the change is the deletion, by the changed comments
	for _, c := range changes {
		if c.Comment != nil {
			t := domain.Target{PostID: c.Comment.PostID, CommentID: c.Comment.ID}
			deleted[t] = deleted[t] || !c.Comment.Deleted.IsZero()
		}
	}
	return p.listCommentsAt(ctx, slices.Collect(maps.Keys(deleted)), deleted)
}

// listCommentsAt brings rows up to date. It does not read a comment that is known to be deleted, which is final: a
// replica that lags behind would still have its text.
func (p *PostsProjector) listCommentsAt(ctx context.Context, targets []domain.Target,
	deleted map[domain.Target]bool) error {
	return loop.InParallel(ctx, targets, func(ctx context.Context, t domain.Target) error {
		return p.CommentRows.Rewrite(ctx, t, func(ctx context.Context) (domain.CommentRow, error) {
			if deleted[t] {
				return domain.CommentRow{}, &domain.Error{Kind: domain.NotFound}
			}
			c, err := p.Posts.Comment(ctx, t.PostID, t.CommentID)
			if err == nil && !c.Deleted.IsZero() {
				err = &domain.Error{Kind: domain.NotFound}
			}
			if err != nil {
				return domain.CommentRow{}, err
			}
			return c.Row(p.Markdown.Text(c.Content, domain.CommentRowText)), nil
		})
	})
}

// RepairCommentRows compares all rows of comments with the comments. A rebuild calls it, since a replay does not reach
// the rows of comments whose markers have expired.
func (p *PostsProjector) RepairCommentRows(ctx context.Context) error {
	return p.CommentRows.Each(ctx, func(part []domain.Target) error { return p.listCommentsAt(ctx, part, nil) })
}
