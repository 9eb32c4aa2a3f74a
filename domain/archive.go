package domain

import (
	"cmp"
	"slices"
	"time"
)

// ArchivePerPage is the number of titles on a page of an archive.
const ArchivePerPage = 100

// Archive is a page of the posts that an author published in one year (UTC).
type Archive struct {
	Year int // 0 if the author has published nothing
	// Older and Newer are the nearest years with posts, or 0.
	Older, Newer int
	Posts        Page[Summary] // newest first, without their text
}

// YearStart returns the beginning of a year in UTC.
func YearStart(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }

// FirstYear and LastYear limit the years of posts.
const (
	FirstYear = 1
	LastYear  = 9998 // the year after it still has four digits
)

// MaxRelated is the number of related posts that a post's page shows.
const MaxRelated = 3

// candidates is the number of posts that Related returns: two more than are shown, because the page's links to the
// previous and next post may already show two of them.
const candidates = MaxRelated + 2

// Related returns the posts among others that have the most tags in common with a post, newest first among equals. It
// returns two more than a page shows: see ExceptShown.
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

// ExceptShown returns the related posts to show, without those that the page shows elsewhere. Elements of shown may
// be nil.
func ExceptShown(related []Summary, shown ...*Summary) []Summary {
	rest := slices.DeleteFunc(slices.Clone(related), func(r Summary) bool {
		return slices.ContainsFunc(shown, func(s *Summary) bool { return s != nil && s.PostID == r.PostID })
	})
	return rest[:min(MaxRelated, len(rest))]
}
