package copies

import (
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
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
// post left is filled: see applySome.
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

// feedPlan is one transaction on the feed. Every row that it depends on is guarded by its ETag: see touch.
type feedPlan struct {
	create  []PostCopy
	replace []feedReplacement
	remove  []FeedRow
	// touch is the newest row. The transaction rewrites it unchanged if posts join or leave, or can no longer
	// join. If two such transactions were planned on the same state, the second one fails at this row. A feed
	// always has a row: see begin.
	touch *FeedRow
	// final reports that the transaction completes the changes. It is false if one transaction cannot hold all
	// removals, or if the feed must be refilled.
	final bool
	// belowAll is set if a post would join below all others of a feed that is not full. It holds all changed posts
	// below the others, including those for which there is no place at present.
	belowAll map[string]bool
	// joining are the ids of the posts that would join.
	joining []string
}

type feedReplacement struct {
	row FeedRow
	by  PostCopy
}

func (p feedPlan) size() int { return len(p.create) + len(p.replace) + len(p.remove) }

func (p feedPlan) empty() bool { return p.size() == 0 && p.touch == nil }

// noPost is the id of a tombstone without a post. It is the first row of a new feed. It also records that a feed
// that is not full must be refilled, after the deletion of a post that was not in the feed.
const noPost = "beginning"

// FeedTombstone returns the row that a deleted or withdrawn post leaves in the feed for a while. It has no date,
// so it follows all posts in the order of the front page and needs no filter there. If refill is set, it does not
// expire.
func FeedTombstone(s domain.Summary, refill bool) PostCopy {
	item := tombstoneOf(s)
	item.Type, item.CreationDate, item.Withdrawn = schema.TypePost, schema.Instant(time.Time{}), s.Deleted.IsZero()
	if refill {
		item.Refill, item.TTL = true, schema.Forever
	}
	return item
}

// planFeed plans the transaction that updates the feed with the changed posts and keeps the newest limit posts.
// rows is the current feed. Each post may occur once in changed.
func planFeed(rows FeedRows, changed []domain.Summary, limit int) feedPlan {
	var plan feedPlan
	present := make(map[string]FeedRow, len(rows))
	for _, row := range rows {
		present[row.ID] = row
	}
	leaving := make(map[string]bool)
	for _, s := range changed {
		row, ok := present[s.PostID]
		leaving[s.PostID] = ok && row.DeletionDate == nil && row.leavesBy(s)
	}
	var places []domain.Summary
	for _, row := range rows.Live() {
		if !leaving[row.ID] {
			places = append(places, row.place())
		}
	}
	for _, s := range changed {
		if row, ok := present[s.PostID]; s.Listed() && (!ok || row.mayReturn(s)) {
			places = append(places, s)
		}
	}
	slices.SortFunc(places, domain.NewestFirst)
	kept := make(map[string]bool, limit)
	for _, s := range places[:min(limit, len(places))] {
		kept[s.PostID] = true
	}

	guarded := make(map[string]bool)
	moved := false // posts join or leave
	refill := false
	vacant := false
	for _, s := range changed {
		row, ok := present[s.PostID]
		switch {
		case ok && row.DeletionDate != nil && row.outdatedBy(s):
			// The post was listed and withdrawn again before a worker applied the listed state. A worker that is about
			// to apply that state fails at this row.
			short := len(places) < limit // the post may have been the next in line
			plan.replace = append(plan.replace, feedReplacement{row, FeedTombstone(s, row.Refill || short)})
			guarded[row.ID], refill = true, refill || row.Refill || short
		case ok && row.DeletionDate != nil && !row.mayReturn(s): // deleted, or as new
		case leaving[s.PostID]:
			plan.replace = append(plan.replace, feedReplacement{row, FeedTombstone(s, true)})
			guarded[row.ID], moved, refill = true, true, true
		case !s.Listed() && ok: // an earlier state of the row
		case !s.Listed():
			// A post that was not in the feed leaves no tombstone. There may be a million of them, and each plan reads
			// all rows. A worker that is about to add the post fails at the touched row, and then reads the source.
			short := len(places) < limit
			moved = moved || short || domain.NewestFirst(s, places[limit-1]) < 0
			if short { // the post may have been the next in line
				vacant = true
			}
		case !kept[s.PostID]:
		case !ok:
			plan.create = append(plan.create, PostCopyOf(s))
			plan.joining, moved = append(plan.joining, s.PostID), true
		case row.DeletionDate != nil: // it returns
			plan.replace = append(plan.replace, feedReplacement{row, PostCopyOf(s)})
			plan.joining, moved = append(plan.joining, s.PostID), true
			guarded[row.ID] = true
		case row.Version < s.Version:
			plan.replace = append(plan.replace, feedReplacement{row, PostCopyOf(s)})
			guarded[row.ID] = true
		}
	}
	if vacant {
		mark := FeedTombstone(domain.Summary{PostID: noPost, Deleted: time.Now()}, true)
		if row, ok := present[noPost]; ok {
			plan.replace = append(plan.replace, feedReplacement{row, mark})
			guarded[row.ID] = true
		} else {
			plan.create = append(plan.create, mark)
		}
		refill = true
	}
	plan.final = !refill
	if len(rows.Live()) < limit {
		plan.belowAll = belowAll(rows.Live(), plan.joining, changed)
	}
	dropped := slices.DeleteFunc(places, func(s domain.Summary) bool {
		row, ok := present[s.PostID]
		return kept[s.PostID] || !ok || row.DeletionDate != nil
	})
	for _, s := range slices.Backward(dropped) { // the oldest first
		if plan.size() == client.MaxBatch-1 { // one operation is for the touched row
			plan.final = false
			break
		}
		plan.remove = append(plan.remove, present[s.PostID])
		guarded[s.PostID], moved = true, true
	}
	if moved && len(rows) > 0 {
		if newest := slices.MinFunc(rows, byPlace); !guarded[newest.ID] {
			plan.touch = &newest
		}
	}
	return plan
}

// belowAll returns the changed posts that are older than all rows, if one of them would join.
func belowAll(live []FeedRow, joining []string, changed []domain.Summary) map[string]bool {
	below := make(map[string]bool)
	for _, s := range changed {
		isBelow := !slices.ContainsFunc(live, func(row FeedRow) bool { return domain.NewestFirst(row.place(), s) >= 0 })
		if isBelow && s.Listed() {
			below[s.PostID] = true
		}
	}
	if !slices.ContainsFunc(joining, func(id string) bool { return below[id] }) {
		return nil
	}
	return below
}

func (p feedPlan) batch(c *client.Container) azcosmos.TransactionalBatch {
	batch := c.Batch(schema.TypePost)
	if p.touch != nil {
		var ops azcosmos.PatchOperations
		ops.AppendSet("/version", p.touch.Version)
		batch.PatchItem(p.touch.ID, ops, client.IfMatch(p.touch.ETag))
	}
	for _, row := range p.remove {
		batch.DeleteItem(row.ID, client.IfMatch(row.ETag))
	}
	for _, r := range p.replace {
		batch.ReplaceItem(r.row.ID, client.Encode(r.by), client.IfMatch(r.row.ETag))
	}
	for _, item := range p.create {
		batch.CreateItem(client.Encode(item), nil)
	}
	return batch
}
