package posts

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

// Touch makes a post appear in the change feed once more. listed is false if the post is deleted or not listed.
func (p *Posts) Touch(ctx context.Context, postID string) (listed bool, err error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfListed)
	ops.AppendIncrement("/version", 1)
	err = p.c.Patch(ctx, postID, postID, ops)
	switch client.StatusOf(err) {
	case http.StatusPreconditionFailed, http.StatusNotFound:
		return false, nil
	}
	return err == nil, err
}
