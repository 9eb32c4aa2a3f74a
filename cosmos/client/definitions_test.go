package client_test

import (
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

func TestContainersAreComparedWithTheirDefinitions(t *testing.T) {
	const sorted = "/date/?"
	definition := func() azcosmos.ContainerProperties {
		return schema.Definition("things", "/key", []string{"/type/?", "/name/?", sorted},
			schema.Descending("/type", "/date"))
	}
	ttl := func(seconds int32) *int32 { return &seconds }
	type properties = azcosmos.ContainerProperties
	include := func(paths ...string) func(*properties) {
		return func(p *properties) {
			p.IndexingPolicy.IncludedPaths = nil
			for _, path := range paths {
				p.IndexingPolicy.IncludedPaths = append(p.IndexingPolicy.IncludedPaths,
					azcosmos.IncludedPath{Path: path})
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(*properties)
		broken []string
		costly []string
	}{
		"equal definitions have no difference": {change: func(*properties) {}},
		"the service's own excluded path is no difference": {change: func(p *properties) {
			p.IndexingPolicy.ExcludedPaths = append(p.IndexingPolicy.ExcludedPaths,
				azcosmos.ExcludedPath{Path: `/"_etag"/?`})
		}},
		"a reversed composite index is no difference": {change: func(p *properties) {
			p.IndexingPolicy.CompositeIndexes = [][]azcosmos.CompositeIndex{schema.Ascending("/type", "/date")}
		}},
		"a wider index of a path serves its queries": {change: include("/type/?", "/name/*", sorted),
			costly: []string{"it indexes /name/*, which no query uses: each write costs more"}},
		"another partition key breaks": {change: func(p *properties) {
			p.PartitionKeyDefinition.Paths = []string{"/id"}
		},
			broken: []string{"its partition key is /id, not /key: create the container again"}},
		"a partition key for short values breaks": {change: func(p *properties) {
			p.PartitionKeyDefinition.Version = 1
		},
			broken: []string{"its partition key has version 1, not 2: it refuses names and tags of more than 101 " +
				"bytes: create the container again"}},
		"unique keys break": {change: func(p *properties) {
			p.UniqueKeyPolicy = &azcosmos.UniqueKeyPolicy{UniqueKeys: []azcosmos.UniqueKey{{Paths: []string{"/name"}}}}
		}, broken: []string{"it has unique keys: writes would fail: create the container again without them"}},
		"no time to live breaks": {change: func(p *properties) { p.DefaultTimeToLive = nil },
			broken: []string{"time to live is off, not on without a default (-1): expired sessions and markers would " +
				"stay"}},
		"a default time to live breaks": {change: func(p *properties) { p.DefaultTimeToLive = ttl(60) },
			broken: []string{"its default time to live is 60 seconds, not -1: items without a time to live of their " +
				"own would be deleted"}},
		"no indexing breaks": {change: func(p *properties) {
			p.IndexingPolicy = &azcosmos.IndexingPolicy{IndexingMode: azcosmos.IndexingModeNone}
		}, broken: []string{"indexing is not automatic and consistent: queries would not find all items"}},
		"indexing on request breaks": {change: func(p *properties) { p.IndexingPolicy.Automatic = false },
			broken: []string{"indexing is not automatic and consistent: queries would not find all items"}},
		"a missing composite index breaks": {change: func(p *properties) { p.IndexingPolicy.CompositeIndexes = nil },
			broken: []string{"it lacks the composite index /type descending, /date descending, by which a query " +
				"sorts"}},
		"a missing index that a query sorts by breaks": {change: include("/type/?", "/name/?"),
			broken: []string{"it does not index /date/?, by which a query sorts"}},
		"a missing index that queries only filter by costs": {change: include("/type/?", sorted),
			costly: []string{"it does not index /name/?: queries that filter by it read all items of a logical " +
				"partition"}},
		"an index of every path costs": {change: func(p *properties) {
			include("/*")(p)
			p.IndexingPolicy.ExcludedPaths = nil
		}, costly: []string{"it indexes every path: each write costs more than with the paths that queries use"}},
		"a path that is excluded by name has no index": {change: func(p *properties) {
			include("/*")(p)
			p.IndexingPolicy.ExcludedPaths = []azcosmos.ExcludedPath{{Path: sorted}}
		}, broken: []string{"it does not index /date/?, by which a query sorts"},
			costly: []string{"it indexes every path: each write costs more than with the paths that queries use"}},
		"an additional composite index costs": {change: func(p *properties) {
			p.IndexingPolicy.CompositeIndexes = append(p.IndexingPolicy.CompositeIndexes,
				schema.Ascending("/name", "/date"))
		}, costly: []string{"it has the composite index /name, /date, which no query uses: each write costs more"}},
	} {
		t.Run(name, func(t *testing.T) {
			have := definition()
			tt.change(&have)
			found := client.Compare(have, definition(), []string{sorted})
			if !slices.Equal(found.Broken, tt.broken) || !slices.Equal(found.Costly, tt.costly) {
				t.Errorf("broken %q, costly %q\nwant   %q,        %q", found.Broken, found.Costly, tt.broken, tt.costly)
			}
		})
	}
}
