package cosmos

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// inTime runs a test in a synctest bubble, on an engine with the bubble's clock.
func inTime(t *testing.T, test func(t *testing.T, store *Store)) {
	inTimeThrough(t, func(engine policy.Transporter) policy.Transporter { return engine }, test)
}

// inTimeThrough is inTime with a transport around the engine.
func inTimeThrough(t *testing.T, wrap func(policy.Transporter) policy.Transporter,
	test func(t *testing.T, store *Store)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		engine, err := embedded.Open(dir, embedded.Options{Ranges: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		store, err := Open(t.Context(), Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: wrap(engine),
			Database: "test"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			synctest.Wait() // the SDK may be refreshing its endpoints, and would retry on a closed engine
			store.Close()
		}()
		test(t, store)
		// The SDK looks up the account's endpoints in the background. It must finish before the engine closes, because
		// no time passes in a bubble that has ended.
		time.Sleep(time.Minute)
	})
}

func mustUser(t *testing.T, store *Store, name string) domain.User {
	t.Helper()
	user, err := domain.NewUser(name, time.Now())
	if err == nil {
		err = store.Accounts.Create(t.Context(), user, "hash")
	}
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func TestNameOfACrashedSignUpIsFreeAfterTheReservation(t *testing.T) {
	inTime(t, func(t *testing.T, store *Store) {
		ctx := t.Context()
		// Then the process crashed.
		if err := store.Usernames.reserve(ctx, domain.NewUserID(nil), "ada", ""); err != nil {
			t.Fatal(err)
		}
		ada, err := domain.NewUser("Ada", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(ReservationTime - time.Second)
		if err := store.Accounts.Create(ctx, ada, "hash"); !domain.Is(err, domain.Invalid) {
			t.Errorf("signing up before the reservation expires: %v, want a taken name", err)
		}
		time.Sleep(2 * time.Second)
		if err := store.Accounts.Create(ctx, ada, "hash"); err != nil {
			t.Errorf("signing up after the reservation has expired: %v", err)
		}
		time.Sleep(2 * ReservationTime)
		if found, err := store.Users.ByName(ctx, "ada"); err != nil || found.ID != ada.ID {
			t.Errorf("the name later belongs to %+v, %v", found, err)
		}
	})
}

// Deletions leave markers and tombstones, which get a time to live when the deletion is complete.
func TestMarkersAndTombstonesExpire(t *testing.T) {
	inTime(t, func(t *testing.T, store *Store) {
		ctx := t.Context()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		type left struct {
			ID  string `json:"id"`
			TTL int    `json:"ttl"`
		}
		// want compares the remaining items with the expected times to live, by id.
		want := func(when string, want map[string]int) {
			t.Helper()
			got := make(map[string]int)
			for _, c := range []*client.Container{store.Container(schema.UsersContainer),
				store.Container(schema.PostsContainer), store.Container(schema.FeedContainer)} {
				must(client.Scan(ctx, c, `SELECT c.id, c.ttl FROM c`, nil, func(i left) error {
					got[i.ID] += i.TTL
					return nil
				}))
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s: the remaining items are %v, want %v", when, got, want)
			}
		}
		ada := mustUser(t, store, "ada")
		post, err := domain.NewPost(ada, "Title", "Text", time.Now())
		must(err)
		must(store.Posts.Create(ctx, post))
		project := func() {
			t.Helper()
			p, err := store.Posts.Latest(ctx, post.ID)
			must(err)
			s := markdown.New().Summarize(p)
			must(store.UserCopies.ApplySummary(ctx, s))
			must(store.Feed.Apply(ctx, []domain.Summary{s}))
		}
		project()
		must(store.AccountDeletions.Delete(ctx, ada.ID))
		_, err = store.Posts.EraseAuthored(ctx, ada.ID, 1000)
		must(err)
		project()
		_, err = store.Posts.EraseResponses(ctx, post.ID)
		must(err)
		want("before the last step", map[string]int{ada.ID: 0, "ada": schema.Forever,
			schema.SkeletonID("ada"): schema.Forever,
			post.ID:                  2 * schema.TombstoneTTL, "beginning": schema.TombstoneTTL})
		time.Sleep(domain.TombstoneTime + time.Second)
		want("without tombstones", map[string]int{ada.ID: 0, "ada": schema.Forever,
			schema.SkeletonID("ada"): schema.Forever, post.ID: 0})
		must(store.Posts.FinishErasure(ctx, post.ID))
		must(store.AccountDeletions.FinishErasure(ctx, ada.ID))
		marker := int(domain.MarkerTime.Seconds())
		want("in the end", map[string]int{ada.ID: marker, post.ID: marker, schema.UsedAddressID: 0})
		time.Sleep(domain.MarkerTime + time.Second)
		want("for good", map[string]int{schema.UsedAddressID: 0})
		for range 2 {
			bob := domain.User{ID: domain.NewUserID(nil), Username: "bob"}
			mine := domain.Draft{PostID: post.ID, Title: "Bob's", Content: "Text."}
			_, err := store.Drafts.Publish(ctx, bob, mine, time.Now())
			if !domain.Is(err, domain.Conflict) {
				t.Errorf("publishing at the address of the deleted post: error %v, want a conflict", err)
			}
		}
	})
}

func TestCounterExpires(t *testing.T) {
	inTime(t, func(t *testing.T, store *Store) {
		add := func(want int) {
			t.Helper()
			if n, err := store.Counters.Add(t.Context(), "login|ada", 1, time.Minute); err != nil || n != want {
				t.Errorf("the counter is %d, %v; want %d", n, err, want)
			}
		}
		add(1)
		time.Sleep(50 * time.Second)
		add(2)
		time.Sleep(61 * time.Second)
		add(1)
	})
}
