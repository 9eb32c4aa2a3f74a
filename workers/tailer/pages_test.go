package tailer_test

import (
	"testing"

	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/feeds"
	"inkfeed/workers/tailer"
)

// dropped is a page cache that records the facets of dropped pages.
type dropped struct{ facets dependency.Facets }

func (d *dropped) Drop(_ dependency.PartitionRef, facets dependency.Facets) { d.facets |= facets }
func (d *dropped) Clear()                                                   { d.facets = dependency.AllFacets }

func TestPagesAreDroppedByTheFacetsThatChanged(t *testing.T) {
	all := dependency.FacetTexts | dependency.FacetCounts | dependency.FacetComments | dependency.FacetReactions
	before := dependency.Counts{Rest: 1, Version: 10, Comments: 5, Likes: 7}
	for name, tt := range map[string]struct {
		states []dependency.Counts
		want   dependency.Facets // dropped for the last state
	}{
		"a post that is not known yet": {[]dependency.Counts{before}, all},
		"likes": {[]dependency.Counts{before, {Rest: 1, Version: 12, Comments: 5, Likes: 9}},
			dependency.FacetCounts | dependency.FacetReactions},
		"a deleted comment": {[]dependency.Counts{before, {Rest: 1, Version: 11, Comments: 4, Likes: 7}},
			dependency.FacetCounts | dependency.FacetComments | dependency.FacetReactions},
		"an edit": {[]dependency.Counts{before, {Rest: 2, Version: 11, Comments: 5, Likes: 7}}, all},
	} {
		t.Run(name, func(t *testing.T) {
			var cache dropped
			d := tailer.NewPageDropper("posts", &cache)
			for _, state := range tt.states {
				cache.facets = 0
				change := feeds.Change[dependency.Change]{Item: feeds.ItemRef{PartitionKey: "p", ID: "p"},
					Value: dependency.Change{Facets: all, Counts: &state}}
				if err := d.Follow(t.Context(), []feeds.Change[dependency.Change]{change}, tailer.Mark{}); err != nil {
					t.Fatal(err)
				}
			}
			if cache.facets != tt.want {
				t.Errorf("dropped %05b, want %05b", cache.facets, tt.want)
			}
		})
	}
}
