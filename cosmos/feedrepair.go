package cosmos

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// RepairFeed makes each row of the feed what its source gives, whatever version the
// row claims, and drops those that are too many. What is missing comes with
// replaying the change feed of posts; rows without a source are SweepOrphans'.
func (s *Store) RepairFeed(ctx context.Context, markdown *markdown.Renderer) error {
	ctx = operation(ctx, "repair-feed")
	rows, err := query[postCopy](ctx, s.Feed.c, typePost, `SELECT c.id FROM c WHERE c.type = 'post'`, nil)
	if err != nil {
		return translate(err)
	}
	var held []domain.Summary
	for _, row := range rows {
		summary, err := s.repairRow(ctx, markdown, row.ID)
		if err != nil {
			return translate(err)
		}
		if summary != nil {
			held = append(held, *summary)
		}
	}
	// Planning with several posts at once also drops what is beyond the limit.
	return s.Feed.Apply(ctx, held)
}

// repairRow returns what the row's source gives; nil is nothing.
func (s *Store) repairRow(ctx context.Context, markdown *markdown.Renderer, id string) (*domain.Summary, error) {
	for attempt := 1; ; attempt++ {
		stored, err := read[storedCopy](ctx, s.Feed.c, typePost, id)
		if err != nil {
			return nil, unlessGone(err)
		}
		found, rowErr := read[summaryItem](ctx, s.Feed.c, typePost, id)
		if rowErr != nil && !misshapen(rowErr) {
			return nil, unlessGone(rowErr)
		}
		// The source is read after the row, so a row that is ahead of it is one that no
		// version of the post has given.
		latest := func(ctx context.Context) (postItem, error) { return read[postItem](ctx, s.Posts.c, id, id) }
		source, err := upToDate(ctx, found.Version, latest, func(p postItem) int { return p.Version })
		switch {
		case misshapen(err): // replaying makes it a dead letter
			return nil, nil
		case err != nil:
			return nil, unlessGone(err)
		case !source.domain().Listed(): // replaying makes the tombstone, or sweeping took the row
			return nil, nil
		}
		summary := markdown.Summarize(source.domain())
		want := summaryItemOf(summary)
		if rowErr == nil && found.equal(want) {
			return &summary, nil
		}
		err = s.Feed.c.replace(ctx, typePost, id, stored.ETag, want)
		if !lostRace(err) || attempt == rewriteAttempts {
			return &summary, err
		}
	}
}

// misshapen tells an answer that cannot be decoded from a call that failed.
func misshapen(err error) bool {
	return err != nil && statusOf(err) == 0 && kindOf(err) == domain.Internal
}
