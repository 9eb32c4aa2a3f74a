package copies

import (
	"context"
	"slices"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Feed is the container of the newest posts in short form. Its partition key is /type, which is always "post". The
// single logical partition serves the whole front page, and lets one transaction add a post and remove those that
// it displaces.
type Feed struct {
	c       *client.Container
	posts   *posts.Posts // the sources, which include the posts that are next in line
	sources *client.Container
}

// NewFeed returns the feed of a database.
func NewFeed(db *client.Database, posts *posts.Posts) *Feed {
	return &Feed{c: db.Container(schema.FeedContainer), posts: posts, sources: db.Container(schema.PostsContainer)}
}

// FrontPage is request Q6. It returns one page of the newest posts.
func (f *Feed) FrontPage(ctx context.Context, page int) (domain.ListPage[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Reads("Q6").In(ctx), f.c, schema.TypePost,
		`SELECT * FROM c WHERE c.type = 'post'
		 ORDER BY c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{}))
	// Tombstones follow all posts, see FeedTombstone, so they do not shift the pages.
	rows = slices.DeleteFunc(rows, func(row PostCopy) bool { return row.DeletionDate != nil })
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}
