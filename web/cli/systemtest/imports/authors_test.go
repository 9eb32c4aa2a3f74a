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

func TestABlogOfSeveralAuthorsMovesIn(t *testing.T) {
	env := harness.BlogOf(t, "ada")
	export := harness.Exports + "blogger.xml"
	authors := filepath.Join(t.TempDir(), "authors.yaml")
	fails := func(want string, args ...string) {
		t.Helper()
		err := cli.Run(t.Context(), append([]string{"import"}, append(args, export)...), func(name string) string { return env[name] }, io.Discard, io.Discard)
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
	t.Run("not before each has a user", func(t *testing.T) {
		template := "\"Ann Hill\":%s # 3 posts\n\"Bob Dale\": # 1 post\n"
		fails("does not exist yet. Fill in the usernames, or use --create-authors:\n\n"+strings.Replace(template, "%s", "", 1), "--authors", authors)
		write("ann hill: ada\n")
		fails("1 author has no user. Fill in the usernames, or use --create-authors:\n\n"+strings.Replace(template, "%s", " ada", 1), "--authors", authors)
		write("ann hill: ada\nbob dale: nobody\n")
		fails(`there is no user "nobody"`, "--authors", authors)
		write("ann hill: [")
		fails("it is not a YAML map of authors to usernames", "--authors", authors)
		fails("needs --authors, which names the file", "--as", "ada", "--create-authors")
	})
	write("ann hill: ada")
	t.Run("a dry run makes no account", func(t *testing.T) {
		for range 2 {
			wantSaid(t, harness.RunCommand(t, env, "import", "--authors", authors, "--create-authors", "--dry-run", export), "4 would be imported")
		}
		if text, err := os.ReadFile(authors); err != nil || string(text) != "ann hill: ada" {
			t.Errorf("the map is %q, %v", text, err)
		}
	})
	env["INKFEED_URL"] = "https://blog.example.org"
	out := harness.RunCommand(t, env, "import", "--authors", authors, "--create-authors", export)
	wantSaid(t, out, "4 imported", "within 30 days")
	link := regexp.MustCompile(`bob-dale \(Bob Dale\): https://blog\.example\.org(/reset/\S+)\n`).FindStringSubmatch(out)
	if link == nil || strings.Contains(out, "all go to one user") {
		t.Fatalf("import says\n%s", out)
	}
	if text, err := os.ReadFile(authors); err != nil || string(text) != "ann hill: ada\n\"Bob Dale\": bob-dale\n" {
		t.Errorf("the map is %q, %v", text, err)
	}
	harness.Verify(t, env)
	t.Run("again, once", func(t *testing.T) {
		out := harness.RunCommand(t, env, "import", "--authors", authors, "--create-authors", export)
		wantSaid(t, out, "0 imported", "4 unchanged")
		if strings.Contains(out, "/reset/") {
			t.Errorf("it makes accounts again:\n%s", out)
		}
		harness.Verify(t, env)
	})
	t.Run("and a name that is taken makes no account", func(t *testing.T) {
		write("ann hill: ada\n")
		fails("the username bob-dale is taken", "--authors", authors, "--create-authors")
	})

	delete(env, "INKFEED_URL")
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone := harness.NewVisitor(t, base)
	walk, moor := anyone.Get("/2011/03/up-down.html"), anyone.Get("/2011/04/the-moor.html?m=1")
	if walk.Status != http.StatusOK || moor.Status != http.StatusOK {
		t.Fatalf("status %d, %d", walk.Status, moor.Status)
	}
	for p, by := range map[harness.Page]string{walk: "/@ada", moor: "/@bob-dale"} {
		if p.Find(`main a[href="`+by+`"]`).Length() == 0 {
			t.Errorf("%s is not by %s: %s", p.URL, by, harness.Text(p.Find("main")))
		}
	}
	if to, _ := walk.Find(`main a:contains("the moor")`).Attr("href"); to != moor.URL.Path {
		t.Errorf("the link leads to %q, want %q", to, moor.URL.Path)
	}
	t.Run("whose authors come by the link", func(t *testing.T) {
		bob := harness.NewVisitor(t, base)
		if p := bob.Post(link[1], "password", "correct horse"); p.Status != http.StatusOK {
			t.Fatalf("status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		bob.LogIn("bob-dale")
		if p := harness.NewVisitor(t, base).Get(link[1]); p.Status != http.StatusNotFound {
			t.Errorf("the link works twice: status %d", p.Status)
		}
	})
}

func TestExportsOfServicesMoveIn(t *testing.T) {
	env := harness.BlogOf(t, "ada")
	for name, counts := range map[string]string{"substack": "9 imported", "medium": "4 imported", "tumblr": "8 imported"} {
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", harness.Exports+name), counts)
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", harness.Exports+name), "0 imported", strings.Replace(counts, "imported", "unchanged", 1))
	}
	harness.Verify(t, env)
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone := harness.NewVisitor(t, base)
	for address, title := range map[string]string{
		"/p/the-lighthouse": "The lighthouse", "/p/about": "About us", "/@ada/bread-slowly-abcdef123456": "Bread, slowly", "/bread-slowly-abcdef123456": "Bread, slowly",
		"/p/abcdef123456": "Bread, slowly", "/the-oven/rye-0123456789ab": "Rye", "/post/180784644740/a-pot": "A pot", "/post/180784644740": "A pot",
		"/p/keepers-only": "", "/p/friends": "", "/p/aaaaaa111111": "", "/p/bbbbbb222222": "", "/post/180784644745": "",
	} {
		p := anyone.Get(address)
		if title == "" {
			if p.Status != http.StatusNotFound {
				t.Errorf("%s is public: status %d at %s", address, p.Status, p.URL)
			}
		} else if p.Status != http.StatusOK || harness.Text(p.Find("main h1").First()) != title {
			t.Errorf("%s: status %d, %q, want %q", address, p.Status, harness.Text(p.Find("main h1").First()), title)
		}
	}
	if src, _ := anyone.Get("/post/180784644740").Find("main img").First().Attr("src"); !strings.HasPrefix(src, "/media/") {
		t.Errorf("the picture is at %q", src)
	}
}
