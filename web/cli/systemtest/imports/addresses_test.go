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

// addressesOf reads the list of a fixture's former addresses, whose format testdata/README.md describes.
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

// isExport reports whether an entry of the folder of fixtures is an export.
func isExport(entry os.DirEntry) bool {
	return entry.IsDir() ||
		slices.Contains([]string{".xml", ".json", ".zip", ".csv", ".html"}, filepath.Ext(entry.Name()))
}

// keepsTemplates is the set of fixtures whose lists name posts with template code. Without --templates keep these posts
// would be drafts.
var keepsTemplates = map[string]bool{"hugo": true, "wordpress.xml": true, "ghost.json": true}

func TestFormerAddressesOfEveryFixtureAnswer(t *testing.T) {
	t.Parallel()
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
			wantOutput(t, harness.RunCommand(t, env, append(command, fixture)...), "0 imported", "0 changed")
			harness.Verify(t, env)
			base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
			checkFormerAddresses(t, harness.NewVisitor(t, base), list)
		})
	}
}

// checkFormerAddresses checks that the addresses lead where the list says, and that the list names each public post.
func checkFormerAddresses(t *testing.T, anyone *harness.Visitor, list []formerAddress) {
	t.Helper()
	titles := make(map[string]bool)
	for _, old := range list {
		first := anyone.Direct(old.path)
		if status, err := strconv.Atoi(old.leadsTo); err == nil {
			if first.StatusCode != status {
				t.Errorf("%s: status %d, location %q, want status %d",
					old.path, first.StatusCode, first.Header.Get("Location"), status)
			}
			continue
		}
		to := first.Header.Get("Location")
		if first.StatusCode != http.StatusMovedPermanently {
			t.Errorf("%s: status %d, want a permanent redirect", old.path, first.StatusCode)
			continue
		}
		if strings.HasPrefix(old.leadsTo, "/") {
			if got := anyone.Direct(to); to != old.leadsTo || got.StatusCode != http.StatusOK {
				t.Errorf("%s leads to %s with status %d, want %s", old.path, to, got.StatusCode, old.leadsTo)
			}
			continue
		}
		titles[plainQuotes(old.leadsTo)] = true
		p := anyone.Get(to)
		title := harness.Text(p.Find("main h1").First())
		if p.Status != http.StatusOK || plainQuotes(title) != plainQuotes(old.leadsTo) {
			t.Errorf("%s leads to %s with status %d and title %q, want %q", old.path, to, p.Status, title, old.leadsTo)
		}
	}
	for n := 1; ; n++ {
		p := anyone.Get("/@ada?page=" + strconv.Itoa(n))
		if p.Status != http.StatusOK {
			break
		}
		for _, link := range p.Find("main article h2, main article h3").EachIter() {
			if title := harness.Text(link); !titles[plainQuotes(title)] {
				t.Errorf("%q is public, but the list does not name it", title)
			}
		}
	}
}

// plainQuotes replaces the typographic quotation marks, ellipses and dashes of the pages by ASCII.
func plainQuotes(s string) string {
	return strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "‘", "'", "…", "...", "–", "--").Replace(s)
}

func TestFormerAddressOfAScheduledPostAnswersOncePublished(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	harness.RunCommand(t, env, "import", "--as", "ada", harness.Exports+"hugo")
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone, ada := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.LogIn("ada")
	for _, old := range []string{"/posts/centenary/", "/posts/centenary"} { // the cache stores responses below /posts
		if got := anyone.Direct(old).StatusCode; got != http.StatusNotFound {
			t.Errorf("%s: status %d before the post is published", old, got)
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
			t.Errorf("%s: status %d, location %q; the draft was at %s", old, r.StatusCode, to, edit)
		}
	}
}
