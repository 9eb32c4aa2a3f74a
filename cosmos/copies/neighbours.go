package copies

import (
	"context"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Neighbours are the posts that a post's author published before it and after it, nil
// where there is none: two queries in the author's partition. They have no text.
func (u *Personal) Neighbours(ctx context.Context, post domain.Post) (previous, next *domain.Summary, err error) {
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
	// The first comparison is what an index is searched by.
	find(&previous, `c.creationDate <= @date AND (c.creationDate < @date OR c.id < @id)
		ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`)
	find(&next, `c.creationDate >= @date AND (c.creationDate > @date OR c.id > @id)
		ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`)
	if err := group.Wait(); err != nil {
		return nil, nil, client.Translate(err)
	}
	return previous, next, nil
}

// How many of the newest posts of a tag Related looks at, and of how many tags.
const (
	relatedRows = 20
	relatedTags = 3
)

// Related are posts that have tags in common with one, those that have most first, from
// among the newest of its first tag and, while these are not enough, of further ones:
// mostly one query, in one partition each. They may be a few more than are shown, and have
// no text.
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
