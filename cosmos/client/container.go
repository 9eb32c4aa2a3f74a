package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// MaxBatch is the maximum number of operations in a transactional batch.
const MaxBatch = 100

// MaxBatchBytes is the maximum size of the items in one transactional batch, in bytes. The service limits requests to
// 2 MB, including the framing of the operations.
const MaxBatchBytes = 3 << 19

// FittingBodies returns how many of the first bodies fit into a transactional batch with these limits. It is at least
// one, since no item exceeds the limit.
func FittingBodies(bodies [][]byte, operations, bytes int) int {
	n := 0
	for n < min(operations, len(bodies)) {
		if bytes -= len(bodies[n]); bytes < 0 && n > 0 {
			break
		}
		n++
	}
	return n
}

// Container wraps the SDK's client of one container with the calls that the model needs. Its errors
// are those of the SDK: the exported methods of the stores translate them with [Translate].
type Container struct{ Client *azcosmos.ContainerClient }

// Key returns the partition key for a string, which the keys of all containers are.
func Key(value string) azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(value) }

// Read reads an item by its id. Such a point read costs 1 RU for an item of 1 KB.
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

// Create creates an item. It fails with 409 if the partition has an item with that id.
func (c *Container) Create(ctx context.Context, partition string, item any) error {
	body := Encode(item)
	return Retry(ctx, func() error {
		_, err := c.Client.CreateItem(ctx, Key(partition), body,
			&azcosmos.ItemOptions{PriorityLevel: priorityOf(ctx)})
		return err
	})
}

// Upsert creates or replaces an item.
func (c *Container) Upsert(ctx context.Context, partition string, item any) error {
	body := Encode(item)
	return Retry(ctx, func() error {
		_, err := c.Client.UpsertItem(ctx, Key(partition), body, nil)
		return err
	})
}

// Replace replaces an item. It fails with 412 if the item's etag differs.
func (c *Container) Replace(ctx context.Context, partition, id, etag string, item any) error {
	match, body := azcore.ETag(etag), Encode(item)
	return Retry(ctx, func() error {
		_, err := c.Client.ReplaceItem(ctx, Key(partition), id, body, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

// DeleteVersion deletes an item. It fails with 412 if the item's etag differs.
func (c *Container) DeleteVersion(ctx context.Context, partition, id, etag string) error {
	match := azcore.ETag(etag)
	return Retry(ctx, func() error {
		_, err := c.Client.DeleteItem(ctx, Key(partition), id, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

// Delete deletes an item in any version. It fails with 404 if the item is gone.
func (c *Container) Delete(ctx context.Context, partition, id string) error {
	return Retry(ctx, func() error {
		_, err := c.Client.DeleteItem(ctx, Key(partition), id,
			&azcosmos.ItemOptions{PriorityLevel: priorityOf(ctx)})
		return err
	})
}

// Patch changes properties of an item. It fails with 412 if the condition of ops does not hold.
func (c *Container) Patch(ctx context.Context, partition, id string, ops azcosmos.PatchOperations) error {
	return Retry(ctx, func() error {
		_, err := c.Client.PatchItem(ctx, Key(partition), id, ops, nil)
		return err
	})
}

// PatchVersion changes properties of an item. It fails with 412 if the item's etag differs.
func (c *Container) PatchVersion(ctx context.Context, partition, id, etag string, ops azcosmos.PatchOperations) error {
	match := azcore.ETag(etag)
	return Retry(ctx, func() error {
		_, err := c.Client.PatchItem(ctx, Key(partition), id, ops, &azcosmos.ItemOptions{IfMatchEtag: &match})
		return err
	})
}

// PatchReturning changes properties of an item as [Container.Patch] does, and returns the changed item.
func PatchReturning[T any](ctx context.Context, c *Container, partition, id string,
	ops azcosmos.PatchOperations) (T, error) {
	return patchReturning[T](ctx, c, partition, id, ops, nil)
}

// PatchVersionReturning changes properties of an item as [Container.PatchVersion] does, and returns the changed item.
func PatchVersionReturning[T any](ctx context.Context, c *Container, partition, id, etag string,
	ops azcosmos.PatchOperations) (T, error) {
	match := azcore.ETag(etag)
	return patchReturning[T](ctx, c, partition, id, ops, &match)
}

func patchReturning[T any](ctx context.Context, c *Container, partition, id string, ops azcosmos.PatchOperations,
	match *azcore.ETag) (T, error) {
	var item T
	resp, err := Returning(ctx, func() (azcosmos.ItemResponse, error) {
		return c.Client.PatchItem(ctx, Key(partition), id, ops,
			&azcosmos.ItemOptions{EnableContentResponseOnWrite: true, IfMatchEtag: match})
	})
	if err != nil {
		return item, err
	}
	return item, Decode(resp.Value, &item)
}

// Batch begins a transactional batch on one logical partition. See [Container.Execute].
func (c *Container) Batch(partition string) azcosmos.TransactionalBatch {
	return c.Client.NewTransactionalBatch(Key(partition))
}

// Execute commits a batch. If an operation fails, nothing is written, and [FailedAt] and
// [FailedBatch] recognise the error. With content, the results have the changed items.
func (c *Container) Execute(ctx context.Context, b azcosmos.TransactionalBatch,
	content bool) ([]azcosmos.TransactionalBatchResult, error) {
	return Returning(ctx, func() ([]azcosmos.TransactionalBatchResult, error) {
		return c.executeOnce(ctx, b, content)
	})
}

func (c *Container) executeOnce(ctx context.Context, b azcosmos.TransactionalBatch,
	content bool) ([]azcosmos.TransactionalBatchResult, error) {
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
			return nil, &batchError{operation: i, status: int(result.StatusCode),
				substatus: substatusOfOperation(resp.RawResponse, i)}
		}
	}
	return nil, fmt.Errorf("the transactional batch failed, but none of its operations did")
}

// Parameters are the values of a query's parameters, by their names without the @.
type Parameters map[string]any

// Page sizes of queries. The service's default is 100 rows.
//
// A large page size does not make a query a snapshot: the service ends a page early after 4 MB or
// some seconds of work, and pages are read at different moments. A row that does not change during
// the query is read exactly once. A row that is written, added or deleted during the query may be
// read in any of its states, or not at all. A row may be missed or read twice if its sort key
// changes. Code that needs a consistent state has to ensure it itself: see copies.Feed.
const (
	dynamicPage = -1   // as many rows as the service can put into one answer
	ScanPage    = 1000 // makes the fixed cost of a page negligible, and needs little memory
)

// Query runs a query inside one logical partition and returns all its rows.
func Query[T any](ctx context.Context, c *Container, partition, text string, params Parameters) ([]T, error) {
	rows, _, err := QueryPages[T](ctx, c, partition, text, params)
	return rows, err
}

// QueryPages runs a query as [Query] does, and also returns the number of pages.
func QueryPages[T any](ctx context.Context, c *Container, partition, text string,
	params Parameters) (rows []T, pages int, err error) {
	err = EachPage(ctx, c, Key(partition), text, params, dynamicPage, func(page [][]byte) error {
		pages++
		at := len(rows)
		rows = append(rows, make([]T, len(page))...)
		for i, body := range page {
			if err := Decode(body, &rows[at+i]); err != nil {
				return err
			}
		}
		return nil
	})
	return rows, pages, err
}

// Count runs a query in one logical partition that selects the value of COUNT. It adds up the
// partial counts in which the gateway may answer.
func Count(ctx context.Context, c *Container, partition, text string, params Parameters) (int, error) {
	counts, err := Query[int](ctx, c, partition, text, params)
	total := 0
	for _, n := range counts {
		total += n
	}
	return total, err
}

// Scan runs a query over all logical partitions and visits its rows. For such queries the gateway
// supports filters and projections only. If visit returns an error, Scan ends and returns it.
func Scan[T any](ctx context.Context, c *Container, text string, params Parameters, visit func(T) error) error {
	return EachRow(ctx, c, azcosmos.NewPartitionKey(), text, params, visit)
}

// EachRow runs a query and visits its rows. It reads a page at a time.
func EachRow[T any](ctx context.Context, c *Container, pk azcosmos.PartitionKey, text string, params Parameters,
	visit func(T) error) error {
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

// EachPage runs a query and visits its pages, which have at most size rows each. Pages may be empty.
func EachPage(ctx context.Context, c *Container, pk azcosmos.PartitionKey, text string, params Parameters, size int32,
	visit func(page [][]byte) error) error {
	options := &azcosmos.QueryOptions{PageSizeHint: size, PriorityLevel: priorityOf(ctx)}
	for name, value := range params {
		options.QueryParameters = append(options.QueryParameters,
			azcosmos.QueryParameter{Name: "@" + name, Value: value})
	}
	for {
		// Each attempt has a pager of its own, because a pager that has failed returns the same error
		// again without a request (azcore from v1.23.0).
		resp, err := Returning(ctx, func() (azcosmos.QueryItemsResponse, error) {
			return c.Client.NewQueryItemsPager(text, pk, options).NextPage(ctx)
		})
		if err != nil {
			return err
		}
		if err := visit(resp.Items); err != nil {
			return err
		}
		if options.ContinuationToken = resp.ContinuationToken; resp.ContinuationToken == nil {
			return nil
		}
	}
}

// Encode encodes an item as JSON. It cannot fail, because item types have only types that JSON has.
func Encode(item any) []byte {
	body, err := json.Marshal(item)
	if err != nil {
		panic("cosmos: " + err.Error())
	}
	return body
}

// Decode decodes an item into the struct that item points to.
func Decode(body []byte, item any) error {
	if err := json.Unmarshal(body, item); err != nil {
		return fmt.Errorf("decode an item as %T: %w", item, err)
	}
	return nil
}

// IfMatch makes an operation of a batch conditional on the item's etag.
func IfMatch(etag string) *azcosmos.TransactionalBatchItemOptions {
	e := azcore.ETag(etag)
	return &azcosmos.TransactionalBatchItemOptions{IfMatchETag: &e}
}
