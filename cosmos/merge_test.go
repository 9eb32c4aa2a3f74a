package cosmos

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

// newestLimit is how many posts Q6 answers with.
const newestLimit = domain.FeedLimit

// mergePage is how many posts the merge of Q6 takes from a range at a time. The article
// does not say what its SDK took; its 532 RU from some 50 ranges are about 37 a range.
const mergePage = 40

// mergeNewest is Q6 of V1 and V2: the newest posts of all partitions.
//
// The gateway serves no ORDER BY over several partitions, and the Go SDK has no merge
// of its own. So each range is asked for its newest posts, by the header with which
// other SDKs address one, and the client merges them. It takes a further page from a
// range only when it has used up the one before.
func mergeNewest[T any](ctx context.Context, c *client.Container, ranges int, form func(T) domain.Summary) ([]T, error) {
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
		if len(sources) == 0 || len(merged) == newestLimit {
			return merged, nil
		}
		next := slices.MinFunc(sources, func(a, b *source[T]) int {
			return domain.NewestFirst(form(a.rows[0]), form(b.rows[0]))
		})
		merged, next.rows = append(merged, next.rows[0]), next.rows[1:]
		if len(merged) == newestLimit {
			return merged, nil
		}
		if err := next.fill(ctx); err != nil {
			return nil, err
		}
	}
}

// source reads the newest posts of one range, page by page.
type source[T any] struct {
	header http.Header
	pages  *runtime.Pager[azcosmos.QueryItemsResponse]
	rows   []T
}

// newSource is for the range of that number. A container that has not split numbers its
// ranges from 0.
func newSource[T any](c *client.Container, number int) *source[T] {
	return &source[T]{
		header: http.Header{"X-Ms-Documentdb-Partitionkeyrangeid": {strconv.Itoa(number)}},
		pages: c.Client.NewQueryItemsPager(
			`SELECT TOP `+strconv.Itoa(newestLimit)+` * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC`,
			azcosmos.NewPartitionKey(), &azcosmos.QueryOptions{PageSizeHint: mergePage}),
	}
}

// fill makes sure that there are rows, if the range has any more.
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
