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
	Posts        ListPage[Summary] // newest first, without their text
}

// YearStart returns the beginning of a year in a time zone.
func YearStart(year int, zone *time.Location) time.Time {
	return time.Date(year, 1, 1, 0, 0, 0, 0, zone)
}

// YearOf returns the year that pages show for a time in a zone.
func YearOf(t time.Time, zone *time.Location) int {
	if IsDate(t) {
		return t.UTC().Year()
	}
	return t.In(zone).Year()
}

// IsDate reports whether a time is a date without a time of day: midnight in UTC, as in imported posts. Pages show no
// time of day then, and the same date in all zones.
func IsDate(t time.Time) bool { return t.Equal(t.UTC().Truncate(24 * time.Hour)) }

// FromLocal returns the time at which clocks in a zone show what the clock of t shows. If a change of clocks skips that
// time of day, FromLocal returns a time after the change, where package time may return one before it.
func FromLocal(t time.Time, zone *time.Location) time.Time {
	in := func(zone *time.Location) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	}
	local := in(zone)
	if local.Hour() == t.Hour() && local.Minute() == t.Minute() {
		return local
	}
	_, seconds := local.AddDate(0, 0, -1).Zone() // before the change
	return in(time.UTC).Add(-time.Duration(seconds) * time.Second).In(zone)
}

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

// relatedTags is the number of a post's tags among whose posts Related searches.
const relatedTags = 3

// Related returns the posts that have the most tags in common with a post, newest first among equals. It searches the
// posts that newest returns for the first tag and, until there are enough, for further tags. It returns two more than
// a page shows: see ExceptShown.
func Related(post Post, newest func(tagKey string) ([]Summary, error)) ([]Summary, error) {
	type candidate struct {
		*Summary
		common int // number of tags in common
	}
	var found []candidate
	keys, seen := post.Tags.Keys(), map[string]bool{post.ID: true}
	for _, key := range keys[:min(len(keys), relatedTags)] {
		list, err := newest(key)
		if err != nil {
			return nil, err
		}
		for i := range list {
			s := &list[i]
			if seen[s.PostID] {
				continue
			}
			seen[s.PostID] = true
			common := 0
			for _, key := range s.Tags.Keys() {
				if slices.Contains(keys, key) {
					common++
				}
			}
			if common > 0 {
				found = append(found, candidate{s, common})
			}
		}
		if len(found) >= MaxRelated {
			break
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.common, a.common), NewestFirst(*a.Summary, *b.Summary))
	})
	related := make([]Summary, min(candidates, len(found)))
	for i := range related {
		related[i] = *found[i].Summary
	}
	return related, nil
}

// ExceptShown returns the related posts to show, without those that the page shows elsewhere. Elements of shown may
// be nil.
func ExceptShown(related []Summary, shown ...*Summary) []Summary {
	rest := slices.DeleteFunc(slices.Clone(related), func(r Summary) bool {
		return slices.ContainsFunc(shown, func(s *Summary) bool { return s != nil && s.PostID == r.PostID })
	})
	return rest[:min(MaxRelated, len(rest))]
}
