package embedded_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

// MustOpen starts an engine on a directory and closes it at the end of the test.
func MustOpen(tb testing.TB, dir string, o embedded.Options) *embedded.Engine {
	tb.Helper()
	e, err := embedded.Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// MustClient returns an SDK client whose transport is the engine.
func MustClient(tb testing.TB, e *embedded.Engine) *azcosmos.Client {
	tb.Helper()
	cred, err := azcosmos.NewKeyCredential(e.Key())
	if err != nil {
		tb.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(e.Endpoint(), cred,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: e}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { client.Close() })
	return client
}

// MustDatabase creates a database on an engine.
func MustDatabase(tb testing.TB, e *embedded.Engine) *azcosmos.DatabaseClient {
	tb.Helper()
	client := MustClient(tb, e)
	if _, err := client.CreateDatabase(context.Background(), azcosmos.DatabaseProperties{ID: "db"}, nil); err != nil {
		tb.Fatal(err)
	}
	db, err := client.NewDatabase("db")
	if err != nil {
		tb.Fatal(err)
	}
	return db
}

// MustContainer creates a container with a partition key of the given paths. edit, unless nil, changes its properties
// first.
func MustContainer(
	tb testing.TB,
	db *azcosmos.DatabaseClient,
	edit func(*azcosmos.ContainerProperties),
	paths ...string,
) *azcosmos.ContainerClient {
	tb.Helper()
	props := azcosmos.ContainerProperties{ID: "items",
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: paths}}
	if edit != nil {
		edit(&props)
	}
	if _, err := db.CreateContainer(context.Background(), props, nil); err != nil {
		tb.Fatal(err)
	}
	c, err := db.NewContainer(props.ID)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// newContainer creates a container with the partition key /pk in a new engine.
func newContainer(tb testing.TB) *azcosmos.ContainerClient {
	return MustContainer(tb, MustDatabase(tb, MustOpen(tb, tb.TempDir(), embedded.Options{})), nil, "/pk")
}

func key(s string) azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(s) }

// MustCreate creates items under a partition key.
func MustCreate(tb testing.TB, c *azcosmos.ContainerClient, pk azcosmos.PartitionKey, items ...string) {
	tb.Helper()
	for _, item := range items {
		if _, err := c.CreateItem(context.Background(), pk, []byte(item), nil); err != nil {
			tb.Fatalf("create %s: %v", item, err)
		}
	}
}

// status returns the HTTP status of an error of the SDK, or 0.
func status(err error) int {
	var e *azcore.ResponseError
	if errors.As(err, &e) {
		return e.StatusCode
	}
	if err != nil {
		return -1
	}
	return 0
}

func wantStatus(tb testing.TB, err error, want int) {
	tb.Helper()
	if got := status(err); got != want {
		tb.Fatalf("got status %d, want %d: %v", got, want, err)
	}
}

// body returns an item without its system properties.
func body(tb testing.TB, item []byte) string {
	tb.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(item, &m); err != nil {
		tb.Fatalf("%s: %v", item, err)
	}
	for _, name := range []string{"_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"} {
		delete(m, name)
	}
	out, err := json.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return string(out)
}

// queryAll returns the rows of all pages and the number of pages.
func queryAll(
	c *azcosmos.ContainerClient,
	pk azcosmos.PartitionKey,
	sql string,
	pageSize int32,
	params ...any,
) (rows []string, pages int, err error) {
	o := &azcosmos.QueryOptions{PageSizeHint: pageSize}
	for i := 0; i < len(params); i += 2 {
		o.QueryParameters = append(o.QueryParameters, azcosmos.QueryParameter{Name: params[i].(string),
			Value: params[i+1]})
	}
	pager := c.NewQueryItemsPager(sql, pk, o)
	for pager.More() {
		page, err := pager.NextPage(context.Background())
		if err != nil {
			return rows, pages, err
		}
		pages++
		for _, item := range page.Items {
			rows = append(rows, string(item))
		}
	}
	return rows, pages, nil
}

func number(i int) string { return fmt.Sprintf("%06d", i) }

func azcoreError(err error, target **azcore.ResponseError) { errors.As(err, target) }

// blogPolicy is the indexing policy of a container of posts.
func blogPolicy(p *azcosmos.ContainerProperties) {
	order := func(o azcosmos.CompositeIndexOrder) []azcosmos.CompositeIndex {
		return []azcosmos.CompositeIndex{{Path: "/type", Order: o}, {Path: "/creationDate", Order: o},
			{Path: "/id", Order: o}}
	}
	p.IndexingPolicy = &azcosmos.IndexingPolicy{
		Automatic: true, IndexingMode: azcosmos.IndexingModeConsistent,
		IncludedPaths:    []azcosmos.IncludedPath{{Path: "/userId/?"}},
		ExcludedPaths:    []azcosmos.ExcludedPath{{Path: "/*"}},
		CompositeIndexes: [][]azcosmos.CompositeIndex{order(azcosmos.CompositeIndexAscending)},
	}
}
