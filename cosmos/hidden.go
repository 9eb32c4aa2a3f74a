package cosmos

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// UnlistedOf is one page of a user's posts that stand in no list, the unlisted ones and then
// those that are hidden, in short form, newest first, from the user's own partition.
func (u *Personal) UnlistedOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error) {
	rows, err := query[summaryItem](operation(ctx, "unlisted-posts"), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type IN ('unlisted-post', 'hidden-post')
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.PostsPerPage, parameters{"user": userID}))
	return domain.Cut(summaries(rows), page, domain.PostsPerPage), translate(err)
}

// Statuses tells who finds these posts of a user, by the copies in the user's partition,
// which follow within moments: point reads in one request. A post that has no copy is
// not in the answer.
func (u *Personal) Statuses(ctx context.Context, userID string, postIDs []string) (map[string]domain.Status, error) {
	ctx = operation(ctx, "statuses")
	statuses := make(map[string]domain.Status, len(postIDs))
	for len(postIDs) > 0 {
		n := min(len(postIDs), maxBatch)
		identities := make([]azcosmos.ItemIdentity, n)
		for i, id := range postIDs[:n] {
			identities[i] = azcosmos.ItemIdentity{ID: id, PartitionKey: key(userID)}
		}
		postIDs = postIDs[n:]
		resp, err := returning(ctx, func() (azcosmos.ReadManyItemsResponse, error) {
			return u.c.client.ReadManyItems(ctx, identities, nil)
		})
		if err != nil {
			return nil, translate(err)
		}
		for _, body := range resp.Items {
			var item summaryItem
			if err := decode(body, &item); err != nil {
				return nil, translate(err)
			}
			if item.DeletionDate == nil {
				statuses[item.PostID] = statusOfCopy(item.Type)
			}
		}
	}
	return statuses, nil
}
