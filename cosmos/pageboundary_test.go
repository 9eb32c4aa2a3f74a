package cosmos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	azure "inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// boundary answers queries in pages of one row. Before each page except the first it calls between
// with the name of the container.
type boundary struct {
	policy.Transporter
	between func(container string)
	mu      sync.Mutex // a method of the store may send several queries concurrently
	pages   int
}

func (b *boundary) Do(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.Header.Get("Content-Type"), "query") {
		r.Header.Set("X-Ms-Max-Item-Count", "1")
		b.turn(r)
	}
	return b.Transporter.Do(r)
}

func (b *boundary) turn(r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pages++; r.Header.Get("X-Ms-Continuation") != "" && b.between != nil {
		b.between(azure.ContainerOf(r.URL.Path))
	}
}

// openBoundary opens a store whose queries are answered in pages of one row, and a second store
// that changes the same data.
func openBoundary(t *testing.T) (slow, direct *Store, b *boundary) {
	t.Helper()
	engine := newEngine(t, embedded.Options{Ranges: 2})
	b = &boundary{Transporter: engine}
	return openStore(t, engine, Options{Transport: b}), openStore(t, engine, Options{}), b
}

func TestFeedIsReadAsOfOneMoment(t *testing.T) {
	slow, direct, b := openBoundary(t)
	ctx := t.Context()
	var all []domain.Summary
	for i := range 6 {
		post, err := domain.NewPost(domain.User{ID: domain.NewUserID(nil), Username: "ada"}, "T", "Text",
			time.Now().Add(-time.Duration(i)*time.Minute))
		if err == nil {
			err = direct.Posts.Create(ctx, post)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, markdown.New().Summarize(post))
	}
	if err := direct.Feed.Apply(ctx, all[:3]); err != nil {
		t.Fatal(err)
	}
	members := func(rows copies.FeedRows) string {
		var ids []string
		for _, row := range rows.Live() {
			ids = append(ids, row.ID)
		}
		slices.Sort(ids)
		return strings.Join(ids, " ")
	}
	states := make(map[string]bool) // the states of the feed over time
	note := func() {
		rows, err := direct.Feed.Rows(ctx)
		if err != nil {
			t.Fatal(err)
		}
		states[members(rows)] = true
	}
	note()
	// A post that was just read is removed. Then posts are added at positions that are still to be read.
	changes := []func() error{
		func() error { return nil },
		func() error {
			gone := all[0]
			gone.Version, gone.Deleted = 2, domain.Timestamp(time.Now())
			return direct.Feed.Apply(ctx, []domain.Summary{gone})
		},
		func() error { return direct.Feed.Apply(ctx, all[3:4]) },
		func() error { return direct.Feed.Apply(ctx, all[4:5]) },
		func() error { return direct.Feed.Apply(ctx, all[5:6]) },
	}
	b.between = func(string) {
		if len(changes) > 0 {
			if err := changes[0](); err != nil {
				t.Error(err)
			}
			changes = changes[1:]
			note()
		}
	}
	rows, err := slow.Feed.Rows(ctx)
	if err != nil || !states[members(rows)] || len(changes) > 0 {
		t.Errorf("the feed was read as %q, a state that it never had: %v, %v", members(rows), states, err)
	}
}

func TestSessionUsedMeanwhileEndsWithTheOthers(t *testing.T) {
	slow, direct, b := openBoundary(t)
	user, now := mustUser(t, direct, "ada"), time.Now()
	for i := range 4 {
		err := direct.Sessions.Create(
			t.Context(),
			domain.Session{ID: fmt.Sprint("session", i), UserID: user.ID, Created: now,
				LastUsed: now.Add(-time.Duration(i) * time.Hour)},
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	used := 0
	b.between = func(string) {
		used++
		if err := direct.Sessions.Touch(t.Context(), user.ID, "session3",
			now.Add(time.Duration(used)*time.Minute)); err != nil &&
			!domain.Is(err, domain.NotFound) {
			t.Error(err)
		}
	}
	if err := slow.Sessions.DeleteOthers(t.Context(), user.ID, "session0"); err != nil {
		t.Fatal(err)
	}
	left, err := direct.Sessions.List(t.Context(), user.ID)
	if err != nil || len(left) != 1 || left[0].ID != "session0" || used == 0 {
		t.Errorf("the remaining sessions are %+v, %v", left, err)
	}
}

// churn changes a container's items without affecting the queries: it adds copies under other ids,
// deletes the copies, and rewrites the items.
type churn struct {
	t      *testing.T
	store  *Store
	random *rand.Rand
	items  map[string][]churned // by container
	copies map[string][]churned
	keys   map[string]string // containers' partition key properties
}

type churned struct{ partition, id, body string }

func newChurn(t *testing.T, store *Store, seed uint64) *churn {
	t.Helper()
	c := &churn{t: t, store: store, random: rand.New(rand.NewPCG(seed, 0)), items: make(map[string][]churned),
		copies: make(map[string][]churned), keys: make(map[string]string)}
	for _, d := range schema.ContainerDefinitions() {
		c.keys[d.ID] = strings.TrimPrefix(d.PartitionKeyDefinition.Paths[0], "/")
		err := azure.Scan(t.Context(), c.container(d.ID), `SELECT * FROM c`, nil, func(body json.RawMessage) error {
			c.items[d.ID] = append(c.items[d.ID], c.parse(d.ID, string(body)))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *churn) container(name string) *azure.Container {
	client, err := c.store.SDK.NewContainer(name)
	if err != nil {
		c.t.Fatal(err)
	}
	return &azure.Container{Client: client}
}

func (c *churn) parse(container, body string) churned {
	var properties map[string]any
	if err := json.Unmarshal([]byte(body), &properties); err != nil {
		c.t.Fatal(err)
	}
	partition, _ := properties[c.keys[container]].(string)
	return churned{partition, properties["id"].(string), body}
}

var idInside = regexp.MustCompile(`[a-km-z2-9]{26}`)

func (c *churn) step(name string) {
	ctx, in, items, copies := c.t.Context(), c.container(name), c.items[name], c.copies[name]
	item := items[c.random.IntN(len(items))]
	var err error
	switch token := idInside.FindString(item.id); {
	case c.random.IntN(2) == 0 && token != "" && strings.Count(item.body, token) > 1: // the copy gets another token
		added := c.parse(name, strings.ReplaceAll(item.body, token, domain.NewID()))
		err = in.Upsert(ctx, added.partition, json.RawMessage(added.body))
		c.copies[name] = append(copies, added)
	case c.random.IntN(2) == 0 && len(copies) > 0:
		n := c.random.IntN(len(copies))
		err = in.Delete(ctx, copies[n].partition, copies[n].id)
		c.copies[name] = slices.Delete(copies, n, n+1)
	default:
		var ops azcosmos.PatchOperations
		ops.AppendIncrement("/churned", 1)
		err = in.Patch(ctx, item.partition, item.id, ops)
	}
	if err != nil {
		c.t.Errorf("change of %s: %v", name, err)
	}
}

// clear deletes the copies.
func (c *churn) clear() {
	for name, copies := range c.copies {
		for _, one := range copies {
			if err := c.container(name).Delete(c.t.Context(), one.partition, one.id); err != nil {
				c.t.Error(err)
			}
		}
		delete(c.copies, name)
	}
}

// The rows that stay appear once each in the answer to a query, regardless of changes between its
// pages.
func TestQueriesReturnEachRowOnceWhileTheDataChanges(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	slow, direct, b := openBoundary(t)
	w := createManyTestItems(t, direct)
	c := newChurn(t, direct, seed)
	for name, read := range queriesOfManyRows {
		t.Run(name, func(t *testing.T) {
			want, err := read(t.Context(), direct, w)
			if err != nil || len(want) < 2 {
				t.Fatalf("without changes the query returns %v, %v", want, err)
			}
			c.t, b.pages, b.between = t, 0, c.step
			defer func() { b.between = nil; c.clear() }()
			got, err := read(t.Context(), slow, w)
			if err != nil {
				t.Fatal(err)
			}
			if b.pages < len(want) {
				t.Errorf("the query took %d pages, want several", b.pages)
			}
			times := make(map[string]int)
			for _, one := range got {
				if times[one]++; times[one] > 1 {
					t.Errorf("%s was returned twice", one)
				}
			}
			for _, one := range want {
				if times[one] == 0 {
					t.Errorf("%s is missing", one)
				}
			}
		})
	}
}

type manyRows = map[string]func(ctx context.Context, s *Store, w *testItems) ([]string, error)
