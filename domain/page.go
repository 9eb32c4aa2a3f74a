package domain

// How many rows a page of each list shows.
const (
	PostsPerPage    = 20
	CommentsPerPage = 50
	LikesPerPage    = 100
	ImagesPerPage   = 24
)

// FeedLimit is how many posts the feed keeps: the newest.
const FeedLimit = 100

// Page is one page of a list.
type Page[T any] struct {
	Items  []T
	Number int  // from 1
	More   bool // whether a next page has rows
}

// Cut makes a page of rows that were read with one row more than size, the
// cheapest way to learn whether a next page exists.
func Cut[T any](rows []T, number, size int) Page[T] {
	if len(rows) > size {
		return Page[T]{Items: rows[:size], Number: number, More: true}
	}
	return Page[T]{Items: rows, Number: number}
}

// Pages is how many pages of that size total rows fill, at least one.
func Pages(total, size int) int { return max(1, (total+size-1)/size) }
