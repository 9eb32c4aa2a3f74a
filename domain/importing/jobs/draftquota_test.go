package jobs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestImportReportsDraftsBeyondTheQuota(t *testing.T) {
	w := newWorld(t)
	files := map[string]string{"hugo.toml": "",
		"content/posts/public.md": "---\ntitle: Public\ndate: 2024-02-03\n---\nText.\n"}
	const drafts = domain.DraftQuota + 5
	for i := range drafts {
		files[fmt.Sprintf("content/posts/d%d.md", i)] = fmt.Sprintf(
			"---\ntitle: D%d\ndate: 2024-02-03\ndraft: true\n---\nText.\n", i)
	}
	export := zipped(t, files)
	r := w.imported(export).Result
	if r.Drafts != domain.DraftQuota || r.Left != 5 || r.New != domain.DraftQuota+1 {
		t.Errorf("%d drafts were imported and %d left out of %d new texts", r.Drafts, r.Left, r.New)
	}
	if !slices.ContainsFunc(r.Notes, func(said domain.ImportNote) bool {
		return said.Count == 5 && strings.Contains(string(said.Text), "reached the limit")
	}) {
		t.Errorf("the report says %+v", r.Notes)
	}
	t.Run("and imports them when there is room", func(t *testing.T) {
		_, err := w.store.Accounts.SetRole(t.Context(), w.ada.ID, domain.RoleAdministrator)
		w.must(err)
		if r := w.imported(export).Result; r.New != 5 || r.Left != 0 {
			t.Errorf("%d drafts were imported and %d left out", r.New, r.Left)
		}
	})
	t.Run("and undoing it leaves right counts", func(t *testing.T) {
		w.change(domain.ImportUndoing)
		w.work(w.runner(w.store))
		u, err := w.store.Users.ByID(t.Context(), w.ada.ID)
		if err != nil || u.DraftCount != domain.DraftQuota || u.DraftBytes != domain.DraftQuota<<14 {
			t.Errorf("%d drafts of %d bytes are counted, error %v", u.DraftCount, u.DraftBytes, err)
		}
	})
}
