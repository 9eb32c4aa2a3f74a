package cosmos

import (
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// feedRow is what planning needs to know of a row of the feed: a post, or the
// tombstone of one.
type feedRow struct {
	ID           string   `json:"id"`
	CreationDate instant  `json:"creationDate"`
	Version      int      `json:"version"`
	DeletionDate *instant `json:"deletionDate"`
	Refill       bool     `json:"refill"`
	ETag         string   `json:"_etag"`
}

func (r feedRow) place() domain.Summary {
	return domain.Summary{PostID: r.ID, Created: time.Time(r.CreationDate)}
}

// feedRows is the feed as it is.
type feedRows []feedRow

// live leaves out the tombstones.
func (rows feedRows) live() []feedRow {
	var live []feedRow
	for _, row := range rows {
		if row.DeletionDate == nil {
			live = append(live, row)
		}
	}
	return live
}

// waiting are the tombstones whose places are still to be filled.
func (rows feedRows) waiting() []feedRow {
	var waiting []feedRow
	for _, row := range rows {
		if row.Refill {
			waiting = append(waiting, row)
		}
	}
	return waiting
}

func byPlace(a, b feedRow) int { return domain.NewestFirst(a.place(), b.place()) }

// feedPlan is one transaction on the feed. Every row it rests on is guarded by
// its etag; see touch.
type feedPlan struct {
	create  []summaryItem
	replace []feedReplacement
	remove  []feedRow
	// touch is the newest row, rewritten as it is when posts join or leave, or can
	// join no more. Any two such transactions that were planned on the same state
	// meet at this row, and the second one fails. There is
	// always a row, of a post or a tombstone: see begin.
	touch *feedRow
	// final says that the transaction is all there is to do. It is not when there was
	// more to remove than one transaction holds, nor when the feed has to be refilled.
	final bool
	// belowAll is set when a post would join below all others of a feed that is not
	// full. It holds all changed posts that are below, also those that find no place
	// as long as others take it.
	belowAll map[string]bool
}

type feedReplacement struct {
	row feedRow
	by  summaryItem
}

func (p feedPlan) size() int { return len(p.create) + len(p.replace) + len(p.remove) }

func (p feedPlan) empty() bool { return p.size() == 0 && p.touch == nil }

// noPost is the id of a tombstone of no post. A feed that has no row begins with it,
// and it says that a feed which is not full is to be refilled when a post that it did
// not hold is deleted.
const noPost = "beginning"

// feedTombstone is what remains of a deleted post in the feed, for a while. It has
// no date, so that it comes after all posts in the order of the front page and costs
// no filter there. While it is to be refilled, it does not expire.
func feedTombstone(s domain.Summary, refill bool) summaryItem {
	item := summaryItemOf(s)
	item.Type, item.CreationDate = typePost, instant(time.Time{})
	if refill {
		item.Refill, item.TTL = true, forever
	}
	return item
}

// planFeed decides what brings rows, the feed as it is, up to date with the
// changed posts, keeping the newest limit posts.
func planFeed(rows feedRows, changed []domain.Summary, limit int) feedPlan {
	var plan feedPlan
	present := make(map[string]feedRow, len(rows))
	for _, row := range rows {
		present[row.ID] = row
	}
	gone := make(map[string]bool)
	for _, s := range changed {
		gone[s.PostID] = gone[s.PostID] || !s.Deleted.IsZero()
	}
	var places []domain.Summary
	for _, row := range rows.live() {
		if !gone[row.ID] {
			places = append(places, row.place())
		}
	}
	for _, s := range changed {
		if _, ok := present[s.PostID]; !ok && !gone[s.PostID] {
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
	var vacant *domain.Summary
	for _, s := range changed {
		row, ok := present[s.PostID]
		switch {
		case ok && row.DeletionDate != nil: // for good
		case gone[s.PostID] && s.Deleted.IsZero(): // an earlier state of it
		case gone[s.PostID] && ok:
			plan.replace = append(plan.replace, feedReplacement{row, feedTombstone(s, true)})
			guarded[row.ID], moved, refill = true, true, true
		case gone[s.PostID]:
			// It leaves nothing here, for there may be a million, and whoever plans reads
			// all that is here. Whoever is about to add it fails at the touched row and
			// then asks its source.
			short := len(places) < limit
			moved = moved || short || domain.NewestFirst(s, places[limit-1]) < 0
			if short { // it may have been the next in line
				vacant = &s
			}
		case !kept[s.PostID]:
		case !ok:
			plan.create = append(plan.create, summaryItemOf(s))
			moved = true
		case row.Version < s.Version:
			plan.replace = append(plan.replace, feedReplacement{row, summaryItemOf(s)})
			guarded[row.ID] = true
		}
	}
	if vacant != nil {
		mark := feedTombstone(domain.Summary{PostID: noPost, Deleted: vacant.Deleted}, true)
		if row, ok := present[noPost]; ok {
			plan.replace = append(plan.replace, feedReplacement{row, mark})
			guarded[row.ID] = true
		} else {
			plan.create = append(plan.create, mark)
		}
		refill = true
	}
	plan.final = !refill
	if len(rows.live()) < limit {
		plan.belowAll = belowAll(rows.live(), plan.create, changed)
	}
	dropped := slices.DeleteFunc(places, func(s domain.Summary) bool { _, ok := present[s.PostID]; return kept[s.PostID] || !ok })
	for _, s := range slices.Backward(dropped) { // the oldest first
		if plan.size() == maxBatch-1 { // one for the row that is touched
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

// belowAll finds which changed posts are older than all rows, if one of them is to join.
func belowAll(live []feedRow, create []summaryItem, changed []domain.Summary) map[string]bool {
	below := make(map[string]bool)
	for _, s := range changed {
		isBelow := !slices.ContainsFunc(live, func(row feedRow) bool { return domain.NewestFirst(row.place(), s) >= 0 })
		if isBelow && s.Deleted.IsZero() {
			below[s.PostID] = true
		}
	}
	joins := func(item summaryItem) bool { return item.DeletionDate == nil && below[item.ID] }
	if !slices.ContainsFunc(create, joins) {
		return nil
	}
	return below
}

// joining are the ids of the posts that would join.
func (p feedPlan) joining() (ids []string) {
	for _, item := range p.create {
		if item.DeletionDate == nil {
			ids = append(ids, item.ID)
		}
	}
	return ids
}

func (p feedPlan) batch(c *container) azcosmos.TransactionalBatch {
	batch := c.batch(typePost)
	if p.touch != nil {
		var ops azcosmos.PatchOperations
		ops.AppendSet("/version", p.touch.Version)
		batch.PatchItem(p.touch.ID, ops, ifMatch(p.touch.ETag))
	}
	for _, row := range p.remove {
		batch.DeleteItem(row.ID, ifMatch(row.ETag))
	}
	for _, r := range p.replace {
		batch.ReplaceItem(r.row.ID, encode(r.by), ifMatch(r.row.ETag))
	}
	for _, item := range p.create {
		batch.CreateItem(encode(item), nil)
	}
	return batch
}
