package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// MaxBatch is the most operations the service takes in a transactional batch.
const MaxBatch = 100

// Container wraps the SDK's client with the few calls the model needs. Errors
// are the SDK's own: exported methods translate them.
type Container struct{ Client *azcosmos.ContainerClient }

func Key(value string) azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(value) }

// Read is a point read: 1 RU for an item of 1 KB.
func Read[T any](ctx context.Context, c *Container, partition, id string) (T, error) {
	var item T
	resp, err := Returning(ctx, func() (azcosmos.ItemResponse, error) {
		return c.Client.ReadItem(ctx, Key(partition), id, nil)
	})
	if err != nil {
		return item, err
	}
	return item, Decode(resp.Value, &item)
}

func (c *Container) Create(ctx context.Context, partition string, item any) error {
	body := Encode(item)
	return Retry(ctx, func() error {
		_, err := c.Client.CreateItem(ctx, Key(partition), body, nil)
		return err
	})
}

func (c *Container) Upsert(ctx context.Context, partition string, item any) error {
	body := Encode(item)
	return Retry(ctx, func() error {
		_, err := c.Client.UpsertItem(ctx, Key(partition), body, nil)
		return err
	})
}

// Replace is conditional on the item's etag.
func (c *Container) Replace(ctx context.Context, partition, id, etag string, item any) error {
	match, body := azcore.ETag(etag), Encode(item)
	return Retry(ctx, func() error {
		_, err := c.Client.ReplaceItem(ctx, Key(partition), id, body, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

// DeleteVersion is conditional on the item's etag.
func (c *Container) DeleteVersion(ctx context.Context, partition, id, etag string) error {
	match := azcore.ETag(etag)
	return Retry(ctx, func() error {
		_, err := c.Client.DeleteItem(ctx, Key(partition), id, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

func (c *Container) Delete(ctx context.Context, partition, id string) error {
	return Retry(ctx, func() error {
		_, err := c.Client.DeleteItem(ctx, Key(partition), id, nil)
		return err
	})
}

func (c *Container) Patch(ctx context.Context, partition, id string, ops azcosmos.PatchOperations) error {
	return Retry(ctx, func() error {
		_, err := c.Client.PatchItem(ctx, Key(partition), id, ops, nil)
		return err
	})
}

// PatchVersion is conditional on the item's etag.
func (c *Container) PatchVersion(ctx context.Context, partition, id, etag string, ops azcosmos.PatchOperations) error {
	match := azcore.ETag(etag)
	return Retry(ctx, func() error {
		_, err := c.Client.PatchItem(ctx, Key(partition), id, ops, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

// PatchReturning is patch that answers with the item as it has become.
func PatchReturning[T any](ctx context.Context, c *Container, partition, id string, ops azcosmos.PatchOperations) (T, error) {
	var item T
	resp, err := Returning(ctx, func() (azcosmos.ItemResponse, error) {
		return c.Client.PatchItem(ctx, Key(partition), id, ops,
			&azcosmos.ItemOptions{EnableContentResponseOnWrite: true})
	})
	if err != nil {
		return item, err
	}
	return item, Decode(resp.Value, &item)
}

func (c *Container) Batch(partition string) azcosmos.TransactionalBatch {
	return c.Client.NewTransactionalBatch(Key(partition))
}

// Execute commits a batch or reports the operation that failed (*batchError).
// With content, the results hold the items as they have become.
func (c *Container) Execute(ctx context.Context, b azcosmos.TransactionalBatch, content bool) ([]azcosmos.TransactionalBatchResult, error) {
	return Returning(ctx, func() ([]azcosmos.TransactionalBatchResult, error) {
		return c.executeOnce(ctx, b, content)
	})
}

func (c *Container) executeOnce(ctx context.Context, b azcosmos.TransactionalBatch, content bool) ([]azcosmos.TransactionalBatchResult, error) {
	resp, err := c.Client.ExecuteTransactionalBatch(ctx, b,
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

type Parameters map[string]any

// Page sizes. A query without one gets pages of 100 rows.
//
// A large page size does not make a query a snapshot: the service ends a page early after 4 MB or
// some seconds of work, and pages are read at different moments. A row that does not change during
// the query is read exactly once. A row that is written, added or deleted during the query may be
// read in any of its states, or not at all. A row may be missed or read twice if its sort key
// changes. Code that needs a consistent state has to ensure it itself: see Feed.rows.
const (
	dynamicPage = -1   // as many rows as the service can put into one answer
	ScanPage    = 1000 // makes the fixed cost of a page negligible, and needs little memory
)

// Query runs a query inside one logical partition and returns all its rows.
func Query[T any](ctx context.Context, c *Container, partition, text string, params Parameters) ([]T, error) {
	rows, _, err := QueryPages[T](ctx, c, partition, text, params)
	return rows, err
}

// QueryPages is query that also returns how many pages the rows came in.
func QueryPages[T any](ctx context.Context, c *Container, partition, text string,
	params Parameters) (rows []T, pages int, err error) {
	err = EachPage(ctx, c, Key(partition), text, params, dynamicPage, func(page [][]byte) error {
		pages++
		return decodeRows(page, func(row T) error {
			rows = append(rows, row)
			return nil
		})
	})
	return rows, pages, err
}

// Count runs a query in one logical partition that selects the value of COUNT. The gateway may
// answer with several partial counts, which count adds up.
func Count(ctx context.Context, c *Container, partition, text string, params Parameters) (int, error) {
	counts, err := Query[int](ctx, c, partition, text, params)
	total := 0
	for _, n := range counts {
		total += n
	}
	return total, err
}

// Scan runs a query over all logical partitions. The gateway serves only
// filters and projections there.
func Scan[T any](ctx context.Context, c *Container, text string, params Parameters, visit func(T) error) error {
	return EachRow(ctx, c, azcosmos.NewPartitionKey(), text, params, visit)
}

// EachRow visits the rows of a query page by page.
func EachRow[T any](ctx context.Context, c *Container, pk azcosmos.PartitionKey, text string, params Parameters, visit func(T) error) error {
	return EachPage(ctx, c, pk, text, params, ScanPage, func(page [][]byte) error { return decodeRows(page, visit) })
}

func decodeRows[T any](page [][]byte, visit func(T) error) error {
	for _, body := range page {
		var row T
		if err := Decode(body, &row); err != nil {
			return err
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// EachPage visits the pages of a query. Pages may be empty.
func EachPage(ctx context.Context, c *Container, pk azcosmos.PartitionKey, text string, params Parameters, size int32,
	visit func(page [][]byte) error) error {
	options := &azcosmos.QueryOptions{PageSizeHint: size}
	for name, value := range params {
		options.QueryParameters = append(options.QueryParameters,
			azcosmos.QueryParameter{Name: "@" + name, Value: value})
	}
	pager := c.Client.NewQueryItemsPager(text, pk, options)
	for pager.More() {
		resp, err := Returning(ctx, func() (azcosmos.QueryItemsResponse, error) { return pager.NextPage(ctx) })
		if err != nil {
			return err
		}
		if err := visit(resp.Items); err != nil {
			return err
		}
	}
	return nil
}

// Encode cannot fail: item shapes hold nothing that JSON cannot.
func Encode(item any) []byte {
	body, err := json.Marshal(item)
	if err != nil {
		panic("cosmos: " + err.Error())
	}
	return body
}

func Decode(body []byte, item any) error {
	if err := json.Unmarshal(body, item); err != nil {
		return fmt.Errorf("an item is not of its shape: %w", err)
	}
	return nil
}

func IfMatch(etag string) *azcosmos.TransactionalBatchItemOptions {
	e := azcore.ETag(etag)
	return &azcosmos.TransactionalBatchItemOptions{IfMatchETag: &e}
}
