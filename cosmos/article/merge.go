package article

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// NewestLimit is the number of posts that Q6 returns.
const NewestLimit = domain.FeedLimit

// mergePage is the number of posts that the merge of Q6 reads from a feed range at a time. The article does not name
// the page size of its SDK. Its 532 RU for about 50 feed ranges suggest about 37 posts each.
const mergePage = 40

// mergeNewest is Q6 of V1 and V2: it reads the newest posts of all partitions.
//
// The gateway serves no ORDER BY over several partitions, and the Go SDK does not merge results. So mergeNewest queries
// each feed range for its newest posts, using the header with which other SDKs address one, and merges the answers. It
// reads another page of a feed range only when the previous one is used up.
func mergeNewest[T any](ctx context.Context, c *client.Container, ranges int,
	form func(T) domain.Summary) ([]T, error) {
	var sources []*source[T]
	for i := range ranges {
		s := newSource[T](c, i)
		if err := s.fill(ctx); err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	var merged []T
	for {
		sources = slices.DeleteFunc(sources, func(s *source[T]) bool { return len(s.rows) == 0 })
		if len(sources) == 0 || len(merged) == NewestLimit {
			return merged, nil
		}
		next := slices.MinFunc(sources, func(a, b *source[T]) int {
			return domain.NewestFirst(form(a.rows[0]), form(b.rows[0]))
		})
		merged, next.rows = append(merged, next.rows[0]), next.rows[1:]
		if len(merged) == NewestLimit {
			return merged, nil
		}
		if err := next.fill(ctx); err != nil {
			return nil, err
		}
	}
}

// source reads the newest posts of one feed range, page by page.
type source[T any] struct {
	header http.Header
	pages  *runtime.Pager[azcosmos.QueryItemsResponse]
	rows   []T
}

// newSource returns the source for a feed range, given by its number. The feed ranges of a container that has not been
// split are numbered from 0.
func newSource[T any](c *client.Container, number int) *source[T] {
	return &source[T]{
		header: http.Header{"X-Ms-Documentdb-Partitionkeyrangeid": {strconv.Itoa(number)}},
		pages: c.Client.NewQueryItemsPager(
			`SELECT TOP `+strconv.Itoa(NewestLimit)+` * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC`,
			azcosmos.NewPartitionKey(), &azcosmos.QueryOptions{PageSizeHint: mergePage}),
	}
}

// fill reads the next page if the rows are used up and the feed range has more.
func (s *source[T]) fill(ctx context.Context) error {
	for len(s.rows) == 0 && s.pages.More() {
		page, err := s.pages.NextPage(policy.WithHTTPHeader(ctx, s.header))
		if err != nil {
			return err
		}
		for _, body := range page.Items {
			var row T
			if err := client.Decode(body, &row); err != nil {
				return err
			}
			s.rows = append(s.rows, row)
		}
	}
	return nil
}
