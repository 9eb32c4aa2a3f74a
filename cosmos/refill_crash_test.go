package cosmos

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/copies"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// The deletion of a post can stop after any write. Its batch of changes is then projected again, and the feed must hold
// exactly the newest posts. Meanwhile an old post may have been liked, and the next in line may have been deleted after
// it was touched. The old post must not take its place.
func TestFeedIsRefilledWhereverADeletionStops(t *testing.T) {
	const posts = domain.FeedLimit + 10
	markdown := markdown.New()
	for after := int64(0); ; after++ {
		stopped := false
		for _, meanwhile := range []string{"nothing happens", "an old post is liked",
			"the next in line is deleted and an old post liked"} {
			t.Run(fmt.Sprintf("after %d writes, meanwhile %s", after, meanwhile), func(t *testing.T) {
				store, transport := newCutOff(t)
				ctx := t.Context()
				ada, err := domain.NewUser("ada", time.Now())
				if err != nil {
					t.Fatal(err)
				}
				versions := make(map[string]int)
				var ids []string // newest first
				for i := range posts {
					p, err := domain.NewPost(ada, fmt.Sprint("Post ", i), "Text",
						time.Now().Add(-time.Duration(i)*time.Minute))
					if err == nil {
						err = store.Posts.Create(ctx, p)
					}
					if err != nil {
						t.Fatal(err)
					}
					ids = append(ids, p.ID)
				}
				apply := func(ids ...string) error {
					var changed []domain.Summary
					for _, id := range ids {
						p, err := store.Posts.Latest(ctx, id)
						if err != nil {
							t.Fatal(err)
						}
						versions[id] = p.Version
						changed = append(changed, markdown.Summarize(p))
					}
					return store.Feed.Apply(ctx, changed)
				}
				if err := apply(ids...); err != nil {
					t.Fatal(err)
				}
				victim, next, old := ids[30], ids[domain.FeedLimit], ids[posts-1]
				gone := []string{victim}
				if err := store.Posts.Delete(ctx, victim, ada.ID); err != nil {
					t.Fatal(err)
				}
				transport.left.Store(after)
				err = apply(victim)
				transport.left.Store(1 << 40)
				stopped = stopped || err != nil
				if strings.Contains(meanwhile, "deleted") {
					if err := store.Posts.Delete(ctx, next, ada.ID); err != nil {
						t.Fatal(err)
					}
					gone = append(gone, next)
				}
				if strings.Contains(meanwhile, "liked") {
					if _, err := store.Posts.Like(ctx, domain.NewLike(ada, old, time.Now())); err != nil {
						t.Fatal(err)
					}
					if err := apply(old); err != nil {
						t.Fatal(err)
					}
				}
				changed := []string{victim} // its batch of changes had no checkpoint
				for len(changed) > 0 {
					if err := apply(changed...); err != nil {
						t.Fatal(err)
					}
					changed = nil
					for _, id := range ids {
						if p, err := store.Posts.Latest(ctx, id); err != nil {
							t.Fatal(err)
						} else if p.Version != versions[id] {
							changed = append(changed, id)
						}
					}
				}
				var got []string
				for _, s := range feedOf(t, store.Feed) {
					got = append(got, s.PostID)
				}
				want := slices.DeleteFunc(slices.Clone(ids),
					func(id string) bool { return slices.Contains(gone, id) })[:domain.FeedLimit]
				if !slices.Equal(got, want) {
					t.Errorf("the feed has %d posts that are not the newest: the last is number %d", len(got),
						slices.Index(ids, got[len(got)-1]))
				}
			})
		}
		if !stopped {
			if after < 3 {
				t.Errorf("a deletion takes only %d writes, so the test checks nothing", after)
			}
			return
		}
	}
}

// feedOf reads all pages of the feed.
func feedOf(t *testing.T, feed *copies.Feed) (all []domain.Summary) {
	t.Helper()
	for page := 1; ; page++ {
		found, err := feed.FrontPage(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, found.Items...); len(found.Items) == 0 {
			return all
		}
	}
}
