package cosmostest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// Suite is what the tests of the contract have in common: the storage under test and its helpers.
type Suite struct {
	*cosmos.Store
	Markdown *markdown.Renderer
	Files    *files

	SplitPages bool // whether the pages of queries end at random positions, so that costs vary
}

// epoch is the first time in the suite's data; at returns later ones.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(minute int) time.Time { return epoch.Add(time.Duration(minute) * time.Minute) }

// freshName returns an unused username. It is a partition key, so it ends with a character outside
// the Basic Multilingual Plane. Its first twelve characters are ASCII.
func freshName() string { return "t" + domain.NewID()[:12] + "𠮷野" }

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, err error, kind domain.Kind) {
	t.Helper()
	if !domain.Is(err, kind) {
		t.Errorf("error %v, want one of kind %s", err, kind)
	}
}

// all returns the items of all pages of a list.
func all[T any](t *testing.T, read func(page int) (domain.Page[T], error)) []T {
	t.Helper()
	var items []T
	for number := 1; ; number++ {
		page := must[domain.Page[T]](t)(read(number))
		items = append(items, page.Items...)
		if !page.More {
			return items
		}
	}
}

func (s *Suite) mustUser(t *testing.T) domain.User {
	t.Helper()
	user := must[domain.User](t)(domain.NewUser(freshName(), epoch))
	check(t, s.Users.Create(t.Context(), user, "hash of "+user.Username))
	return user
}

func (s *Suite) mustPost(t *testing.T, author domain.User, minute int) domain.Post {
	t.Helper()
	post := must[domain.Post](t)(domain.NewPost(author, fmt.Sprint("Post ", minute), "Some *text*.", at(minute)))
	check(t, s.Posts.Create(t.Context(), post))
	return post
}

func (s *Suite) mustComment(t *testing.T, author domain.User, postID string, minute int) (domain.Comment, int) {
	t.Helper()
	c := must[domain.Comment](t)(domain.NewComment(author, postID, fmt.Sprint("Comment ", minute), at(minute)))
	return c, must[domain.Post](t)(s.Posts.AddComment(t.Context(), c)).CommentCount
}

func (s *Suite) mustReply(t *testing.T, author domain.User, to domain.Comment, minute int) domain.Comment {
	t.Helper()
	c := must[domain.Comment](t)(domain.NewReply(author, to, fmt.Sprint("Reply ", minute), at(minute)))
	must[domain.Post](t)(s.Posts.AddComment(t.Context(), c))
	return c
}

// wantCounts compares a post's counters with the numbers of items.
func (s *Suite) wantCounts(t *testing.T, postID string, comments, likes int) {
	t.Helper()
	post := must[domain.Post](t)(s.Posts.Get(t.Context(), postID))
	gotComments := len(all(t, func(page int) (domain.Page[domain.Comment], error) {
		return s.Posts.Comments(t.Context(), postID, page)
	}))
	gotLikes := len(all(t, func(page int) (domain.Page[domain.Like], error) {
		return s.Posts.Likes(t.Context(), postID, page)
	}))
	if post.CommentCount != comments || gotComments != comments {
		t.Errorf("%d comments counted, %d there, want %d", post.CommentCount, gotComments, comments)
	}
	if post.LikeCount != likes || gotLikes != likes {
		t.Errorf("%d likes counted, %d there, want %d", post.LikeCount, gotLikes, likes)
	}
}

// cost runs a request with warm caches and returns its cost. It skips the test if costs vary.
func (s *Suite) cost(t *testing.T, request func(ctx context.Context) error) *client.Usage {
	t.Helper()
	ctx, usage := client.WithUsage(t.Context())
	check(t, request(ctx))
	if s.SplitPages {
		t.Skip("where pages end anywhere, costs are not certain")
	}
	return usage
}

// files records deletions of files and can fail.
type files struct {
	mu      sync.Mutex
	deleted []string
	failure error
}

func (f *files) Delete(_ context.Context, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure == nil {
		f.deleted = append(f.deleted, name)
	}
	return f.failure
}

// gone reports whether all files of a picture have been deleted.
func (f *files) Gone(n domain.ImageName) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !slices.ContainsFunc(n.Files(), func(file string) bool { return !slices.Contains(f.deleted, file) })
}

func (f *files) Fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failure = err
}
