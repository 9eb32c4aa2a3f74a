package cosmos

import (
	"context"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"inkfeed/domain"
)

// applyAttempts bounds how often Apply begins anew after losing a race; each
// loss means that another writer got on. The pauses between them keep writers
// from meeting again and again.
const (
	applyAttempts = 50
	applyPause    = 5 * time.Millisecond // times the number of attempts, at most tenfold
)

// Apply brings the feed up to date with changed posts: newer versions replace
// older ones, posts among the newest join, those beyond domain.FeedLimit and deleted
// ones leave, in one transaction, or in several where there are too many for one.
// What a deleted post makes room for comes by the change feed a moment later.
func (f *Feed) Apply(ctx context.Context, changed []domain.Summary) error {
	ctx = operation(ctx, "copy-to-feed")
	if len(changed) == 1 && changed[0].Version > 1 && changed[0].Deleted.IsZero() {
		// Most often a post that is there was liked: that takes no planning.
		err := f.c.patch(ctx, typePost, changed[0].PostID, updating(changed[0]))
		switch statusOf(err) {
		case http.StatusPreconditionFailed: // a newer version is there
			return nil
		case http.StatusNotFound: // not there yet, or too old for it
		default:
			return translate(err)
		}
	}
	// Deleted ones first: what may take their place is decided after that. Then the
	// newest first: so older ones are known to have no place.
	var gone, live []domain.Summary
	for _, s := range changed {
		if s.Deleted.IsZero() {
			live = append(live, s)
		} else {
			gone = append(gone, s)
		}
	}
	slices.SortFunc(live, domain.NewestFirst)
	// Each may displace another, and one more row may be touched.
	const most = maxBatch/2 - 1
	var line nextInLine
	for len(gone) > 0 {
		n := min(len(gone), most)
		if err := f.applySome(ctx, gone[:n], n == len(gone), &line); err != nil {
			return translate(err)
		}
		gone = gone[n:]
	}
	for some := range slices.Chunk(live, most) {
		if err := f.applySome(ctx, some, true, &line); err != nil {
			return translate(err)
		}
	}
	return nil
}

// nextInLine is who may join below all others in a feed that is not full. One search
// serves all posts of an Apply: those who joined since were the first of the line. If
// the line has grown, because others were deleted meanwhile, it is for the refill that
// follows those.
type nextInLine struct {
	searched bool
	posts    map[string]bool
}

func (n *nextInLine) search(ctx context.Context, f *Feed, rows feedRows) error {
	if n.searched {
		return nil
	}
	places, err := f.nextInLine(ctx, rows, domain.FeedLimit-len(rows.live()))
	if err != nil {
		return err
	}
	n.searched, n.posts = true, make(map[string]bool, len(places))
	for _, p := range places {
		n.posts[p.ID] = true
	}
	return nil
}

// applySome refills the feed first, unless more deleted posts follow: one search for
// all of them is enough, and the rows that wait for it are there until it is done.
func (f *Feed) applySome(ctx context.Context, changed []domain.Summary, refill bool, line *nextInLine) error {
	for attempt := 1; ; attempt++ {
		rows, err := f.rows(ctx)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			if err := f.begin(ctx); err != nil {
				return err
			}
			continue
		}
		if waiting := rows.waiting(); refill && len(waiting) > 0 {
			// Somebody deleted a post and has not refilled the feed yet, or died before.
			if err := f.refill(ctx, rows, waiting); err != nil {
				return err
			}
			attempt = 0
			continue
		}
		plan := planFeed(rows, changed, domain.FeedLimit)
		if len(plan.belowAll) > 0 {
			// The feed is not full. A post older than all others in it may join only if
			// it is the next in line, not because it happened to change just now.
			if err := line.search(ctx, f, rows); err != nil {
				return err
			}
			plan = planFeed(rows, withoutJumpers(changed, plan.belowAll, line.posts), domain.FeedLimit)
		}
		if deleted, err := f.deletedMeanwhile(ctx, plan.joining()); err != nil {
			return err
		} else if len(deleted) > 0 {
			changed = slices.DeleteFunc(slices.Clone(changed), func(s domain.Summary) bool { return deleted[s.PostID] })
			continue
		}
		if plan.empty() {
			return nil
		}
		_, err = f.c.execute(ctx, plan.batch(f.c), false)
		if err == nil && (plan.final || !refill) {
			return nil
		}
		if err == nil {
			attempt = 0 // no race is lost: look again, for what is left to do
			changed = slices.DeleteFunc(slices.Clone(changed), func(s domain.Summary) bool { return !s.Deleted.IsZero() })
			continue
		}
		if !lostRace(err) || attempt == applyAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(applyPause * time.Duration(min(attempt, 10)))):
		}
	}
}

// deletedMeanwhile finds those that are deleted by now, for a post that was not in the
// feed when it was deleted leaves no tombstone there, and a worker that stalled may
// come with an earlier state of it. When a post is deleted between this and the
// transaction, that fails: the deletion touched the newest row, or the feed has
// changed since the post was out of reach.
func (f *Feed) deletedMeanwhile(ctx context.Context, ids []string) (map[string]bool, error) {
	deleted := make(map[string]bool)
	for _, id := range ids {
		switch item, err := read[postItem](ctx, f.posts.c, id, id); {
		case err == nil:
			deleted[id] = item.DeletionDate != nil
		case kindOf(err) != domain.NotFound:
			return nil, err
		}
	}
	maps.DeleteFunc(deleted, func(_ string, is bool) bool { return !is })
	return deleted, nil
}

// begin gives a feed that has no row the one that its first writers meet at: the
// tombstone of no post.
func (f *Feed) begin(ctx context.Context) error {
	err := f.c.create(ctx, typePost, feedTombstone(domain.Summary{PostID: noPost, Deleted: time.Now()}, false))
	if statusOf(err) == http.StatusConflict {
		return nil
	}
	return err
}

// withoutJumpers leaves out what is below all others and not next in line.
func withoutJumpers(changed []domain.Summary, below, inLine map[string]bool) []domain.Summary {
	return slices.DeleteFunc(slices.Clone(changed), func(s domain.Summary) bool {
		return below[s.PostID] && !inLine[s.PostID]
	})
}

func (f *Feed) rows(ctx context.Context) (feedRows, error) {
	return query[feedRow](ctx, f.c, typePost,
		`SELECT c.id, c.creationDate, c.version, c.deletionDate, c.refill, c._etag FROM c WHERE c.type = 'post'`, nil)
}
