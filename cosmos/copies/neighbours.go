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
	ctx = client.Reads("neighbours").In(ctx)
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

// newestRows is the number of posts that Newest returns at most.
const newestRows = 20

// Newest returns the newest posts with a tag, newest first, without their text. It runs one query in one partition.
func (t *Tags) Newest(ctx context.Context, key string) ([]domain.Summary, error) {
	rows, err := client.Query[PostCopy](client.Reads("related").In(ctx), t.c, key,
		`SELECT TOP @limit `+titleProperties+`, c.tags FROM c WHERE c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`,
		client.Parameters{"limit": newestRows})
	if err != nil {
		return nil, client.Translate(err)
	}
	return Summaries(rows), nil
}
