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

// found are the headlines that a search shows.
func found(v *harness.Visitor, query string) []string {
	v.T.Helper()
	return v.Get("/search?q=" + url.QueryEscape(query)).Find("main article h2").Map(func(_ int, h *goquery.Selection) string { return harness.Text(h) })
}

func eventuallyFinds(v *harness.Visitor, query string, want ...string) {
	v.T.Helper()
	harness.Eventually(v.T, "a search for "+query+" finds "+strings.Join(want, ", "), func() bool {
		return strings.Join(found(v, query), "|") == strings.Join(want, "|")
	})
}

func TestSearchStory(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
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
	if p := anyone.Get("/search?q=loom"); p.Find(`main article h2 a[href^="/posts/`+id+`/"] + *`).Length() != 0 || p.Find("main mark").Length() == 0 {
		t.Errorf("results: %s", harness.Text(p.Find("main")))
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
		t.Errorf("just after a restart it finds %q", got)
	}
	if p := ada.Post("/posts/" + id + "/delete"); p.Status != http.StatusOK {
		t.Fatalf("delete: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	eventuallyFinds(anyone, "loom")
	stop()

	// Whatever happens to the file, the server starts and builds another.
	if err := os.WriteFile(filepath.Join(env["INKFEED_DATA"], "search.db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone.Base = base
	eventuallyFinds(anyone, "weaves", "On engines")
	harness.Eventually(t, "the index is whole", func() bool {
		return !strings.Contains(harness.Text(anyone.Get("/search").Find("main")), "being built")
	})
}

// Every server on an account keeps an index of its own, in a folder that may be shared.
func TestEveryServerFindsWhatOthersWrite(t *testing.T) {
	env := harness.OnEngine(t, "--ranges", "3")
	env["INKFEED_DATA"] = "" // the flag says it
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

// What was written after a backup is in the index, but not in what is restored.
func TestARestoredBlogIsIndexedAnew(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada := harness.NewVisitor(t, base)
	ada.SignUp("ada")
	ada.Publish("Before", "alpha")
	file := filepath.Join(t.TempDir(), "backup.db")
	harness.RunCommand(t, env, "backup", file)
	ada.Publish("After", "alpha")
	harness.Eventually(t, "both are found", func() bool { return len(found(ada, "alpha")) == 2 })
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

func TestSearchInABrowser(t *testing.T) {
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
				t.Errorf("the cursor is in %q", got)
			}
			b.Submit("#q", "#q", "gulls light") // by the Enter key
			if got := b.Text(); !strings.Contains(got, "1 post") || !strings.Contains(got, "Gulls & <sand>, and a lighthouse.") {
				t.Errorf("found: %s", got)
			}
			if got := b.Value(`[...document.querySelectorAll('mark')].map(m => m.innerText).join()`); got != "Gulls,lighthouse" {
				t.Errorf("marked: %s", got)
			}
			b.Submit(".search button", "#q", "灯台")
			b.Submit("main article h2 a")
			if got := b.Text(); !strings.Contains(got, "海辺の一日") {
				t.Errorf("the result leads to: %s", got)
			}
			b.Open("/search?q=wind")
			b.Submit(`main a[rel="next"]`)
			if got := b.Value(`document.querySelectorAll('main article').length + ' ' + document.querySelector('#q').value`); got != "2 wind" {
				t.Errorf("the second page: %s", got)
			}
			b.Submit(".search button", "#q", "submarine")
			if got := b.Text(); !strings.Contains(got, "No posts match submarine") {
				t.Errorf("nothing found: %s", got)
			}
			if wide := b.Value("document.documentElement.scrollWidth > document.documentElement.clientWidth"); wide != "false" {
				t.Error("the page scrolls sideways on a phone")
			}
		})
	}
}
