package client

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// ensure makes a container or, where it was made by an earlier version of the program,
// adds what its queries rest on. Two processes that do so at once do the same.
func (d *Database) ensure(ctx context.Context, want azcosmos.ContainerProperties, beforeIndexing func(context.Context, *Container) error) error {
	_, err := d.SDK.CreateContainer(ctx, want, nil)
	if StatusOf(err) != http.StatusConflict {
		return err
	}
	client, err := d.SDK.NewContainer(want.ID)
	if err != nil {
		return err
	}
	resp, err := Returning(ctx, func() (azcosmos.ContainerResponse, error) { return client.Read(ctx, nil) })
	if err != nil {
		return err
	}
	have := *resp.ContainerProperties
	if !slices.Equal(have.PartitionKeyDefinition.Paths, want.PartitionKeyDefinition.Paths) {
		return fmt.Errorf("its partition key is %v, not %v", have.PartitionKeyDefinition.Paths, want.PartitionKeyDefinition.Paths)
	}
	changed := false
	if have.DefaultTimeToLive == nil {
		have.DefaultTimeToLive, changed = want.DefaultTimeToLive, true
	}
	if AddIndexes(&have, want.IndexingPolicy) {
		changed = true
	}
	if !changed {
		return nil
	}
	if beforeIndexing != nil {
		if err := beforeIndexing(ctx, &Container{Client: client}); err != nil {
			return err
		}
	}
	return Retry(ctx, func() error {
		_, err := client.Replace(ctx, have, nil)
		return err
	})
}

// AddIndexes adds to a container's policy what it lacks of another, and reports whether
// it lacked something. What an operator indexes besides stays.
func AddIndexes(c *azcosmos.ContainerProperties, want *azcosmos.IndexingPolicy) (changed bool) {
	if c.IndexingPolicy == nil || c.IndexingPolicy.IndexingMode == azcosmos.IndexingModeNone {
		c.IndexingPolicy = want
		return true
	}
	policy := *c.IndexingPolicy
	if !policy.Automatic {
		policy.Automatic, changed = true, true
	}
	for _, path := range want.IncludedPaths {
		// The most exact path decides, so a whole that is included covers it as well as
		// the path itself, unless just this one is excluded.
		excluded := slices.Index(policy.ExcludedPaths, azcosmos.ExcludedPath(path))
		if excluded >= 0 {
			policy.ExcludedPaths = slices.Delete(slices.Clone(policy.ExcludedPaths), excluded, excluded+1)
		}
		covered := excluded < 0 && slices.Contains(policy.IncludedPaths, azcosmos.IncludedPath{Path: "/*"})
		if !covered && !slices.Contains(policy.IncludedPaths, path) {
			policy.IncludedPaths, changed = append(policy.IncludedPaths, path), true
		}
		changed = changed || excluded >= 0
	}
	for _, index := range want.CompositeIndexes {
		serves := func(have []azcosmos.CompositeIndex) bool {
			return slices.Equal(have, index) || slices.Equal(have, reversed(index))
		}
		if !slices.ContainsFunc(policy.CompositeIndexes, serves) {
			policy.CompositeIndexes, changed = append(policy.CompositeIndexes, index), true
		}
	}
	c.IndexingPolicy = &policy
	return changed
}

// reversed is the index read from its end, by which the service serves the same queries.
func reversed(index []azcosmos.CompositeIndex) []azcosmos.CompositeIndex {
	other := slices.Clone(index)
	for i := range other {
		other[i].Order = azcosmos.CompositeIndexDescending
		if index[i].Order == azcosmos.CompositeIndexDescending {
			other[i].Order = azcosmos.CompositeIndexAscending
		}
	}
	return other
}
