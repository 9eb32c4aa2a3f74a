package posts

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
)

// PlaceComments gives a place to comments of earlier releases, which listed comments by date. It runs before the
// index of places is created. If it is interrupted, the missing index makes the next process that opens the
// database start it again. A rebuild places comments that an earlier release adds later, during an upgrade.
// PlaceComments skips comments that cannot be read.
func PlaceComments(ctx context.Context, c *client.Container) error {
	for {
		byPost := make(map[string][]CommentItem)
		found := 0
		err := client.Scan(ctx, c,
			`SELECT c.id, c.postId, c.creationDate, c.parentId, c.parentDate FROM c
			 WHERE c.type = 'comment' AND NOT IS_DEFINED(c.place)`, nil,
			func(row json.RawMessage) error {
				var item CommentItem
				if client.Decode(row, &item) != nil {
					return nil
				}
				if found == stepLimit {
					return client.ErrStopScan
				}
				found++
				byPost[item.PostID] = append(byPost[item.PostID], item)
				return nil
			})
		if err != nil && !errors.Is(err, client.ErrStopScan) {
			return err
		}
		for postID, items := range byPost {
			for some := range slices.Chunk(items, client.MaxBatch) {
				if err := writePlaces(ctx, c, postID, some); err != nil {
					return err
				}
			}
		}
		if err == nil {
			return nil
		}
	}
}

func writePlaces(ctx context.Context, c *client.Container, postID string, items []CommentItem) error {
	batch := c.Batch(postID)
	for _, item := range items {
		var ops azcosmos.PatchOperations
		ops.AppendSet("/place", item.Domain().Place())
		batch.PatchItem(item.ID, ops, nil)
	}
	_, err := c.Execute(ctx, batch, false)
	if !client.FailedBatch(err, http.StatusNotFound) {
		return err
	}
	if len(items) == 1 {
		return nil // deleted meanwhile
	}
	for i := range items {
		if err := writePlaces(ctx, c, postID, items[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}
