package jobs_test

import (
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
)

// claiming is a blog whose posts had addresses that visitors take for those of the site.
func claiming(t testing.TB) []byte {
	return zipped(t, map[string]string{"hugo.toml": "baseURL = 'https://ada.example'\n",
		"content/posts/one.md": "---\ntitle: One\ndate: 2024-01-02\naliases: [/about/, /admin/login/, " +
			"/.well-known/change-password, /2020/01/02/one/]\n---\nText.\n"})
}

// leads returns where an address leads: the id of its owner, or "" for nowhere.
func (w *world) leads(address string) string {
	w.Helper()
	to, err := w.store.Redirects.Find(w.Context(), address)
	if err != nil && !domain.Is(err, domain.NotFound) {
		w.Fatal(err)
	}
	return to.OwnerID
}

func TestImportOfAnAuthorClaimsNoAddressOfTheSite(t *testing.T) {
	w := newWorld(t)
	w.imported(claiming(t))
	for _, address := range []string{"/about", "/", "/feed", "/tags", "/admin/login", "/.well-known/change-password"} {
		if w.leads(address) != "" {
			t.Errorf("%s leads to a post or list of the author", address)
		}
	}
	for _, address := range []string{"/2020/01/02/one", "/posts/one"} {
		if w.leads(address) != w.ada.ID {
			t.Errorf("%s does not lead to the post", address)
		}
	}
}

// requests returns the addresses that Ada's imports ask for, and whether administrators see her in their list.
func (w *world) requests() (all domain.AddressRequests, listed bool) {
	w.Helper()
	all, err := w.store.Redirects.Requests(w.Context(), w.ada.ID)
	w.must(err)
	list, err := w.store.Redirects.ListRequests(w.Context(), 1)
	w.must(err)
	return all, len(list.Items) == 1 && list.Items[0].UserID == w.ada.ID && list.Items[0].Count == all.Count
}

// approve approves everything that Ada's imports ask for.
func (w *world) approve() {
	w.Helper()
	all, _ := w.requests()
	left, err := w.store.Redirects.Approve(w.Context(), all, func(domain.Redirect) bool { return true })
	w.must(err)
	if left.Count > 0 {
		w.Errorf("%v are not approved", left.Addresses)
	}
}

func TestRequestedAddresses(t *testing.T) {
	w := newWorld(t)
	export := claiming(t)
	w.upload("blog.zip", export)
	w.work(w.runner(w.store))
	preview := w.wantState(domain.ImportReady).Result
	if all, _ := w.requests(); all.Count != 0 {
		t.Errorf("the preview asks for %v", all.Examples)
	}
	w.change(domain.ImportRunning)
	w.work(w.runner(w.store))
	done := w.wantState(domain.ImportDone).Result
	all, listed := w.requests()
	if all.Count == 0 || !listed || preview.Requested != all.Count || done.Requested != all.Count {
		t.Errorf("%d are asked for, the preview says %d and the result %d", all.Count,
			preview.Requested, done.Requested)
	}
	for _, r := range []domain.ImportResult{preview, done} {
		texts := ""
		for _, note := range r.Notes {
			texts += note.Text.String() + "\n"
		}
		for _, want := range []string{"/about waits for an administrator", "of a list or feed waits",
			"belongs to this site and does not redirect"} {
			if !strings.Contains(texts, want) {
				t.Errorf("the report does not say %q:\n%s", want, texts)
			}
		}
	}
	t.Run("lead to the post once approved, also after another import", func(t *testing.T) {
		w.approve()
		for range 2 {
			if w.leads("/about") != w.ada.ID || w.leads("/") != w.ada.ID || w.leads("/admin/login") != "" {
				t.Error("the approved addresses do not lead to the blog")
			}
			if r := w.imported(export).Result; r.Requested != 0 {
				t.Errorf("the next import asks for %d addresses", r.Requested)
			}
		}
	})
	t.Run("are asked for again after a refusal", func(t *testing.T) {
		w := newWorld(t)
		w.imported(export)
		all, _ := w.requests()
		all.Remove(func(domain.Redirect) bool { return true })
		w.must(w.store.Redirects.SetRequests(t.Context(), all))
		if again := w.imported(export).Result.Requested; again != done.Requested {
			t.Errorf("%d addresses are asked for", again)
		}
	})
	t.Run("are given back and withdrawn by undoing the import", func(t *testing.T) {
		w := newWorld(t)
		w.imported(export)
		about := func(r domain.Redirect) bool { return r.Path == "/about" }
		all, _ := w.requests()
		_, err := w.store.Redirects.Approve(t.Context(), all, about)
		w.must(err)
		w.change(domain.ImportUndoing)
		w.work(w.runner(w.store))
		w.wantState(domain.ImportUndone)
		if all, _ := w.requests(); all.Count != 0 || w.leads("/about") != "" {
			t.Errorf("%v are still asked for, and /about is of %q", all.Examples, w.leads("/about"))
		}
		// The page of an administrator is out of date.
		if _, err := w.store.Redirects.Approve(t.Context(), all, about); !domain.Is(err, domain.Conflict) ||
			w.leads("/about") != "" {
			t.Errorf("an old page gives /about to %q: %v", w.leads("/about"), err)
		}
	})
	t.Run("are not asked for by an administrator, who claims them unless someone else has them", func(t *testing.T) {
		w := newWorld(t)
		bob := w.join("bob")
		w.must(w.store.Redirects.Assign(t.Context(), domain.Redirect{Path: "/about"},
			domain.Redirect{Path: "/about", OwnerID: bob.ID, To: domain.OwnerPage}))
		_, err := w.store.Accounts.SetRole(t.Context(), w.ada.ID, domain.RoleAdministrator)
		w.must(err)
		if r := w.imported(export).Result; r.Requested != 0 {
			t.Errorf("%d addresses are asked for", r.Requested)
		}
		if w.leads("/") != w.ada.ID || w.leads("/about") != bob.ID || w.leads("/admin/login") != "" {
			t.Error("the wrong addresses are claimed")
		}
	})
	t.Run("are deleted with the account", func(t *testing.T) {
		w := newWorld(t)
		w.imported(export)
		w.must(w.store.AccountDeletions.Delete(t.Context(), w.ada.ID))
		w.must(w.store.AccountDeletions.FinishErasure(t.Context(), w.ada.ID))
		if all, _ := w.requests(); all.ETag != "" {
			t.Errorf("%v are still asked for", all.Examples)
		}
	})
}

// Releases before the requests had no list of importers. A rebuild makes it.
func TestImportersOfEarlierReleasesAreListed(t *testing.T) {
	w := newWorld(t)
	w.must(w.store.Imports.Put(t.Context(), domain.Import{UserID: w.ada.ID, PostID: domain.NewID(), Digest: "d",
		Paths: []string{"/about"}}))
	if _, listed := w.requests(); listed {
		t.Error("Ada is listed")
	}
	for range 2 {
		w.must(w.store.Redirects.ListImporters(t.Context()))
		if _, listed := w.requests(); !listed {
			t.Error("Ada is not listed")
		}
	}
	named, err := w.store.Redirects.Named(t.Context(), w.ada.ID)
	if w.must(err); !slices.Equal(named, []string{"/about"}) {
		t.Errorf("the imports name %v", named)
	}
}
