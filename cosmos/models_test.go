package cosmos

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"golang.org/x/sync/errgroup"

	azure "inkfeed/cosmos/client"
	"inkfeed/domain"
)

// model answers the ten requests of the article that Inkfeed's model comes from. Its
// three versions are V1, V2 and V3; the first two are the baseline that the third is
// measured against, and live in tests only.
type model interface {
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

	// load stores posts with all that is under them, as the model has it.
	load(context.Context, []entry) error
}

// baseline makes a container as the article has it: of the default indexing policy,
// which indexes every path. Of these this engine keeps columns only for the paths that
// a policy names as well; to name some costs no RU, but spares the reading of every
// item, which the service does not do either.
func (s *Store) baseline(tb testing.TB, id, partitionKey string, named ...string) *azure.Container {
	tb.Helper()
	properties := azcosmos.ContainerProperties{
		ID:                     id,
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Kind: azcosmos.PartitionKeyKindHash, Paths: []string{partitionKey}, Version: 2},
		IndexingPolicy: &azcosmos.IndexingPolicy{Automatic: true, IndexingMode: azcosmos.IndexingModeConsistent,
			IncludedPaths: []azcosmos.IncludedPath{{Path: "/*"}}, ExcludedPaths: []azcosmos.ExcludedPath{{Path: `/"_etag"/?`}}},
	}
	for _, path := range named {
		properties.IndexingPolicy.IncludedPaths = append(properties.IndexingPolicy.IncludedPaths, azcosmos.IncludedPath{Path: path})
	}
	if _, err := s.SDK.CreateContainer(context.Background(), properties, nil); err != nil && azure.StatusOf(err) != http.StatusConflict {
		tb.Fatal(err)
	}
	client, err := s.SDK.NewContainer(id)
	if err != nil {
		tb.Fatal(err)
	}
	return &azure.Container{Client: client}
}

// createAll creates items of one partition, as many as fit in a transaction at a time.
func createAll(ctx context.Context, c *azure.Container, partition string, items []any) error {
	for chunk := range slices.Chunk(items, azure.MaxBatch) {
		batch := c.Batch(partition)
		for _, item := range chunk {
			batch.CreateItem(azure.Encode(item), nil)
		}
		if _, err := c.Execute(ctx, batch, false); err != nil {
			return err
		}
	}
	return nil
}

// each runs f for all of a list, several at a time, for writers share their syncs.
func each[T any](list []T, f func(T) error) error {
	var group errgroup.Group
	group.SetLimit(32)
	for _, e := range list {
		group.Go(func() error { return f(e) })
	}
	return group.Wait()
}

// sortComments puts comments in the order of the site: oldest first.
func sortComments(list []domain.Comment) {
	slices.SortFunc(list, func(a, b domain.Comment) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
}

// sortLikes puts likes in the order of the site: newest first.
func sortLikes(list []domain.Like) {
	slices.SortFunc(list, func(a, b domain.Like) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.UserID, a.UserID))
	})
}
