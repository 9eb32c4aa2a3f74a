package tailer_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/workers/tailer"
)

// dropped is what a cache was told last.
type dropped struct{ aspects domain.Aspects }

func (d *dropped) Drop(_ domain.Part, aspects domain.Aspects) { d.aspects |= aspects }
func (d *dropped) Clear()                                     { d.aspects = domain.AllAspects }

func TestPagesAreDroppedByWhatHasChangedOfAPost(t *testing.T) {
	all := domain.AspectTexts | domain.AspectCounts | domain.AspectComments | domain.AspectMarks
	before := domain.Counted{Rest: 1, Version: 10, Comments: 5, Likes: 7}
	for name, tt := range map[string]struct {
		states []domain.Counted
		want   domain.Aspects // of the last one
	}{
		"one that is not known yet": {[]domain.Counted{before}, all},
		"likes":                     {[]domain.Counted{before, {Rest: 1, Version: 12, Comments: 5, Likes: 9}}, domain.AspectCounts | domain.AspectMarks},
		"a deleted comment": {[]domain.Counted{before, {Rest: 1, Version: 11, Comments: 4, Likes: 7}},
			domain.AspectCounts | domain.AspectComments | domain.AspectMarks},
		"an edit": {[]domain.Counted{before, {Rest: 2, Version: 11, Comments: 5, Likes: 7}}, all},
	} {
		t.Run(name, func(t *testing.T) {
			var cache dropped
			d := tailer.NewPageDropper("posts", &cache)
			for _, state := range tt.states {
				cache.aspects = 0
				change := domain.Change[domain.PartChange]{Item: domain.ItemRef{PartitionKey: "p", ID: "p"},
					Value: domain.PartChange{Aspects: all, Counted: &state}}
				if err := d.Follow(t.Context(), []domain.Change[domain.PartChange]{change}, tailer.Mark{}); err != nil {
					t.Fatal(err)
				}
			}
			if cache.aspects != tt.want {
				t.Errorf("dropped %05b, want %05b", cache.aspects, tt.want)
			}
		})
	}
}
