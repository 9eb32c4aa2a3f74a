package cosmos

import (
	"context"
	"slices"

	"inkfeed/domain"
)

// Feed is the container of the newest posts in short form. Its partition key is
// /type, always "post": one logical partition, which serves the front page
// whole and lets a post and those it displaces change in one transaction.
type Feed struct {
	c       *container
	posts   *Posts // the sources, among which the next in line are found
	sources *container
}

// newFeed returns the feed of a database.
func newFeed(db *Database, posts *Posts) *Feed {
	return &Feed{c: db.Container(feedContainer), posts: posts, sources: db.Container(postsContainer)}
}

// FrontPage is Q6: one page of the newest posts.
func (f *Feed) FrontPage(ctx context.Context, page int) (domain.Page[domain.Summary], error) {
	rows, err := query[summaryItem](operation(ctx, "Q6"), f.c, typePost,
		`SELECT * FROM c WHERE c.type = 'post'
		 ORDER BY c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.PostsPerPage, parameters{}))
	// Tombstones come after all posts, see feedTombstone: pages are as without them.
	rows = slices.DeleteFunc(rows, func(row summaryItem) bool { return row.DeletionDate != nil })
	return domain.Cut(summaries(rows), page, domain.PostsPerPage), translate(err)
}
