package cosmos

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// newSplittable opens a store on an engine with the given number of feed ranges, and returns both.
func newSplittable(t *testing.T, ranges int) (*Store, *embedded.Engine) {
	t.Helper()
	engine := newEngine(t, embedded.Options{Ranges: ranges})
	return openStore(t, engine, Options{}), engine
}

// writePosts creates n posts and returns their ids.
func writePosts(t *testing.T, s *Store, n int) (ids []string) {
	t.Helper()
	for range n {
		post := domain.Post{ID: domain.NewID(), AuthorID: "u", AuthorName: "ada", Title: "T", Content: "C",
			Created: time.Now(), Version: 1}
		if err := s.Posts.Create(t.Context(), post); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, post.ID)
	}
	return ids
}

// readOn reads the change feed of posts from a continuation to its end, and returns the ids of the items and the last
// continuation.
func readOn(t *testing.T, s *Store, r feeds.Range, from string) (ids []string, continuation string) {
	t.Helper()
	for continuation = from; ; {
		page, err := s.Posts.Changes().Read(t.Context(), r, continuation, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			ids = append(ids, c.Item.ID)
		}
		continuation = page.Continuation
		if page.Drained {
			return ids, continuation
		}
	}
}

func feedRanges(t *testing.T, s *Store) []feeds.Range {
	t.Helper()
	ranges, err := s.Posts.Changes().FeedRanges(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ranges
}

func TestSplitOfAFeedRange(t *testing.T) {
	for _, read := range []string{"in part", "completely", "not at all"} {
		t.Run("that was read "+read, func(t *testing.T) {
			s, engine := newSplittable(t, 1)
			feed := s.Posts.Changes()
			parent := feedRanges(t, s)[0]
			before := writePosts(t, s, 20)
			var seen []string
			continuation := ""
			switch read {
			case "in part":
				page, err := feed.Read(t.Context(), parent, "", 7)
				if err != nil || len(page.Changes) != 7 {
					t.Fatalf("%d changes, %v", len(page.Changes), err)
				}
				for _, c := range page.Changes {
					seen = append(seen, c.Item.ID)
				}
				continuation = page.Continuation
			case "completely":
				seen, continuation = readOn(t, s, parent, "")
			}
			if err := engine.Split(t.Context(), "test", schema.PostsContainer, ""); err != nil {
				t.Fatal(err)
			}
			after := writePosts(t, s, 100) // their ids are random: so many that each new feed range gets some
			if got := feedRanges(t, s); len(got) != 1 {
				t.Errorf("the SDK returns the new feed ranges before a request failed: %v", got)
			}
			if _, err := feed.Read(t.Context(), parent, continuation, 1); err != nil {
				t.Fatal(err)
			}
			children := feedRanges(t, s) // the read has refreshed the SDK's cache of feed ranges
			if len(children) != 2 {
				t.Fatalf("the feed ranges are %v, want 2", children)
			}
			got := slices.Clone(seen)
			for _, child := range children {
				narrowed, err := feed.Narrow(continuation, child)
				if err != nil {
					t.Fatal(err)
				}
				ids, end := readOn(t, s, child, narrowed)
				if len(ids) == 0 {
					t.Errorf("the feed range %v has no items", child)
				}
				got = append(got, ids...)
				if again, _ := readOn(t, s, child, end); len(again) != 0 {
					t.Errorf("the items %v were returned twice", again)
				}
			}
			want := slices.Concat(before, after)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("read %d items, want each of %d once", len(got), len(want))
			}
			// The parent's continuation stays valid.
			if ids, _ := readOn(t, s, parent, continuation); len(ids) != len(want)-len(seen) {
				t.Errorf("the parent's continuation leads to %d items, want %d", len(ids), len(want)-len(seen))
			}
		})
	}
}

func TestNarrow(t *testing.T) {
	const head = `{"version":1,"resourceId":"rid","continuation":[`
	two := head + `{"minInclusive":"","maxExclusive":"80","continuationToken":"\"5\""},` +
		`{"minInclusive":"80","maxExclusive":"FF","continuationToken":"\"7\""}]}`
	for name, c := range map[string]struct{ token, to, want string }{ // an empty want expects an error
		"keeps one of two parts": {two, "80-FF", head +
			`{"minInclusive":"80","maxExclusive":"FF","continuationToken":"\"7\""}]}`},
		"cuts a piece out of one part": {two, "20-40", head +
			`{"minInclusive":"20","maxExclusive":"40","continuationToken":"\"5\""}]}`},
		"cuts pieces out of two parts": {two, "40-A0", head +
			`{"minInclusive":"40","maxExclusive":"80","continuationToken":"\"5\""},` +
			`{"minInclusive":"80","maxExclusive":"A0","continuationToken":"\"7\""}]}`},
		"keeps the order of rotated parts": {head +
			`{"minInclusive":"80","maxExclusive":"FF"},{"minInclusive":"","maxExclusive":"80"}]}`, "-FF", head +
			`{"minInclusive":"80","maxExclusive":"FF"},{"minInclusive":"","maxExclusive":"80"}]}`},
		"narrows a part without a token": {head + `{"minInclusive":"","maxExclusive":"FF"}]}`, "-80", head +
			`{"minInclusive":"","maxExclusive":"80"}]}`},
		"narrows a part without an upper bound": {head + `{"minInclusive":"","maxExclusive":""}]}`,
			"80-FF", head + `{"minInclusive":"80","maxExclusive":"FF"}]}`},
		"rejects a range beyond the parts": {head + `{"minInclusive":"","maxExclusive":"80"}]}`, "40-FF", ""},
		"rejects a hole between the parts": {head +
			`{"minInclusive":"","maxExclusive":"40"},{"minInclusive":"50","maxExclusive":"FF"}]}`, "-FF", ""},
		"rejects overlapping parts": {head +
			`{"minInclusive":"","maxExclusive":"60"},{"minInclusive":"50","maxExclusive":"FF"}]}`, "-FF", ""},
		"rejects a continuation without parts": {head + `]}`, "-FF", ""},
		"rejects another version": {strings.Replace(two, `"version":1`, `"version":2`, 1), "80-FF",
			""},
		"rejects a continuation without version": {strings.Replace(two, `"version":1,`, ``, 1),
			"80-FF", ""},
		"rejects an unknown property": {strings.Replace(two, `"version":1`, `"version":1,"mode":"x"`, 1), "80-FF",
			""},
		"rejects an etag":       {`"5"`, "80-FF", ""},
		"rejects trailing data": {two + two, "80-FF", ""},
	} {
		t.Run(name, func(t *testing.T) {
			low, high, _ := strings.Cut(c.to, "-")
			got, err := (&changefeed.Reader[feeds.PostChange]{}).Narrow(c.token,
				feeds.Range{MinInclusive: low, MaxExclusive: high})
			if got != c.want || (err != nil) != (c.want == "") {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
	t.Run("keeps an empty continuation", func(t *testing.T) {
		if got, err := (&changefeed.Reader[feeds.PostChange]{}).Narrow("", feeds.Range{}); got != "" ||
			err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestMalformedItemsInTheChangeFeed(t *testing.T) {
	s := newStore(t, func(engine policy.Transporter) policy.Transporter { return engine })
	put := func(c *client.Container, partition, body string) {
		t.Helper()
		if _, err := c.Client.UpsertItem(t.Context(), client.Key(partition), []byte(body), nil); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now().Add(-2 * time.Second)
	put(s.Container(schema.PostsContainer), "p", `{"id":"good","type":"comment","postId":"p","content":"Hello"}`)
	put(s.Container(schema.PostsContainer), "p", `{"id":"bad","type":"comment","postId":"p","content":7}`)
	put(s.Container(schema.PostsContainer), "p", `{"id":"odd","type":{},"postId":"p"}`)
	put(s.Container(schema.PostsContainer), "p", `{"id":"other","type":"draft","postId":"p","content":7}`)
	put(s.Container(schema.PostsContainer), "p", `{"id":"last","type":"comment","postId":"p","content":"Hello"}`)
	feed := s.Posts.Changes()
	var changes []feeds.Change[feeds.PostChange]
	for _, r := range feedRanges(t, s) {
		page, err := feed.Read(t.Context(), r, "", 100)
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, page.Changes...)
		if n := len(page.Changes); n > 0 && page.LSN != page.Changes[n-1].LSN {
			t.Errorf("the page has LSN %d, its last change %d", page.LSN, page.Changes[n-1].LSN)
		}
	}
	var got []string
	for i, c := range changes {
		got = append(got, fmt.Sprintf("%s %t", c.Item.ID, c.Err == nil))
		if c.Item.PartitionKey != "p" || c.LSN != changes[0].LSN+int64(i)+btoi(i == 3) || c.Modified.Before(began) ||
			c.Modified.After(time.Now()) {
			t.Errorf("change %+v", c)
		}
		if c.Err != nil && (c.Value != (feeds.PostChange{}) || !domain.Is(c.Err, domain.Internal) ||
			!strings.Contains(c.Err.Error(), c.Item.ID)) {
			t.Errorf("value %+v, error %v", c.Value, c.Err)
		}
		item, err := feed.Item(t.Context(), c.Item)
		if err != nil || item.Item != c.Item || (item.Err == nil) != (c.Err == nil) {
			t.Errorf("reading the item returns %+v, %v", item, err)
		}
	}
	if want := []string{"good true", "bad false", "odd false", "last true"}; !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	for _, id := range []string{"other", "none"} {
		if _, err := feed.Item(t.Context(), feeds.ItemRef{PartitionKey: "p", ID: id}); !domain.Is(err,
			domain.NotFound) {
			t.Errorf("reading the item %s: %v, want not found", id, err)
		}
	}
	t.Run("an item whose partition key is a number is found until it is deleted", func(t *testing.T) {
		upsert := func(partition azcosmos.PartitionKey, body string) {
			t.Helper()
			if _, err := s.Container(schema.PostsContainer).Client.UpsertItem(t.Context(), partition, []byte(body),
				nil); err != nil {
				t.Fatal(err)
			}
		}
		number := azcosmos.NewPartitionKeyNumber(5)
		upsert(number, `{"id":"numbered","type":"comment","postId":5,"content":"Hello"}`)
		put(s.Container(schema.PostsContainer), "p",
			`{"id":"numbered","type":"comment","postId":"p","content":"Hello"}`) // another item
		var ref feeds.ItemRef
		for _, r := range feedRanges(t, s) {
			page, err := feed.Read(t.Context(), r, "", 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range page.Changes {
				if c.Item.ID == "numbered" && c.Err != nil {
					ref = c.Item
				}
			}
		}
		item, err := feed.Item(t.Context(), ref)
		if err != nil || item.Err == nil || item.Item != ref {
			t.Errorf("item %+v of %+v, %v", item, ref, err)
		}
		if _, err := s.Container(schema.PostsContainer).Client.DeleteItem(t.Context(), number, "numbered",
			nil); err != nil {
			t.Fatal(err)
		}
		if _, err := feed.Item(t.Context(), ref); !domain.Is(err, domain.NotFound) {
			t.Errorf("reading the deleted item: %v, want not found", err)
		}
	})
	t.Run("the change feed contains no credentials, also malformed ones", func(t *testing.T) {
		put(s.Container(schema.UsersContainer), "u",
			`{"id":"credentials","type":"credentials","userId":"u","passwordHash":"secret","nameVersion":"x"}`)
		if _, err := s.Container(schema.UsersContainer).Client.UpsertItem(t.Context(),
			azcosmos.NewPartitionKeyNumber(5),
			[]byte(`{"id":"credentials","type":"credentials","userId":5,"passwordHash":"secret"}`), nil); err != nil {
			t.Fatal(err)
		}
		users := s.Users.Changes()
		ranges, err := users.FeedRanges(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range ranges {
			if page, err := users.Read(t.Context(), r, "", 100); err != nil || len(page.Changes) != 0 {
				t.Errorf("the page is %+v, %v, want no changes", page, err)
			}
		}
	})
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func TestRecreatedContainerIsReadFromItsBeginning(t *testing.T) {
	s := newStore(t, direct)
	feed := s.Posts.Changes()
	before, err := feed.Container(t.Context())
	if err != nil || before == "" {
		t.Fatalf("the resource id is %q, %v", before, err)
	}
	writePosts(t, s, 1)
	r := feedRanges(t, s)[0]
	_, continuation := readOn(t, s, r, "")
	if _, err := s.Container(schema.PostsContainer).Client.Delete(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, d := range schema.ContainerDefinitions() {
		if d.ID == schema.PostsContainer {
			if _, err := s.SDK.CreateContainer(t.Context(), d, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	after, err := feed.Container(t.Context())
	if err != nil || after == before || after == "" {
		t.Fatalf("the resource id is %q after %q, %v", after, before, err)
	}
	if _, err := feed.Read(t.Context(), r, continuation, 1); err == nil {
		t.Error("the new container accepts a continuation of the former one")
	}
	// The session tokens of the former container are invalid too. They are dropped when an answer shows that it comes
	// from another container.
	if _, err := feed.Read(t.Context(), r, "", 1); err != nil && !domain.Is(err, domain.Unavailable) {
		t.Fatal(err)
	}
	writePosts(t, s, 20)
	if ids, _ := readOn(t, s, r, ""); len(ids) == 0 {
		t.Error("reading the new container from its beginning returns no items")
	}
}

func TestSessionLSN(t *testing.T) {
	for token, want := range map[string]int64{
		"0:-1#12": 12, "3:1#12#1=7": 12, "0:12": 12, "": 0, "0": 0, "0:x#y": 0, "0:1#": 0,
	} {
		if got := client.SessionLSN(token); got != want {
			t.Errorf("the LSN is %d in %q, want %d", got, token, want)
		}
	}
}
