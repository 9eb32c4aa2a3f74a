package jobs_test

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/importing"
)

// aliased is a site of Hugo with posts that have aliases.
func aliased(posts, aliases int) map[string]string {
	files := map[string]string{"hugo.toml": "baseURL = 'https://ada.example'\n"}
	for n := range posts {
		var list []string
		for a := range aliases {
			list = append(list, fmt.Sprintf("/p%d/a%d", n, a))
		}
		files[fmt.Sprintf("content/posts/p%d.md", n)] = fmt.Sprintf(
			"---\ntitle: P%d\ndate: 2024-01-02\naliases: [%s]\n---\nText.\n", n, strings.Join(list, ", "))
	}
	return files
}

// redirects returns the number of redirects that exist.
func (w *world) redirects() (n int) {
	w.Helper()
	for _, line := range w.items() {
		if strings.HasPrefix(line, "redirects ") {
			n++
		}
	}
	return n
}

func TestThousandsOfAliasesCostABoundedAmount(t *testing.T) {
	w := newWorld(t)
	export := zipped(t, aliased(91, 99)) // 9,009 aliases and 91 addresses
	most := importing.MaxRedirects(91)
	if len(export) > 64<<10 {
		t.Fatalf("the upload has %d bytes", len(export))
	}
	ctx, usage := client.WithUsage(t.Context())
	w.ctx = ctx
	done := w.imported(export)
	t.Logf("an upload of %d bytes costs %.0f RU, with %d redirects", len(export), usage.Charge(), w.redirects())
	if usage.Charge() > 20_000 {
		t.Errorf("the import costs %.0f RU", usage.Charge())
	}
	if got := w.redirects(); got > most || got < most-100 || done.Result.Redirects > most {
		t.Errorf("%d redirects, and the report has %d, want at most %d", got, done.Result.Redirects, most)
	}
	var left *domain.ImportNote
	for _, note := range done.Result.Notes {
		if strings.Contains(string(note.Text), "an account can have") {
			left = &note
		}
	}
	if left == nil {
		t.Errorf("the report does not say what was left out: %v", done.Result.Notes)
	}
	for n := range 91 { // a post's own address comes before aliases of other posts
		if _, err := w.store.Redirects.Find(t.Context(), fmt.Sprintf("/posts/p%d", n)); err != nil {
			t.Errorf("post %d: %v", n, err)
		}
	}
	before := w.redirects()
	if again := w.imported(export); w.redirects() != before || again.Result.Redirects != 0 {
		t.Errorf("repeating the import makes %d redirects of %d", w.redirects(), before)
	}
}

func TestAdministratorsImportAllRedirects(t *testing.T) {
	w := newWorld(t)
	_, err := w.store.Users.SetRole(t.Context(), w.ada.ID, domain.RoleAdministrator)
	w.must(err)
	w.imported(zipped(t, aliased(15, 99)))
	if got := w.redirects(); got < 15*99 {
		t.Errorf("%d redirects", got)
	}
}
