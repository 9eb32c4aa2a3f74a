package cli

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// found are the headlines that a search shows.
func (v *visitor) found(query string) []string {
	v.t.Helper()
	return v.get("/search?q=" + url.QueryEscape(query)).Find("main article h2").Map(func(_ int, h *goquery.Selection) string { return words(h) })
}

func (v *visitor) eventuallyFinds(query string, want ...string) {
	v.t.Helper()
	eventually(v.t, "a search for "+query+" finds "+strings.Join(want, ", "), func() bool {
		return strings.Join(v.found(query), "|") == strings.Join(want, "|")
	})
}

func TestSearchStory(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	ada, anyone := newVisitor(t, base), newVisitor(t, base)
	ada.signUp("ada")
	ada.publish("On engines", "The **analytical** engine weaves algebraic patterns. 東京で書いた。")
	eventually(t, "a new post is found", func() bool { return len(anyone.found("algebra")) > 0 })
	second := ada.publish("On looms", "Jacquard's loom weaves flowers.").url.Path
	anyone.eventuallyFinds("weaves -flowers", "On engines")
	anyone.eventuallyFinds("東京", "On engines")
	anyone.eventuallyFinds("jacquard @ada", "On looms")

	id := strings.Split(second, "/")[2]
	if p := anyone.get("/search?q=loom"); p.Find(`main article h2 a[href^="/posts/`+id+`/"] + *`).Length() != 0 || p.Find("main mark").Length() == 0 {
		t.Errorf("results: %s", words(p.Find("main")))
	}
	if p := ada.post("/settings/username", "username", "lovelace"); p.status != http.StatusOK {
		t.Fatalf("rename: status %d", p.status)
	}
	anyone.eventuallyFinds("loom @lovelace", "On looms")
	anyone.eventuallyFinds("@ada")

	stop()
	base, stop = serving(t, env, "--addr", "127.0.0.1:0")
	ada.base, anyone.base = base, base
	if got := anyone.found("loom"); len(got) != 1 {
		t.Errorf("just after a restart it finds %q", got)
	}
	if p := ada.post("/posts/" + id + "/delete"); p.status != http.StatusOK {
		t.Fatalf("delete: status %d: %s", p.status, words(p.Find("main")))
	}
	anyone.eventuallyFinds("loom")
	stop()

	// Whatever happens to the file, the server starts and builds another.
	if err := os.WriteFile(filepath.Join(env["INKFEED_DATA"], "search.db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	base, _ = serving(t, env, "--addr", "127.0.0.1:0")
	anyone.base = base
	anyone.eventuallyFinds("weaves", "On engines")
	eventually(t, "the index is whole", func() bool {
		return !strings.Contains(words(anyone.get("/search").Find("main")), "being built")
	})
}

// Every server on an account keeps an index of its own, in a folder that may be shared.
func TestEveryServerFindsWhatOthersWrite(t *testing.T) {
	env := onEngine(t, "--ranges", "3")
	env["INKFEED_DATA"] = "" // the flag says it
	data := t.TempDir()
	one, _ := serving(t, env, "--addr", "127.0.0.1:0", "--data", data)
	two, _ := serving(t, env, "--addr", "127.0.0.1:0", "--data", data)
	ada := newVisitor(t, one)
	ada.signUp("ada")
	ada.publish("Shared", "A word that both know: palimpsest.")
	for _, base := range []string{one, two} {
		newVisitor(t, base).eventuallyFinds("palimpsest", "Shared")
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
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	ada := newVisitor(t, base)
	ada.signUp("ada")
	ada.publish("Before", "alpha")
	file := filepath.Join(t.TempDir(), "backup.db")
	runCommand(t, env, "backup", file)
	ada.publish("After", "alpha")
	eventually(t, "both are found", func() bool { return len(ada.found("alpha")) == 2 })
	stop()
	for _, name := range []string{"inkfeed.db", "inkfeed.db-wal", "inkfeed.db-shm"} {
		if err := os.Remove(filepath.Join(env["INKFEED_DATA"], name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	runCommand(t, env, "restore", file)
	base, _ = serving(t, env, "--addr", "127.0.0.1:0")
	newVisitor(t, base).eventuallyFinds("alpha", "Before")
}

func TestSearchInABrowser(t *testing.T) {
	chromium := newChromium(t)
	base := blog(t)
	ada := newVisitor(t, base)
	ada.signUp("ada")
	ada.publish("A day at the sea", "Gulls & <sand>, and a *lighthouse*.")
	ada.publish("海辺の一日", "灯台へ行きました。カモメがいた。")
	for i := range 12 {
		ada.publish("Filler "+strings.Repeat("i", i+1), "wind and more wind")
	}
	ada.eventuallyFinds("lighthouse", "A day at the sea")
	for name, javascript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(t, chromium, base, javascript)
			b.open("/")
			b.submit(`header a[href="/search"]`)
			if got := b.value("document.activeElement.id"); got != "q" {
				t.Errorf("the cursor is in %q", got)
			}
			b.submit("#q", "#q", "gulls light") // by the Enter key
			if got := b.text(); !strings.Contains(got, "1 post") || !strings.Contains(got, "Gulls & <sand>, and a lighthouse.") {
				t.Errorf("found: %s", got)
			}
			if got := b.value(`[...document.querySelectorAll('mark')].map(m => m.innerText).join()`); got != "Gulls,lighthouse" {
				t.Errorf("marked: %s", got)
			}
			b.submit(".search button", "#q", "灯台")
			b.submit("main article h2 a")
			if got := b.text(); !strings.Contains(got, "海辺の一日") {
				t.Errorf("the result leads to: %s", got)
			}
			b.open("/search?q=wind")
			b.submit(`main a[rel="next"]`)
			if got := b.value(`document.querySelectorAll('main article').length + ' ' + document.querySelector('#q').value`); got != "2 wind" {
				t.Errorf("the second page: %s", got)
			}
			b.submit(".search button", "#q", "submarine")
			if got := b.text(); !strings.Contains(got, "No post matches submarine") {
				t.Errorf("nothing found: %s", got)
			}
			if wide := b.value("document.documentElement.scrollWidth > document.documentElement.clientWidth"); wide != "false" {
				t.Error("the page scrolls sideways on a phone")
			}
		})
	}
}
