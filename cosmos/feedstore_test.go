package cosmos

import (
	"testing"

	"inkfeed/cosmos/embedded"
)

// feedStore is as much of a store as the feed needs.
type feedStore struct {
	*Database
	Posts *Posts
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
	db, err := connect(t.Context(), clientOptions{Endpoint: engine.Endpoint(), Key: engine.Key(), Database: "test", Transport: engine,
		Containers: containerDefinitions()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	posts := newPosts(db)
	return &feedStore{Database: db, Posts: posts, Feed: newFeed(db, posts)}
}
