package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// ensure creates a container if it is missing. To a container of an earlier version of the program,
// it adds the indexes that queries now need. Several processes may do so at the same time.
func (d *Database) ensure(ctx context.Context, want azcosmos.ContainerProperties,
	beforeIndexing func(context.Context, *Container) error) error {
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
		return fmt.Errorf("its partition key is %v, not %v",
			have.PartitionKeyDefinition.Paths, want.PartitionKeyDefinition.Paths)
	}
	changed := false
	switch ttl := have.DefaultTimeToLive; {
	case ttl == nil:
		have.DefaultTimeToLive, changed = want.DefaultTimeToLive, true
	case *ttl != *want.DefaultTimeToLive:
		return errors.New(expiringItems(*ttl, *want.DefaultTimeToLive))
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

// AddIndexes adds the indexes of want that a container's indexing policy lacks, and reports whether
// it added any. Indexes that an operator has added stay.
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
		// The most specific path decides. So "/*" covers every path that is not excluded by
		// name.
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

// reversed returns the index in reverse order, which serves the same queries.
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
