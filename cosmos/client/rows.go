package client

import (
	"context"
	"errors"
	"iter"
)

// Rows makes a sequence of what visiting gives, as something else. Its last may be an error.
func Rows[T, U any](visiting func(visit func(T) error) error, as func(T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		err := visiting(func(row T) error {
			if !yield(as(row), nil) {
				return errReadEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errReadEnough) {
			var none U
			yield(none, Translate(err))
		}
	}
}

// errReadEnough ends a query whose reader has enough.
var errReadEnough = errors.New("enough")

func Everywhere[T any](ctx context.Context, c *Container, text, userID string) func(func(T) error) error {
	return func(visit func(T) error) error {
		return Scan(Operation(ctx, "export"), c, text, Parameters{"user": userID}, visit)
	}
}

func Within[T any](ctx context.Context, c *Container, partition, text string, params Parameters) func(func(T) error) error {
	return func(visit func(T) error) error {
		return EachRow(Operation(ctx, "export"), c, Key(partition), text, params, visit)
	}
}

// ErrEnough ends a scan that has found as much as one step takes.
var ErrEnough = errors.New("enough for one step")

// PageOf adds the bounds of a page, with one row more than it shows.
func PageOf(page, size int, params Parameters) Parameters {
	params["offset"] = (page - 1) * size
	params["limit"] = size + 1
	return params
}

// ErrFound ends a scan that has found what it was for.
var ErrFound = errors.New("found")
