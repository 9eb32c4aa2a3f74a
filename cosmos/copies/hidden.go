package copies

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// UnlistedOf is one page of a user's posts that stand in no list, the unlisted ones and then
// those that are hidden, in short form, newest first, from the user's own partition.
func (u *Personal) UnlistedOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Operation(ctx, "unlisted-posts"), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type IN ('unlisted-post', 'hidden-post')
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{"user": userID}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}

// Statuses tells who finds these posts of a user, by the copies in the user's partition,
// which follow within moments: point reads in one request. A post that has no copy is
// not in the answer.
func (u *Personal) Statuses(ctx context.Context, userID string, postIDs []string) (map[string]domain.Status, error) {
	ctx = client.Operation(ctx, "statuses")
	statuses := make(map[string]domain.Status, len(postIDs))
	for len(postIDs) > 0 {
		n := min(len(postIDs), client.MaxBatch)
		identities := make([]azcosmos.ItemIdentity, n)
		for i, id := range postIDs[:n] {
			identities[i] = azcosmos.ItemIdentity{ID: id, PartitionKey: client.Key(userID)}
		}
		postIDs = postIDs[n:]
		resp, err := client.Returning(ctx, func() (azcosmos.ReadManyItemsResponse, error) {
			return u.c.Client.ReadManyItems(ctx, identities, nil)
		})
		if err != nil {
			return nil, client.Translate(err)
		}
		for _, body := range resp.Items {
			var item PostCopy
			if err := client.Decode(body, &item); err != nil {
				return nil, client.Translate(err)
			}
			if item.DeletionDate == nil {
				statuses[item.PostID] = schema.StatusOfCopy(item.Type)
			}
		}
	}
	return statuses, nil
}
