package jobs_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/throttle"
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
	_, err := w.store.Accounts.SetRole(t.Context(), w.ada.ID, domain.RoleAdministrator)
	w.must(err)
	w.imported(zipped(t, aliased(15, 99)))
	if got := w.redirects(); got < 15*99 {
		t.Errorf("%d redirects", got)
	}
}

// paced makes a runner charge imports by what they cost.
func paced(p *throttle.Pace) func(*jobs.Config) { return func(c *jobs.Config) { c.Pace = p } }

func TestPacedImportLeavesItsPlaceToOthersAndContinues(t *testing.T) {
	w := newWorld(t)
	pace := throttle.NewPace(throttle.New(false), client.Measure)
	r := w.runner(w.store, paced(pace))
	w.upload("blog.zip", zipped(t, aliased(40, 5)))
	w.work(r)
	w.wantState(domain.ImportReady)
	if full := w.job().Budget; !full.After(w.job().Changed) {
		t.Errorf("the preview is not charged: the budget is full at %s", full)
	}
	w.change(domain.ImportRunning)
	pace.Charge(w.ada.ID, throttle.Budget) // an earlier import
	w.must(r.Look(w.ctx, time.Now()))
	w.await("that the page knows the time left", func() bool { return w.job().Progress.Ends.After(time.Now()) })

	ada := w.ada
	w.ada = w.join("bob")
	w.upload("blog.zip", zipped(t, blog(t)))
	w.must(r.Look(w.ctx, time.Now()))
	w.await("the preview of another user", func() bool { return w.job().State == domain.ImportReady })
	w.change(domain.ImportRunning)
	w.await("the import of another user", func() bool {
		w.must(r.Look(w.ctx, time.Now()))
		return w.job().State == domain.ImportDone
	})
	w.ada = ada
	r.Wait()
	left := w.wantState(domain.ImportRunning)
	if left.Owner != "" || left.Attempts != 0 || left.Progress.Ends.IsZero() || !left.Budget.After(left.Renewed) {
		t.Errorf("the paced import was left as %+v", left)
	}

	// After a restart the account still has to wait, and the import then does the rest.
	again := throttle.NewPace(throttle.New(false), client.Measure)
	w.work(w.runner(w.store, paced(again)))
	if w.wantState(domain.ImportRunning).Owner != "" || again.Delay(w.ada.ID, throttle.Budget/2) == 0 {
		t.Error("a restart has filled the budget")
	}
	w.work(w.runner(w.store))
	if done := w.wantState(domain.ImportDone); done.Result.New != 40 {
		t.Errorf("the import reports %+v", done.Result)
	}
}

func TestImportsByAdministratorsAreNotPaced(t *testing.T) {
	w := newWorld(t)
	_, err := w.store.Accounts.SetRole(t.Context(), w.ada.ID, domain.RoleAdministrator)
	w.must(err)
	pace := throttle.NewPace(throttle.New(false), client.Measure)
	pace.Charge(w.ada.ID, 2*throttle.Budget)
	full := pace.FullAt(w.ada.ID)
	r := w.runner(w.store, paced(pace))
	w.upload("blog.zip", zipped(t, blog(t)))
	w.work(r)
	w.change(domain.ImportRunning)
	w.work(r)
	if w.wantState(domain.ImportDone); !pace.FullAt(w.ada.ID).Equal(full) {
		t.Error("the import was charged")
	}
}

// A job that is left after most of its posts does not pay for them again: without the shortcut it would cost 50 RU
// more. Most of the rest is for the addresses of lists, for which it asks again.
func TestContinuingCostsLittle(t *testing.T) {
	w := newWorld(t)
	w.imported(zipped(t, aliased(60, 2)))
	j := w.job()
	w.must(w.files.PutStream(t.Context(), domain.ImportFile(j.ID), bytes.NewReader(zipped(t, aliased(60, 2)))))
	w.change(domain.ImportRunning)
	ctx, usage := client.WithUsage(t.Context())
	w.ctx = ctx
	w.work(w.runner(w.store, func(c *jobs.Config) { c.Beat = time.Hour })) // renewals cost as much as time passes
	if w.wantState(domain.ImportDone); usage.Charge() > 130 {
		t.Errorf("continuing after all 60 posts costs %.0f RU", usage.Charge())
	}
}

// await waits for a condition.
func (w *world) await(what string, condition func() bool) {
	w.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); runtime.Gosched() {
		if time.Now().After(deadline) {
			w.Fatalf("timed out: %s", what)
		}
	}
}
