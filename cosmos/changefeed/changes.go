package changefeed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// ChangeFeed reads the change feed of one container, in latest-version mode,
// as domain values.
type ChangeFeed[T any] struct {
	c         *client.Container
	name      string
	partition func(Head) string
	decode    func(head Head, body []byte) (change T, relevant bool, err error)
	since     *time.Time // where the feed begins; nil: with the container's life
}

// newChangeFeed returns the change feed of a container under the operation name. The function partition
// tells the partition key of an item. The function decode reads an item as a change, or reports that it
// is irrelevant.
func New[T any](c *client.Container, name string, partition func(Head) string,
	decode func(head Head, body []byte) (change T, relevant bool, err error)) *ChangeFeed[T] {
	return &ChangeFeed[T]{c: c, name: name, partition: partition, decode: decode}
}

// Since is the feed as it goes on from a time, of which the service looks at the seconds. It
// says nothing of what was written before.
func (f *ChangeFeed[T]) Since(t time.Time) *ChangeFeed[T] {
	later := *f
	later.since = &t
	return &later
}

// changeHead is what is read of every item of a feed, whatever its shape.
type Head struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	PostID string `json:"postId"`
	UserID string `json:"userId"`
	Tag    string `json:"tag"`
	LSN    int64  `json:"_lsn"`
	TS     int64  `json:"_ts"`
}

// The partition keys of the containers whose feeds are read.
func ByPostID(h Head) string { return h.PostID }
func ByUserID(h Head) string { return h.UserID }
func ByType(h Head) string   { return h.Type }
func ByTag(h Head) string    { return h.Tag }

// Container asks for the resource id of the container. One that was dropped and
// made again under the same name has another, and no continuation of the former
// is good for it.
func (f *ChangeFeed[T]) Container(ctx context.Context) (string, error) {
	ctx = client.Operation(ctx, f.name)
	resp, err := client.Returning(ctx, func() (azcosmos.ContainerResponse, error) { return f.c.Client.Read(ctx, nil) })
	if err != nil {
		return "", client.Translate(err)
	}
	return resp.ContainerProperties.ResourceID, nil
}

// FeedRanges lists the ranges the feed can be read in, which change only when
// the service splits or merges partitions. The SDK keeps the list and asks for
// it again once a range that it names is gone (410): so whoever reads the feed
// of a range that was split sees the new ranges here from its next read on.
func (f *ChangeFeed[T]) FeedRanges(ctx context.Context) ([]domain.FeedRange, error) {
	ctx = client.Operation(ctx, f.name)
	ranges, err := client.Returning(ctx, func() ([]azcosmos.FeedRange, error) { return f.c.Client.ReadFeedRanges(ctx, nil) })
	if err != nil {
		return nil, client.Translate(err)
	}
	list := make([]domain.FeedRange, len(ranges))
	for i, r := range ranges {
		list[i] = domain.FeedRange(r)
	}
	return list, nil
}

// Read reads the page of at most limit items that follows a continuation, from
// the beginning of the container's life when it is empty. Items of one
// transaction come together, so a page can be longer than limit. An item that is
// not of its shape is a change with Err: it does not fail its page.
//
// Where partitions were merged, r is less than the service's range. The SDK then
// reads the whole of that, so the leases of both halves see the changes of both:
// each is projected twice, and none is missed.
func (f *ChangeFeed[T]) Read(ctx context.Context, r domain.FeedRange, continuation string, limit int) (domain.ChangePage[T], error) {
	options := &azcosmos.ChangeFeedOptions{MaxItemCount: int32(limit)}
	if continuation == "" {
		options.FeedRange = &azcosmos.FeedRange{MinInclusive: r.MinInclusive, MaxExclusive: r.MaxExclusive}
		options.StartFrom = f.since
	} else {
		options.Continuation = &continuation
	}
	ctx = client.Operation(ctx, f.name)
	resp, err := client.Returning(ctx, func() (azcosmos.ChangeFeedResponse, error) { return f.c.Client.ReadChangeFeed(ctx, options) })
	if err != nil {
		return domain.ChangePage[T]{}, client.Translate(err)
	}
	page := domain.ChangePage[T]{
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

// Item reads the present state of an item as a change. NotFound means that it is
// gone, or is nothing this feed shows.
func (f *ChangeFeed[T]) Item(ctx context.Context, item domain.ItemRef) (domain.Change[T], error) {
	ctx = client.Operation(ctx, f.name)
	if item.PartitionKey == "" {
		return f.search(ctx, item)
	}
	resp, err := client.Returning(ctx, func() (azcosmos.ItemResponse, error) {
		return f.c.Client.ReadItem(ctx, client.Key(item.PartitionKey), item.ID, nil)
	})
	if err != nil {
		return domain.Change[T]{}, client.Translate(err)
	}
	change, relevant := f.change(resp.Value)
	if !relevant {
		return domain.Change[T]{}, noChange(item)
	}
	return change, nil
}

func noChange(item domain.ItemRef) error {
	return domain.Errorf(domain.NotFound, "no change of item %s", item.ID)
}

// search is Item for one whose partition key is not known, since it is no text: a
// point read would not find it, and so say that it is gone.
func (f *ChangeFeed[T]) search(ctx context.Context, item domain.ItemRef) (found domain.Change[T], err error) {
	err = noChange(item)
	scanErr := client.Scan(ctx, f.c, `SELECT * FROM c WHERE c.id = @id`, client.Parameters{"id": item.ID}, func(body json.RawMessage) error {
		if change, relevant := f.change(body); relevant && change.Item == item {
			found, err = change, nil
		}
		return nil
	})
	return found, cmp.Or(client.Translate(scanErr), err)
}

func (f *ChangeFeed[T]) change(body []byte) (change domain.Change[T], relevant bool) {
	var head Head
	headErr := client.Decode(body, &head) // what it can decode it has, also with an error
	value, relevant, err := f.decode(head, body)
	if headErr != nil {
		err, relevant = headErr, relevant || head.Type == "" // it may be anything
	}
	change = domain.Change[T]{
		Item: domain.ItemRef{PartitionKey: f.partition(head), ID: head.ID},
		Body: body, LSN: head.LSN, Modified: time.Unix(head.TS, 0).UTC(),
	}
	if err != nil {
		change.Err = client.Translate(fmt.Errorf("item %q: %w", head.ID, err))
	} else {
		change.Value = value
	}
	return change, relevant
}
