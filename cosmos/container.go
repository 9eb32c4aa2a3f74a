package cosmos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// maxBatch is the most operations the service takes in a transactional batch.
const maxBatch = 100

// container wraps the SDK's client with the few calls the model needs. Errors
// are the SDK's own: exported methods translate them.
type container struct{ client *azcosmos.ContainerClient }

func key(value string) azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(value) }

// read is a point read: 1 RU for an item of 1 KB.
func read[T any](ctx context.Context, c *container, partition, id string) (T, error) {
	var item T
	resp, err := returning(ctx, func() (azcosmos.ItemResponse, error) {
		return c.client.ReadItem(ctx, key(partition), id, nil)
	})
	if err != nil {
		return item, err
	}
	return item, decode(resp.Value, &item)
}

func (c *container) create(ctx context.Context, partition string, item any) error {
	body := encode(item)
	return retry(ctx, func() error {
		_, err := c.client.CreateItem(ctx, key(partition), body, nil)
		return err
	})
}

func (c *container) upsert(ctx context.Context, partition string, item any) error {
	body := encode(item)
	return retry(ctx, func() error {
		_, err := c.client.UpsertItem(ctx, key(partition), body, nil)
		return err
	})
}

// replace is conditional on the item's etag.
func (c *container) replace(ctx context.Context, partition, id, etag string, item any) error {
	match, body := azcore.ETag(etag), encode(item)
	return retry(ctx, func() error {
		_, err := c.client.ReplaceItem(ctx, key(partition), id, body, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

// deleteVersion is conditional on the item's etag.
func (c *container) deleteVersion(ctx context.Context, partition, id, etag string) error {
	match := azcore.ETag(etag)
	return retry(ctx, func() error {
		_, err := c.client.DeleteItem(ctx, key(partition), id, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

func (c *container) delete(ctx context.Context, partition, id string) error {
	return retry(ctx, func() error {
		_, err := c.client.DeleteItem(ctx, key(partition), id, nil)
		return err
	})
}

func (c *container) patch(ctx context.Context, partition, id string, ops azcosmos.PatchOperations) error {
	return retry(ctx, func() error {
		_, err := c.client.PatchItem(ctx, key(partition), id, ops, nil)
		return err
	})
}

// patchVersion is conditional on the item's etag.
func (c *container) patchVersion(ctx context.Context, partition, id, etag string, ops azcosmos.PatchOperations) error {
	match := azcore.ETag(etag)
	return retry(ctx, func() error {
		_, err := c.client.PatchItem(ctx, key(partition), id, ops, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

// patchReturning is patch that answers with the item as it has become.
func patchReturning[T any](ctx context.Context, c *container, partition, id string, ops azcosmos.PatchOperations) (T, error) {
	var item T
	resp, err := returning(ctx, func() (azcosmos.ItemResponse, error) {
		return c.client.PatchItem(ctx, key(partition), id, ops,
			&azcosmos.ItemOptions{EnableContentResponseOnWrite: true})
	})
	if err != nil {
		return item, err
	}
	return item, decode(resp.Value, &item)
}

func (c *container) batch(partition string) azcosmos.TransactionalBatch {
	return c.client.NewTransactionalBatch(key(partition))
}

// execute commits a batch or reports the operation that failed (*batchError).
// With content, the results hold the items as they have become.
func (c *container) execute(ctx context.Context, b azcosmos.TransactionalBatch, content bool) ([]azcosmos.TransactionalBatchResult, error) {
	return returning(ctx, func() ([]azcosmos.TransactionalBatchResult, error) {
		return c.executeOnce(ctx, b, content)
	})
}

func (c *container) executeOnce(ctx context.Context, b azcosmos.TransactionalBatch, content bool) ([]azcosmos.TransactionalBatchResult, error) {
	resp, err := c.client.ExecuteTransactionalBatch(ctx, b,
		&azcosmos.TransactionalBatchOptions{EnableContentResponseOnWrite: content})
	if err != nil {
		return nil, err
	}
	if resp.Success {
		return resp.OperationResults, nil
	}
	for i, result := range resp.OperationResults {
		if result.StatusCode != http.StatusFailedDependency {
			return nil, &batchError{operation: i, status: int(result.StatusCode)}
		}
	}
	return nil, fmt.Errorf("transactional batch failed and does not say why")
}

type parameters map[string]any

// Page sizes. A query without one gets pages of 100 rows.
//
// A large page size does not make a query a snapshot: the service ends a page early after 4 MB or
// some seconds of work, and pages are read at different moments. A row that does not change during
// the query is read exactly once. A row that is written, added or deleted during the query may be
// read in any of its states, or not at all. A row may be missed or read twice if its sort key
// changes. Code that needs a consistent state has to ensure it itself: see Feed.rows.
const (
	dynamicPage = -1   // as many rows as the service can put into one answer
	scanPage    = 1000 // makes the fixed cost of a page negligible, and needs little memory
)

// query runs a query inside one logical partition and returns all its rows.
func query[T any](ctx context.Context, c *container, partition, text string, params parameters) ([]T, error) {
	rows, _, err := queryPages[T](ctx, c, partition, text, params)
	return rows, err
}

// queryPages is query that also returns how many pages the rows came in.
func queryPages[T any](ctx context.Context, c *container, partition, text string,
	params parameters) (rows []T, pages int, err error) {
	err = eachPage(ctx, c, key(partition), text, params, dynamicPage, func(page [][]byte) error {
		pages++
		return decodeRows(page, func(row T) error {
			rows = append(rows, row)
			return nil
		})
	})
	return rows, pages, err
}

// count runs a query in one logical partition that selects the value of COUNT. The gateway may
// answer with several partial counts, which count adds up.
func count(ctx context.Context, c *container, partition, text string, params parameters) (int, error) {
	counts, err := query[int](ctx, c, partition, text, params)
	total := 0
	for _, n := range counts {
		total += n
	}
	return total, err
}

// scan runs a query over all logical partitions. The gateway serves only
// filters and projections there.
func scan[T any](ctx context.Context, c *container, text string, params parameters, visit func(T) error) error {
	return eachRow(ctx, c, azcosmos.NewPartitionKey(), text, params, visit)
}

// eachRow visits the rows of a query page by page.
func eachRow[T any](ctx context.Context, c *container, pk azcosmos.PartitionKey, text string, params parameters, visit func(T) error) error {
	return eachPage(ctx, c, pk, text, params, scanPage, func(page [][]byte) error { return decodeRows(page, visit) })
}

func decodeRows[T any](page [][]byte, visit func(T) error) error {
	for _, body := range page {
		var row T
		if err := decode(body, &row); err != nil {
			return err
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// eachPage visits the pages of a query. Pages may be empty.
func eachPage(ctx context.Context, c *container, pk azcosmos.PartitionKey, text string, params parameters, size int32,
	visit func(page [][]byte) error) error {
	options := &azcosmos.QueryOptions{PageSizeHint: size}
	for name, value := range params {
		options.QueryParameters = append(options.QueryParameters,
			azcosmos.QueryParameter{Name: "@" + name, Value: value})
	}
	pager := c.client.NewQueryItemsPager(text, pk, options)
	for pager.More() {
		resp, err := returning(ctx, func() (azcosmos.QueryItemsResponse, error) { return pager.NextPage(ctx) })
		if err != nil {
			return err
		}
		if err := visit(resp.Items); err != nil {
			return err
		}
	}
	return nil
}

// encode cannot fail: item shapes hold nothing that JSON cannot.
func encode(item any) []byte {
	body, err := json.Marshal(item)
	if err != nil {
		panic("cosmos: " + err.Error())
	}
	return body
}

func decode(body []byte, item any) error {
	if err := json.Unmarshal(body, item); err != nil {
		return fmt.Errorf("an item is not of its shape: %w", err)
	}
	return nil
}

func ifMatch(etag string) *azcosmos.TransactionalBatchItemOptions {
	e := azcore.ETag(etag)
	return &azcosmos.TransactionalBatchItemOptions{IfMatchETag: &e}
}
