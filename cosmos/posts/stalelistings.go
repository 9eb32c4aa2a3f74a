package posts

import (
	"context"
	"fmt"
	"net/http"
	"time"

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

// MarkTold records when the followers of a new post were told of it, so that it is news no more. It keeps the version,
// since no copy shows this.
func (p *Posts) MarkTold(ctx context.Context, postID string, at time.Time) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where c.news")
	ops.AppendRemove("/news")
	ops.AppendSet("/newsDate", schema.Instant(at))
	err := p.c.Patch(client.WritesOnly("tell-followers", 0).In(ctx), postID, postID, ops)
	if client.ConditionFailed(err) || client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}
