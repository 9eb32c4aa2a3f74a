package cosmos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// Feed is the container of the newest posts in short form. Its partition key is
// /type, always "post": one logical partition, which serves the front page
// whole and lets a post and those it displaces change in one transaction.
type Feed struct{ c *container }

// summaryItem is a post's short form, the same in users and in feed.
type summaryItem struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	PostID       string  `json:"postId"`
	UserID       string  `json:"userId"`
	UserUsername string  `json:"userUsername"`
	Title        string  `json:"title"`
	Content      string  `json:"content"`
	CommentCount int     `json:"commentCount"`
	LikeCount    int     `json:"likeCount"`
	CreationDate instant `json:"creationDate"`
	Version      int     `json:"version"`
}

func summaryItemOf(s domain.Summary) summaryItem {
	return summaryItem{ID: s.PostID, Type: typePost, PostID: s.PostID, UserID: s.AuthorID,
		UserUsername: s.AuthorName, Title: s.Title, Content: s.Text, CommentCount: s.CommentCount,
		LikeCount: s.LikeCount, CreationDate: instant(s.Created), Version: s.Version}
}

// updating is the patch that makes a copy of an earlier version one of s. Its
// condition fails for a copy that is as new or newer.
func updating(s domain.Summary) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.version < %d", s.Version))
	ops.AppendSet("/userUsername", s.AuthorName)
	ops.AppendSet("/title", s.Title)
	ops.AppendSet("/content", s.Text)
	ops.AppendSet("/commentCount", s.CommentCount)
	ops.AppendSet("/likeCount", s.LikeCount)
	ops.AppendSet("/version", s.Version)
	return ops
}

func (i summaryItem) domain() domain.Summary {
	return domain.Summary{PostID: i.PostID, AuthorID: i.UserID, AuthorName: i.UserUsername, Title: i.Title,
		Text: i.Content, CommentCount: i.CommentCount, LikeCount: i.LikeCount,
		Created: time.Time(i.CreationDate), Version: i.Version}
}

func summaries(items []summaryItem) []domain.Summary {
	list := make([]domain.Summary, len(items))
	for i, item := range items {
		list[i] = item.domain()
	}
	return list
}

// FrontPage is Q6: one page of the newest posts.
func (f *Feed) FrontPage(ctx context.Context, page int) (domain.Page[domain.Summary], error) {
	rows, err := query[summaryItem](operation(ctx, "Q6"), f.c, typePost,
		`SELECT * FROM c WHERE c.type = 'post'
		 ORDER BY c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.PostsPerPage, parameters{}))
	return domain.Cut(summaries(rows), page, domain.PostsPerPage), translate(err)
}

// applyAttempts bounds how often Apply begins anew after losing a race; each
// loss means that another writer got on. The pauses between them keep writers
// from meeting again and again.
const (
	applyAttempts = 50
	applyPause    = 5 * time.Millisecond // times the number of attempts, at most tenfold
)

// Apply brings the feed up to date with changed posts: newer versions replace
// older ones, posts among the newest join, and those beyond domain.FeedLimit
// leave, in one transaction, or in several where there are too many for one.
func (f *Feed) Apply(ctx context.Context, changed []domain.Summary) error {
	ctx = operation(ctx, "copy-to-feed")
	if len(changed) == 1 && changed[0].Version > 1 {
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
	// Newest first: then older ones are known to have no place.
	changed = slices.SortedFunc(slices.Values(changed), domain.NewestFirst)
	for len(changed) > 0 {
		// Each may displace another, and one more row may be touched.
		n := min(len(changed), maxBatch/2-1)
		if err := f.applySome(ctx, changed[:n]); err != nil {
			return translate(err)
		}
		changed = changed[n:]
	}
	return nil
}

func (f *Feed) applySome(ctx context.Context, changed []domain.Summary) error {
	for attempt := 1; ; attempt++ {
		rows, err := query[feedRow](ctx, f.c, typePost,
			`SELECT c.id, c.creationDate, c.version, c._etag FROM c WHERE c.type = 'post'`, nil)
		if err != nil {
			return err
		}
		plan := planFeed(rows, changed, domain.FeedLimit)
		if plan.empty() {
			return nil
		}
		_, err = f.c.execute(ctx, plan.batch(f.c), false)
		if err == nil && plan.final {
			return nil
		}
		if err == nil {
			attempt = 0 // no race is lost: look again
			continue
		}
		lostRace := statusOf(err) == http.StatusPreconditionFailed ||
			statusOf(err) == http.StatusConflict || statusOf(err) == http.StatusNotFound
		if !lostRace || attempt == applyAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(applyPause * time.Duration(min(attempt, 10)))):
		}
	}
}

// feedRow is what planning needs to know of a post in the feed.
type feedRow struct {
	ID           string  `json:"id"`
	CreationDate instant `json:"creationDate"`
	Version      int     `json:"version"`
	ETag         string  `json:"_etag"`
}

func (r feedRow) place() domain.Summary {
	return domain.Summary{PostID: r.ID, Created: time.Time(r.CreationDate)}
}

// feedPlan is one transaction on the feed. Every row it rests on is guarded by
// its etag; see touch.
type feedPlan struct {
	create  []domain.Summary
	replace []feedReplacement
	remove  []feedRow
	// touch is the newest row, rewritten as it is when posts join or leave. Any
	// two transactions that change which posts the feed holds and that were
	// planned on the same state meet at this row, and the second one fails.
	touch *feedRow
	// final says that the transaction is all there is to do. It is not when the
	// feed was empty, so that no row guards against others who began with it too,
	// nor when there was more to remove than one transaction holds.
	final bool
}

type feedReplacement struct {
	row feedRow
	by  domain.Summary
}

func (p feedPlan) size() int { return len(p.create) + len(p.replace) + len(p.remove) }

func (p feedPlan) empty() bool { return p.size() == 0 }

// planFeed decides what brings rows, the feed as it is, up to date with the
// changed posts, keeping the newest limit posts.
func planFeed(rows []feedRow, changed []domain.Summary, limit int) feedPlan {
	present := make(map[string]feedRow, len(rows))
	places := make([]domain.Summary, 0, len(rows)+len(changed))
	for _, row := range rows {
		present[row.ID] = row
		places = append(places, row.place())
	}
	for _, s := range changed {
		if _, ok := present[s.PostID]; !ok {
			places = append(places, s)
		}
	}
	slices.SortFunc(places, domain.NewestFirst)
	kept := make(map[string]bool, limit)
	for _, s := range places[:min(limit, len(places))] {
		kept[s.PostID] = true
	}

	var plan feedPlan
	guarded := make(map[string]bool)
	for _, s := range changed {
		row, ok := present[s.PostID]
		switch {
		case !kept[s.PostID]:
		case !ok:
			plan.create = append(plan.create, s)
		case row.Version < s.Version:
			plan.replace = append(plan.replace, feedReplacement{row, s})
			guarded[row.ID] = true
		}
	}
	plan.final = len(rows) > 0
	places = slices.DeleteFunc(places, func(s domain.Summary) bool { _, ok := present[s.PostID]; return kept[s.PostID] || !ok })
	for _, s := range slices.Backward(places) { // the oldest first
		if plan.size() == maxBatch-1 { // one for the row that is touched
			plan.final = false
			break
		}
		plan.remove = append(plan.remove, present[s.PostID])
		guarded[s.PostID] = true
	}
	if len(rows) > 0 && len(plan.create)+len(plan.remove) > 0 {
		newest := slices.MinFunc(rows, func(a, b feedRow) int { return domain.NewestFirst(a.place(), b.place()) })
		if !guarded[newest.ID] {
			plan.touch = &newest
		}
	}
	return plan
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
		batch.ReplaceItem(r.row.ID, encode(summaryItemOf(r.by)), ifMatch(r.row.ETag))
	}
	for _, s := range p.create {
		batch.CreateItem(encode(summaryItemOf(s)), nil)
	}
	return batch
}
