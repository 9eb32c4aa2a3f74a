package posts

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

// ClearStaleListings records that the projector has deleted the copies of a post from all lists that the given
// version does not belong to. If the post has another version by now, ClearStaleListings changes nothing: the post
// appears in the change feed again, with its remaining stale listings.
func (p *Posts) ClearStaleListings(ctx context.Context, postID string, version int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.version = %d", version))
	ops.AppendSet("/formerTags", schema.TagNames{})
	ops.AppendSet("/withdrawn", false)
	err := p.c.Patch(client.Writes("set-left").In(ctx), postID, postID, ops)
	if status := client.StatusOf(err); status == http.StatusPreconditionFailed || status == http.StatusNotFound {
		return nil
	}
	return client.Translate(err)
}
