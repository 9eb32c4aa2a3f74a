package cosmos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

// Counters are what several instances count together, such as attempts to log in. The
// container is partitioned by /id, so that each counter is a partition of its own and none
// is hot; each goes by itself, by its time to live.
type Counters struct{ c *client.Container }

type counterItem struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Count int    `json:"count"`
	TTL   int    `json:"ttl"` // in seconds, since the last change
}

// counterID is a digest: names may have characters that an id cannot have, and are of
// people.
func counterID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// Add adds to a counter, which begins at none, and returns how much it is then. One that
// is not added to for so long is forgotten: a counter of a window of time has that in its
// name.
//
// Everybody's additions are counted exactly. One whose answer is lost is made again, and may
// then count twice: to know it from others would take an item for each, and a limit that is
// met a little early harms less than one that is met too late.
func (c *Counters) Add(ctx context.Context, name string, n int, keep time.Duration) (int, error) {
	ctx, id := client.Operation(ctx, "count"), counterID(name)
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/count", int64(n))
	item, err := client.PatchReturning[counterItem](ctx, c.c, id, id, ops)
	if !client.Missing(err) {
		return item.Count, client.Translate(err)
	}
	err = c.c.Create(ctx, id, counterItem{ID: id, Type: schema.TypeCounter, Count: n, TTL: max(1, int(keep.Seconds()))})
	if client.StatusOf(err) == http.StatusConflict { // another was first, or this call's own earlier attempt
		item, err = client.PatchReturning[counterItem](ctx, c.c, id, id, ops)
		return item.Count, client.Translate(err)
	}
	return n, client.Translate(err)
}

// Take takes from a counter what was added in vain. One that is forgotten stays so.
func (c *Counters) Take(ctx context.Context, name string, n int) error {
	id := counterID(name)
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/count", int64(-n))
	err := c.c.Patch(client.Operation(ctx, "uncount"), id, id, ops)
	if client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}
