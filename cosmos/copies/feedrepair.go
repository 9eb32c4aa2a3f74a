package copies

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// Repair makes each row of the feed what its source gives, whatever version the
// row claims, and drops those that are too many. What is missing comes with
// replaying the change feed of posts; rows without a source are SweepOrphans'.
func (f *Feed) Repair(ctx context.Context, markdown *markdown.Renderer) error {
	ctx = client.Operation(ctx, "repair-feed")
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
	// Planning with several posts at once also drops what is beyond the limit.
	return f.Apply(ctx, held)
}

// repairRow returns what the row's source gives; nil is nothing.
func (f *Feed) repairRow(ctx context.Context, markdown *markdown.Renderer, id string) (*domain.Summary, error) {
	for attempt := 1; ; attempt++ {
		stored, err := client.Read[storedCopy](ctx, f.c, schema.TypePost, id)
		if err != nil {
			return nil, client.UnlessGone(err)
		}
		found, rowErr := client.Read[PostCopy](ctx, f.c, schema.TypePost, id)
		if rowErr != nil && !client.Misshapen(rowErr) {
			return nil, client.UnlessGone(rowErr)
		}
		// The source is read after the row, so a row that is ahead of it is one that no
		// version of the post has given.
		latest := func(ctx context.Context) (domain.Post, error) { return f.posts.Source(ctx, id) }
		source, err := client.UpToDate(ctx, found.Version, latest, func(p domain.Post) int { return p.Version })
		switch {
		case client.Misshapen(err): // replaying makes it a dead letter
			return nil, nil
		case err != nil:
			return nil, client.UnlessGone(err)
		case !source.Listed(): // replaying makes the tombstone, or sweeping took the row
			return nil, nil
		}
		summary := markdown.Summarize(source)
		want := PostCopyOf(summary)
		if rowErr == nil && found.equal(want) {
			return &summary, nil
		}
		err = f.c.Replace(ctx, schema.TypePost, id, stored.ETag, want)
		if !client.LostRace(err) || attempt == client.RewriteAttempts {
			return &summary, err
		}
	}
}
