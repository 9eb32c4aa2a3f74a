package copies

import (
	"context"
	"slices"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Feed is the container of the newest posts in short form. Its partition key is
// /type, always "post": one logical partition, which serves the front page
// whole and lets a post and those it displaces change in one transaction.
type Feed struct {
	c       *client.Container
	posts   *posts.Posts // the sources, among which the next in line are found
	sources *client.Container
}

// NewFeed returns the feed of a database.
func NewFeed(db *client.Database, posts *posts.Posts) *Feed {
	return &Feed{c: db.Container(schema.FeedContainer), posts: posts, sources: db.Container(schema.PostsContainer)}
}

// FrontPage is Q6: one page of the newest posts.
func (f *Feed) FrontPage(ctx context.Context, page int) (domain.Page[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Operation(ctx, "Q6"), f.c, schema.TypePost,
		`SELECT * FROM c WHERE c.type = 'post'
		 ORDER BY c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{}))
	// Tombstones come after all posts, see feedTombstone: pages are as without them.
	rows = slices.DeleteFunc(rows, func(row PostCopy) bool { return row.DeletionDate != nil })
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}
