package client

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// FinishErasure adds to what ops change of the marker.
func FinishErasure(ctx context.Context, c *Container, id string, ops azcosmos.PatchOperations) error {
	ops.SetCondition("from c where is_defined(c.deletionDate) and not is_defined(c.erased)")
	ops.AppendSet("/erased", true)
	ops.AppendSet("/ttl", int(domain.MarkerTime.Seconds()))
	err := c.Patch(ctx, id, id, ops)
	if status := StatusOf(err); status == http.StatusPreconditionFailed || status == http.StatusNotFound {
		return nil // another worker's, or its own earlier attempt
	}
	return err
}
