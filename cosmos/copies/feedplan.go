package copies

import (
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

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

// feedPlanner makes a feedPlan.
type feedPlanner struct {
	feedPlan
	rows    FeedRows
	limit   int
	present map[string]FeedRow // the rows by post
	leaving map[string]bool    // the posts whose live rows leave
	places  []domain.Summary   // the posts that have or want a place, the newest first; some may be beyond the limit
	staying map[string]bool    // the posts within the limit
	guarded map[string]bool    // the rows that the transaction replaces or removes
	moved   bool               // posts join or leave
	refill  bool               // a place becomes free
	vacant  bool               // a place becomes free, and no row of the feed records that yet
}

// planFeed plans the transaction that updates the feed with the changed posts and keeps the newest limit posts.
// rows is the current feed. Each post may occur once in changed.
func planFeed(rows FeedRows, changed []domain.Summary, limit int) feedPlan {
	p := feedPlanner{rows: rows, limit: limit, present: make(map[string]FeedRow, len(rows)),
		leaving: make(map[string]bool), staying: make(map[string]bool, limit), guarded: make(map[string]bool)}
	p.assignPlaces(changed)
	for _, s := range changed {
		p.change(s)
	}
	if p.vacant {
		p.recordVacancy()
	}
	p.final = !p.refill
	if len(rows.Live()) < limit {
		p.belowAll = belowAll(rows.Live(), p.joining, changed)
	}
	p.removeBeyondLimit()
	if p.moved && len(rows) > 0 {
		if newest := slices.MinFunc(rows, byPlace); !p.guarded[newest.ID] {
			p.touch = &newest
		}
	}
	return p.feedPlan
}

// assignPlaces decides which posts stay in the feed or may join it.
func (p *feedPlanner) assignPlaces(changed []domain.Summary) {
	for _, row := range p.rows {
		p.present[row.ID] = row
	}
	for _, s := range changed {
		row, ok := p.present[s.PostID]
		p.leaving[s.PostID] = ok && row.DeletionDate == nil && row.leavesBy(s)
	}
	for _, row := range p.rows.Live() {
		if !p.leaving[row.ID] {
			p.places = append(p.places, row.place())
		}
	}
	for _, s := range changed {
		if row, ok := p.present[s.PostID]; s.Listed() && (!ok || row.mayReturn(s)) {
			p.places = append(p.places, s)
		}
	}
	slices.SortFunc(p.places, domain.NewestFirst)
	for _, s := range p.places[:min(p.limit, len(p.places))] {
		p.staying[s.PostID] = true
	}
}

// change plans what a changed post needs.
func (p *feedPlanner) change(s domain.Summary) {
	short := len(p.places) < p.limit // a post that leaves may have been the next in line
	row, ok := p.present[s.PostID]
	switch {
	case ok && row.DeletionDate != nil && row.outdatedBy(s):
		// The post was listed and withdrawn again before a worker applied the listed state. A worker that is about
		// to apply that state fails at this row.
		p.replaceRow(row, FeedTombstone(s, row.Refill || short))
		p.refill = p.refill || row.Refill || short
	case ok && row.DeletionDate != nil && !row.mayReturn(s): // deleted, or as new
	case p.leaving[s.PostID]:
		p.replaceRow(row, FeedTombstone(s, true))
		p.moved, p.refill = true, true
	case !s.Listed() && ok: // an earlier state of the row
	case !s.Listed():
		// A post that was not in the feed leaves no tombstone. There may be a million of them, and each plan reads
		// all rows. A worker that is about to add the post fails at the touched row, and then reads the source.
		p.moved = p.moved || short || domain.NewestFirst(s, p.places[p.limit-1]) < 0
		p.vacant = p.vacant || short
	case !p.staying[s.PostID]:
	case !ok:
		p.create = append(p.create, PostCopyOf(s))
		p.joining, p.moved = append(p.joining, s.PostID), true
	case row.DeletionDate != nil: // it returns
		p.replaceRow(row, PostCopyOf(s))
		p.joining, p.moved = append(p.joining, s.PostID), true
	case row.Version < s.Version:
		p.replaceRow(row, PostCopyOf(s))
	}
}

func (p *feedPlanner) replaceRow(row FeedRow, by PostCopy) {
	p.replace = append(p.replace, feedReplacement{row, by})
	p.guarded[row.ID] = true
}

// recordVacancy marks the feed as one that must be refilled.
func (p *feedPlanner) recordVacancy() {
	mark := FeedTombstone(domain.Summary{PostID: noPost, Deleted: time.Now()}, true)
	if row, ok := p.present[noPost]; ok {
		p.replaceRow(row, mark)
	} else {
		p.create = append(p.create, mark)
	}
	p.refill = true
}

// removeBeyondLimit removes the rows of posts that have lost their places to newer ones, the oldest first, as far as
// they fit into the transaction.
func (p *feedPlanner) removeBeyondLimit() {
	dropped := slices.DeleteFunc(p.places, func(s domain.Summary) bool {
		row, ok := p.present[s.PostID]
		return p.staying[s.PostID] || !ok || row.DeletionDate != nil
	})
	for _, s := range slices.Backward(dropped) {
		if p.size() == client.MaxBatch-1 { // one operation is for the touched row
			p.final = false
			break
		}
		p.remove = append(p.remove, p.present[s.PostID])
		p.guarded[s.PostID], p.moved = true, true
	}
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
