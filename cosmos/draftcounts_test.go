package cosmos

import (
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

func TestDraftsDropCachedAccountsOnlyWhenTheirCountsChange(t *testing.T) {
	var dropped []dependency.Facets
	note := func(_ dependency.PartitionRef, f dependency.Facets) { dropped = append(dropped, f) }
	s := openStore(t, newEngine(t, embedded.Options{}), Options{Observers: []client.Observer{client.OnWrite(note)}})
	ada := mustUser(t, s, "ada")
	d := domain.Draft{PostID: domain.NewID(), AuthorID: ada.ID, Title: "Title"}
	for _, step := range []struct {
		what, content string // discarded if empty
		want          dependency.Facets
	}{
		{"a new draft", "Begun.", dependency.FacetAccount},
		{"another text", "Saved.", 0},
		{"a longer text", strings.Repeat("c", 20_000), dependency.FacetAccount},
		{"a discarded draft", "", dependency.FacetAccount},
	} {
		var err error
		if dropped, d.Content = nil, step.content; step.content == "" {
			err = s.Drafts.Discard(t.Context(), ada.ID, d.PostID, d.Version)
		} else {
			d, err = s.Drafts.Save(t.Context(), d)
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(dropped) == 0 || slices.Max(dropped) != step.want {
			t.Errorf("%s dropped the facets %v, want %v", step.what, dropped, step.want)
		}
	}
}

func TestRecountingDraftsCorrectsWrongCounts(t *testing.T) {
	s := newStore(t, direct)
	wrong := mustUser(t, s, "wrong")
	none := mustUser(t, s, "none") // whose drafts an earlier release has discarded
	lost := mustUser(t, s, "lost") // whose counts an earlier release has removed
	for _, u := range []domain.User{wrong, lost} {
		for range 2 {
			d := domain.Draft{PostID: domain.NewID(), AuthorID: u.ID, Title: "Title", Content: "Text."}
			if _, err := s.Drafts.Save(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	var removed azcosmos.PatchOperations
	removed.AppendRemove("/draftCount")
	removed.AppendRemove("/draftBytes")
	for id, ops := range map[string]azcosmos.PatchOperations{wrong.ID: addToDrafts(5, -1<<14),
		none.ID: addToDrafts(1, 1<<14), lost.ID: removed} {
		if err := s.Users.c.Patch(t.Context(), id, id, ops); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.Drafts.Recount(t.Context()); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]int{wrong.ID: 2, none.ID: 0, lost.ID: 2} {
			u, err := s.Users.ByID(t.Context(), id)
			if err != nil || u.DraftCount != want || u.DraftBytes != int64(want)<<14 {
				t.Errorf("%d drafts of %d bytes are counted, want %d (%v)", u.DraftCount, u.DraftBytes, want, err)
			}
		}
	}
}
