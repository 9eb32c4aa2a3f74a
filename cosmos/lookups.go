package cosmos

import (
	"context"

	"inkfeed/domain"
)

// PostsOf is Q3: one page of a user's posts in short form, newest first, from
// the user's own partition.
func (u *Users) PostsOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error) {
	rows, err := query[summaryItem](operation(ctx, "Q3"), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.PostsPerPage, parameters{"user": userID}))
	return domain.Cut(summaries(rows), page, domain.PostsPerPage), translate(err)
}
