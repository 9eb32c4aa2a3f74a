package copies

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// UnlistedOf returns one page of a user's posts that appear in no list, in short form, from the user's own
// partition. The unlisted posts come first, then the hidden ones, each with the newest first.
func (u *UserCopies) UnlistedOf(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Reads("unlisted-posts").In(ctx), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type IN ('unlisted-post', 'hidden-post')
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{"user": userID}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}

// HiddenOf returns one page of a user's hidden posts in short form, the newest first, from the user's own partition.
func (u *UserCopies) HiddenOf(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Reads("hidden-posts").In(ctx), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'hidden-post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{"user": userID}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}

// Trash returns one page of a user's posts in the trash in short form, those last moved there first, from the user's
// own partition.
func (u *UserCopies) Trash(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Reads("trashed-posts").In(ctx), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'trashed-post'
		 ORDER BY c.type DESC, c.savedDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{"user": userID}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}

// Statuses returns the statuses of these posts of a user. It reads the copies in the user's partition with point
// reads in one request. The copies follow their posts within moments. Posts without a copy are left out.
func (u *UserCopies) Statuses(ctx context.Context, userID string, postIDs []string) (map[string]domain.Status, error) {
	identities := make([]azcosmos.ItemIdentity, len(postIDs))
	for i, id := range postIDs {
		identities[i] = client.Identity(userID, id)
	}
	copies, err := client.ReadMany[PostCopy](client.Reads("statuses").In(ctx), u.c, identities)
	statuses := make(map[string]domain.Status, len(copies))
	for _, c := range copies {
		if c.DeletionDate == nil {
			statuses[c.PostID] = schema.StatusOfCopy(c.Type)
		}
	}
	return statuses, client.Translate(err)
}
