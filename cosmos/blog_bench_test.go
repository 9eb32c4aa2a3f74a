package cosmos_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/sample"
)

// stopwatch measures the time that requests spend inside the engine. The SDK takes longer than many requests, so it is
// excluded.
type stopwatch struct {
	engine *embedded.Engine
	inside atomic.Int64
}

func (s *stopwatch) Do(r *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := s.engine.Do(r)
	s.inside.Add(int64(time.Since(began)))
	return resp, err
}

// took calls do and returns the time that its requests spent in the engine.
func (s *stopwatch) took(do func() error) (time.Duration, error) {
	before := s.inside.Load()
	err := do()
	return time.Duration(s.inside.Load() - before), err
}

// blog is a store with sample data, and the ids that the benchmarks read.
type blog struct {
	dir   string
	watch *stopwatch
	store *cosmos.Store

	items    int
	loading  time.Duration
	comments []domain.Comment // the first comment of each post
	posts    []string         // posts with commentsAsked comments
	authors  []string         // authors with more than a page of posts
}

// commentsAsked is the number of comments that Q4 reads, in a small and in a large blog.
const commentsAsked = 12

// openBlog fills a store with the sample data of the given number of users.
func openBlog(b *testing.B, users int) *blog {
	b.Helper()
	g := &blog{dir: b.TempDir()}
	g.open(b)
	b.Cleanup(func() { g.close(b) })

	markdown := markdown.New()
	ofAuthor := make(map[string]int)
	var newest []domain.Post
	began := time.Now()
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(32)
	for post := range sample.New(1, users, sample.Today()).Posts() {
		g.note(post)
		ofAuthor[post.AuthorID]++
		if newest = append(newest, post.Post); len(newest) >= 2*domain.FeedLimit {
			newest = newestOf(newest)
		}
		group.Go(func() error {
			if err := g.store.Posts.Import(ctx, post.Post, post.Comments, post.Likes); err != nil {
				return err
			}
			return g.store.UserCopies.ApplySummary(ctx, markdown.Summarize(post.Post))
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	g.loading = time.Since(began)
	var listed []domain.Summary
	for _, post := range newestOf(newest) {
		listed = append(listed, markdown.Summarize(post))
	}
	if err := g.store.Feed.Apply(b.Context(), listed); err != nil {
		b.Fatal(err)
	}
	for _, author := range slices.Sorted(maps.Keys(ofAuthor)) {
		if ofAuthor[author] > domain.PostsPerPage {
			g.authors = append(g.authors, author)
		}
	}
	return g
}

// newestOf returns the newest posts, as many as the feed holds.
func newestOf(posts []domain.Post) []domain.Post {
	slices.SortFunc(posts, func(a, b domain.Post) int { return b.Created.Compare(a.Created) })
	return posts[:min(len(posts), domain.FeedLimit)]
}

// note counts a post's items and records the ids that the benchmarks read.
func (g *blog) note(post sample.Post) {
	g.items += 2 + len(post.Comments) + len(post.Likes) // and the author's copy
	if len(post.Comments) > 0 {
		g.comments = append(g.comments, post.Comments[0])
	}
	if len(post.Comments) == commentsAsked {
		g.posts = append(g.posts, post.ID)
	}
}

// open opens an engine and a store on the blog's folder.
func (g *blog) open(b *testing.B) {
	b.Helper()
	engine, err := embedded.Open(g.dir, embedded.Options{})
	if err != nil {
		b.Fatal(err)
	}
	g.watch = &stopwatch{engine: engine}
	g.store, err = cosmos.Open(context.Background(), cosmos.Options{
		Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: g.watch, Database: "bench"})
	if err != nil {
		b.Fatal(err)
	}
}

func (g *blog) close(b *testing.B) {
	b.Helper()
	g.store.Close()
	if err := g.watch.engine.Close(); err != nil {
		b.Fatal(err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) Do(r *http.Request) (*http.Response, error) { return t(r) }

// client returns an SDK client, for requests that the store does not make.
func (g *blog) client(b *testing.B, t transport) *azcosmos.Client {
	b.Helper()
	cred, err := azcosmos.NewKeyCredential(g.watch.engine.Key())
	if err != nil {
		b.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(g.watch.engine.Endpoint(), cred,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: t}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close() })
	return client
}

func (g *blog) container(b *testing.B, name string) *azcosmos.ContainerClient {
	b.Helper()
	c, err := g.client(b, g.watch.Do).NewContainer("bench", name)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// drained returns the continuation after all changes of posts. It replaces the SDK's start time by an HTTP date,
// because the service ignores a time that ends in "UTC".
func (g *blog) drained(b *testing.B) *string {
	b.Helper()
	later := time.Now().UTC().Add(time.Hour).Format(http.TimeFormat)
	client := g.client(b, func(r *http.Request) (*http.Response, error) {
		r.Header.Set("If-Modified-Since", later)
		return g.watch.Do(r)
	})
	posts, err := client.NewContainer("bench", "posts")
	if err != nil {
		b.Fatal(err)
	}
	page, err := posts.ReadChangeFeed(context.Background(), &azcosmos.ChangeFeedOptions{
		FeedRange: &azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}})
	if err != nil {
		b.Fatal(err)
	}
	return &page.ContinuationToken
}
