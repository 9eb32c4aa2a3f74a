package imports

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"inkfeed/web/cli"
	"inkfeed/web/cli/systemtest/harness"
)

func TestImportGivesEachPostToItsAuthor(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	export := harness.Exports + "blogger.xml"
	authors := filepath.Join(t.TempDir(), "authors.yaml")
	fails := func(want string, args ...string) {
		t.Helper()
		command := append([]string{"import"}, append(args, export)...)
		err := cli.Run(t.Context(), command, func(name string) string { return env[name] }, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("import %v: error %v, want %q", args, err, want)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(authors, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("fails unless each author has a user", func(t *testing.T) {
		template := "\"Ann Hill\":%s # 3 posts\n\"Bob Dale\": # 1 post\n"
		fails("does not exist yet. Fill in the usernames, or use --create-authors:\n\n"+
			strings.Replace(template, "%s", "", 1), "--authors", authors)
		write("ann hill: ada\n")
		fails("1 author has no user. Fill in the usernames, or use --create-authors:\n\n"+
			strings.Replace(template, "%s", " ada", 1), "--authors", authors)
		write("ann hill: ada\nbob dale: nobody\n")
		fails(`there is no user "nobody"`, "--authors", authors)
		write("ann hill: [")
		fails("it is not a YAML map of authors to usernames", "--authors", authors)
		fails("needs --authors, which names the file", "--as", "ada", "--create-authors")
		fails("needs --url, for the links that it prints", "--authors", authors, "--create-authors")
	})
	env["INKFEED_URL"] = "https://blog.example.org"
	write("ann hill: ada")
	t.Run("creates no account in a dry run", func(t *testing.T) {
		for range 2 {
			out := harness.RunCommand(t, env, "import", "--authors", authors, "--create-authors", "--dry-run", export)
			wantOutput(t, out, "4 would be imported")
		}
		if text, err := os.ReadFile(authors); err != nil || string(text) != "ann hill: ada" {
			t.Errorf("the map of authors after the dry run is %q (error %v)", text, err)
		}
	})
	out := harness.RunCommand(t, env, "import", "--authors", authors, "--create-authors", export)
	wantOutput(t, out, "4 imported", "within 30 days")
	printed := regexp.MustCompile(`bob-dale \(Bob Dale\): https://blog\.example\.org(/reset/\S+)\n`)
	link := printed.FindStringSubmatch(out)
	if link == nil || strings.Contains(out, "all go to one user") {
		t.Fatalf("import prints\n%s", out)
	}
	text, err := os.ReadFile(authors)
	if err != nil || string(text) != "ann hill: ada\n\"Bob Dale\": bob-dale\n" {
		t.Errorf("the map of authors is %q (error %v)", text, err)
	}
	harness.Verify(t, env)
	t.Run("imports nothing the second time", func(t *testing.T) {
		out := harness.RunCommand(t, env, "import", "--authors", authors, "--create-authors", export)
		wantOutput(t, out, "0 imported", "4 unchanged")
		if strings.Contains(out, "/reset/") {
			t.Errorf("the second import creates accounts:\n%s", out)
		}
		harness.Verify(t, env)
	})
	t.Run("creates no account if the username is taken", func(t *testing.T) {
		write("ann hill: ada\n")
		fails("the username bob-dale is taken", "--authors", authors, "--create-authors")
	})

	delete(env, "INKFEED_URL")
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone := harness.NewVisitor(t, base)
	walk, moor := anyone.Get("/2011/03/up-down.html"), anyone.Get("/2011/04/the-moor.html?m=1")
	if walk.Status != http.StatusOK || moor.Status != http.StatusOK {
		t.Fatalf("the former addresses of two posts: status %d and %d", walk.Status, moor.Status)
	}
	for p, profile := range map[harness.Page]string{walk: "/@ada", moor: "/@bob-dale"} {
		if p.Find(`main a[href="`+profile+`"]`).Length() == 0 {
			t.Errorf("%s has no link to %s: %s", p.URL, profile, harness.Text(p.Find("main")))
		}
	}
	if to, _ := walk.Find(`main a:contains("the moor")`).Attr("href"); to != moor.URL.Path {
		t.Errorf("the link between the posts leads to %q, want %q", to, moor.URL.Path)
	}
	t.Run("prints a link with which a new author sets a password once", func(t *testing.T) {
		bob := harness.NewVisitor(t, base)
		if p := bob.Post(link[1], "password", "correct horse"); p.Status != http.StatusOK {
			t.Fatalf("setting the password: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		bob.LogIn("bob-dale")
		if p := harness.NewVisitor(t, base).Get(link[1]); p.Status != http.StatusNotFound {
			t.Errorf("the link works twice: status %d", p.Status)
		}
	})
}

func TestSubstackMediumAndTumblrExportsAreImported(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	for name, counts := range map[string]string{
		"substack": "9 imported", "medium": "4 imported", "tumblr": "8 imported",
	} {
		wantOutput(t, harness.RunCommand(t, env, "import", "--as", "ada", harness.Exports+name), counts)
		again := harness.RunCommand(t, env, "import", "--as", "ada", harness.Exports+name)
		wantOutput(t, again, "0 imported", strings.Replace(counts, "imported", "unchanged", 1))
	}
	harness.Verify(t, env)
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone := harness.NewVisitor(t, base)
	for address, title := range map[string]string{
		"/p/the-lighthouse":               "The lighthouse",
		"/p/about":                        "About us",
		"/@ada/bread-slowly-abcdef123456": "Bread, slowly",
		"/bread-slowly-abcdef123456":      "Bread, slowly",
		"/p/abcdef123456":                 "Bread, slowly",
		"/the-oven/rye-0123456789ab":      "Rye",
		"/post/180784644740/a-pot":        "A pot",
		"/post/180784644740":              "A pot",
		// These posts are not public.
		"/p/keepers-only": "", "/p/friends": "", "/p/aaaaaa111111": "", "/p/bbbbbb222222": "", "/post/180784644745": "",
	} {
		p := anyone.Get(address)
		if title == "" {
			if p.Status != http.StatusNotFound {
				t.Errorf("%s is public: status %d at %s", address, p.Status, p.URL)
			}
		} else if p.Status != http.StatusOK || harness.Text(p.Find("main h1").First()) != title {
			t.Errorf("%s: status %d, title %q, want %q",
				address, p.Status, harness.Text(p.Find("main h1").First()), title)
		}
	}
	src, _ := anyone.Get("/post/180784644740").Find("main img").First().Attr("src")
	if !strings.HasPrefix(src, "/media/") {
		t.Errorf("the picture is at %q", src)
	}
}
