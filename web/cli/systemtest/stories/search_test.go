package stories

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/web/cli/systemtest/harness"
)

// found returns the titles of the posts that a search finds.
func found(v *harness.Visitor, query string) []string {
	v.T.Helper()
	results := v.Get("/search?q=" + url.QueryEscape(query)).Find("main article h2")
	return results.Map(func(_ int, h *goquery.Selection) string { return harness.Text(h) })
}

// eventuallyFinds waits until a search finds the posts with exactly these titles, in this order.
func eventuallyFinds(v *harness.Visitor, query string, want ...string) {
	v.T.Helper()
	harness.Eventually(v.T, "a search for "+query+" finds "+strings.Join(want, ", "), func() bool {
		return strings.Join(found(v, query), "|") == strings.Join(want, "|")
	})
}

func TestSearchFollowsChangesAndRestarts(t *testing.T) {
	t.Parallel()
	env := harness.NewBlog(t)
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada, anyone := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	ada.Publish("On engines", "The **analytical** engine weaves algebraic patterns. 東京で書いた。")
	harness.Eventually(t, "a new post is found", func() bool { return len(found(anyone, "algebra")) > 0 })
	second := ada.Publish("On looms", "Jacquard's loom weaves flowers.").URL.Path
	eventuallyFinds(anyone, "weaves -flowers", "On engines")
	eventuallyFinds(anyone, "東京", "On engines")
	eventuallyFinds(anyone, "jacquard @ada", "On looms")

	id := strings.Split(second, "/")[2]
	p := anyone.Get("/search?q=loom")
	if p.Find(`main article h2 a[href^="/posts/`+id+`/"] + *`).Length() != 0 || p.Find("main mark").Length() == 0 {
		t.Errorf("the results are %s", harness.Text(p.Find("main")))
	}
	if p := ada.Post("/settings/username", "username", "lovelace"); p.Status != http.StatusOK {
		t.Fatalf("rename: status %d", p.Status)
	}
	eventuallyFinds(anyone, "loom @lovelace", "On looms")
	eventuallyFinds(anyone, "@ada")

	stop()
	base, stop = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada.Base, anyone.Base = base, base
	if got := found(anyone, "loom"); len(got) != 1 {
		t.Errorf("just after a restart a search finds %q", got)
	}
	if p := ada.Post("/posts/" + id + "/delete"); p.Status != http.StatusOK {
		t.Fatalf("delete: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	eventuallyFinds(anyone, "loom")
	stop()

	// With a damaged index the server starts and builds a new one.
	if err := os.WriteFile(filepath.Join(env["INKFEED_DATA"], "search.db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone.Base = base
	eventuallyFinds(anyone, "weaves", "On engines")
	harness.Eventually(t, "the index is complete", func() bool {
		return !strings.Contains(harness.Text(anyone.Get("/search").Find("main")), "being built")
	})
}

// TestServersFindPostsOfOtherServers holds that each server on an account has an index of its own, also if the servers
// share a data folder.
func TestServersFindPostsOfOtherServers(t *testing.T) {
	t.Parallel()
	env := harness.NewAccount(t, "--ranges", "3")
	env["INKFEED_DATA"] = "" // the flag names the folder instead
	data := t.TempDir()
	one, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--data", data)
	two, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--data", data)
	ada := harness.NewVisitor(t, one)
	ada.SignUp("ada")
	ada.Publish("Shared", "A word that both know: palimpsest.")
	for _, base := range []string{one, two} {
		eventuallyFinds(harness.NewVisitor(t, base), "palimpsest", "Shared")
	}
	for _, name := range []string{"search.db", "search-2.db"} {
		if _, err := os.Stat(filepath.Join(data, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestRestoredBlogIsIndexedAgain holds that posts that are newer than a restored backup are removed from the index.
func TestRestoredBlogIsIndexedAgain(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada := harness.NewVisitor(t, base)
	ada.SignUp("ada")
	ada.Publish("Before", "alpha")
	file := filepath.Join(t.TempDir(), "backup.db")
	harness.RunCommand(t, env, "backup", file)
	ada.Publish("After", "alpha")
	harness.Eventually(t, "a search finds both posts", func() bool { return len(found(ada, "alpha")) == 2 })
	stop()
	for _, name := range []string{"inkfeed.db", "inkfeed.db-wal", "inkfeed.db-shm"} {
		if err := os.Remove(filepath.Join(env["INKFEED_DATA"], name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	harness.RunCommand(t, env, "restore", file)
	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	eventuallyFinds(harness.NewVisitor(t, base), "alpha", "Before")
}

func TestSearchWorksInABrowser(t *testing.T) {
	t.Parallel()
	chromium := harness.Chromium(t)
	base := harness.ServeBlog(t)
	ada := harness.NewVisitor(t, base)
	ada.SignUp("ada")
	ada.Publish("A day at the sea", "Gulls & <sand>, and a *lighthouse*.")
	ada.Publish("海辺の一日", "灯台へ行きました。カモメがいた。")
	for i := range 12 {
		ada.Publish("Filler "+strings.Repeat("i", i+1), "wind and more wind")
	}
	eventuallyFinds(ada, "lighthouse", "A day at the sea")
	for name, javascript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			b := harness.NewBrowser(t, chromium, base, javascript)
			b.Open("/")
			b.Submit(`header a[href="/search"]`)
			if got := b.Value("document.activeElement.id"); got != "q" {
				t.Errorf("the focus is on %q", got)
			}
			b.Submit("#q", "#q", "gulls light") // submitted with the Enter key
			if got := b.Text(); !strings.Contains(got, "1 result") ||
				!strings.Contains(got, "Gulls & <sand>, and a lighthouse.") {
				t.Errorf("the page of results says: %s", got)
			}
			marked := b.Value(`[...document.querySelectorAll('mark')].map(m => m.innerText).join()`)
			if marked != "Gulls,lighthouse" {
				t.Errorf("the marked words are %s", marked)
			}
			b.Submit(".search button", "#q", "灯台")
			b.Submit("main article h2 a")
			if got := b.Text(); !strings.Contains(got, "海辺の一日") {
				t.Errorf("the result leads to a page that says: %s", got)
			}
			b.Open("/search?q=wind")
			b.Submit(`main a[rel="next"]`)
			const shown = `document.querySelectorAll('main article').length + ' ' + document.querySelector('#q').value`
			if got := b.Value(shown); got != "2 wind" {
				t.Errorf("the second page has this number of results and this query: %s", got)
			}
			b.Submit(".search button", "#q", "submarine")
			if got := b.Text(); !strings.Contains(got, "Nothing matches submarine") {
				t.Errorf("the page without results says: %s", got)
			}
			const scrolls = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
			if b.Value(scrolls) != "false" {
				t.Error("the page scrolls sideways on a phone")
			}
		})
	}
}
