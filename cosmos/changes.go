package cosmos

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// ChangeFeed reads the change feed of one container, in latest-version mode,
// as domain values.
type ChangeFeed[T any] struct {
	c      *container
	name   string
	decode func(body []byte) (change T, relevant bool, err error)
}

// Changes is the change feed of posts, comments and likes.
func (p *Posts) Changes() *ChangeFeed[domain.PostChange] {
	return &ChangeFeed[domain.PostChange]{p.c, "changes-posts", decodePostChange}
}

// Changes is the change feed of users. The container's other items are left
// out.
func (u *Users) Changes() *ChangeFeed[domain.UserChange] {
	return &ChangeFeed[domain.UserChange]{u.c, "changes-users", decodeUserChange}
}

// FeedRanges lists the ranges the feed can be read in, which change only when
// the service splits or merges partitions.
func (f *ChangeFeed[T]) FeedRanges(ctx context.Context) ([]domain.FeedRange, error) {
	ctx = operation(ctx, f.name)
	ranges, err := returning(ctx, func() ([]azcosmos.FeedRange, error) { return f.c.client.ReadFeedRanges(ctx, nil) })
	if err != nil {
		return nil, translate(err)
	}
	list := make([]domain.FeedRange, len(ranges))
	for i, r := range ranges {
		list[i] = domain.FeedRange(r)
	}
	return list, nil
}

// Read reads the page of at most limit items that follows a continuation, from
// the beginning of the container's life when it is empty. Items of one
// transaction come together, so a page can be longer than limit.
func (f *ChangeFeed[T]) Read(ctx context.Context, r domain.FeedRange, continuation string, limit int) (domain.ChangePage[T], error) {
	options := &azcosmos.ChangeFeedOptions{MaxItemCount: int32(limit)}
	if continuation == "" {
		options.FeedRange = &azcosmos.FeedRange{MinInclusive: r.MinInclusive, MaxExclusive: r.MaxExclusive}
	} else {
		options.Continuation = &continuation
	}
	ctx = operation(ctx, f.name)
	resp, err := returning(ctx, func() (azcosmos.ChangeFeedResponse, error) { return f.c.client.ReadChangeFeed(ctx, options) })
	if err != nil {
		return domain.ChangePage[T]{}, translate(err)
	}
	page := domain.ChangePage[T]{
		Continuation: resp.ContinuationToken,
		Drained:      resp.RawResponse.StatusCode == http.StatusNotModified,
	}
	for _, body := range resp.Items {
		change, relevant, err := f.decode(body)
		if err != nil {
			return domain.ChangePage[T]{}, translate(err)
		}
		if relevant {
			page.Changes = append(page.Changes, domain.Change[T]{Value: change, Body: body})
		}
	}
	return page, nil
}

func decodePostChange(body []byte) (change domain.PostChange, relevant bool, err error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := decode(body, &head); err != nil {
		return change, false, err
	}
	switch head.Type {
	case typePost:
		var item postItem
		err = decode(body, &item)
		post := item.domain()
		change.Post = &post
	case typeComment:
		var item commentItem
		err = decode(body, &item)
		comment := item.domain()
		change.Comment = &comment
	case typeLike:
		var item likeItem
		err = decode(body, &item)
		like := item.domain()
		change.Like = &like
	default:
		return change, false, nil
	}
	return change, err == nil, err
}

func decodeUserChange(body []byte) (change domain.UserChange, relevant bool, err error) {
	var item userItem
	if err := decode(body, &item); err != nil || item.Type != typeUser {
		return change, false, err
	}
	return domain.UserChange{User: item.domain()}, true, nil
}
