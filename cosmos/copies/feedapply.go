package copies

import (
	"context"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// applyAttempts limits how often Apply starts again after a lost race. Each lost race means that another writer
// succeeded. Random pauses keep the writers from colliding again.
const (
	applyAttempts = 50
	applyPause    = 5 * time.Millisecond // times the number of attempts, at most tenfold
)

// Apply updates the feed with changed posts. Newer versions replace older ones. Posts among the newest join. Posts
// beyond domain.FeedLimit, deleted posts and unlisted posts leave. Apply uses one transaction, or several if there
// are too many posts for one. Posts that fill the free places appear in the change feed a moment later.
func (f *Feed) Apply(ctx context.Context, changed []domain.Summary) error {
	ctx = client.Writes("copy-to-feed").In(ctx)
	changed = latestOfEach(changed)
	if len(changed) == 1 && changed[0].Version > 1 && changed[0].Listed() {
		// Most changes are new likes of a post in the feed, which take no planning.
		if done, err := f.update(ctx, changed[0]); done || err != nil {
			return client.Translate(err)
		}
	}
	// Posts that leave come first, since they make room for others. The rest follow from the newest to the oldest,
	// so an older post joins only if newer ones leave room for it.
	var gone, live []domain.Summary
	for _, s := range changed {
		if s.Listed() {
			live = append(live, s)
		} else {
			gone = append(gone, s)
		}
	}
	slices.SortFunc(live, domain.NewestFirst)
	// Each post may displace another, and one more row may be touched.
	const most = client.MaxBatch/2 - 1
	var line nextInLine
	for len(gone) > 0 {
		n := min(len(gone), most)
		if err := f.applyChunk(ctx, gone[:n], n == len(gone), &line); err != nil {
			return client.Translate(err)
		}
		gone = gone[n:]
	}
	for some := range slices.Chunk(live, most) {
		if err := f.applyChunk(ctx, some, true, &line); err != nil {
			return client.Translate(err)
		}
	}
	return nil
}

// latestOfEach keeps the latest state of each post.
func latestOfEach(changed []domain.Summary) []domain.Summary {
	latest := make(map[string]domain.Summary, len(changed))
	for _, s := range changed {
		if known, ok := latest[s.PostID]; !ok || known.Version < s.Version {
			latest[s.PostID] = s
		}
	}
	return slices.Collect(maps.Values(latest))
}

// update patches the row of a post, which is all that a post in the feed needs. It returns false if there is no
// row, or if the row is the tombstone of a post that may return.
func (f *Feed) update(ctx context.Context, s domain.Summary) (done bool, err error) {
	err = f.c.Patch(ctx, schema.TypePost, s.PostID, updatePatch(PostCopyOf(s)))
	switch client.StatusOf(err) {
	case http.StatusNotFound: // not in the feed yet, or too old for it
		return false, nil
	case http.StatusPreconditionFailed: // as new, or newer, or a tombstone
		row, err := client.Read[FeedRow](ctx, f.c, schema.TypePost, s.PostID)
		if client.StatusOf(err) == http.StatusNotFound {
			return false, nil
		}
		return err == nil && !row.mayReturn(s), err
	}
	return err == nil, err
}

// nextInLine holds the posts that may join a feed below its last entry when the feed is not full. One search
// serves all posts of an Apply: the posts that joined since were the first in line. If the line has grown
// because other posts were deleted meanwhile, the refill after that deletion serves it.
type nextInLine struct {
	searched bool
	posts    map[string]domain.Summary // their places
	touched  map[string]bool
}

// search finds the posts that are next in line, unless an earlier call has found them.
func (n *nextInLine) search(ctx context.Context, f *Feed, rows FeedRows) error {
	if n.searched {
		return nil
	}
	places, err := f.nextInLine(ctx, rows, domain.FeedLimit-len(rows.Live()))
	if err != nil {
		return err
	}
	n.searched, n.posts, n.touched = true, make(map[string]domain.Summary, len(places)), make(map[string]bool)
	for _, p := range places {
		n.posts[p.ID] = p.order()
	}
	return nil
}

// touchOvertaken touches the posts that are in line before a joining post, so that their changes are applied
// again. Earlier changes may have been applied while the feed was full. Without the touch the feed would lack
// these posts permanently, because the next refill starts below the post that joined. If no post has left the feed
// within the life of a tombstone, the feed was not full, and the changes are still to come.
func (n *nextInLine) touchOvertaken(ctx context.Context, f *Feed, rows FeedRows, joining []string) error {
	var lowest *domain.Summary
	for _, id := range joining {
		if s, ok := n.posts[id]; ok && (lowest == nil || domain.NewestFirst(s, *lowest) > 0) {
			lowest = &s
		}
	}
	if lowest == nil || !rows.left() {
		return nil
	}
	for id, s := range n.posts {
		joined := slices.Contains(joining, id) ||
			slices.ContainsFunc(rows.Live(), func(row FeedRow) bool { return row.ID == id })
		if joined || n.touched[id] || domain.NewestFirst(s, *lowest) > 0 {
			continue
		}
		// A malformed post becomes a dead letter. It is no reason to fail here.
		if _, err := f.posts.Touch(ctx, id); err != nil && client.StatusOf(err) != http.StatusBadRequest {
			return err
		}
		n.touched[id] = true
	}
	return nil
}

// applyChunk applies changes that fit into one plan. It runs further transactions if the removals exceed one batch. It
// refills the feed first, unless more deleted posts follow: one search is enough for all of them, and their tombstones
// record that the refill is pending.
func (f *Feed) applyChunk(ctx context.Context, changed []domain.Summary, refill bool, line *nextInLine) error {
	for attempt := 1; ; attempt++ {
		rows, err := f.Rows(ctx)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			if err := f.beginAt(ctx, attempt); err != nil {
				return err
			}
			continue
		}
		if waiting := rows.waiting(); refill && len(waiting) > 0 {
			// A worker deleted a post and has not refilled the feed yet, or crashed before.
			if err := f.refill(ctx, rows, waiting); err != nil {
				return err
			}
			attempt = 0
			continue
		}
		plan := planFeed(rows, changed, domain.FeedLimit)
		if len(plan.belowAll) > 0 {
			// The feed is not full. A post older than all others in it may join only if it is the next in line.
			// A change alone is no reason to join.
			if err := line.search(ctx, f, rows); err != nil {
				return err
			}
			plan = planFeed(rows, onlyNextInLine(changed, plan.belowAll, line.posts), domain.FeedLimit)
		}
		if left, err := f.leftMeanwhile(ctx, plan.joining); err != nil {
			return err
		} else if len(left) > 0 {
			changed = slices.DeleteFunc(slices.Clone(changed), func(s domain.Summary) bool { return left[s.PostID] })
			continue
		}
		if plan.empty() {
			return nil
		}
		if err := line.touchOvertaken(ctx, f, rows, plan.joining); err != nil {
			return err
		}
		_, err = f.c.Execute(ctx, plan.batch(f.c), false)
		if err == nil && (plan.final || !refill) {
			return nil
		}
		if err == nil {
			attempt = 0 // no race was lost: plan again for the remaining changes
			changed = slices.DeleteFunc(slices.Clone(changed), func(s domain.Summary) bool { return !s.Listed() })
			continue
		}
		if !client.LostRace(err) || attempt == applyAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(applyPause * time.Duration(min(attempt, 10)))):
		}
	}
}

// beginAt writes the first row of a feed that was read without rows.
func (f *Feed) beginAt(ctx context.Context, attempt int) error {
	if err := f.begin(ctx); err != nil {
		return err
	}
	if attempt > 1 { // the row exists, but a replica does not have it yet
		if err := client.PauseAfter(ctx, attempt); err != nil {
			return err
		}
	}
	if attempt == applyAttempts {
		return errFeedBusy()
	}
	return nil
}

// errFeedBusy reports that other writers kept changing the feed while it was read.
func errFeedBusy() error {
	return &domain.Error{Kind: domain.Unavailable,
		Message: locale.M("The list of posts is being changed right now. Please try again in a moment.")}
}

// leftMeanwhile finds the posts that are deleted or unlisted by now. A post that was not in the feed at its
// deletion has no tombstone there, and a stalled worker may apply an earlier state of it.
//
// If a post leaves after this check and before the transaction, the transaction fails. Either the leaving post
// touched the newest row or replaced its tombstone, or the feed has changed since the post was out of reach.
func (f *Feed) leftMeanwhile(ctx context.Context, ids []string) (map[string]bool, error) {
	left := make(map[string]bool)
	for _, id := range ids {
		switch post, err := f.posts.Source(ctx, id); {
		case err == nil:
			left[id] = !post.Listed()
		case !client.Missing(err):
			return nil, err
		}
	}
	maps.DeleteFunc(left, func(_ string, is bool) bool { return !is })
	return left, nil
}

// begin creates the first row of an empty feed, a tombstone without a post, so that concurrent first writers
// collide.
func (f *Feed) begin(ctx context.Context) error {
	err := f.c.Create(ctx, schema.TypePost, FeedTombstone(domain.Summary{PostID: noPost, Deleted: time.Now()}, false))
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	return err
}

// onlyNextInLine removes the changed posts that are older than all rows and not next in line.
func onlyNextInLine(changed []domain.Summary, below map[string]bool,
	inLine map[string]domain.Summary) []domain.Summary {
	return slices.DeleteFunc(slices.Clone(changed), func(s domain.Summary) bool {
		_, next := inLine[s.PostID]
		return below[s.PostID] && !next
	})
}

// Rows reads the feed as it was at one moment.
//
// Rows from several pages may never have existed at the same time. In that case Rows reads the feed again until
// two consecutive readings have the same posts and tombstones, and the same version of the newest row. That is
// sufficient: each transaction that adds or removes posts also rewrites the newest row, and both readings visit
// the rows in the same order. So no such transaction happened between the first row of one reading and the last
// row of the other.
func (f *Feed) Rows(ctx context.Context) (FeedRows, error) {
	rows, pages, err := f.ReadRows(ctx)
	for attempt := 1; err == nil && pages > 1; attempt++ {
		var again FeedRows
		if again, pages, err = f.ReadRows(ctx); err != nil {
			break
		}
		if rows.sameMembers(again) {
			return again, nil
		}
		if rows = again; attempt == applyAttempts {
			return nil, errFeedBusy()
		}
	}
	return rows, err
}

// ReadRows reads the rows of the feed once, and returns the number of pages that it took.
func (f *Feed) ReadRows(ctx context.Context) (rows FeedRows, pages int, err error) {
	return client.QueryPages[FeedRow](ctx, f.c, schema.TypePost,
		`SELECT c.id, c.creationDate, c.version, c.deletionDate, c.withdrawn, c.refill, c._etag
		 FROM c WHERE c.type = 'post'`, nil)
}
