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

// Counters counts events across all instances, such as attempts to log in. The container is
// partitioned by /id, so that each counter is a partition of its own and none is hot. Counters
// expire by their time to live.
type Counters struct{ c *client.Container }

type counterItem struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Count int    `json:"count"`
	TTL   int    `json:"ttl"` // in seconds, since the last change
}

// counterID returns a digest of a counter's name. Names can have characters that ids cannot have, and
// can contain personal data.
func counterID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// Add adds n to a counter and returns the new value. Counters begin at 0 and expire if nothing is
// added for the time keep. A counter of a time window has the window in its name.
//
// Simultaneous additions are all counted. An addition whose answer is lost is repeated and may count
// twice. Preventing that would take an item for each addition, and a limit that is reached a little
// early does less harm than one that is reached too late.
func (c *Counters) Add(ctx context.Context, name string, n int, keep time.Duration) (int, error) {
	ctx, id := client.Writes("count").In(ctx), counterID(name)
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/count", int64(n))
	item, err := client.PatchReturning[counterItem](ctx, c.c, id, id, ops)
	if !client.Missing(err) {
		return item.Count, client.Translate(err)
	}
	err = c.c.Create(ctx, id, counterItem{ID: id, Type: schema.TypeCounter, Count: n, TTL: max(1, int(keep.Seconds()))})
	if client.StatusOf(err) == http.StatusConflict { // by another call, or by an earlier attempt of this one
		item, err = client.PatchReturning[counterItem](ctx, c.c, id, id, ops)
		return item.Count, client.Translate(err)
	}
	return n, client.Translate(err)
}

// Subtract subtracts n from a counter, to undo an earlier addition. It returns nil for a counter that has
// expired.
func (c *Counters) Subtract(ctx context.Context, name string, n int) error {
	id := counterID(name)
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/count", int64(-n))
	err := c.c.Patch(client.Writes("uncount").In(ctx), id, id, ops)
	if client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}
