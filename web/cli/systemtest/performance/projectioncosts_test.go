package performance

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos"
	cosmosfeeds "inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/throttle"
	"inkfeed/web/cli/systemtest/harness"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/projection"
)

var update = flag.Bool("update", false, "write the figures into the documents")

// priced is a blog that measures the charges of requests and of projections separately.
type priced struct {
	t        *testing.T
	store    *cosmos.Store
	ada, bob domain.User
	posts    []string                          // posts of ada, newest first, more than the feed holds
	from     map[string]map[feeds.Range]string // checkpoints by container
	clock    time.Time
	pace     *throttle.Pace
	ids      harness.RandomBytes // has a fixed seed, because IDs determine the feed ranges and so the number of pages
}

// newPriced creates a blog with a full feed and projects all changes.
func newPriced(t *testing.T) *priced {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), embedded.Options{Ranges: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	store, err := cosmos.Open(t.Context(), cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(),
		Transport: engine, Database: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	p := &priced{t: t, store: store, clock: time.Now().Add(-time.Hour),
		ids:  harness.RandomBytes{Random: rand.New(rand.NewPCG(1, 2))},
		from: map[string]map[feeds.Range]string{"posts": {}, "users": {}}}
	p.ada, p.bob = p.user("ada"), p.user("bob")
	for range domain.FeedLimit + 20 {
		p.posts = append([]string{p.post(p.ada)}, p.posts...)
	}
	p.settle()
	return p
}

func (p *priced) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *priced) user(name string) domain.User {
	u, err := domain.NewUser(name, p.clock)
	p.must(err)
	u.ID = domain.NewUserID(p.ids)
	const hash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g"
	p.must(p.store.Accounts.Create(p.t.Context(), u, hash))
	return u
}

func (p *priced) now() time.Time {
	p.clock = p.clock.Add(time.Second)
	return p.clock
}

func (p *priced) newPost(author domain.User) domain.Post {
	post, err := domain.NewPost(author, "A post to be priced", strings.Repeat("Some words of a post. ", 40), p.now())
	p.must(err)
	post.ID = domain.NewIDFrom(p.ids)
	return post
}

func (p *priced) post(author domain.User) string {
	post := p.newPost(author)
	p.must(p.store.Posts.Create(p.t.Context(), post))
	return post.ID
}

func (p *priced) comment(author domain.User, postID string) domain.Comment {
	c, err := domain.NewComment(author, postID, "A comment of a few words, as most of them are.", p.now())
	p.must(err)
	c.ID = domain.NewIDFrom(p.ids)
	return c
}

// settle projects until there are no new changes. It returns the charge of reading and projecting, and the number of
// pages, each of which ends with a checkpoint.
func (p *priced) settle() (charge float64, pages int) {
	p.t.Helper()
	ctx, usage := client.WithUsage(p.t.Context())
	for news := true; news; {
		projector := projection.Users(p.store, slog.New(slog.DiscardHandler))
		projector.Pace = p.pace
		users := settleFeed(ctx, p, "users", p.store.Users.Changes(), projector)
		posts := settleFeed(ctx, p, "posts", p.store.Posts.Changes(), projection.Posts(p.store, markdown.New()))
		pages += users + posts
		news = users+posts > 0
	}
	return usage.Charge(), pages
}

// settleFeed projects the new changes of one container and returns the number of pages.
func settleFeed[T any](
	ctx context.Context, p *priced, name string, feed *cosmosfeeds.Reader[T], projector changefeed.Projector[T],
) (pages int) {
	p.t.Helper()
	ranges, err := feed.FeedRanges(ctx)
	p.must(err)
	for _, r := range ranges {
		for {
			page, err := feed.Read(ctx, r, p.from[name][r], 500)
			p.must(err)
			p.from[name][r] = page.Continuation
			if page.Drained {
				break
			}
			var changes []T
			for _, c := range page.Changes {
				changes = append(changes, c.Value)
			}
			if len(changes) > 0 {
				pages++
				p.must(projector.Project(ctx, changes))
			}
		}
	}
	return pages
}

// checkpoint returns the charge of writing a lease.
func (p *priced) checkpoint() float64 {
	ctx := p.t.Context()
	whole := feeds.Range{MaxExclusive: "FF"}
	feed := p.store.Posts.Changes()
	container, err := feed.Container(ctx)
	p.must(err)
	page, err := feed.Read(ctx, whole, "", 1)
	p.must(err)
	lease := feeds.Lease{Processor: "posts", Range: whole, Container: container}
	p.must(p.store.Leases.Create(ctx, lease))
	lease, err = p.store.Leases.Read(ctx, "posts", whole)
	p.must(err)
	lease.Owner, lease.Epoch = "a-host-with-a-name-1234-ABCDEFGH", 7
	lease.Renewed, lease.Continuation = time.Now(), page.Continuation
	lease, err = p.store.Leases.Replace(ctx, lease)
	p.must(err)
	ctx, usage := client.WithUsage(ctx)
	_, err = p.store.Leases.Replace(ctx, lease)
	p.must(err)
	return usage.Charge()
}

// TestDocumentedProjectionCostsAreCurrent measures the charge of each request and of the work that it causes for the
// workers, without idle polls. The blog has no other requests.
func TestDocumentedProjectionCostsAreCurrent(t *testing.T) {
	p := newPriced(t)
	ctx := t.Context()
	checkpoint := p.checkpoint()
	var table strings.Builder
	fmt.Fprintf(&table, "| | the request | reading and projecting the changes | checkpoints | in all |\n"+
		"| --- | ---: | ---: | ---: | ---: |\n")
	row := func(name string, share int, request func(ctx context.Context) error) {
		t.Helper()
		p.settle() // projects the changes of the preparation
		ctx, usage := client.WithUsage(ctx)
		p.must(request(ctx))
		projecting, pages := p.settle()
		n := float64(share)
		own, projecting, checkpoints := usage.Charge()/n, projecting/n, float64(pages)*checkpoint/n
		fmt.Fprintf(&table, "| %s | %.1f | %.1f | %.1f | %.1f |\n", name, own, projecting, checkpoints,
			own+projecting+checkpoints)
	}
	like := func(ctx context.Context, u domain.User, postID string) error {
		_, err := p.store.Posts.Like(ctx, domain.NewLike(u, postID, p.now()))
		return err
	}
	add := func(ctx context.Context, c domain.Comment) error {
		_, err := p.store.Posts.AddComment(ctx, c)
		return err
	}
	newReader := func() domain.User { return domain.User{ID: domain.NewUserID(p.ids), Username: "somebody"} }
	// crowd adds comments and likes of many users to a post.
	crowd := func(postID string, comments, likes int) {
		for range comments {
			p.must(add(ctx, p.comment(p.bob, postID)))
		}
		for range likes {
			p.must(like(ctx, newReader(), postID))
		}
	}
	front, old := p.posts[30], p.posts[domain.FeedLimit+10]
	row("a like", 1, func(ctx context.Context) error { return like(ctx, p.bob, front) })
	row("a like of a post that has left the feed", 1, func(ctx context.Context) error { return like(ctx, p.bob, old) })
	row("one of 400 likes of a post that arrive in one batch of changes", 400, func(ctx context.Context) error {
		for range 400 {
			if err := like(ctx, newReader(), p.posts[3]); err != nil {
				return err
			}
		}
		return nil
	})
	row("a comment", 1, func(ctx context.Context) error { return add(ctx, p.comment(p.bob, front)) })
	row("a new post", 1, func(ctx context.Context) error { return p.store.Posts.Create(ctx, p.newPost(p.ada)) })
	row("an edit", 1, func(ctx context.Context) error {
		edit := domain.Edit{PostID: p.posts[5], Revision: 1, Title: "Another title", Content: "And text.", At: p.now()}
		_, err := p.store.Posts.Edit(ctx, edit, p.ada.ID)
		return err
	})
	tagged := p.newPost(p.ada)
	tagged.Tags = "Go,Über uns,猫"
	row("a new post with three tags", 1, func(ctx context.Context) error { return p.store.Posts.Create(ctx, tagged) })
	row("a like of that post", 1, func(ctx context.Context) error { return like(ctx, p.bob, tagged.ID) })
	edit := domain.Edit{PostID: tagged.ID, Revision: 1, Title: tagged.Title, Content: tagged.Content,
		Tags: "Go,猫", At: p.now()}
	row("removing a tag from it", 1, func(ctx context.Context) error {
		_, err := p.store.Posts.Edit(ctx, edit, p.ada.ID)
		return err
	})
	row("making it unlisted", 1, func(ctx context.Context) error {
		_, err := p.store.Posts.SetStatus(ctx, tagged.ID, p.ada.ID, domain.Unlisted)
		return err
	})
	row("a like of it after that", 1, func(ctx context.Context) error { return like(ctx, newReader(), tagged.ID) })
	carol := p.user("carol")
	p.post(carol)
	for i := range 10 {
		p.must(add(ctx, p.comment(carol, p.posts[i])))
		p.must(like(ctx, carol, p.posts[i+10]))
	}
	const carolsTexts = "a post, 10 comments and 10 likes, each on another post"
	row("renaming a user with "+carolsTexts, 1, func(ctx context.Context) error {
		_, err := p.store.Usernames.Rename(ctx, carol.ID, "caroline")
		return err
	})
	c := p.comment(p.bob, front)
	p.must(add(ctx, c))
	row("deleting a comment", 1, func(ctx context.Context) error {
		_, err := p.store.Posts.DeleteComment(ctx, front, c.ID, p.bob.ID)
		return err
	})
	crowd(front, 20, 50)
	row("deleting a post in the feed, with 21 comments and 51 likes", 1, func(ctx context.Context) error {
		return p.store.Posts.Delete(ctx, front, p.ada.ID)
	})
	crowd(old, 20, 50)
	row("deleting a post that has left the feed, with 20 comments and 51 likes", 1, func(ctx context.Context) error {
		return p.store.Posts.Delete(ctx, old, p.ada.ID)
	})
	row("deleting an account with "+carolsTexts, 1, func(ctx context.Context) error {
		return p.store.AccountDeletions.Delete(ctx, carol.ID)
	})
	updateSection(t, "docs/workers.md", "costs", table.String())
}

// updateSection compares a section of a document, between comments with its name, with the wanted text. With the flag
// -update it writes the text into the document.
func updateSection(t *testing.T, path, name, want string) {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(document), "<!-- "+name+" -->\n")
	got, after, closed := strings.Cut(rest, "<!-- end of "+name+" -->")
	switch {
	case !ok || !closed:
		t.Fatalf("%s has no section %q", path, name)
	case got == want:
	case *update:
		text := before + "<!-- " + name + " -->\n" + want + "<!-- end of " + name + " -->" + after
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is stale: run make requests. It has\n%s\nwant\n%s", path, got, want)
	}
}
