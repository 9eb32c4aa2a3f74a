package cosmos

import (
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
