package webtest

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/web/pagecache"
	"inkfeed/workers/delivery"
	"inkfeed/workers/fanout"
	workerprojection "inkfeed/workers/projection"
)

// projection brings the copies of a database up to date: the lists of posts with their names and counts, and the items
// that deletions remove. The handler of a Site calls CatchUp before each request, so tests need not wait.
type projection struct {
	mu           sync.Mutex
	writes       atomic.Int64 // of users and posts, so far
	news         atomic.Bool  // a post may have to be added to timelines
	projected    int64        // the writes when the copies were current
	stopped      bool
	users, posts string // continuations of the change feeds
	projecting   atomic.Bool
	cache        *pagecache.Cache // drops what each write changes; nil: the site has no cache
}

// noteWrite is called by the store after each write.
func (p *projection) noteWrite(part dependency.PartitionRef, facets dependency.Facets) {
	switch {
	case p.cache == nil:
	case p.projecting.Load(): // the tailers would drop what the copies change
		p.cache.Drop(part, facets)
	default:
		p.cache.DropWritten(part, facets)
	}
	if part.Container == "users" || part.Container == "posts" {
		p.writes.Add(1)
	}
	if strings.HasPrefix(part.Key, domain.TimelinesPrefix) {
		p.news.Store(true)
	}
}

// StopProjection stops updating the copies.
func (d *Database) StopProjection() {
	d.CatchUp()
	d.projection.mu.Lock()
	defer d.projection.mu.Unlock()
	d.stopped = true
}

// ResumeProjection ends StopProjection.
func (d *Database) ResumeProjection() {
	d.projection.mu.Lock()
	defer d.projection.mu.Unlock()
	d.stopped = false
}

// CatchUp projects all changes.
func (d *Database) CatchUp() {
	d.projection.mu.Lock()
	defer d.projection.mu.Unlock()
	ctx := WithoutFaults(context.Background())
	d.projecting.Store(true)
	defer d.projecting.Store(false)
	for writes := d.writes.Load(); !d.stopped && d.projected != writes; writes = d.writes.Load() {
		users := workerprojection.Users(d.Store, slog.New(slog.DiscardHandler))
		if !follow(ctx, d, d.Store.Users.Changes(), &d.users, values(users.Project)) {
			return
		}
		posts := workerprojection.Posts(d.Store, d.Markdown)
		if !follow(ctx, d, d.Store.Posts.Changes(), &d.posts, values(posts.Project)) {
			return
		}
		if d.writes.Load() == writes {
			d.projected = writes
		}
		if d.news.Swap(false) {
			d.Must(delivery.New(d.Store.Deliveries, d.transports(waitingMails{d.Mail}), delivery.Options{}).Drain(ctx))
		}
	}
}

// mergeAbove is the number of followers above which posts are merged into timelines when these are read.
const mergeAbove = 3

// transports returns the transports of deliveries, with one of mails.
func (d *Database) transports(mails delivery.Transport) delivery.Transports {
	return delivery.Transports{"mail": mails, "timelines": fanout.New(d.Store.Follows, d.Store.Deliveries,
		fanout.Options{MergeAbove: mergeAbove})}
}

// waitingMails is a transport that lets mails wait.
type waitingMails struct{ *mailbox }

// Route implements delivery.Transport.
func (waitingMails) Route(string) delivery.Route { return delivery.Route{Host: "mail server"} }

// values adapts a projector to changes.
func values[T any](project func(context.Context, []T) error) func(context.Context, []feeds.Change[T]) error {
	return func(ctx context.Context, changes []feeds.Change[T]) error {
		all := make([]T, len(changes))
		for i, c := range changes {
			all[i] = c.Value
		}
		return project(ctx, all)
	}
}

// follow hands the changes after a continuation to project, up to the end of the feed. It reports whether it got there.
func follow[T any](ctx context.Context, d *Database, feed *changefeed.Reader[T], continuation *string,
	project func(context.Context, []feeds.Change[T]) error) bool {
	ranges, err := feed.FeedRanges(ctx)
	for err == nil {
		var page feeds.Batch[T]
		if page, err = feed.Read(ctx, ranges[0], *continuation, 200); err != nil {
			break
		}
		if len(page.Changes) > 0 {
			err = project(ctx, page.Changes)
		}
		*continuation = page.Continuation
		if page.Drained && err == nil {
			return true
		}
	}
	d.T.Errorf("read a change feed: %v", err)
	return false
}
