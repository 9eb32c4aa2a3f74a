package imports

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// formerAddress is a line of a fixture's list of addresses.
type formerAddress struct{ path, leadsTo string }

// addressesOf reads the list of a fixture's former addresses, see testdata/README.md.
func addressesOf(t *testing.T, file string) (list []formerAddress) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		path, to, ok := strings.Cut(line, " -> ")
		if !ok {
			t.Fatalf("%s: %q has no ->", file, line)
		}
		list = append(list, formerAddress{strings.TrimSpace(path), strings.TrimSpace(to)})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// isExport reports whether an entry of the folder of fixtures is something to import.
func isExport(entry os.DirEntry) bool {
	return entry.IsDir() || slices.Contains([]string{".xml", ".json", ".zip", ".csv", ".html"}, filepath.Ext(entry.Name()))
}

// keepsTemplates are the fixtures with template code in posts that their lists of addresses have.
var keepsTemplates = map[string]bool{"hugo": true, "wordpress.xml": true, "ghost.json": true}

func TestFormerAddressesOfEveryFixtureAnswer(t *testing.T) {
	entries, err := os.ReadDir(harness.Exports)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !isExport(entry) {
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			fixture := filepath.Join(harness.Exports, entry.Name())
			list := addressesOf(t, fixture+".addresses")
			env := harness.BlogOf(t, "ada")
			command := []string{"import", "--as", "ada", "--uploads", harness.Exports}
			if keepsTemplates[entry.Name()] {
				command = append(command, "--templates", "keep")
			}
			harness.RunCommand(t, env, append(command, fixture)...)
			wantSaid(t, harness.RunCommand(t, env, append(command, fixture)...), "0 imported", "0 changed")
			harness.Verify(t, env)
			base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
			answerAtFormerAddresses(t, harness.NewVisitor(t, base), list)
		})
	}
}

// answerAtFormerAddresses checks that the addresses lead where the list says, and that no post
// is public that the list does not name.
func answerAtFormerAddresses(t *testing.T, anyone *harness.Visitor, list []formerAddress) {
	t.Helper()
	titles := make(map[string]bool)
	for _, old := range list {
		first := anyone.Direct(old.path)
		if status, err := strconv.Atoi(old.leadsTo); err == nil {
			if first.StatusCode != status {
				t.Errorf("%s: status %d to %q", old.path, first.StatusCode, first.Header.Get("Location"))
			}
			continue
		}
		to := first.Header.Get("Location")
		if first.StatusCode != http.StatusMovedPermanently {
			t.Errorf("%s: status %d", old.path, first.StatusCode)
			continue
		}
		if strings.HasPrefix(old.leadsTo, "/") {
			if got := anyone.Direct(to); to != old.leadsTo || got.StatusCode != http.StatusOK {
				t.Errorf("%s leads to %s: status %d", old.path, to, got.StatusCode)
			}
			continue
		}
		titles[plainQuotes(old.leadsTo)] = true
		p := anyone.Get(to)
		if title := harness.Text(p.Find("main h1").First()); p.Status != http.StatusOK || plainQuotes(title) != plainQuotes(old.leadsTo) {
			t.Errorf("%s leads to %s: status %d, %q", old.path, to, p.Status, title)
		}
	}
	for n := 1; ; n++ {
		p := anyone.Get("/@ada?page=" + strconv.Itoa(n))
		if p.Status != http.StatusOK {
			break
		}
		for _, link := range p.Find("main article h2, main article h3").EachIter() {
			if title := harness.Text(link); !titles[plainQuotes(title)] {
				t.Errorf("%q is public, and its address is not listed", title)
			}
		}
	}
}

// plainQuotes undoes what the pages do for typography.
func plainQuotes(s string) string {
	return strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "‘", "'", "…", "...", "–", "--").Replace(s)
}

func TestTheFormerAddressOfAScheduledPostAnswersOncePublished(t *testing.T) {
	env := harness.BlogOf(t, "ada")
	harness.RunCommand(t, env, "import", "--as", "ada", harness.Exports+"hugo")
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone, ada := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.LogIn("ada")
	for _, old := range []string{"/posts/centenary/", "/posts/centenary"} { // the cache keeps what is below /posts
		if got := anyone.Direct(old).StatusCode; got != http.StatusNotFound {
			t.Errorf("%s: status %d before", old, got)
		}
	}
	edit, _ := ada.Get("/drafts").Find(`main a:contains("In a hundred years")`).First().Attr("href")
	form := ada.Get(edit)
	version := form.Find(`main [name="version"]`).AttrOr("value", "")
	ada.Post("/posts", "post", strings.Split(edit, "/")[2], "revision", "0", "version", version, "do", "publish",
		"title", "In a hundred years", "content", "Now.")
	for _, old := range []string{"/posts/centenary/", "/posts/centenary"} {
		r := anyone.Direct(old)
		to := r.Header.Get("Location")
		if r.StatusCode != http.StatusMovedPermanently || !strings.HasPrefix(to, strings.TrimSuffix(edit, "/edit")) {
			t.Errorf("%s: status %d to %q, and the draft was at %s", old, r.StatusCode, to, edit)
		}
	}
}
