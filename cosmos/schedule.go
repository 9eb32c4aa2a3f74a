package cosmos

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Schedule stores the scheduled items of one kind: posts to publish, accounts to delete, accounts for which the users
// projector continues its work, posts whose embeds are fetched, or posts to delete from the trash. All items of a kind
// are in one logical partition of the container schedule, so that every instance finds those that are due with one
// query.
//
// An item only says when to look at its draft or user, which is authoritative. A draft says in its author's partition
// when it is to be published, and a user when the account is to be deleted. The writer of that time puts the item right
// after. The users projector, which sees the draft or user in the change feed, puts it too, in case the writer died. An
// item whose draft or user has another time by now is dropped when it is due.
//
// An account has at most one continuation. A later one replaces it.
type Schedule struct {
	c    *client.Container
	kind scheduleKind
}

// scheduleKind is a kind of scheduled items.
type scheduleKind struct {
	itemType  string // also the partition key value
	date      string // the property with the time
	operation client.Operation
}

var (
	scheduledPosts     = scheduleKind{schema.TypeScheduledPost, "publishDate", client.Writes("schedule")}
	scheduledDeletions = scheduleKind{schema.TypeScheduledDeletion, "leavingDate", client.Writes("departures")}
	continuations      = scheduleKind{schema.TypeContinuation, "continuationDate", client.Writes("continuations")}
	embeds             = scheduleKind{schema.TypeEmbedding, "continuationDate", client.Writes("embeds")}
	purges             = scheduleKind{schema.TypePurge, "continuationDate", client.Writes("purges")}
)

type scheduledItem struct {
	ID               string          `json:"id"`
	Type             string          `json:"type"`
	UserID           string          `json:"userId"`
	PostID           string          `json:"postId,omitempty"`
	PublishDate      *schema.Instant `json:"publishDate,omitempty"` // of a post
	LeavingDate      *schema.Instant `json:"leavingDate,omitempty"` // of a deletion
	ContinuationDate *schema.Instant `json:"continuationDate,omitempty"`
	Revision         int             `json:"revision,omitempty"` // of a post whose embeds are fetched
	Attempts         int             `json:"attempts,omitempty"`
	ETag             string          `json:"_etag,omitempty"`
}

func (i scheduledItem) domain() domain.ScheduledItem {
	return domain.ScheduledItem{UserID: i.UserID, PostID: i.PostID,
		At: cmp.Or(i.PublishDate, i.LeavingDate, i.ContinuationDate).Time(), ETag: i.ETag,
		Revision: i.Revision, Attempts: i.Attempts}
}

func (s *Schedule) id(i domain.ScheduledItem) string {
	switch s.kind {
	case scheduledDeletions:
		return schema.ScheduledDeletionID(i.UserID, i.At)
	case continuations:
		return i.UserID
	case embeds:
		return schema.EmbeddingID(i.PostID, i.Revision)
	}
	return schema.ScheduledPostID(i.UserID, i.PostID, i.At)
}

// Put stores an item. Storing the same item again changes only its etag, so that Done does not delete it.
func (s *Schedule) Put(ctx context.Context, i domain.ScheduledItem) error {
	return client.Translate(s.c.Upsert(s.kind.operation.In(ctx), s.kind.itemType, s.item(i)))
}

// PutNew stores an item. If it is stored already, only its etag changes, so that Done does not delete it.
func (s *Schedule) PutNew(ctx context.Context, i domain.ScheduledItem) error {
	err := s.c.Create(s.kind.operation.In(ctx), s.kind.itemType, s.item(i))
	if client.StatusOf(err) == http.StatusConflict {
		var ops azcosmos.PatchOperations
		ops.AppendSet("/userId", i.UserID)
		err = s.c.Patch(s.kind.operation.In(ctx), s.kind.itemType, s.id(i), ops)
		if client.Missing(err) { // it was deleted meanwhile
			return s.PutNew(ctx, i)
		}
	}
	return client.Translate(err)
}

// Postpone moves an item of embeds to another time and sets the number of its attempts. It returns the changed item, or
// false if the item has changed or is gone.
func (s *Schedule) Postpone(ctx context.Context, i domain.ScheduledItem, until time.Time, attempts int) (
	domain.ScheduledItem, bool, error) {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/continuationDate", schema.Instant(until))
	ops.AppendSet("/attempts", attempts)
	item, err := client.PatchVersionReturning[scheduledItem](s.kind.operation.In(ctx), s.c, s.kind.itemType, s.id(i),
		i.ETag, ops)
	if client.ConditionFailed(err) || client.Missing(err) {
		return i, false, nil
	}
	return item.domain(), err == nil, client.Translate(err)
}

func (s *Schedule) item(i domain.ScheduledItem) scheduledItem {
	at := schema.Instant(i.At)
	item := scheduledItem{ID: s.id(i), Type: s.kind.itemType, UserID: i.UserID, PostID: i.PostID,
		Revision: i.Revision, Attempts: i.Attempts}
	switch s.kind {
	case scheduledDeletions:
		item.LeavingDate = &at
	case continuations, embeds, purges:
		item.ContinuationDate = &at
	default:
		item.PublishDate = &at
	}
	return item
}

// Upcoming lists the items due before a time, the earliest first. It reads a page at a time, as the sequence is
// followed. It leaves out items that cannot be decoded or whose id does not match their content: Verify reports them.
func (s *Schedule) Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.ScheduledItem, error] {
	query := fmt.Sprintf("SELECT * FROM c WHERE c.type = '%s' AND c.%s < @before ORDER BY c.%[2]s ASC",
		s.kind.itemType, s.kind.date)
	return client.Rows(func(visit func(scheduledItem) error) error {
		return client.EachRow(s.kind.operation.In(ctx), s.c, client.Key(s.kind.itemType), query,
			client.Parameters{"before": schema.Instant(before)}, func(row json.RawMessage) error {
				var item scheduledItem
				if client.Decode(row, &item) != nil || item.ID != s.id(item.domain()) {
					return nil
				}
				return visit(item)
			})
	}, scheduledItem.domain)
}

// Done deletes an item, unless it was stored again since it was read. It returns nil for an item that is gone.
func (s *Schedule) Done(ctx context.Context, i domain.ScheduledItem) error {
	err := s.c.DeleteVersion(s.kind.operation.In(ctx), s.kind.itemType, s.id(i), i.ETag)
	if client.ConditionFailed(err) || client.Missing(err) {
		return nil
	}
	return client.Translate(err)
}
