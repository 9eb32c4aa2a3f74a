package cli

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
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
	entries, err := os.ReadDir(testExports)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !isExport(entry) {
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			fixture := filepath.Join(testExports, entry.Name())
			list := addressesOf(t, fixture+".addresses")
			env := wrote(t, "ada")
			command := []string{"import", "--as", "ada", "--uploads", testExports}
			if keepsTemplates[entry.Name()] {
				command = append(command, "--templates", "keep")
			}
			runCommand(t, env, append(command, fixture)...)
			wantSaid(t, runCommand(t, env, append(command, fixture)...), "0 imported", "0 changed")
			verified(t, env)
			base, _ := serving(t, env, "--addr", "127.0.0.1:0")
			answerAtFormerAddresses(t, newVisitor(t, base), list)
		})
	}
}

// answerAtFormerAddresses checks that the addresses lead where the list says, and that no post
// is public that the list does not name.
func answerAtFormerAddresses(t *testing.T, anyone *visitor, list []formerAddress) {
	t.Helper()
	titles := make(map[string]bool)
	for _, old := range list {
		first := anyone.direct(old.path)
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
			if got := anyone.direct(to); to != old.leadsTo || got.StatusCode != http.StatusOK {
				t.Errorf("%s leads to %s: status %d", old.path, to, got.StatusCode)
			}
			continue
		}
		titles[plainQuotes(old.leadsTo)] = true
		p := anyone.get(to)
		if title := words(p.Find("main h1").First()); p.status != http.StatusOK || plainQuotes(title) != plainQuotes(old.leadsTo) {
			t.Errorf("%s leads to %s: status %d, %q", old.path, to, p.status, title)
		}
	}
	for n := 1; ; n++ {
		p := anyone.get("/@ada?page=" + strconv.Itoa(n))
		if p.status != http.StatusOK {
			break
		}
		for _, link := range p.Find("main article h2, main article h3").EachIter() {
			if title := words(link); !titles[plainQuotes(title)] {
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
	env := wrote(t, "ada")
	runCommand(t, env, "import", "--as", "ada", testExports+"hugo")
	base, _ := serving(t, env, "--addr", "127.0.0.1:0")
	anyone, ada := newVisitor(t, base), newVisitor(t, base)
	ada.logIn("ada")
	for _, old := range []string{"/posts/centenary/", "/posts/centenary"} { // the cache keeps what is below /posts
		if got := anyone.direct(old).StatusCode; got != http.StatusNotFound {
			t.Errorf("%s: status %d before", old, got)
		}
	}
	edit, _ := ada.get("/drafts").Find(`main a:contains("In a hundred years")`).First().Attr("href")
	form := ada.get(edit)
	version := form.Find(`main [name="version"]`).AttrOr("value", "")
	ada.post("/posts", "post", strings.Split(edit, "/")[2], "revision", "0", "version", version, "do", "publish",
		"title", "In a hundred years", "content", "Now.")
	for _, old := range []string{"/posts/centenary/", "/posts/centenary"} {
		r := anyone.direct(old)
		to := r.Header.Get("Location")
		if r.StatusCode != http.StatusMovedPermanently || !strings.HasPrefix(to, strings.TrimSuffix(edit, "/edit")) {
			t.Errorf("%s: status %d to %q, and the draft was at %s", old, r.StatusCode, to, edit)
		}
	}
}
