package domain

// The number of rows on a page of each list.
const (
	PostsPerPage         = 20
	CommentsPerPage      = 50
	LikesPerPage         = 100
	ImagesPerPage        = 24
	NotificationsPerPage = 20
	SearchPerPage        = 10 // posts in search results
)

// FeedLimit is the number of posts, the newest, that the feed keeps.
const FeedLimit = 100

// Page is one page of a list.
type Page[T any] struct {
	Items  []T
	Number int  // begins with 1
	More   bool // whether there is a next page
}

// Cut returns the page of rows that were read with one row more than size. Reading one row more is the cheapest way
// to find out whether a next page exists.
func Cut[T any](rows []T, number, size int) Page[T] {
	if len(rows) > size {
		return Page[T]{Items: rows[:size], Number: number, More: true}
	}
	return Page[T]{Items: rows, Number: number}
}

// Pages returns the number of pages of the given size for total rows, at least one.
func Pages(total, size int) int { return max(1, (total+size-1)/size) }
