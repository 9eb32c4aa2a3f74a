package copies

import (
	"context"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Neighbours returns the posts that the author published directly before and after a post, without their text. A
// missing neighbour is nil. It runs two queries in the author's partition.
func (u *UserCopies) Neighbours(ctx context.Context, post domain.Post) (previous, next *domain.Summary, err error) {
	ctx = client.Operation(ctx, "neighbours")
	group, ctx := errgroup.WithContext(ctx)
	find := func(found **domain.Summary, first string) {
		group.Go(func() error {
			rows, err := client.Query[PostCopy](ctx, u.c, post.AuthorID,
				`SELECT TOP 1 `+titleProperties+` FROM c WHERE c.type = 'post' AND `+first,
				client.Parameters{"date": schema.Instant(post.Created), "id": post.ID})
			if err == nil && len(rows) > 0 {
				summary := rows[0].Domain()
				*found = &summary
			}
			return err
		})
	}
	// The index is searched by the first comparison.
	find(&previous, `c.creationDate <= @date AND (c.creationDate < @date OR c.id < @id)
		ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`)
	find(&next, `c.creationDate >= @date AND (c.creationDate > @date OR c.id > @id)
		ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`)
	if err := group.Wait(); err != nil {
		return nil, nil, client.Translate(err)
	}
	return previous, next, nil
}

// Related reads at most relatedRows posts of each tag, and at most relatedTags tags.
const (
	relatedRows = 20
	relatedTags = 3
)

// Related returns posts that share tags with a post, without their text. Posts that share the most tags come
// first. It searches the newest posts of the first tag and, until there are enough, of further tags. Usually that
// is one query in one partition. The result may have a few more posts than a page shows.
func (t *Tags) Related(ctx context.Context, post domain.Post) ([]domain.Summary, error) {
	ctx = client.Operation(ctx, "related")
	var found, related []domain.Summary
	keys := post.Tags.Keys()
	for _, key := range keys[:min(len(keys), relatedTags)] {
		rows, err := client.Query[PostCopy](ctx, t.c, key,
			`SELECT TOP @limit `+titleProperties+`, c.tags FROM c WHERE c.type = 'post'
			 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`,
			client.Parameters{"limit": relatedRows})
		if err != nil {
			return nil, client.Translate(err)
		}
		found = append(found, Summaries(rows)...)
		if related = domain.Related(post.ID, post.Tags, found); len(related) >= domain.MaxRelated {
			break
		}
	}
	return related, nil
}
