// Package article has the three versions of the data model that Microsoft's article develops
// (https://learn.microsoft.com/en-us/azure/cosmos-db/nosql/model-partition-example). V1 and V2 exist to be compared
// with V3, which is Inkfeed's storage. The command bench-model compares them on a sample of a blog; the tests of cosmos
// compare them with the article's figures.
package article

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// Model answers the ten requests of the article.
type Model interface {
	C1(context.Context, domain.User) error
	Q1(ctx context.Context, userID string) (domain.User, error)
	C2(context.Context, domain.Post) error
	Q2(ctx context.Context, postID string) (domain.Post, error)
	Q3(ctx context.Context, userID string) ([]domain.Summary, error)
	C3(context.Context, domain.Comment) error
	Q4(ctx context.Context, postID string) ([]domain.Comment, error)
	C4(context.Context, domain.Like) error
	Q5(ctx context.Context, postID string) ([]domain.Like, error)
	Q6(context.Context) ([]domain.Summary, error)

	// Load stores posts with their comments and likes.
	Load(context.Context, []Entry) error
}

// Entry is a post with its comments and likes.
type Entry struct {
	domain.Post
	Comments []domain.Comment
	Likes    []domain.Like
	Newest   bool // whether Q6 returns it
}

// baseline creates a container with the article's indexing policy, the default, which indexes every path. The engine
// has columns only for paths that a policy names. So baseline names the given paths too. This costs no RU, and the
// engine does not have to read every item, which the service does not do either.
func baseline(ctx context.Context, db *client.Database, id, partitionKey string,
	named ...string) (*client.Container, error) {
	properties := azcosmos.ContainerProperties{
		ID: id,
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Kind: azcosmos.PartitionKeyKindHash,
			Paths: []string{partitionKey}, Version: 2},
		IndexingPolicy: &azcosmos.IndexingPolicy{Automatic: true, IndexingMode: azcosmos.IndexingModeConsistent,
			IncludedPaths: []azcosmos.IncludedPath{{Path: "/*"}},
			ExcludedPaths: []azcosmos.ExcludedPath{{Path: `/"_etag"/?`}}},
	}
	for _, path := range named {
		properties.IndexingPolicy.IncludedPaths = append(properties.IndexingPolicy.IncludedPaths,
			azcosmos.IncludedPath{Path: path})
	}
	if _, err := db.SDK.CreateContainer(ctx, properties, nil); err != nil &&
		client.StatusOf(err) != http.StatusConflict {
		return nil, err
	}
	sdk, err := db.SDK.NewContainer(id)
	if err != nil {
		return nil, err
	}
	return &client.Container{Client: sdk}, nil
}

// createAll creates items of one logical partition, in transactions as large as possible.
func createAll(ctx context.Context, c *client.Container, partition string, items []any) error {
	bodies := make([][]byte, len(items))
	for i, item := range items {
		bodies[i] = client.Encode(item)
	}
	for len(bodies) > 0 {
		some := bodies[:client.FittingBodies(bodies, client.MaxBatch, client.MaxBatchBytes)]
		batch := c.Batch(partition)
		for _, body := range some {
			batch.CreateItem(body, nil)
		}
		if _, err := c.Execute(ctx, batch, false); err != nil {
			return err
		}
		bodies = bodies[len(some):]
	}
	return nil
}

// Each calls f for each element of a list, several at a time, because concurrent writes share their syncs.
func Each[T any](list []T, f func(T) error) error {
	var group errgroup.Group
	group.SetLimit(32)
	for _, e := range list {
		group.Go(func() error { return f(e) })
	}
	return group.Wait()
}

// sortComments sorts comments like the site, oldest first.
func sortComments(list []domain.Comment) {
	slices.SortFunc(list, func(a, b domain.Comment) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
}

// sortLikes sorts likes like the site, newest first.
func sortLikes(list []domain.Like) {
	slices.SortFunc(list, func(a, b domain.Like) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.UserID, a.UserID))
	})
}
