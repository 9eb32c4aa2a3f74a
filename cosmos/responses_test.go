package cosmos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
	"inkfeed/workers/tailer"
)

// gate is a transport that counts the writes to posts, or the reads, and stops the first one after close until open.
type gate struct {
	policy.Transporter
	reads    bool // reads are counted and stopped, not writes
	requests atomic.Int64
	longest  atomic.Int64 // bytes of a request
	mu       sync.Mutex
	stopped  chan struct{} // closed when a request waits; nil if the gate is open
	opened   chan struct{}
	answer   error // of the next request that passes the gate, after it has been carried out
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped, g.opened = make(chan struct{}), make(chan struct{})
}

func (g *gate) Do(r *http.Request) (*http.Response, error) {
	if client.ContainerOf(r.URL.Path) != "posts" || client.IsRead(r) != g.reads {
		return g.Transporter.Do(r)
	}
	g.requests.Add(1)
	g.longest.Store(max(g.longest.Load(), r.ContentLength))
	g.mu.Lock()
	stopped, opened, answer := g.stopped, g.opened, g.answer
	if stopped == nil {
		g.answer = nil
	}
	g.stopped = nil
	g.mu.Unlock()
	if stopped != nil {
		close(stopped)
		<-opened
		return g.Transporter.Do(r)
	}
	resp, err := g.Transporter.Do(r)
	if answer != nil && err == nil {
		resp.Body.Close()
		return nil, answer
	}
	return resp, err
}

// waiting is a context that reports when its Done channel is first asked for. A response does so after it has joined
// the queue of its post.
type waiting struct {
	context.Context
	report func()
}

func (w waiting) Done() <-chan struct{} {
	w.report()
	return w.Context.Done()
}

// crowd is a store with a post, and users who respond to it at the same time.
type crowd struct {
	gate   *gate
	store  *Store
	post   domain.Post
	users  []domain.User
	remark string // the text of comments; "": a short one
	// meanwhile is called while the first write waits, before the others. It may be nil.
	meanwhile func()
}

func newCrowd(t *testing.T, size int) *crowd {
	t.Helper()
	engine := newEngine(t, embedded.Options{})
	c := &crowd{gate: &gate{Transporter: engine}}
	c.store = openStore(t, engine, Options{Transport: c.gate})
	for i := range size {
		u, err := domain.NewUser(fmt.Sprint("user", i), time.Now())
		if err == nil {
			err = c.store.Accounts.Create(t.Context(), u, "hash")
		}
		if err != nil {
			t.Fatal(err)
		}
		c.users = append(c.users, u)
	}
	var err error
	c.post, err = domain.NewPost(c.users[0], "A post", "Text.", time.Now())
	if err == nil {
		err = c.store.Posts.Create(t.Context(), c.post)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// together calls first, and while its request waits at the gate it calls all others. It returns the number of requests
// that the gate counted, and the errors of the others.
func (c *crowd) together(t *testing.T, first func(context.Context) error,
	others ...func(context.Context) error) (requests int64, errs []error) {
	t.Helper()
	before := c.gate.requests.Load()
	c.gate.close()
	stopped, opened := c.gate.stopped, c.gate.opened
	var group, joined sync.WaitGroup
	group.Go(func() {
		if err := first(t.Context()); err != nil {
			t.Errorf("the first call: %v", err)
		}
	})
	<-stopped
	if c.meanwhile != nil {
		c.meanwhile()
	}
	errs = make([]error, len(others))
	for i, do := range others {
		joined.Add(1)
		ctx := waiting{t.Context(), sync.OnceFunc(joined.Done)}
		group.Go(func() { errs[i] = do(ctx) })
	}
	joined.Wait()
	close(opened)
	group.Wait()
	return c.gate.requests.Load() - before, errs
}

func (c *crowd) like(user int) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.store.Posts.Like(ctx, domain.NewLike(c.users[user], c.post.ID, time.Now()))
		return err
	}
}

func (c *crowd) unlike(user int) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.store.Posts.Unlike(ctx, c.post.ID, c.users[user].ID)
		return err
	}
}

func (c *crowd) comment(user int, parent *domain.Comment) func(context.Context) error {
	return func(ctx context.Context) error {
		comment, err := domain.NewComment(c.users[user], c.post.ID, cmp.Or(c.remark, "A remark."), time.Now())
		if parent != nil {
			comment, err = domain.NewReply(c.users[user], *parent, "An answer.", time.Now())
		}
		if err == nil {
			_, err = c.store.Posts.AddComment(ctx, comment)
		}
		return err
	}
}

// wants compares the counts of the post with the expected ones and with the stored likes and comments.
func (c *crowd) wants(t *testing.T, likes, comments int) {
	t.Helper()
	post, err := c.store.Posts.Latest(t.Context(), c.post.ID)
	if err != nil {
		t.Fatal(err)
	}
	storedLikes, err := c.store.Posts.Likes(t.Context(), c.post.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	storedComments, err := c.store.Posts.Comments(t.Context(), c.post.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	if post.LikeCount != likes || len(storedLikes.Items) != likes {
		t.Errorf("%d likes are counted and %d stored, want %d", post.LikeCount, len(storedLikes.Items), likes)
	}
	if post.CommentCount != comments || len(storedComments.Items) != comments {
		t.Errorf("%d comments are counted and %d stored, want %d", post.CommentCount, len(storedComments.Items),
			comments)
	}
}

func TestResponsesThatArriveTogetherAreStoredTogether(t *testing.T) {
	all := func(t *testing.T, errs []error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
	}
	t.Run("likes and their ends", func(t *testing.T) {
		c := newCrowd(t, 8)
		all(t, []error{c.like(6)(t.Context()), c.like(7)(t.Context())})
		writes, errs := c.together(t, c.like(0), c.like(1), c.unlike(6), c.like(2), c.unlike(7), c.like(3))
		all(t, errs)
		if writes != 2 {
			t.Errorf("%d writes, want the first and one for all others", writes)
		}
		c.wants(t, 4, 0)
	})
	t.Run("comments and replies", func(t *testing.T) {
		c := newCrowd(t, 4)
		parent, err := domain.NewComment(c.users[0], c.post.ID, "A question.", time.Now())
		if err == nil {
			_, err = c.store.Posts.AddComment(t.Context(), parent)
		}
		if err != nil {
			t.Fatal(err)
		}
		writes, errs := c.together(t, c.comment(0, nil), c.comment(1, nil), c.comment(2, &parent),
			c.comment(3, &parent))
		all(t, errs)
		if writes != 2 {
			t.Errorf("%d writes, want the first and one for all others", writes)
		}
		c.wants(t, 0, 5)
		stored, err := c.store.Posts.Comment(t.Context(), c.post.ID, parent.ID)
		if err != nil || stored.Replies != 2 {
			t.Errorf("the parent counts %d replies, %v, want 2", stored.Replies, err)
		}
	})
	t.Run("in as many transactions as their limit requires", func(t *testing.T) {
		const size = 70
		c := newCrowd(t, size)
		c.remark = strings.Repeat("<", domain.MaxComment) // JSON escapes it with six bytes
		var others []func(context.Context) error
		for i := 1; i < size; i++ {
			others = append(others, c.comment(i, nil))
		}
		writes, errs := c.together(t, c.comment(0, nil), others...)
		all(t, errs)
		if writes != 4 {
			t.Errorf("%d writes for %d comments, want 4", writes, size)
		}
		if n := c.gate.longest.Load(); n > client.MaxBatchBytes {
			t.Errorf("a write has %d bytes, more than %d", n, client.MaxBatchBytes)
		}
		if post, err := c.store.Posts.Latest(t.Context(), c.post.ID); err != nil || post.CommentCount != size {
			t.Errorf("%d comments are counted, %v, want %d", post.CommentCount, err, size)
		}
	})
	t.Run("without those that have nothing to change", func(t *testing.T) {
		const size = 20
		c := newCrowd(t, size)
		all(t, []error{c.like(1)(t.Context())})
		others := []func(context.Context) error{c.like(1), c.unlike(2)}
		for i := 3; i < size; i++ {
			others = append(others, c.like(i))
		}
		writes, errs := c.together(t, c.like(0), others...)
		all(t, errs)
		if writes > 6 {
			t.Errorf("%d writes, want the first, two failures, two alone, and one for all others", writes)
		}
		c.wants(t, size-1, 0)
	})
	t.Run("without a reply that is refused", func(t *testing.T) {
		c := newCrowd(t, 3)
		gone, err := domain.NewComment(c.users[0], c.post.ID, "Deleted.", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		_, errs := c.together(t, c.comment(0, nil), c.comment(1, nil), c.comment(1, &gone), c.comment(2, nil))
		if errs[0] != nil || errs[2] != nil || !domain.Is(errs[1], domain.Conflict) {
			t.Errorf("the errors are %v, want a conflict for the second only", errs)
		}
		c.wants(t, 0, 3)
	})
	t.Run("except likes of a post that was unpublished meanwhile, which are refused", func(t *testing.T) {
		c := newCrowd(t, 3)
		all(t, []error{c.like(1)(t.Context())})
		c.meanwhile = func() {
			_, err := c.store.Posts.Edit(t.Context(), domain.Edit{PostID: c.post.ID, Title: c.post.Title,
				Content: c.post.Content, Status: domain.Unpublished, Revision: c.post.Revision, At: time.Now()},
				c.users[0].ID)
			if err != nil {
				t.Error(err)
			}
		}
		refused := func(like func(context.Context) error) func(context.Context) error {
			return func(ctx context.Context) error {
				if err := like(ctx); !domain.Is(err, domain.NotFound) {
					return fmt.Errorf("the like returned %v, want an error of kind NotFound", err)
				}
				return nil
			}
		}
		_, errs := c.together(t, refused(c.like(0)), refused(c.like(2)), c.unlike(1))
		all(t, errs)
		c.wants(t, 0, 0)
	})
	t.Run("once, although the answer is lost", func(t *testing.T) {
		c := newCrowd(t, 4)
		c.gate.answer = errors.New("the connection was lost")
		writes, errs := c.together(t, c.like(0), c.like(1), c.like(2), c.like(3))
		all(t, errs)
		if writes < 3 {
			t.Errorf("%d writes, so no answer was lost", writes)
		}
		c.wants(t, 4, 0)
	})
	t.Run("although the request of one has ended", func(t *testing.T) {
		c := newCrowd(t, 3)
		var cancelled []error
		_, errs := c.together(t, c.like(0), func(ctx context.Context) error {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			err := c.like(1)(waiting{ended, ctx.(waiting).report})
			cancelled = append(cancelled, err)
			return nil
		}, c.like(2))
		all(t, errs)
		if len(cancelled) != 1 || cancelled[0] == nil {
			t.Errorf("the errors of the ended request are %v", cancelled)
		}
		for i, want := range []bool{true, false, true} { // the user was told that nothing was stored
			liked, err := c.store.Posts.Liked(t.Context(), c.post.ID, c.users[i].ID)
			if err != nil || liked != want {
				t.Errorf("the like of user %d is stored: %t, %v", i, liked, err)
			}
		}
	})
}

// droppedFacets is a page cache that records which facets were dropped.
type droppedFacets struct{ dependency.Facets }

func (d *droppedFacets) Drop(_ dependency.PartitionRef, f dependency.Facets) { d.Facets |= f }
func (d *droppedFacets) Clear()                                              { d.Facets = dependency.AllFacets }

// Likes that are stored together raise the count by more than one. They must not make a change of the comments look
// like a like, between two polls of another server.
func TestLikesStoredTogetherDoNotHideADeletedComment(t *testing.T) {
	for name, tt := range map[string]struct {
		hidden bool // the comment was hidden before, so its deletion changes no count
		likes  int  // stored together, after the first
	}{
		"that was added since the poll before": {likes: 3},
		"that was hidden before":               {hidden: true, likes: 2},
	} {
		t.Run(name, func(t *testing.T) {
			c, ctx := newCrowd(t, 6), t.Context()
			feed := c.store.PartitionChanges(time.Now().Add(-time.Minute))["posts"]
			ranges, err := feed.FeedRanges(ctx)
			if err != nil {
				t.Fatal(err)
			}
			dropped, continuation := &droppedFacets{}, ""
			dropper := tailer.NewPageDropper("posts", dropped)
			poll := func() dependency.Facets {
				dropped.Facets = 0
				for {
					page, err := feed.Read(ctx, ranges[0], continuation, 500)
					if err == nil {
						err = dropper.Follow(ctx, page.Changes, tailer.Mark{})
					}
					if err != nil {
						t.Fatal(err)
					}
					continuation = cmp.Or(page.Continuation, continuation)
					if page.AtEnd() {
						return dropped.Facets
					}
				}
			}
			if !tt.hidden {
				poll()
			}
			comment, err := domain.NewComment(c.users[5], c.post.ID, "Deleted soon.", time.Now())
			if err == nil {
				_, err = c.store.Posts.AddComment(ctx, comment)
			}
			if tt.hidden && err == nil {
				_, err = c.store.Posts.HoldComment(ctx, c.post.ID, comment.ID, domain.HeldByAuthor)
				poll()
			}
			if err == nil {
				_, err = c.store.Posts.DeleteComment(ctx, c.post.ID, comment.ID, c.users[5].ID)
			}
			var likes []func(context.Context) error
			for i := range tt.likes {
				likes = append(likes, c.like(1+i))
			}
			_, errs := c.together(t, c.like(0), likes...)
			if err = errors.Join(append(errs, err)...); err != nil {
				t.Fatal(err)
			}
			if facets := poll(); facets&dependency.FacetComments == 0 {
				t.Errorf("the cached comments stay; dropped are the facets %06b", facets)
			}
		})
	}
}

func TestResponsesToOtherPostsDoNotWait(t *testing.T) {
	c := newCrowd(t, 3)
	other, err := domain.NewPost(c.users[0], "Another post", "Text.", time.Now())
	if err == nil {
		err = c.store.Posts.Create(t.Context(), other)
	}
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	c.gate.close()
	stopped, opened := c.gate.stopped, c.gate.opened
	var group sync.WaitGroup
	group.Go(func() {
		if err := c.like(0)(t.Context()); err != nil {
			t.Error(err)
		}
		done = append(done, "the first")
	})
	<-stopped
	if _, err := c.store.Posts.Like(t.Context(), domain.NewLike(c.users[1], other.ID, time.Now())); err != nil {
		t.Error(err)
	}
	if err := c.comment(2, nil)(t.Context()); err != nil {
		t.Error(err)
	}
	done = append(done, "the others")
	close(opened)
	group.Wait()
	if want := []string{"the others", "the first"}; !slices.Equal(done, want) {
		t.Errorf("the order is %v, want %v", done, want)
	}
}

func TestCommentsBeforeCallsThatArriveTogetherAreAnsweredTogether(t *testing.T) {
	c := newCrowd(t, 1)
	var places []string
	for i := range 120 {
		at := time.Now().Add(time.Duration(i) * time.Second)
		comment, err := domain.NewComment(c.users[0], c.post.ID, "A remark.", at)
		if err == nil {
			_, err = c.store.Posts.AddComment(t.Context(), comment)
		}
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, comment.Place())
	}
	places = append(places, domain.PastAllComments)
	counts := func(want int) func(context.Context) error {
		return func(ctx context.Context) error {
			if n, err := c.store.Posts.CommentsBefore(ctx, c.post.ID, places[want]); err != nil || n != want {
				return fmt.Errorf("%d comments before %s, want %d: %v", n, places[want], want, err)
			}
			return nil
		}
	}
	c.gate.reads = true
	for name, test := range map[string]struct {
		first, requests int
		others          []int
	}{
		"one read finds all places after the first":   {0, 3, []int{99, 40, 38, 39, 12, 38}},
		"a place beyond the read is counted alone":    {120, 4, []int{3, 2, 119}},
		"the end of the comments is counted":          {119, 3, []int{120, 118, 120}},
		"a single waiting call needs no further read": {7, 2, []int{100}},
		"the read reaches its last place":             {7, 3, []int{20, 115}},
	} {
		t.Run(name, func(t *testing.T) {
			var others []func(context.Context) error
			for _, want := range test.others {
				others = append(others, counts(want))
			}
			requests, errs := c.together(t, counts(test.first), others...)
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
			if requests != int64(test.requests) {
				t.Errorf("%d requests, want %d", requests, test.requests)
			}
		})
	}
	t.Run("a call whose request has ended does not delay the others", func(t *testing.T) {
		_, errs := c.together(t, counts(7), func(ctx context.Context) error {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			if err := counts(8)(waiting{ended, ctx.(waiting).report}); err == nil {
				return errors.New("the ended request got an answer")
			}
			return nil
		}, counts(9))
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
	})
}
