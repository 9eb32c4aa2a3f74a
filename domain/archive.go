package domain

import (
	"cmp"
	"slices"
	"time"
)

// ArchivePerPage is how many titles a page of an archive shows.
const ArchivePerPage = 100

// Archive is a page of what an author published in one year, in UTC.
type Archive struct {
	Year int // 0: the author has published nothing
	// Older and Newer are the nearest years with posts, 0: there is none.
	Older, Newer int
	Posts        Page[Summary] // newest first, without their text
}

// YearStart is when a year begins.
func YearStart(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }

// Years that posts may be of.
const (
	FirstYear = 1
	LastYear  = 9998 // the next has four digits, too
)

// MaxRelated is how many related posts are shown with a post.
const MaxRelated = 3

// candidates is how many Related picks: its neighbours may be two of them.
const candidates = MaxRelated + 2

// Related picks from others those that have most tags in common with the post of that
// id and tags, the newest first among equals: two more than are shown, see ExceptShown.
func Related(postID string, tags Tags, others []Summary) []Summary {
	keys := tags.Keys()
	common := func(s Summary) (n int) {
		for _, key := range s.Tags.Keys() {
			if slices.Contains(keys, key) {
				n++
			}
		}
		return n
	}
	seen := map[string]bool{postID: true}
	others = slices.DeleteFunc(slices.Clone(others), func(s Summary) bool {
		was := seen[s.PostID]
		seen[s.PostID] = true
		return was || common(s) == 0
	})
	slices.SortFunc(others, func(a, b Summary) int {
		return cmp.Or(cmp.Compare(common(b), common(a)), NewestFirst(a, b))
	})
	return others[:min(candidates, len(others))]
}

// ExceptShown are the related posts to show, without those that a page shows already; of
// these some may be nil.
func ExceptShown(related []Summary, shown ...*Summary) []Summary {
	rest := slices.DeleteFunc(slices.Clone(related), func(r Summary) bool {
		return slices.ContainsFunc(shown, func(s *Summary) bool { return s != nil && s.PostID == r.PostID })
	})
	return rest[:min(MaxRelated, len(rest))]
}
