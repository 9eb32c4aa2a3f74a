package embedded_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

// feedOf reads the change feed of a range from a continuation to its end. It returns the ids of
// each page and the last continuation.
func feedOf(tb testing.TB, c *azcosmos.ContainerClient, o azcosmos.ChangeFeedOptions) (pages []string, next string) {
	tb.Helper()
	for {
		r, err := c.ReadChangeFeed(ctx, &o)
		if err != nil {
			tb.Fatal(err)
		}
		o.Continuation = &r.ContinuationToken
		if len(r.Items) == 0 {
			return pages, r.ContinuationToken
		}
		var ids []string
		for _, item := range r.Items {
			_, id, _ := strings.Cut(string(item), `"id":"`)
			id, _, _ = strings.Cut(id, `"`)
			ids = append(ids, id)
			if !strings.Contains(string(item), `"_lsn":`) {
				tb.Errorf("no _lsn in %s", item)
			}
		}
		pages = append(pages, strings.Join(ids, " "))
	}
}

func TestChangeFeed(t *testing.T) {
	everything := &azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}

	t.Run("each item occurs once, at the position of its last change", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a"}`, `{"id":"2","pk":"a"}`, `{"id":"3","pk":"a"}`)
		c.UpsertItem(ctx, key("a"), []byte(`{"id":"1","pk":"a","x":1}`), nil)
		c.DeleteItem(ctx, key("a"), "2", nil)
		pages, next := feedOf(t, c, azcosmos.ChangeFeedOptions{FeedRange: everything})
		if fmt.Sprint(pages) != "[3 1]" {
			t.Errorf("got %v", pages)
		}
		MustCreate(t, c, key("b"), `{"id":"4","pk":"b"}`)
		pages, _ = feedOf(t, c, azcosmos.ChangeFeedOptions{Continuation: &next})
		if fmt.Sprint(pages) != "[4]" {
			t.Errorf("resumed: got %v", pages)
		}
	})
	t.Run("a transaction is not split", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"0","pk":"a"}`)
		b := c.NewTransactionalBatch(key("a"))
		for i := range 5 {
			b.CreateItem(fmt.Appendf(nil, `{"id":"b%d","pk":"a"}`, i), nil)
		}
		c.ExecuteTransactionalBatch(ctx, b, nil)
		MustCreate(t, c, key("a"), `{"id":"9","pk":"a"}`)
		pages, _ := feedOf(t, c, azcosmos.ChangeFeedOptions{FeedRange: everything, MaxItemCount: 2})
		if len(pages) != 2 || len(strings.Fields(pages[0])) != 6 || pages[1] != "9" {
			t.Errorf("got %q", pages)
		}
	})
	t.Run("can be restricted to one partition key", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a"}`)
		MustCreate(t, c, key("b"), `{"id":"2","pk":"b"}`)
		pk := key("b")
		pages, _ := feedOf(t, c, azcosmos.ChangeFeedOptions{FeedRange: everything, PartitionKey: &pk})
		if fmt.Sprint(pages) != "[2]" {
			t.Errorf("got %v", pages)
		}
	})
	t.Run("a start time in the SDK's form is discarded", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a"}`)
		past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		for _, from := range []*time.Time{&past, &future} {
			if pages, _ := feedOf(t, c, azcosmos.ChangeFeedOptions{FeedRange: everything, StartFrom: from}); fmt.Sprint(
				pages) != "[1]" {
				t.Errorf("from %v: %v", from, pages)
			}
		}
	})
	t.Run("each item is in one feed range", func(t *testing.T) {
		c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{Ranges: 4})), nil, "/pk")
		for i := range 100 {
			pk := number(i)
			MustCreate(t, c, key(pk), fmt.Sprintf(`{"id":%q,"pk":%q}`, pk, pk))
		}
		ranges, err := c.ReadFeedRanges(ctx, nil)
		if err != nil || len(ranges) != 4 {
			t.Fatal(ranges, err)
		}
		seen := map[string]bool{}
		for _, r := range ranges {
			pages, _ := feedOf(t, c, azcosmos.ChangeFeedOptions{FeedRange: &r, MaxItemCount: 10})
			if len(pages) < 2 {
				t.Errorf("range %v has %d pages", r, len(pages))
			}
			for _, id := range strings.Fields(strings.Join(pages, " ")) {
				if seen[id] {
					t.Errorf("%s was returned twice", id)
				}
				seen[id] = true
			}
		}
		if len(seen) != 100 {
			t.Errorf("%d items", len(seen))
		}
	})
}
