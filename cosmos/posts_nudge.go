package cosmos

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// nudge lets a post come by the change feed once more. It reports false when the
// post is not listed, or deleted.
func (p *Posts) nudge(ctx context.Context, postID string) (listed bool, err error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifListed)
	ops.AppendIncrement("/version", 1)
	err = p.c.patch(ctx, postID, postID, ops)
	switch statusOf(err) {
	case http.StatusPreconditionFailed, http.StatusNotFound:
		return false, nil
	}
	return err == nil, err
}
