package copies

import (
	"testing"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
)

// feedStore consists of the parts of a store that the feed needs.
type feedStore struct {
	*client.Database
	Posts *posts.Posts
	Feed  *Feed
}

// newFeedStore opens a feed on an engine of its own.
func newFeedStore(t *testing.T) *feedStore {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), embedded.Options{Ranges: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	db, err := client.Connect(t.Context(),
		client.Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Database: "test", Transport: engine,
			Containers: schema.ContainerDefinitions()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	posts := posts.NewPosts(db)
	return &feedStore{Database: db, Posts: posts, Feed: NewFeed(db, posts)}
}
