package posts

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain/embed"
)

// SetEmbeds stores what was fetched about the embeds of a revision of a post. The cards have that revision only if none
// is missing. It reports false, and changes nothing, if the post has another revision by now or was deleted.
func (p *Posts) SetEmbeds(ctx context.Context, postID string, revision int, cards embed.Cards) (stored bool,
	err error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.revision = %d", schema.IfLive, revision))
	ops.AppendSet("/embeds", cards)
	ops.AppendIncrement("/version", 1)
	err = p.c.Patch(client.Writes("set-embeds").In(ctx), postID, postID, ops)
	if client.ConditionFailed(err) || client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}
