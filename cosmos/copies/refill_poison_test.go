package copies

import (
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// A malformed post is a dead letter. It must not turn the posts that are projected after it into dead letters.
func TestRefillSkipsAPostThatCannotBeTouched(t *testing.T) {
	s := newFeedStore(t)
	var posts []domain.Post
	for i := range 4 {
		post := domain.Post{ID: domain.NewID(), AuthorID: "u", AuthorName: "ada", Title: "T", Content: "C",
			Created: domain.Timestamp(time.Now().Add(-time.Duration(i) * time.Hour)), Version: 1}
		if err := s.Posts.Create(t.Context(), post); err != nil {
			t.Fatal(err)
		}
		posts = append(posts, post)
	}
	odd, next := posts[2], posts[3]
	var ops azcosmos.PatchOperations
	ops.AppendSet("/version", "many")
	if err := s.Container(schema.PostsContainer).Patch(t.Context(), odd.ID, odd.ID, ops); err != nil {
		t.Fatal(err)
	}
	markdown := markdown.New()
	for _, post := range posts[:2] {
		if err := s.Feed.Apply(t.Context(), []domain.Summary{markdown.Summarize(post)}); err != nil {
			t.Fatal(err)
		}
	}
	gone := posts[0]
	gone.Deleted, gone.Version = domain.Timestamp(time.Now()), 2
	if err := s.Feed.Apply(t.Context(), []domain.Summary{markdown.Summarize(gone)}); err != nil {
		t.Fatalf("a deletion: %v", err)
	}
	if nudged, err := s.Posts.Latest(t.Context(), next.ID); err != nil || nudged.Version == 1 {
		t.Errorf("the next in line after the malformed post is %+v, %v", nudged, err)
	}
	edited := posts[1]
	edited.Version = 2
	if err := s.Feed.Apply(t.Context(), []domain.Summary{markdown.Summarize(edited)}); err != nil {
		t.Errorf("another post: %v", err)
	}
}
