package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

func TestDefaultPageSize(t *testing.T) {
	c := newContainer(t)
	for i := range 101 {
		MustCreate(t, c, key("a"), fmt.Sprintf(`{"id":%q,"pk":"a"}`, number(i)))
	}
	for size, want := range map[int32]int{0: 2, -1: 1, 101: 2, 102: 1, 50: 3} { // a full page is followed by another
		if rows, pages, err := queryAll(c, key("a"), "SELECT * FROM c", size); err != nil || len(rows) != 101 ||
			pages != want {
			t.Errorf("size %d: %d rows in %d pages, want %d: %v", size, len(rows), pages, want, err)
		}
	}
	everything := &azcosmos.FeedRange{MaxExclusive: "FF"}
	pages, _ := feedOf(t, c, azcosmos.ChangeFeedOptions{FeedRange: everything})
	if len(pages) != 2 {
		t.Errorf("the change feed has %d pages", len(pages))
	}
}

// TestSplitPages checks that all pages together are the whole result, wherever they end.
func TestSplitPages(t *testing.T) {
	seed := rand.Uint64() | 1
	t.Logf("seed %d", seed)
	c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{SplitPages: seed})), nil, "/pk")
	for i := range 30 {
		MustCreate(t, c, key("a"), fmt.Sprintf(`{"id":%q,"pk":"a","n":%d,"list":[1,2]}`, number(i), i))
	}
	t.Run("rows", func(t *testing.T) {
		for text, want := range map[string]int{
			"SELECT * FROM c": 30, "SELECT VALUE c.n FROM c ORDER BY c.n DESC": 30, "SELECT TOP 7 c.id FROM c": 7,
			"SELECT VALUE c.n FROM c WHERE c.n >= 10 ORDER BY c.n OFFSET 3 LIMIT 9": 9,
			"SELECT VALUE l FROM c JOIN l IN c.list WHERE c.n < 10":                 20,
			"SELECT DISTINCT VALUE l FROM c JOIN l IN c.list":                       2,
			"SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk":                       1,
			"SELECT VALUE AVG(c.n) FROM c":                                          1,
			"SELECT * FROM c WHERE c.n > 100":                                       0,
		} {
			once, _, err := queryAll(c, key("a"), text, -1)
			if err != nil || len(once) != want {
				t.Errorf("%s: %d rows, want %d: %v", text, len(once), want, err)
			}
			again, pages, err := queryAll(c, key("a"), text, 1000) // a page has at most 16 rows
			if err != nil || !slices.Equal(once, again) || want > 16 && pages < 2 {
				t.Errorf("%s: %v and then, in %d pages, %v, %v", text, once, pages, again, err)
			}
		}
	})
	t.Run("aggregates", func(t *testing.T) {
		for text, aggregate := range map[string]struct {
			want int
			put  func(a, b int) int
		}{
			"SELECT VALUE COUNT(1) FROM c":                  {30, func(a, b int) int { return a + b }},
			"SELECT VALUE COUNT(1) FROM c WHERE c.n < 20":   {20, func(a, b int) int { return a + b }},
			"SELECT VALUE SUM(c.n) FROM c":                  {435, func(a, b int) int { return a + b }},
			"SELECT VALUE MAX(c.n) FROM c":                  {29, func(a, b int) int { return max(a, b) }},
			"SELECT VALUE COUNT(1) FROM c JOIN l IN c.list": {60, func(a, b int) int { return a + b }},
		} {
			parts, _, err := queryAll(c, key("a"), text, 0)
			got := 0
			for _, part := range parts {
				n, _ := strconv.Atoi(part)
				got = aggregate.put(got, n)
			}
			if err != nil || got != aggregate.want || len(parts) < 5 {
				t.Errorf("%s: %d in the parts %v, want %d: %v", text, got, parts, aggregate.want, err)
			}
		}
	})
	t.Run("empty pages", func(t *testing.T) {
		empty := 0
		for range 10 {
			pager := c.NewQueryItemsPager("SELECT * FROM c", key("a"), nil)
			for pager.More() {
				page, err := pager.NextPage(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if len(page.Items) == 0 && page.ContinuationToken != nil {
					empty++
				}
			}
		}
		if empty == 0 {
			t.Error("no page is empty")
		}
	})
	t.Run("the change feed", func(t *testing.T) {
		pages, _ := feedOf(t, c,
			azcosmos.ChangeFeedOptions{FeedRange: &azcosmos.FeedRange{MaxExclusive: "FF"}, MaxItemCount: 1000})
		if len(pages) < 2 {
			t.Errorf("30 changes take %d pages", len(pages))
		}
	})
	t.Run("many items by one request", func(t *testing.T) {
		var items []azcosmos.ItemIdentity
		for i := range 30 {
			items = append(items, azcosmos.ItemIdentity{ID: number(i), PartitionKey: key("a")})
		}
		if resp, err := c.ReadManyItems(t.Context(), items, nil); err != nil || len(resp.Items) != 30 {
			t.Errorf("%d items, %v", len(resp.Items), err)
		}
	})
}
