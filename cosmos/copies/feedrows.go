package copies

import (
	"slices"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// FeedRow holds the properties of a row of the feed that planning needs. A row is a post or a tombstone.
type FeedRow struct {
	ID           string          `json:"id"`
	CreationDate schema.Instant  `json:"creationDate"`
	Version      int             `json:"version"`
	DeletionDate *schema.Instant `json:"deletionDate"`
	Withdrawn    bool            `json:"withdrawn"`
	Refill       bool            `json:"refill"`
	ETag         string          `json:"_etag"`
}

// mayReturn reports whether the row is the tombstone of a post that is listed again. By then the place that the
// post left is filled: see applyChunk.
func (r FeedRow) mayReturn(s domain.Summary) bool {
	return r.DeletionDate != nil && r.Withdrawn && s.Listed() && r.Version < s.Version
}

// leavesBy reports whether a change makes the post of a live row leave. A deletion is final, whatever version the
// row claims.
func (r FeedRow) leavesBy(s domain.Summary) bool {
	return !s.Deleted.IsZero() || !s.Listed() && r.Version < s.Version
}

// outdatedBy reports whether a change, after which the post is not listed, is newer than this tombstone. The
// tombstone of a deleted post is final.
func (r FeedRow) outdatedBy(s domain.Summary) bool {
	return r.Withdrawn && !s.Listed() && r.Version < s.Version
}

func (r FeedRow) place() domain.Summary {
	return domain.Summary{PostID: r.ID, Created: time.Time(r.CreationDate)}
}

// FeedRows are all rows of the feed.
type FeedRows []FeedRow

// Live returns the rows that are not tombstones.
func (rows FeedRows) Live() []FeedRow {
	var live []FeedRow
	for _, row := range rows {
		if row.DeletionDate == nil {
			live = append(live, row)
		}
	}
	return live
}

// left reports whether a post has left the feed within the life of a tombstone.
func (rows FeedRows) left() bool {
	return slices.ContainsFunc(rows, func(row FeedRow) bool { return row.DeletionDate != nil && row.ID != noPost })
}

// waiting returns the tombstones whose places are still to be filled.
func (rows FeedRows) waiting() []FeedRow {
	var waiting []FeedRow
	for _, row := range rows {
		if row.Refill {
			waiting = append(waiting, row)
		}
	}
	return waiting
}

// sameMembers reports whether two readings of the feed have the same posts and tombstones and the
// same version of the newest row. A reading that contains a row twice equals no other.
func (rows FeedRows) sameMembers(other FeedRows) bool {
	if len(rows) != len(other) {
		return false
	}
	if len(rows) == 0 {
		return true
	}
	isTombstone := make(map[string]bool, len(rows))
	for _, row := range rows {
		isTombstone[row.ID] = row.DeletionDate != nil
	}
	seen := make(map[string]bool, len(other))
	for _, row := range other {
		tombstone, ok := isTombstone[row.ID]
		if !ok || seen[row.ID] || tombstone != (row.DeletionDate != nil) {
			return false
		}
		seen[row.ID] = true
	}
	a, b := slices.MinFunc(rows, byPlace), slices.MinFunc(other, byPlace)
	return a.ID == b.ID && a.ETag == b.ETag
}

func byPlace(a, b FeedRow) int { return domain.NewestFirst(a.place(), b.place()) }
