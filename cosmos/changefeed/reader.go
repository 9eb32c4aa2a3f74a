package changefeed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// Reader reads the change feed of one container, in latest-version mode, as domain values.
type Reader[T any] struct {
	c         *client.Container
	operation client.Operation
	partition func(Head) string
	decode    func(head Head, body []byte) (change T, relevant bool, err error)
	since     *time.Time // where the feed begins; nil means with the first item
}

// New returns a reader of a container's change feed. The function partition returns the partition key of an item. The
// function decode reads an item as a change, or reports that it is irrelevant.
func New[T any](c *client.Container, operation client.Operation, partition func(Head) string,
	decode func(head Head, body []byte) (change T, relevant bool, err error)) *Reader[T] {
	return &Reader[T]{c: c, operation: operation, partition: partition, decode: decode}
}

// Since returns a reader of the changes from a time on. The service ignores fractions of seconds.
func (f *Reader[T]) Since(t time.Time) *Reader[T] {
	later := *f
	later.since = &t
	return &later
}

// Head has the properties that a reader decodes of every item, whatever its type.
type Head struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	PostID string `json:"postId"`
	UserID string `json:"userId"`
	Tag    string `json:"tag"`
	LSN    int64  `json:"_lsn"`
	TS     int64  `json:"_ts"`
}

// ByPostID returns the partition key of an item of posts.
func ByPostID(h Head) string { return h.PostID }

// ByUserID returns the partition key of an item of users.
func ByUserID(h Head) string { return h.UserID }

// ByType returns the partition key of an item of feed.
func ByType(h Head) string { return h.Type }

// ByTag returns the partition key of an item of tags.
func ByTag(h Head) string { return h.Tag }

// Container reads the resource id of the container. A container that was deleted and created again
// under the same name has another resource id, and continuations of the former one are not valid.
func (f *Reader[T]) Container(ctx context.Context) (string, error) {
	ctx = f.operation.In(ctx)
	resp, err := client.Returning(ctx, func() (azcosmos.ContainerResponse, error) {
		return f.c.Client.Read(ctx, nil)
	})
	if err != nil {
		return "", client.Translate(err)
	}
	return resp.ContainerProperties.ResourceID, nil
}

// FeedRanges lists the feed ranges of the container. They change only when the service splits or
// merges partitions. The SDK caches the list, and reads it again after the service has answered 410
// for one of its ranges. So after a read of a range that was split, FeedRanges returns the new ones.
func (f *Reader[T]) FeedRanges(ctx context.Context) ([]feeds.Range, error) {
	ctx = f.operation.In(ctx)
	ranges, err := client.Returning(ctx, func() ([]azcosmos.FeedRange, error) {
		return f.c.Client.ReadFeedRanges(ctx, nil)
	})
	if err != nil {
		return nil, client.Translate(err)
	}
	list := make([]feeds.Range, len(ranges))
	for i, r := range ranges {
		list[i] = feeds.Range(r)
	}
	return list, nil
}

// Read reads the page of about limit items that follows a continuation. An empty continuation is
// the beginning of the feed. Items of one transaction are on one page, so a page can be longer than
// limit. An item that cannot be decoded is a change with Err and does not fail its page.
//
// After a merge of partitions, r may be a part of the service's range. The SDK then reads the whole
// range, so the owners of both leases read the changes of both parts. Each change is projected
// twice, and none is missed.
func (f *Reader[T]) Read(ctx context.Context, r feeds.Range, continuation string,
	limit int) (feeds.Batch[T], error) {
	options := &azcosmos.ChangeFeedOptions{MaxItemCount: int32(limit)}
	if continuation == "" {
		options.FeedRange = &azcosmos.FeedRange{MinInclusive: r.MinInclusive, MaxExclusive: r.MaxExclusive}
		options.StartFrom = f.since
	} else {
		options.Continuation = &continuation
	}
	ctx = f.operation.In(ctx)
	resp, err := client.Returning(ctx, func() (azcosmos.ChangeFeedResponse, error) {
		return f.c.Client.ReadChangeFeed(ctx, options)
	})
	if err != nil {
		return feeds.Batch[T]{}, client.Translate(err)
	}
	if resp.RawResponse.StatusCode == http.StatusOK && !advances(continuation, resp.ContinuationToken) {
		return feeds.Batch[T]{}, errNoProgress
	}
	page := feeds.Batch[T]{
		Continuation: resp.ContinuationToken,
		Drained:      resp.RawResponse.StatusCode == http.StatusNotModified,
		LSN:          client.SessionLSN(resp.RawResponse.Header.Get(client.SessionHeader)),
	}
	for _, body := range resp.Items {
		change, relevant := f.change(body)
		page.Last = max(page.Last, change.LSN)
		if relevant {
			page.Changes = append(page.Changes, change)
		}
	}
	return page, nil
}

// errNoProgress reports a page that has no position, or the position of the page before it. Its reader would read it
// again and again.
var errNoProgress = &domain.Error{Kind: domain.Unavailable,
	Err: errors.New("the storage answered a read of a change feed without a new position")}

// Item reads the current state of an item as a change. It returns NotFound if the item is gone or
// irrelevant for this feed.
func (f *Reader[T]) Item(ctx context.Context, item feeds.ItemRef) (feeds.Change[T], error) {
	ctx = f.operation.In(ctx)
	if item.PartitionKey == "" {
		return f.search(ctx, item)
	}
	resp, err := client.Returning(ctx, func() (azcosmos.ItemResponse, error) {
		return f.c.Client.ReadItem(ctx, client.Key(item.PartitionKey), item.ID, nil)
	})
	if err != nil {
		return feeds.Change[T]{}, client.Translate(err)
	}
	change, relevant := f.change(resp.Value)
	if !relevant {
		return feeds.Change[T]{}, errNoChange(item)
	}
	return change, nil
}

func errNoChange(item feeds.ItemRef) error {
	return domain.NewError(domain.NotFound, "read item {item} as a change: it is gone or irrelevant", "item", item.ID)
}

// search finds an item whose partition key is unknown because it is not a string. A point read would
// wrongly report such an item as gone.
func (f *Reader[T]) search(ctx context.Context, item feeds.ItemRef) (found feeds.Change[T], err error) {
	err = errNoChange(item)
	scanErr := client.Scan(ctx, f.c, `SELECT * FROM c WHERE c.id = @id`, client.Parameters{"id": item.ID},
		func(body json.RawMessage) error {
			if change, relevant := f.change(body); relevant && change.Item == item {
				found, err = change, nil
			}
			return nil
		})
	return found, cmp.Or(client.Translate(scanErr), err)
}

func (f *Reader[T]) change(body []byte) (change feeds.Change[T], relevant bool) {
	var head Head
	headErr := client.Decode(body, &head) // sets what can be decoded, also if it fails
	value, relevant, err := f.decode(head, body)
	if headErr != nil {
		err, relevant = headErr, relevant || head.Type == "" // an unknown type may be relevant
	}
	change = feeds.Change[T]{
		Item: feeds.ItemRef{PartitionKey: f.partition(head), ID: head.ID},
		LSN:  head.LSN, Modified: time.Unix(head.TS, 0).UTC(),
	}
	if err != nil {
		change.Err = client.Translate(fmt.Errorf("item %q: %w", head.ID, err))
	} else {
		change.Value = value
	}
	return change, relevant
}
