package web_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/cosmos/changefeed"
	"inkfeed/domain"
	"inkfeed/domain/dependency"
	workerprojection "inkfeed/workers/projection"
	"inkfeed/workers/search"
	"inkfeed/workers/tailer"
)

// projection brings the copies of a database up to date: lists of posts, names and counts in them, and what follows
// from deletions. Handlers that serve themselves call catchUp before each request, so tests need not wait.
type projection struct {
	mu           sync.Mutex
	writes       atomic.Int64 // of users and posts, so far
	projected    int64        // the writes when the copies were current
	stopped      bool
	users, posts string // continuations of the change feeds
}

// noteWrite is called by the store after each write.
func (p *projection) noteWrite(part dependency.PartitionRef, _ dependency.Facets) {
	if part.Container == "users" || part.Container == "posts" {
		p.writes.Add(1)
	}
}

// stopProjection leaves the copies as they are from now on.
func (d *database) stopProjection() {
	d.catchUp()
	d.projection.mu.Lock()
	defer d.projection.mu.Unlock()
	d.stopped = true
}

// resumeProjection ends stopProjection.
func (d *database) resumeProjection() {
	d.projection.mu.Lock()
	defer d.projection.mu.Unlock()
	d.stopped = false
}

// catchUp projects all changes.
func (d *database) catchUp() {
	d.projection.mu.Lock()
	defer d.projection.mu.Unlock()
	ctx := untouched(context.Background())
	for writes := d.writes.Load(); !d.stopped && d.projected != writes; writes = d.writes.Load() {
		users := workerprojection.Users(d.store, slog.New(slog.DiscardHandler))
		if !follow(ctx, d, d.store.Users.Changes(), &d.users, values(users.Project)) {
			return
		}
		posts := workerprojection.Posts(d.store, d.markdown)
		if !follow(ctx, d, d.store.Posts.Changes(), &d.posts, values(posts.Project)) {
			return
		}
		if d.writes.Load() == writes {
			d.projected = writes
		}
	}
}

// values adapts a projector to changes.
func values[T any](project func(context.Context, []T) error) func(context.Context, []domain.Change[T]) error {
	return func(ctx context.Context, changes []domain.Change[T]) error {
		all := make([]T, len(changes))
		for i, c := range changes {
			all[i] = c.Value
		}
		return project(ctx, all)
	}
}

// follow hands the changes after a continuation to project, up to the end of the feed. It reports whether it got there.
func follow[T any](ctx context.Context, d *database, feed *changefeed.Reader[T], continuation *string,
	project func(context.Context, []domain.Change[T]) error) bool {
	ranges, err := feed.FeedRanges(ctx)
	for err == nil {
		var page domain.ChangePage[T]
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
	d.t.Errorf("read a change feed: %v", err)
	return false
}

// searchIndex is the full-text index of a database, which is opened by its first use. Each call sees all writes before.
type searchIndex struct {
	database     *database
	mu           sync.Mutex
	index        *search.Index
	ranges       []domain.FeedRange
	continuation string
	building     bool // answers say that the index is incomplete
}

func (x *searchIndex) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.index != nil {
		x.database.must(x.index.Close())
	}
	x.index, x.continuation = nil, ""
}

// current brings the index up to date.
func (x *searchIndex) current(method string) (*search.Index, error) {
	if x.database.enter(false, method) != 0 {
		return nil, domain.Errorf(domain.Unavailable, "Search isn't available at the moment. Please try again soon.")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	ctx, feed := untouched(context.Background()), x.database.store.Posts.Changes()
	if x.index == nil {
		if err := x.open(ctx, feed); err != nil {
			return nil, err
		}
	}
	_ = follow(ctx, x.database, feed, &x.continuation, func(ctx context.Context, changes []domain.Change[domain.PostChange]) error {
		return x.index.Follow(ctx, changes, x.mark())
	})
	return x.index, x.index.Follow(ctx, nil, x.mark())
}

func (x *searchIndex) mark() tailer.Mark {
	return tailer.Mark{Range: x.ranges[0], Continuation: x.continuation, Read: time.Now(), Complete: !x.building}
}

func (x *searchIndex) open(ctx context.Context, feed *changefeed.Reader[domain.PostChange]) error {
	index, err := search.Open(filepath.Join(x.database.dir, "index"), x.database.markdown, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	x.index = index
	if x.ranges, err = feed.FeedRanges(ctx); err != nil {
		return err
	}
	if err := index.Begin(ctx, "posts"); err != nil {
		return err
	}
	return index.Replace(ctx, nil, []tailer.Mark{x.mark()})
}

func (x *searchIndex) Search(ctx context.Context, query string, page int) (domain.Found, error) {
	index, err := x.current("Search.Search")
	if err != nil {
		return domain.Found{}, err
	}
	return index.Search(ctx, query, page)
}

func (x *searchIndex) Tags(ctx context.Context, prefix string, limit int) ([]domain.TagUse, error) {
	index, err := x.current("Search.Tags")
	if err != nil {
		return nil, err
	}
	return index.Tags(ctx, prefix, limit)
}

func (x *searchIndex) CountPosts(ctx context.Context) (int, bool, error) {
	index, err := x.current("Search.CountPosts")
	if err != nil {
		return 0, false, err
	}
	return index.CountPosts(ctx)
}

func (x *searchIndex) Posts(ctx context.Context, page, size int) ([]domain.Listing, error) {
	index, err := x.current("Search.Posts")
	if err != nil {
		return nil, err
	}
	return index.Posts(ctx, page, size)
}
