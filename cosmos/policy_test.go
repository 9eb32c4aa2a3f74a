package cosmos

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	azure "inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// The database was created by an earlier version of the program, or by hand.
func TestOpenOlderDatabase(t *testing.T) {
	engine := newEngine(t, embedded.Options{Ranges: 2})
	open := func(t *testing.T, database string) (*Store, error) {
		s, err := Open(t.Context(), Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: engine,
			Database: database})
		if err == nil {
			t.Cleanup(s.Close)
		}
		return s, err
	}
	policyOf := func(t *testing.T, c *azure.Container) azcosmos.ContainerProperties {
		t.Helper()
		resp, err := c.Client.Read(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return *resp.ContainerProperties
	}
	// older recreates some containers with other definitions.
	older := func(t *testing.T, s *Store, definitions ...azcosmos.ContainerProperties) {
		t.Helper()
		for _, d := range definitions {
			client, err := s.SDK.NewContainer(d.ID)
			if err == nil {
				_, err = client.Delete(t.Context(), nil)
			}
			if err == nil && len(d.PartitionKeyDefinition.Paths) > 0 {
				_, err = s.SDK.CreateContainer(t.Context(), d, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	must := func(t *testing.T, database string) *Store {
		t.Helper()
		s, err := open(t, database)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}

	t.Run("lists comments that were stored without a position", func(t *testing.T) {
		s := must(t, "unplaced")
		older(t, s, schema.Definition(schema.PostsContainer, "/postId",
			[]string{"/type/?", "/postId/?", "/userId/?", "/creationDate/?"},
			schema.Ascending("/type", "/creationDate", "/id")))
		author := domain.User{ID: domain.NewUserID(nil), Username: "ada"}
		var posts []domain.Post
		for range 3 {
			post, err := domain.NewPost(author, "Old", "Text", time.Now())
			if err == nil {
				err = s.Posts.Create(t.Context(), post)
			}
			if err != nil {
				t.Fatal(err)
			}
			posts = append(posts, post)
			for i := range 2*azure.MaxBatch + 200 { // for all posts, more than a single query looks for
				c, err := domain.NewComment(author, post.ID, fmt.Sprint("Comment ", i), time.Unix(int64(i), 0))
				if err != nil {
					t.Fatal(err)
				}
				item := map[string]any{"id": c.ID, "type": "comment", "postId": c.PostID, "userId": c.AuthorID,
					"userUsername": "ada",
					"content":      c.Content, "creationDate": schema.Instant(c.Created)}
				if err := s.Container(schema.PostsContainer).Create(t.Context(), post.ID, item); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := s.Posts.Comments(t.Context(), posts[0].ID, 1); err == nil {
			t.Error("comments without a position are listed without the older index")
		}
		s = must(t, "unplaced")
		for _, post := range posts {
			for number := range 8 {
				page, err := s.Posts.Comments(t.Context(), post.ID, number+1)
				if err != nil || len(page.Items) != domain.CommentsPerPage || page.More != (number < 7) {
					t.Fatalf("page %d has %d comments, more %t (%v)", number+1, len(page.Items), page.More, err)
				}
				if want := fmt.Sprint("Comment ", number*domain.CommentsPerPage); page.Items[0].Content != want {
					t.Errorf("page %d begins with %q, want %q", number+1, page.Items[0].Content, want)
				}
			}
		}
	})
	t.Run("creates missing containers and indexes and keeps the data", func(t *testing.T) {
		s := must(t, "older")
		posts := schema.Definition(schema.PostsContainer, "/postId", []string{"/type/?", "/postId/?"})
		posts.IndexingPolicy.IncludedPaths = append(posts.IndexingPolicy.IncludedPaths,
			azcosmos.IncludedPath{Path: "/mine/?"})
		users := schema.Definition(schema.UsersContainer, "/userId", []string{"/type/?"},
			schema.Ascending("/type", "/creationDate", "/id")) // equivalent to the descending index
		users.DefaultTimeToLive = nil
		older(t, s, azcosmos.ContainerProperties{ID: schema.TagsContainer}, posts, users)
		post := domain.Post{ID: domain.NewID(), AuthorID: domain.NewUserID(nil), Title: "Old", Content: "Text",
			Revision: 1, Version: 1}
		if err := s.Posts.Create(t.Context(), post); err != nil {
			t.Fatal(err)
		}
		s = must(t, "older")
		if found, err := s.Posts.Get(t.Context(), post.ID); err != nil || found.Title != "Old" {
			t.Errorf("the post is %+v, %v", found, err)
		}
		for _, want := range schema.ContainerDefinitions() {
			client, err := s.SDK.NewContainer(want.ID)
			if err != nil {
				t.Fatal(err)
			}
			have := policyOf(t, &azure.Container{Client: client})
			if have.DefaultTimeToLive == nil {
				t.Errorf("%s: items do not expire", want.ID)
			}
			if azure.AddIndexes(&have, want.IndexingPolicy) {
				t.Errorf("%s lacks some of the indexes %+v", want.ID, want.IndexingPolicy)
			}
		}
		if have := policyOf(t, s.Container(schema.PostsContainer)); !slices.Contains(have.IndexingPolicy.IncludedPaths,
			azcosmos.IncludedPath{Path: "/mine/?"}) {
			t.Errorf("an operator's index was removed: %+v", have.IndexingPolicy.IncludedPaths)
		}
		indexes := policyOf(t, s.Container(schema.UsersContainer)).IndexingPolicy.CompositeIndexes
		if slices.ContainsFunc(indexes, func(i []azcosmos.CompositeIndex) bool {
			return slices.Equal(i, schema.Descending("/type", "/creationDate", "/id"))
		}) {
			t.Errorf("an index that exists in reverse was added: %+v", indexes)
		}
		before := *policyOf(t, s.Container(schema.PostsContainer)).ETag
		s = must(t, "older")
		if after := *policyOf(t, s.Container(schema.PostsContainer)).ETag; after != before {
			t.Error("a container that lacks nothing was replaced")
		}
	})
	t.Run("adds only composite indexes if every path is indexed", func(t *testing.T) {
		s := must(t, "everything")
		older(t, s, azcosmos.ContainerProperties{ID: schema.FeedContainer,
			PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{
				Kind: azcosmos.PartitionKeyKindHash, Paths: []string{"/type"}, Version: 2}})
		s = must(t, "everything")
		have := policyOf(t, s.Container(schema.FeedContainer)).IndexingPolicy
		if len(have.IncludedPaths) != 1 || len(have.CompositeIndexes) != 1 {
			t.Errorf("the indexing policy is %+v", have)
		}
		if _, err := s.Feed.FrontPage(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})
	t.Run("rejects another partition key", func(t *testing.T) {
		s := must(t, "foreign")
		older(t, s, schema.Definition(schema.FeedContainer, "/postId", []string{"/type/?"}))
		if _, err := open(t, "foreign"); err == nil {
			t.Error("opened a container with another partition key")
		}
	})
	t.Run("rejects a container whose items expire by default", func(t *testing.T) {
		s := must(t, "expiring")
		tags := schema.Definition(schema.TagsContainer, "/tag", nil)
		tags.DefaultTimeToLive = new(int32(3600))
		older(t, s, tags)
		if _, err := open(t, "expiring"); err == nil || !strings.Contains(err.Error(), "time to live is 3600 seconds") {
			t.Errorf("error %v, want one that names the time", err)
		}
	})
}
