package cosmos

import (
	"context"

	"inkfeed/domain"
)

// Repair makes each row of the feed what its source gives, whatever version the
// row claims, and drops those that are too many. What is missing comes with
// replaying the change feed of posts; rows without a source are SweepOrphans'.
func (f *Feed) Repair(ctx context.Context, markdown *domain.Markdown) error {
	ctx = operation(ctx, "repair-feed")
	rows, err := query[postCopy](ctx, f.c, typePost, `SELECT c.id FROM c WHERE c.type = 'post'`, nil)
	if err != nil {
		return translate(err)
	}
	var held []domain.Summary
	for _, row := range rows {
		summary, err := f.repairRow(ctx, markdown, row.ID)
		if err != nil {
			return translate(err)
		}
		if summary != nil {
			held = append(held, *summary)
		}
	}
	// Planning with several posts at once also drops what is beyond the limit.
	return f.Apply(ctx, held)
}

// repairRow returns what the row's source gives; nil is nothing.
func (f *Feed) repairRow(ctx context.Context, markdown *domain.Markdown, id string) (*domain.Summary, error) {
	for attempt := 1; ; attempt++ {
		stored, err := read[storedCopy](ctx, f.c, typePost, id)
		if err != nil {
			return nil, unlessGone(err)
		}
		found, rowErr := read[summaryItem](ctx, f.c, typePost, id)
		if rowErr != nil && !misshapen(rowErr) {
			return nil, unlessGone(rowErr)
		}
		// The source is read after the row, so a row that is ahead of it is one that no
		// version of the post has given.
		latest := func(ctx context.Context) (domain.Post, error) { return f.posts.Latest(ctx, id) }
		source, err := upToDate(ctx, found.Version, latest, func(p domain.Post) int { return p.Version })
		switch {
		case misshapen(err): // replaying makes it a dead letter
			return nil, nil
		case err != nil:
			return nil, unlessGone(err)
		case !source.Listed(): // replaying makes the tombstone, or sweeping took the row
			return nil, nil
		}
		summary := markdown.Summarize(source)
		want := summaryItemOf(summary)
		if rowErr == nil && found.equal(want) {
			return &summary, nil
		}
		err = f.c.replace(ctx, typePost, id, stored.ETag, want)
		if !lostRace(err) || attempt == rewriteAttempts {
			return &summary, err
		}
	}
}
