package copies

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// Repair makes each row of the feed equal to its source, whatever version the row claims, and drops rows beyond
// the limit. Replaying the change feed of posts adds the missing rows. SweepOrphans removes rows without a source.
func (f *Feed) Repair(ctx context.Context, markdown *markdown.Renderer) error {
	ctx = client.Writes("repair-feed").In(ctx)
	rows, err := client.Query[sweptCopy](ctx, f.c, schema.TypePost, `SELECT c.id FROM c WHERE c.type = 'post'`, nil)
	if err != nil {
		return client.Translate(err)
	}
	var held []domain.Summary
	for _, row := range rows {
		summary, err := f.repairRow(ctx, markdown, row.ID)
		if err != nil {
			return client.Translate(err)
		}
		if summary != nil {
			held = append(held, *summary)
		}
	}
	// Planning with several posts at once also drops the posts beyond the limit.
	return f.Apply(ctx, held)
}

// repairRow repairs one row and returns the summary of its source, or nil if the post is not listed.
func (f *Feed) repairRow(ctx context.Context, markdown *markdown.Renderer, id string) (*domain.Summary, error) {
	return client.RewriteReturning(ctx, func() (*domain.Summary, error) {
		stored, err := client.Read[storedCopy](ctx, f.c, schema.TypePost, id)
		if err != nil {
			return nil, client.UnlessGone(err)
		}
		found, rowErr := client.Read[PostCopy](ctx, f.c, schema.TypePost, id)
		if rowErr != nil && !client.Undecodable(rowErr) {
			return nil, client.UnlessGone(rowErr)
		}
		// The source is read after the row. A row with a higher version than the source is therefore corrupt.
		latest := func(ctx context.Context) (domain.Post, error) { return f.posts.Source(ctx, id) }
		source, err := client.UpToDate(ctx, found.Version, latest, func(p domain.Post) int { return p.Version })
		switch {
		case client.Undecodable(err): // replaying turns the post into a dead letter
			return nil, nil
		case err != nil:
			return nil, client.UnlessGone(err)
		case !source.Listed(): // replaying writes the tombstone, or the sweep has removed the row
			return nil, nil
		}
		summary := markdown.Summarize(source)
		want := PostCopyOf(summary)
		if rowErr == nil && found.equal(want) {
			return &summary, nil
		}
		err = f.c.Replace(ctx, schema.TypePost, id, stored.ETag, want)
		return &summary, client.Lost(err)
	})
}
