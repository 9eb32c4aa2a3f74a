package cosmos

import (
	"context"
	"errors"
	"iter"
)

// rows makes a sequence of what visiting gives, as something else. Its last may be an error.
func rows[T, U any](visiting func(visit func(T) error) error, as func(T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		err := visiting(func(row T) error {
			if !yield(as(row), nil) {
				return errReadEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errReadEnough) {
			var none U
			yield(none, translate(err))
		}
	}
}

// errReadEnough ends a query whose reader has enough.
var errReadEnough = errors.New("enough")

func everywhere[T any](ctx context.Context, c *container, text, userID string) func(func(T) error) error {
	return func(visit func(T) error) error {
		return scan(operation(ctx, "export"), c, text, parameters{"user": userID}, visit)
	}
}

func within[T any](ctx context.Context, c *container, partition, text string, params parameters) func(func(T) error) error {
	return func(visit func(T) error) error {
		return eachRow(operation(ctx, "export"), c, key(partition), text, params, visit)
	}
}

// errEnough ends a scan that has found as much as one step takes.
var errEnough = errors.New("enough for one step")

// pageOf adds the bounds of a page, with one row more than it shows.
func pageOf(page, size int, params parameters) parameters {
	params["offset"] = (page - 1) * size
	params["limit"] = size + 1
	return params
}

// errFound ends a scan that has found what it was for.
var errFound = errors.New("found")
