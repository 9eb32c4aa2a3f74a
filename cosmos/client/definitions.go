package client

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// DefinitionError reports containers with which Inkfeed cannot work, and which it may not change
// itself, because tokens do not authorize that.
type DefinitionError struct {
	Database    string
	Differences []string // one for each line
}

func (e *DefinitionError) Error() string {
	return fmt.Sprintf("cosmos: the database %q differs from what Inkfeed needs:\n  %s", e.Database,
		strings.Join(e.Differences, "\n  "))
}

// compare reads the properties of all containers, which tokens are allowed to do, and compares them
// with their definitions. It returns a DefinitionError if Inkfeed cannot work with them.
func (d *Database) compare(ctx context.Context, o Options) error {
	var broken []string
	for _, want := range o.Containers {
		c := d.containers[want.ID]
		resp, err := Returning(ctx, func() (azcosmos.ContainerResponse, error) { return c.Client.Read(ctx, nil) })
		if NoContainer(err) {
			broken = append(broken, fmt.Sprintf("%s: the container does not exist", want.ID))
			continue
		}
		if err != nil {
			return fmt.Errorf("cosmos: read the properties of container %q: %w", want.ID, &callError{err})
		}
		found := Compare(*resp.ContainerProperties, want, o.Sorted[want.ID])
		if before := o.BeforeIndexing[want.ID]; before != nil && found.LacksIndex && !o.Existing {
			// The items must be ready for the index before an operator adds it.
			if err := before(ctx, c); err != nil {
				return fmt.Errorf("cosmos: prepare container %q for its index: %w", want.ID, &callError{err})
			}
		}
		for _, difference := range found.Broken {
			broken = append(broken, want.ID+": "+difference)
		}
		for _, difference := range found.Costly {
			d.Warnings = append(d.Warnings, want.ID+": "+difference)
		}
	}
	if len(broken) > 0 {
		return &DefinitionError{Database: o.Database, Differences: broken}
	}
	return nil
}

// CheckWriting returns an error if items of a container cannot be written. It deletes an item that does not exist, so
// it changes nothing. The container must have no item with the id and partition key "none".
func (d *Database) CheckWriting(ctx context.Context, container string) error {
	err := d.containers[container].Delete(bootstrapping.In(ctx), "none", "none")
	if err != nil && !Missing(err) {
		return fmt.Errorf("cosmos: check that items can be written: %w", &callError{err})
	}
	return nil
}

// Differences are the differences between a container and its definition.
type Differences struct {
	Broken     []string // Inkfeed cannot work
	Costly     []string // requests cost more than necessary
	LacksIndex bool     // an index that queries need is missing
}

// Compare compares a container with its definition. A missing index breaks the queries that sort by
// it; sorted are the paths that queries sort by without a composite index. Queries that only filter by
// a path without an index read all items of their logical partition, so they cost more. An index that
// no query uses raises the charge of each write.
func Compare(have, want azcosmos.ContainerProperties, sorted []string) Differences {
	var d Differences
	d.compareKeys(have, want)
	switch ttl := have.DefaultTimeToLive; {
	case ttl == nil:
		d.breaks("time to live is off, not on without a default (-1): expired sessions and markers would stay")
	case *ttl != *want.DefaultTimeToLive:
		d.Broken = append(d.Broken, expiringItems(*ttl, *want.DefaultTimeToLive))
	}
	policy := have.IndexingPolicy
	if policy == nil || !policy.Automatic ||
		!strings.EqualFold(string(policy.IndexingMode), string(azcosmos.IndexingModeConsistent)) {
		d.LacksIndex = true
		d.breaks("indexing is not automatic and consistent: queries would not find all items")
		return d
	}
	d.comparePaths(policy, want.IndexingPolicy, sorted)
	d.compareComposites(policy, want.IndexingPolicy)
	return d
}

// expiringItems describes a container whose default time to live, in seconds, is not the one that Inkfeed needs.
func expiringItems(ttl, want int32) string {
	return fmt.Sprintf("its default time to live is %d seconds, not %d: items without a time to live of their own "+
		"would be deleted", ttl, want)
}

func (d *Differences) breaks(format string, args ...any) {
	d.Broken = append(d.Broken, fmt.Sprintf(format, args...))
}

func (d *Differences) costs(format string, args ...any) {
	d.Costly = append(d.Costly, fmt.Sprintf(format, args...))
}

// compareKeys compares the partition key and the unique keys, which can only be set when a container
// is created.
func (d *Differences) compareKeys(have, want azcosmos.ContainerProperties) {
	key, wanted := have.PartitionKeyDefinition, want.PartitionKeyDefinition
	switch {
	case !slices.Equal(key.Paths, wanted.Paths):
		d.breaks("its partition key is %s, not %s: create the container again", strings.Join(key.Paths, ", "),
			strings.Join(wanted.Paths, ", "))
	case key.Version < wanted.Version:
		// "Azure Cosmos DB service quotas", learn.microsoft.com/azure/cosmos-db/concepts-limits: 101 bytes
		// unless large partition keys are enabled, which version 2 does.
		d.breaks("its partition key has version 1, not %d: it refuses names and tags of more than 101 bytes: "+
			"create the container again", wanted.Version)
	}
	if have.UniqueKeyPolicy != nil && len(have.UniqueKeyPolicy.UniqueKeys) > 0 {
		d.breaks("it has unique keys: writes would fail: create the container again without them")
	}
}

func (d *Differences) comparePaths(have, want *azcosmos.IndexingPolicy, sorted []string) {
	for _, path := range want.IncludedPaths {
		switch {
		case hasIndex(have, path.Path):
		case slices.Contains(sorted, path.Path):
			d.LacksIndex = true
			d.breaks("it does not index %s, by which a query sorts", path.Path)
		default:
			d.costs("it does not index %s: queries that filter by it read all items of a logical partition", path.Path)
		}
	}
	for _, path := range have.IncludedPaths {
		switch {
		case path.Path == "/*":
			d.costs("it indexes every path: each write costs more than with the paths that queries use")
		case !slices.Contains(want.IncludedPaths, path):
			d.costs("it indexes %s, which no query uses: each write costs more", path.Path)
		}
	}
}

// hasIndex reports whether a policy indexes a path such as "/type/?". The most specific path decides:
// see "Indexing policies", learn.microsoft.com/azure/cosmos-db/index-policy.
func hasIndex(p *azcosmos.IndexingPolicy, path string) bool {
	below := strings.TrimSuffix(path, "?") + "*"
	for _, specific := range []string{path, below, "/*"} {
		if slices.Contains(p.IncludedPaths, azcosmos.IncludedPath{Path: specific}) {
			return true
		}
		if slices.Contains(p.ExcludedPaths, azcosmos.ExcludedPath{Path: specific}) {
			return false
		}
	}
	return false
}

func (d *Differences) compareComposites(have, want *azcosmos.IndexingPolicy) {
	contains := func(list [][]azcosmos.CompositeIndex, index []azcosmos.CompositeIndex) bool {
		return slices.ContainsFunc(list, func(other []azcosmos.CompositeIndex) bool {
			return slices.Equal(other, index) || slices.Equal(other, reversed(index))
		})
	}
	for _, index := range want.CompositeIndexes {
		if !contains(have.CompositeIndexes, index) {
			d.LacksIndex = true
			d.breaks("it lacks the composite index %s, by which a query sorts", describe(index))
		}
	}
	for _, index := range have.CompositeIndexes {
		if !contains(want.CompositeIndexes, index) {
			d.costs("it has the composite index %s, which no query uses: each write costs more", describe(index))
		}
	}
}

// describe returns a composite index as it would be in ORDER BY.
func describe(index []azcosmos.CompositeIndex) string {
	paths := make([]string, len(index))
	for i, path := range index {
		paths[i] = path.Path
		if path.Order == azcosmos.CompositeIndexDescending {
			paths[i] += " descending"
		}
	}
	return strings.Join(paths, ", ")
}
