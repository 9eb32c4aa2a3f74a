package client

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// FinishErasure ends the erasure of a deleted user or post: it marks the item as erased and lets it
// expire after domain.MarkerTime. The changes in ops are made in the same write. It returns nil if
// the item is erased already or gone.
func FinishErasure(ctx context.Context, c *Container, id string, ops azcosmos.PatchOperations) error {
	ops.AppendSet("/erased", true)
	ops.AppendSet("/ttl", int(domain.MarkerTime.Seconds()))
	return PatchErasing(ctx, c, id, ops)
}

// PatchErasing changes a deleted user or post whose erasure is under way. It returns nil if the item is erased already
// or gone.
func PatchErasing(ctx context.Context, c *Container, id string, ops azcosmos.PatchOperations) error {
	ops.SetCondition("from c where is_defined(c.deletionDate) and not is_defined(c.erased)")
	err := c.Patch(ctx, id, id, ops)
	if status := StatusOf(err); status == http.StatusPreconditionFailed || status == http.StatusNotFound {
		return nil // done by another worker, or by an earlier attempt of this call
	}
	return err
}
