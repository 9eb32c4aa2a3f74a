package cosmos_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"golang.org/x/sync/errgroup"
	_ "modernc.org/sqlite"

	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

// The numbers of users of blogs with about ten thousand and about a million items.
const (
	fewUsers  = 16
	manyUsers = 600
)

// BenchmarkSpeed compares the engine, with about a million items, with SQLite alone, with a smaller database or with a
// cheaper request. The two sides run in turns, so that noise of the machine affects both. The result is the ratio of
// their medians. Times of the engine exclude those of the SDK.
//
//	go test -run '^$' -bench Speed -benchtime 2000x ./cosmos
func BenchmarkSpeed(b *testing.B) {
	few, many := openBlog(b, fewUsers), openBlog(b, manyUsers)
	b.Run("seed", func(b *testing.B) { // openBlog has done this
		b.ReportMetric(float64(many.items), "items")
		b.ReportMetric(float64(many.items)/many.loading.Seconds(), "items/s")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("bulk", func(b *testing.B) { bulk(b, many) })
	b.Run("grow", func(b *testing.B) { compareGrowth(b, few, many) })
	b.Run("read", func(b *testing.B) { compareRead(b, many) })
	b.Run("poll", func(b *testing.B) { comparePoll(b, many) })
	b.Run("comment", func(b *testing.B) { compareComment(b, many) })
	b.Run("writers", func(b *testing.B) { compareWriters(b, many) })
	b.Run("open", func(b *testing.B) { compareOpen(b, few, many) })
}

// timed carries out the i-th operation and returns its duration.
type timed func(i int) (time.Duration, error)

// inTurns measures two operations b.N times in turns. Each goes first every other time. It reports their medians and
// the ratio of the medians.
func inTurns(b *testing.B, what string, first timed, base string, second timed) {
	b.Helper()
	var took [2][]time.Duration
	for i := range b.N {
		for turn := range 2 {
			which := (i + turn) % 2
			do := first
			if which == 1 {
				do = second
			}
			d, err := do(i)
			if err != nil {
				b.Fatal(err)
			}
			took[which] = append(took[which], d)
		}
	}
	one, two := median(took[0]), median(took[1])
	b.ReportMetric(float64(one.Nanoseconds())/1e3, "µs-"+what)
	b.ReportMetric(float64(two.Nanoseconds())/1e3, "µs-"+base)
	b.ReportMetric(float64(one)/float64(two), "ratio")
	b.ReportMetric(0, "ns/op") // omit the time of both together
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// scattered maps i to an index below n. Successive indexes are far apart, so that requests do not profit from the pages
// that the previous ones have read.
func scattered(i, n int) int { return int(uint64(i) * 2654435761 % uint64(n)) }

// compareGrowth sends the same requests to a large and a small blog.
func compareGrowth(b *testing.B, few, many *blog) {
	ctx := context.Background()
	for _, request := range []struct {
		name string
		ask  func(g *blog, i int) error
	}{
		{"point-read", func(g *blog, i int) error {
			_, err := g.store.Posts.Get(ctx, g.comments[scattered(i, len(g.comments))].PostID)
			return err
		}},
		{"Q3", func(g *blog, i int) error {
			page, err := g.store.UserCopies.PostsOf(ctx, g.authors[scattered(i, len(g.authors))], 1)
			if err == nil && len(page.Items) != domain.PostsPerPage {
				err = fmt.Errorf("%d posts", len(page.Items))
			}
			return err
		}},
		{"Q4", func(g *blog, i int) error {
			page, err := g.store.Posts.Comments(ctx, g.posts[scattered(i, len(g.posts))], 1)
			if err == nil && len(page.Items) != commentsAsked {
				err = fmt.Errorf("%d comments", len(page.Items))
			}
			return err
		}},
		{"Q6", func(g *blog, i int) error {
			page, err := g.store.Feed.FrontPage(ctx, 1)
			if err == nil && len(page.Items) == 0 {
				err = fmt.Errorf("an empty front page")
			}
			return err
		}},
	} {
		b.Run(request.name, func(b *testing.B) {
			of := func(g *blog) timed {
				return func(i int) (time.Duration, error) {
					return g.watch.took(func() error { return request.ask(g, i) })
				}
			}
			for i := range b.N { // warm up both, so that neither waits for memory to be mapped
				for _, g := range []*blog{few, many} {
					if err := request.ask(g, i); err != nil {
						b.Fatal(err)
					}
				}
			}
			inTurns(b, "many", of(many), "few", of(few))
		})
	}
}

// bareOptions configures SQLite for speed, with more memory than the engine's connections use.
const bareOptions = "_pragma=synchronous(full)&_pragma=cache_size(-131072)&_pragma=wal_autocheckpoint(8000)&" +
	"_pragma=mmap_size(1073741824)"

// compareRead compares reading an item with reading its row from SQLite by a prepared statement.
func compareRead(b *testing.B, g *blog) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(g.dir, "inkfeed.db")+"?mode=ro&"+bareOptions)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	lookup, err := db.Prepare("SELECT rid, version, ts, exp, body FROM " + postsTable(b, db) +
		" WHERE pk = ? AND id = ?")
	if err != nil {
		b.Fatal(err)
	}
	defer lookup.Close()
	items := g.container(b, "posts")
	inTurns(b, "engine", func(i int) (time.Duration, error) {
		c := g.comments[scattered(i, len(g.comments))]
		return g.watch.took(func() error {
			_, err := items.ReadItem(context.Background(), azcosmos.NewPartitionKeyString(c.PostID), c.ID, nil)
			return err
		})
	}, "sqlite", func(i int) (time.Duration, error) {
		c := g.comments[scattered(i, len(g.comments))]
		pk := storedKey(c.PostID)
		var rid, version, ts int64
		var exp sql.NullInt64
		var body string
		began := time.Now()
		err := lookup.QueryRow(pk, c.ID).Scan(&rid, &version, &ts, &exp, &body)
		return time.Since(began), err
	})
}

// comparePoll compares reading a change feed without new changes with reading an item.
func comparePoll(b *testing.B, g *blog) {
	ctx := context.Background()
	items := g.container(b, "posts")
	last := g.drained(b)
	inTurns(b, "poll", func(int) (time.Duration, error) {
		return g.watch.took(func() error {
			page, err := items.ReadChangeFeed(ctx, &azcosmos.ChangeFeedOptions{Continuation: last})
			if err == nil && len(page.Items) > 0 {
				err = fmt.Errorf("%d changes", len(page.Items))
			}
			return err
		})
	}, "read", func(i int) (time.Duration, error) {
		return g.watch.took(func() error {
			_, err := g.store.Posts.Get(ctx, g.posts[scattered(i, len(g.posts))])
			return err
		})
	})
}

// compareComment compares adding a comment with writing the same rows to a copy of the database in one synced
// transaction.
func compareComment(b *testing.B, g *blog) {
	bare := newBareCopy(b, g)
	ctx := context.Background()
	inTurns(b, "engine", func(i int) (time.Duration, error) {
		c := domain.Comment{ID: domain.NewID(), PostID: g.posts[scattered(i, len(g.posts))],
			AuthorID:   g.comments[0].AuthorID,
			AuthorName: "someone", Content: strings.Repeat("lorem ipsum ", 10), Created: time.Now().UTC()}
		return g.watch.took(func() error {
			_, err := g.store.Posts.AddComment(ctx, c)
			return err
		})
	}, "sqlite", func(i int) (time.Duration, error) { return bare.addComment(g.posts[scattered(i, len(g.posts))]) })
}

// compareWriters compares creating items one after the other with eight concurrent writers. Each turn creates the same
// number of items, so the ratio is that of the throughputs.
func compareWriters(b *testing.B, g *blog) {
	const each = 16
	create := g.creator(b)
	run := func(writers, items int) timed {
		return func(int) (time.Duration, error) {
			var group sync.WaitGroup
			var failed atomic.Pointer[error]
			began := time.Now()
			for range writers {
				group.Go(func() {
					for range items {
						if err := create(); err != nil {
							failed.Store(&err)
						}
					}
				})
			}
			group.Wait()
			if err := failed.Load(); err != nil {
				return 0, *err
			}
			return time.Since(began) / time.Duration(writers*items), nil
		}
	}
	inTurns(b, "one", run(1, each), "eight", run(8, each))
}

// bulk creates items with eight concurrent writers, in batches of a hundred.
func bulk(b *testing.B, g *blog) {
	const writers, each = 8, 100
	items := g.container(b, "posts")
	var group errgroup.Group
	group.SetLimit(writers)
	for range b.N {
		group.Go(func() error {
			post := domain.NewID()
			batch := items.NewTransactionalBatch(azcosmos.NewPartitionKeyString(post))
			for range each {
				batch.CreateItem(commentBody(domain.NewID(), post), nil)
			}
			r, err := items.ExecuteTransactionalBatch(context.Background(), batch, nil)
			if err == nil && !r.Success {
				err = fmt.Errorf("status %d", r.RawResponse.StatusCode)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N*each)/b.Elapsed().Seconds(), "items/s")
	b.ReportMetric(0, "ns/op")
}

func commentBody(id, post string) []byte {
	return fmt.Appendf(nil,
		`{"id":%q,"type":"comment","postId":%q,"userId":"u","userUsername":"someone","content":%q,`+
			`"creationDate":"2026-11-21T10:00:00.000Z"}`,
		id, post, strings.Repeat("lorem ipsum ", 10))
}

// compareOpen compares opening a large database with opening a small one.
func compareOpen(b *testing.B, few, many *blog) {
	open := func(g *blog) timed {
		return func(int) (time.Duration, error) {
			began := time.Now()
			e, err := embedded.Open(g.dir, embedded.Options{})
			if err != nil {
				return 0, err
			}
			return time.Since(began), e.Close()
		}
	}
	for _, g := range []*blog{few, many} {
		g.close(b)
		defer g.open(b)
	}
	inTurns(b, "many", open(many), "few", open(few))
}

// creator returns a function that creates an item in a new logical partition. It reuses a request of the SDK with other
// bodies, since a signature does not cover the body.
func (g *blog) creator(b *testing.B) func() error {
	b.Helper()
	var recorded *http.Request
	client := g.client(b, transport(func(r *http.Request) (*http.Response, error) {
		recorded = r.Clone(context.Background())
		return g.watch.engine.Do(r)
	}))
	const partition = "writers"
	c, err := client.NewContainer("bench", "posts")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.CreateItem(context.Background(), azcosmos.NewPartitionKeyString(partition),
		commentBody(domain.NewID(), partition), nil); err != nil {
		b.Fatal(err)
	}
	return func() error {
		r := recorded.Clone(context.Background())
		content := commentBody(domain.NewID(), partition)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
		resp, err := g.watch.engine.Do(r)
		if err == nil && resp.StatusCode != http.StatusCreated {
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		return err
	}
}
