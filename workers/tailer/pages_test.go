package tailer_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
	"inkfeed/workers/tailer"
)

// dropped is what a cache was told last.
type dropped struct{ aspects dependency.Facets }

func (d *dropped) Drop(_ dependency.PartitionRef, aspects dependency.Facets) { d.aspects |= aspects }
func (d *dropped) Clear()                                                    { d.aspects = dependency.AllFacets }

func TestPagesAreDroppedByWhatHasChangedOfAPost(t *testing.T) {
	all := dependency.FacetTexts | dependency.FacetCounts | dependency.FacetComments | dependency.FacetReactions
	before := dependency.Counts{Rest: 1, Version: 10, Comments: 5, Likes: 7}
	for name, tt := range map[string]struct {
		states []dependency.Counts
		want   dependency.Facets // of the last one
	}{
		"one that is not known yet": {[]dependency.Counts{before}, all},
		"likes":                     {[]dependency.Counts{before, {Rest: 1, Version: 12, Comments: 5, Likes: 9}}, dependency.FacetCounts | dependency.FacetReactions},
		"a deleted comment": {[]dependency.Counts{before, {Rest: 1, Version: 11, Comments: 4, Likes: 7}},
			dependency.FacetCounts | dependency.FacetComments | dependency.FacetReactions},
		"an edit": {[]dependency.Counts{before, {Rest: 2, Version: 11, Comments: 5, Likes: 7}}, all},
	} {
		t.Run(name, func(t *testing.T) {
			var cache dropped
			d := tailer.NewPageDropper("posts", &cache)
			for _, state := range tt.states {
				cache.aspects = 0
				change := domain.Change[dependency.Change]{Item: domain.ItemRef{PartitionKey: "p", ID: "p"},
					Value: dependency.Change{Facets: all, Counts: &state}}
				if err := d.Follow(t.Context(), []domain.Change[dependency.Change]{change}, tailer.Mark{}); err != nil {
					t.Fatal(err)
				}
			}
			if cache.aspects != tt.want {
				t.Errorf("dropped %05b, want %05b", cache.aspects, tt.want)
			}
		})
	}
}
