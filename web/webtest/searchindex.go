package webtest

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/search"
	"inkfeed/workers/tailer"
)

// searchIndex is the full-text index of a database. Its first use opens it, and each call sees all
// earlier writes.
type searchIndex struct {
	database     *Database
	mu           sync.Mutex
	index        *search.Index
	ranges       []feeds.Range
	continuation string
	Incomplete   bool // results say that the index is incomplete
}

func (x *searchIndex) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.index != nil {
		x.database.Must(x.index.Close())
	}
	x.index, x.continuation = nil, ""
}

// current updates the index.
func (x *searchIndex) current(method string) (*search.Index, error) {
	if x.database.enter(false, method) != 0 {
		return nil, domain.NewError(domain.Unavailable, "Search isn't available at the moment. Please try again soon.")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	ctx, feed := WithoutFaults(context.Background()), x.database.Store.Posts.Changes()
	if x.index == nil {
		if err := x.open(ctx, feed); err != nil {
			return nil, err
		}
	}
	_ = follow(ctx, x.database, feed, &x.continuation,
		func(ctx context.Context, changes []feeds.Change[feeds.PostChange]) error {
			return x.index.Follow(ctx, changes, x.mark())
		})
	return x.index, x.index.Follow(ctx, nil, x.mark())
}

func (x *searchIndex) mark() tailer.Mark {
	return tailer.Mark{Range: x.ranges[0], Continuation: x.continuation, Read: time.Now(), Complete: !x.Incomplete}
}

func (x *searchIndex) open(ctx context.Context, feed *changefeed.Reader[feeds.PostChange]) error {
	index, err := search.Open(filepath.Join(x.database.dir, "index"), x.database.Markdown,
		slog.New(slog.DiscardHandler))
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

func (x *searchIndex) TagsByName(ctx context.Context, page int) (list domain.ListPage[domain.TagUse], err error) {
	index, err := x.current("Search.TagsByName")
	if err != nil {
		return list, err
	}
	return index.TagsByName(ctx, page)
}

func (x *searchIndex) Authors(ctx context.Context, page int) (list domain.ListPage[domain.AuthorUse], err error) {
	index, err := x.current("Search.Authors")
	if err != nil {
		return list, err
	}
	return index.Authors(ctx, page)
}

func (x *searchIndex) Building(ctx context.Context) (bool, error) {
	index, err := x.current("Search.Building")
	if err != nil {
		return false, err
	}
	return index.Building(ctx)
}

func (x *searchIndex) CountPosts(ctx context.Context) (int, error) {
	index, err := x.current("Search.CountPosts")
	if err != nil {
		return 0, err
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

func (x *searchIndex) Summaries(ctx context.Context, postIDs []string) (map[string]domain.Summary, error) {
	index, err := x.current("Search.Summaries")
	if err != nil {
		return nil, err
	}
	return index.Summaries(ctx, postIDs)
}
