package changefeed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

var keepingDeadLetters = client.Writes("deadletters")

// DeadLetters stores the changes that could not be projected. Its container is partitioned by
// /processor. There is one dead letter for each processor and item, however often the item fails.
type DeadLetters struct{ c *client.Container }

// NewDeadLetters returns the dead letters of a database.
func NewDeadLetters(db *client.Database) *DeadLetters {
	return &DeadLetters{c: db.Container(schema.DeadLettersContainer)}
}

type deadLetterItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Processor    string         `json:"processor"`
	MinInclusive string         `json:"minInclusive"`
	MaxExclusive string         `json:"maxExclusive"`
	PartitionKey string         `json:"partitionKey"`
	ItemID       string         `json:"itemId"`
	Error        string         `json:"error"`
	Attempts     int            `json:"attempts"`
	First        schema.Instant `json:"first"`
	Last         schema.Instant `json:"last"`
	ETag         string         `json:"_etag,omitempty"`
}

// deadLetterID returns the id of an item's dead letter. It is a digest, because the item's own id
// may be of maximum length, and may have characters that make an id hard to handle.
func deadLetterID(item feeds.ItemRef) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(item.PartitionKey), item.PartitionKey, item.ID))
	return hex.EncodeToString(sum[:16])
}

func deadLetterItemOf(l feeds.DeadLetter) deadLetterItem {
	return deadLetterItem{ID: deadLetterID(l.Item), Type: schema.TypeDeadLetter, Processor: l.Processor,
		MinInclusive: l.Range.MinInclusive, MaxExclusive: l.Range.MaxExclusive,
		PartitionKey: l.Item.PartitionKey, ItemID: l.Item.ID, Error: l.Error, Attempts: l.Attempts,
		First: schema.Instant(l.First), Last: schema.Instant(l.Last)}
}

func (i deadLetterItem) domain() feeds.DeadLetter {
	return feeds.DeadLetter{Processor: i.Processor,
		Range: feeds.Range{MinInclusive: i.MinInclusive, MaxExclusive: i.MaxExclusive},
		Item:  feeds.ItemRef{PartitionKey: i.PartitionKey, ID: i.ItemID},
		Error: i.Error, Attempts: i.Attempts, First: time.Time(i.First), Last: time.Time(i.Last)}
}

// Put stores a dead letter. If its item has one already, Put adds up the attempts and keeps the time
// of the first failure; it replaces everything else.
func (d *DeadLetters) Put(ctx context.Context, l feeds.DeadLetter) error {
	ctx = keepingDeadLetters.In(ctx)
	item := deadLetterItemOf(l)
	switch before, err := client.Read[deadLetterItem](ctx, d.c, item.Processor, item.ID); {
	case err == nil:
		item.First, item.Attempts = before.First, item.Attempts+before.Attempts
	case client.StatusOf(err) != http.StatusNotFound:
		return client.Translate(err)
	}
	return client.Translate(d.c.Upsert(ctx, item.Processor, item))
}

// List visits the dead letters of all processors, in no order.
func (d *DeadLetters) List(ctx context.Context, visit func(feeds.DeadLetter) error) error {
	return client.Translate(client.Scan(keepingDeadLetters.In(ctx), d.c,
		`SELECT * FROM c WHERE c.type = 'dead-letter'`, nil,
		func(item deadLetterItem) error { return visit(item.domain()) }))
}

// Count counts the dead letters of all processors, up to atMost.
func (d *DeadLetters) Count(ctx context.Context, atMost int) (n int, err error) {
	err = client.Scan(keepingDeadLetters.In(ctx), d.c, `SELECT c.type FROM c WHERE c.type = 'dead-letter'`, nil,
		func(struct{}) error {
			if n++; n >= atMost {
				return client.ErrStopScan
			}
			return nil
		})
	if errors.Is(err, client.ErrStopScan) {
		err = nil
	}
	return n, client.Translate(err)
}

// Delete deletes a dead letter. It returns nil if the dead letter is gone. It returns Conflict, and
// keeps the dead letter, if the item has failed again since the dead letter was read.
func (d *DeadLetters) Delete(ctx context.Context, l feeds.DeadLetter) error {
	ctx = keepingDeadLetters.In(ctx)
	id := deadLetterID(l.Item)
	present, err := client.Read[deadLetterItem](ctx, d.c, l.Processor, id)
	if err == nil && !time.Time(present.Last).Equal(domain.Timestamp(l.Last)) {
		return domain.NewError(domain.Conflict, "delete the dead letter of item {item}: the item has failed again",
			"item", l.Item.ID)
	}
	if err == nil {
		err = d.c.DeleteVersion(ctx, l.Processor, id, present.ETag)
	}
	if client.StatusOf(err) == http.StatusNotFound {
		return nil
	}
	return client.Translate(err)
}
