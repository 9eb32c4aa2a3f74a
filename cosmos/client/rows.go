package client

import (
	"context"
	"errors"
	"iter"
)

// ErrStopScan ends a scan early when the function that visits the rows returns it. The scan returns
// it too.
var ErrStopScan = errors.New("cosmos: stop the scan")

// Rows returns the rows of a query as a sequence, each converted by convert. If the query fails,
// the last element of the sequence has the error.
func Rows[T, U any](query func(visit func(T) error) error, convert func(T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		err := query(func(row T) error {
			if !yield(convert(row), nil) {
				return ErrStopScan
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrStopScan) {
			var none U
			yield(none, Translate(err))
		}
	}
}

// Convert converts each row of a query that was read whole. It returns an empty slice, not nil, for no rows.
func Convert[T, U any](rows []T, convert func(T) U) []U {
	list := make([]U, len(rows))
	for i, row := range rows {
		list[i] = convert(row)
	}
	return list
}

// Everywhere returns a query of all logical partitions for an export, which can use the parameter
// @user. Pass the query to [Rows].
func Everywhere[T any](ctx context.Context, c *Container, text, userID string) func(func(T) error) error {
	return func(visit func(T) error) error {
		return Scan(exporting.In(ctx), c, text, Parameters{"user": userID}, visit)
	}
}

// Within returns a query of one logical partition for an export. Pass the query to [Rows].
func Within[T any](ctx context.Context, c *Container, partition, text string,
	params Parameters) func(func(T) error) error {
	return func(visit func(T) error) error {
		return EachRow(exporting.In(ctx), c, Key(partition), text, params, visit)
	}
}

// PageOf adds the parameters offset and limit of a page to params and returns params. The limit is
// one row more than the page shows, so that the query tells whether there is a next page. Pages
// count from 1.
func PageOf(page, size int, params Parameters) Parameters {
	params["offset"] = (page - 1) * size
	params["limit"] = size + 1
	return params
}
