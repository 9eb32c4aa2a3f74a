package client

import (
	"context"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// Identity returns the identity of an item, for [ReadMany].
func Identity(partition, id string) azcosmos.ItemIdentity {
	return azcosmos.ItemIdentity{ID: id, PartitionKey: Key(partition)}
}

// ReadMany reads several items with one request for each MaxBatch of them. It leaves out those that do not exist.
func ReadMany[T any](ctx context.Context, c *Container, identities []azcosmos.ItemIdentity) ([]T, error) {
	var items []T
	for some := range slices.Chunk(identities, MaxBatch) {
		resp, err := Returning(ctx, func() (azcosmos.ReadManyItemsResponse, error) {
			return c.Client.ReadManyItems(ctx, some, nil)
		})
		if err != nil {
			return nil, err
		}
		for _, body := range resp.Items {
			var item T
			if err := Decode(body, &item); err != nil {
				return nil, err
			}
			items = append(items, item)
		}
	}
	return items, nil
}
