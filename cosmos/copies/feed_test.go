package copies

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	poststore "inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

func mustAll(t *testing.T, f *Feed) []domain.Summary {
	t.Helper()
	rows, err := client.Query[PostCopy](t.Context(), f.c, schema.TypePost,
		`SELECT * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC, c.id DESC`, nil)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(Summaries(rows), func(s domain.Summary) bool { return !s.Deleted.IsZero() })
}

// feedPosts creates posts and returns their short forms.
func feedPosts(t *testing.T, store *feedStore, n int) (posts []domain.Summary) {
	t.Helper()
	for i := range n {
		s := feedPost(i, 1)
		s.Created = domain.Timestamp(s.Created)
		posts = append(posts, s)
		source := domain.Post{ID: s.PostID, Created: s.Created, Version: 1}
		if err := store.Posts.Create(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
	return posts
}

func newest(posts []domain.Summary) []domain.Summary {
	return slices.SortedFunc(slices.Values(posts), domain.NewestFirst)[:domain.FeedLimit]
}

func TestConcurrentWritersOfAnEmptyFeedLeaveExactlyTheNewestPosts(t *testing.T) {
	for range 5 {
		store := newFeedStore(t)
		posts := feedPosts(t, store, 8*45)
		var group sync.WaitGroup
		for part := range slices.Chunk(posts, 45) {
			group.Go(func() {
				if err := store.Feed.Apply(t.Context(), part); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if got := mustAll(t, store.Feed); !slices.Equal(got, newest(posts)) {
			t.Fatalf("%d posts, not the newest", len(got))
		}
	}
}

func TestApplyTrimsAnOverfullFeed(t *testing.T) {
	store := newFeedStore(t)
	posts := feedPosts(t, store, 450)
	for part := range slices.Chunk(posts[1:], client.MaxBatch) {
		batch := store.Container(schema.FeedContainer).Batch(schema.TypePost)
		for _, s := range part {
			batch.CreateItem(client.Encode(PostCopyOf(s)), nil)
		}
		if _, err := store.Container(schema.FeedContainer).Execute(t.Context(), batch, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Feed.Apply(t.Context(), posts[:1]); err != nil { // older than all
		t.Fatal(err)
	}
	if got := mustAll(t, store.Feed); !slices.Equal(got, newest(posts)) {
		t.Errorf("%d posts, not the newest", len(got))
	}
}

// Deleting posts far below the feed leaves no tombstones there. Each plan reads all rows, and there may be a million
// such posts.
func TestDeletingOldPostsLeavesTheFeedSmall(t *testing.T) {
	store := newFeedStore(t)
	posts := feedPosts(t, store, 400)
	if err := store.Feed.Apply(t.Context(), posts); err != nil {
		t.Fatal(err)
	}
	var gone []domain.Summary
	for _, s := range posts[:250] {
		s.Version, s.Deleted = 2, time.Now()
		gone = append(gone, s)
	}
	if err := store.Feed.Apply(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	rows, err := store.Feed.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) > domain.FeedLimit+2 {
		t.Errorf("%d rows for %d posts", len(rows), domain.FeedLimit)
	}
}

// A worker stalls with a change of an old post. It continues after that post and all newer ones were deleted.
func TestLateWorkerDoesNotRestoreADeletedPost(t *testing.T) {
	store := newFeedStore(t)
	posts := feedPosts(t, store, 250)
	apply := func(changed ...domain.Summary) {
		t.Helper()
		if err := store.Feed.Apply(t.Context(), changed); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(list []domain.Summary) (gone []domain.Summary) {
		t.Helper()
		for _, s := range list {
			var ops azcosmos.PatchOperations
			ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
			if err := store.Container(schema.PostsContainer).Patch(t.Context(), s.PostID, s.PostID, ops); err != nil {
				t.Fatal(err)
			}
			s.Version, s.Deleted = 2, time.Now()
			gone = append(gone, s)
		}
		return gone
	}
	apply(posts...)
	late := posts[120]
	apply(remove(posts[120:121])...)
	apply(remove(posts[121:])...)
	apply(posts[:120]...)
	apply(late)
	if got, want := mustAll(t, store.Feed), newest(posts[:120]); !slices.Equal(got, want) {
		t.Errorf("%d posts, not the newest: the first is %s", len(got), got[0].PostID)
	}
}

// The last author deletes the account, so the feed has room for every remaining post.
func TestWorkOfDeletingAllPostsGrowsLinearly(t *testing.T) {
	rowsAfter := func(n int) int {
		store := newFeedStore(t)
		posts := feedPosts(t, store, n)
		if err := store.Feed.Apply(t.Context(), posts); err != nil {
			t.Fatal(err)
		}
		for i := range posts {
			var ops azcosmos.PatchOperations
			ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
			if err := store.Container(schema.PostsContainer).Patch(t.Context(), posts[i].PostID, posts[i].PostID,
				ops); err != nil {
				t.Fatal(err)
			}
			posts[i].Version, posts[i].Deleted = 2, time.Now()
		}
		slices.Reverse(posts) // the feed is empty first
		for some := range slices.Chunk(posts, 100) {
			if err := store.Feed.Apply(t.Context(), some); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := store.Feed.Rows(t.Context())
		if err != nil || len(FeedRows(rows).Live()) != 0 || len(FeedRows(rows).waiting()) != 0 {
			t.Errorf("%d live, %d waiting, %v", len(FeedRows(rows).Live()), len(FeedRows(rows).waiting()), err)
		}
		return len(rows)
	}
	if few, many := rowsAfter(200), rowsAfter(500); many > few {
		t.Errorf("deletions read %d rows of a small feed and %d rows of a large one", few, many)
	}
}

// The posts that are next in line fill the places of deleted posts, regardless of how many other posts change first.
func TestFreePlacesAreFilledByTheNextInLine(t *testing.T) {
	store := newFeedStore(t)
	posts := feedPosts(t, store, domain.FeedLimit+10)
	inFeed, nextInLine, others := posts[13:], posts[10:13], posts[:10] // three places are free
	for _, some := range [][]domain.Summary{inFeed, others} {
		if err := store.Feed.Apply(t.Context(), some); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := mustAll(t, store.Feed),
		slices.SortedFunc(slices.Values(inFeed), domain.NewestFirst); !slices.Equal(got, want) {
		t.Errorf("%d posts, %d others joined", len(got), len(got)-len(want))
	}
	if err := store.Feed.Apply(t.Context(), nextInLine); err != nil {
		t.Fatal(err)
	}
	if got := mustAll(t, store.Feed); !slices.Equal(got, newest(posts)) {
		t.Errorf("%d posts, not the newest", len(got))
	}
}

// A post that joins below all others may overtake posts that are in line before it, and whose changes were already
// applied. Apply touches these posts, so their changes are applied again and none is missing in the end.
func TestApplyTouchesOvertakenPosts(t *testing.T) {
	store := newFeedStore(t)
	posts := feedPosts(t, store, domain.FeedLimit+6)
	delivered := make(map[string]int) // versions, by post
	apply := func(changed ...domain.Summary) {
		t.Helper()
		for _, s := range changed {
			delivered[s.PostID] = s.Version
		}
		if err := store.Feed.Apply(t.Context(), changed); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(i int) domain.Summary {
		t.Helper()
		var ops azcosmos.PatchOperations
		ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
		ops.AppendIncrement("/version", 1)
		if err := store.Container(schema.PostsContainer).Patch(t.Context(), posts[i].PostID, posts[i].PostID,
			ops); err != nil {
			t.Fatal(err)
		}
		posts[i].Version, posts[i].Deleted = posts[i].Version+1, time.Now()
		return posts[i]
	}
	latest := func(i int) domain.Summary {
		t.Helper()
		item, err := client.Read[poststore.PostItem](t.Context(), store.Container(schema.PostsContainer),
			posts[i].PostID, posts[i].PostID)
		if err != nil {
			t.Fatal(err)
		}
		posts[i].Version = item.Version
		return posts[i]
	}

	apply(posts...)                              // 6 to 105 are in the feed
	apply(remove(105), remove(104), remove(103)) // 5, 4 and 3 are next in line
	apply(latest(3))
	if _, err := store.Posts.Touch(t.Context(), posts[1].PostID); err != nil { // like it
		t.Fatal(err)
	}
	apply(latest(1)) // it overtakes 2, since the changes of 5 and 4 are not applied yet
	apply(remove(102))
	for i := range posts[:103] { // the rest of the change feed
		if s := latest(i); s.Version > delivered[s.PostID] && s.Deleted.IsZero() {
			apply(s)
		}
	}
	var got []string
	for _, s := range mustAll(t, store.Feed) {
		got = append(got, s.PostID)
	}
	var want []string
	for _, s := range newest(posts[:102]) {
		want = append(want, s.PostID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the feed has %d posts and ends with %v, want %d that end with %v",
			len(got), got[len(got)-3:], len(want), want[len(want)-3:])
	}
}
