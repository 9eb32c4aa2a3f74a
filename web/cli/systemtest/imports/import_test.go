package imports

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/web/cli"
	"inkfeed/web/cli/systemtest/harness"
)

// wantOutput checks that the output of a command contains texts. It treats all white space in the output as one space.
func wantOutput(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(strings.Join(strings.Fields(out), " ")+"\n", part) {
			t.Errorf("import does not print %q:\n%s", part, out)
		}
	}
}

func TestHugoBlogIsImported(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	site := filepath.Join(t.TempDir(), "site")
	if err := os.CopyFS(site, os.DirFS(harness.Exports+"hugo")); err != nil {
		t.Fatal(err)
	}
	t.Run("writes nothing in a dry run", func(t *testing.T) {
		for range 2 {
			out := harness.RunCommand(t, env, "import", "--as", "ada", "--dry-run", "--templates", "keep", site)
			wantOutput(t, out, "5 would be imported", "2 new pictures")
		}
	})
	report := filepath.Join(t.TempDir(), "report.txt")
	out := harness.RunCommand(t, env, "import", "--as", "ADA", "--templates", "keep", "--report", report, site)
	wantOutput(t, out, "Hugo", "4 posts, 2 drafts", "5 imported", "1 not imported", "2 new pictures")
	text, err := os.ReadFile(report)
	if err != nil || !strings.Contains(string(text), "tide-chart") ||
		!strings.Contains(string(text), "empty.md: not imported") ||
		!strings.Contains(string(text), "pictures on other sites") {
		t.Errorf("the report (error %v) says %s", err, text)
	}
	harness.Verify(t, env)

	t.Run("imports nothing the second time", func(t *testing.T) {
		out := harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site)
		wantOutput(t, out, "0 imported", "5 unchanged", "0 new pictures")
		out = harness.RunCommand(t, env, "import", "--as", "ada", "--dry-run", "--templates", "keep", site)
		wantOutput(t, out, "0 would be imported", "0 new pictures")
		harness.Verify(t, env)
	})
	t.Run("updates a post that has changed in the source", func(t *testing.T) {
		file := filepath.Join(site, "content/posts/bundle/index.md")
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(text, "\nA line more.\n"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		out := harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site)
		wantOutput(t, out, "0 imported", "1 changed", "4 unchanged")
		out = harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site)
		wantOutput(t, out, "0 imported", "0 changed", "5 unchanged")
		harness.Verify(t, env)
	})

	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone, ada := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.LogIn("ada")
	tides := anyone.Direct("/tide-table").Header.Get("Location")
	harbour := anyone.Direct("/posts/bundle/").Header.Get("Location")
	t.Run("keeps slugs, dates, tags, pictures and links", func(t *testing.T) {
		if !strings.HasSuffix(tides, "/high-and-low") {
			t.Fatalf("the post is at %q", tides)
		}
		p := anyone.Get(tides)
		text := harness.Text(p.Find("main"))
		if p.Status != http.StatusOK ||
			!strings.Contains(text, `Tides: a "short" table`) && !strings.Contains(text, "Tides: a “short” table") {
			t.Errorf("the post: status %d: %s", p.Status, text)
		}
		if when, _ := p.Find("time").First().Attr("datetime"); !strings.HasPrefix(when, "2019-03-04") {
			t.Errorf("the post has the date %s", when)
		}
		src, _ := p.Find("main img").First().Attr("src")
		if got := anyone.Direct(src); !strings.HasPrefix(src, "/media/") || got.StatusCode != http.StatusOK {
			t.Errorf("the picture is at %q: status %d", src, got.StatusCode)
		}
		if to, _ := p.Find(`main a:contains("the harbour")`).Attr("href"); to != harbour+"#walls" {
			t.Errorf("the link leads to %q, want %q", to, harbour+"#walls")
		}
		if text := harness.Text(anyone.Get("/tags/c++").Find("main")); !strings.Contains(text, "Tides") {
			t.Errorf("the tag's page shows %s", text)
		}
		text = harness.Text(anyone.Get(harbour).Find("main"))
		if !strings.Contains(text, "A line more") || !strings.Contains(text, "H₂O") {
			t.Errorf("the other post shows %s", text)
		}
	})
	t.Run("redirects former addresses permanently", func(t *testing.T) {
		for _, old := range []string{"/posts/high-and-low/", "/tide-table/", "/posts/tides-old.html"} {
			r := anyone.Direct(old)
			if r.StatusCode != http.StatusMovedPermanently || r.Header.Get("Location") != tides {
				t.Errorf("%s: status %d, location %q", old, r.StatusCode, r.Header.Get("Location"))
			}
		}
	})
	t.Run("imports drafts as drafts, and unlisted posts as unlisted", func(t *testing.T) {
		text := harness.Text(ada.Get("/drafts").Find("main"))
		if !strings.Contains(text, "An idea") || !strings.Contains(text, "In a hundred years") {
			t.Errorf("the list of drafts says: %s", text)
		}
		for _, list := range []string{"/", "/@ada"} {
			text := harness.Text(anyone.Get(list).Find("main"))
			if !strings.Contains(text, "The harbour") || strings.Contains(text, "In no list") ||
				strings.Contains(text, "An idea") {
				t.Errorf("%s says: %s", list, text)
			}
		}
		p := anyone.Get("/posts/secret")
		if p.Status != http.StatusOK || !strings.Contains(harness.Text(p.Find("main")), "Only with the address") {
			t.Errorf("the unlisted post: status %d", p.Status)
		}
	})
	id := strings.Split(harbour, "/")[2]
	if p := ada.Post("/posts/" + id + "/erase"); p.Status != http.StatusOK {
		t.Fatalf("deleting the post: status %d", p.Status)
	}
	stop()
	t.Run("does not import a deleted post again", func(t *testing.T) {
		out := harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site)
		wantOutput(t, out, "0 imported", "bundle/index.md: not imported: it was deleted here")
		base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
		defer stop()
		if r := harness.NewVisitor(t, base).Direct("/posts/bundle"); r.StatusCode != http.StatusGone {
			t.Errorf("the former address of the deleted post: status %d", r.StatusCode)
		}
	})
	t.Run("does not overwrite a post that was edited in this blog", func(t *testing.T) {
		base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
		ada := harness.NewVisitor(t, base)
		ada.LogIn("ada")
		id := strings.Split(tides, "/")[2]
		p := ada.Post("/posts/"+id, "revision", "1", "title", "My tides", "content", "Written here.")
		if p.Status != http.StatusOK {
			t.Fatalf("editing the post: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		stop()
		out := harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site)
		wantOutput(t, out, "1 left as changed here")
		file := filepath.Join(site, "content/posts/tides.md")
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(text, "\nAnd there.\n"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		out = harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site)
		wantOutput(t, out, "tides.md: not imported: the post was changed both here and in its source")
		harness.Verify(t, env, "--wait")
	})
}

func TestBlogsOfOtherToolsAreImported(t *testing.T) {
	t.Parallel()
	for export, c := range map[string]struct {
		output []string
		moved  map[string]string // from former addresses to texts of their posts
	}{
		"wordpress.xml": {
			[]string{"WordPress", "3 posts, 4 drafts", "7 imported", "1 new picture ", "comments by readers"},
			map[string]string{
				"/2015/04/beans-and-peas/": "Sow in April",
				"/?p=9":                    "First line",
				"/2014/12/%D1%85%D0%BE%D0%BB%D0%BE%D0%B4/": "On the pond",
				"/about/": "Who we are",
			},
		},
		"ghost.json": {
			[]string{"Ghost", "3 posts, 4 drafts", "7 imported", "1 new picture "},
			map[string]string{"/cards-on-the-table/": "and more"},
		},
		"writefreely.json": {
			[]string{"WriteFreely", "2 posts, 1 draft ", "3 imported"},
			map[string]string{"/ada/cool-post": "Rest."},
		},
		"jekyll": {
			[]string{"Jekyll", "1 post, 1 draft ", "2 imported"},
			map[string]string{"/werkstatt/2017/06/05/erste-schritte.html": "Text mit"},
		},
		"jekyll-collections": {
			[]string{"Jekyll", "6 posts, 0 drafts", "6 imported", "dates from the names of files and folders: 1"},
			map[string]string{
				"/c/2021/3/4/first/":                     "See the essay",
				"/c/old-first":                           "See the essay",
				"/c/night%20walks/2021/3/4/at-midnight/": "Dark.",
				"/c/essays/on-rivers/":                   "They run.",
				"/c/stamps/blue_mauritius":               "Rare.",
				"/c/about-us.html":                       "We collect.",
			},
		},
		"hugo-languages": {
			[]string{"Hugo", "6 posts, 0 drafts", "6 imported", "dates from front matter: 5"},
			map[string]string{
				"/blog/2020/cafe-bar/":      "Hello.",
				"/blog/2020/old-cafe":       "Hello.",
				"/blog/up/":                 "Hello.",
				"/blog/de/2020/kaffee/":     "Hallo.",
				"/blog/de/eigene/adresse/":  "Hallo.",
				"/blog/root/2020/Page.html": "Hallo.",
				"/blog/deep/way-down/":      "Down.",
				"/blog/about/":              "Us.",
			},
		},
		"zola": {
			[]string{"Zola", "5 posts, 1 draft ", "6 imported", "2 new pictures"},
			map[string]string{
				"/blog/posts/first-beans/": "They grow at the pond",
				"/blog/beans.html":         "Water them in the morning",
				"/blog/posts/our-pond/":    "Do not feed them",
				"/blog/de/posts/bundle/":   "Frösche",
				"/blog/who-we-are/":        "A garden",
			},
		},
		"obsidian": {
			[]string{"Obsidian", "2 posts, 1 draft", "3 imported", "1 new picture "},
			map[string]string{
				"/Garden/Growing+iOS+Beans": "Sow them in May",
				"/Garden/Soil":              "Good for Runner beans and beans",
			},
		},
	} {
		t.Run(export, func(t *testing.T) {
			env := harness.BlogOf(t, "ada")
			command := []string{"import", "--as", "ada", "--templates", "keep",
				"--uploads", harness.Exports, harness.Exports + export}
			wantOutput(t, harness.RunCommand(t, env, command...), c.output...)
			wantOutput(t, harness.RunCommand(t, env, command...), "0 imported", "0 changed")
			harness.Verify(t, env)
			base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
			anyone := harness.NewVisitor(t, base)
			for old, want := range c.moved {
				p := anyone.Get(old)
				if p.Status != http.StatusOK || !strings.HasPrefix(p.URL.Path, "/posts/") ||
					!strings.Contains(harness.Text(p.Find("main")), want) {
					t.Errorf("%s leads to %s with status %d: %s", old, p.URL, p.Status, harness.Text(p.Find("main")))
				}
			}
		})
	}
}

func TestImportExplainsErrors(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	for name, c := range map[string]struct{ args, want string }{
		"no user is named":          {"import " + harness.Exports + "jekyll", "--as"},
		"an unknown user":           {"import --as eve " + harness.Exports + "jekyll", `no user "eve"`},
		"no export is named":        {"import --as ada", "DIR|FILE"},
		"no such file":              {"import --as ada " + harness.Exports + "nowhere", "nowhere"},
		"not an export":             {"import --as ada main.go", "neither a folder of Markdown"},
		"no such folder of uploads": {"import --as ada --uploads nowhere " + harness.Exports + "jekyll", "--uploads"},
		"no folder for the report":  {"import --as ada --report nowhere/x " + harness.Exports + "jekyll", "--report"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			getenv := func(name string) string { return env[name] }
			err := cli.Run(t.Context(), strings.Fields(c.args), getenv, &out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// exportOf downloads the export of a visitor's account.
func exportOf(t *testing.T, v *harness.Visitor) []byte {
	t.Helper()
	resp, err := v.HTTP.Get(v.Base + "/settings/export")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("downloading the export: status %d, error %v", resp.StatusCode, err)
	}
	return body
}

func TestImportRestoresAnExportCompletely(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", harness.Exports+"hugo")
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada := harness.NewVisitor(t, base)
	ada.LogIn("ada")
	tides := strings.Split(ada.Direct("/tide-table").Header.Get("Location"), "/")[2]
	plain := strings.Split(ada.Publish("Plain", "first text").URL.Path, "/")[2]
	ada.Post("/posts/"+plain, "revision", "1", "title", "Plain, better",
		"content", "second text\n\n* [x]: /y\n", "tags", "Neu, 日本")
	ada.Post("/posts/"+tides+"/comments", "content", "My *own* comment")
	ada.Post("/posts/" + tides + "/like")
	ada.Post("/posts/" + plain + "/bookmark")
	p := ada.Post("/settings/profile", "displayName", "Ada Lovelace", "bio", "I write about **tides**.")
	if p.Status != http.StatusOK {
		t.Fatalf("changing the profile: status %d", p.Status)
	}
	first := exportOf(t, ada)
	stop()
	file := filepath.Join(t.TempDir(), "export.zip")
	if err := os.WriteFile(file, first, 0o600); err != nil {
		t.Fatal(err)
	}

	other := harness.BlogOf(t, "bob")
	out := harness.RunCommand(t, other, "import", "--as", "bob", file)
	wantOutput(t, out, "Inkfeed", "No problems found.", "1 new comment ")
	out = harness.RunCommand(t, other, "import", "--as", "bob", file)
	wantOutput(t, out, "0 imported", "0 changed", "No problems found.")
	harness.Verify(t, other)
	base, stop = harness.Serve(t, other, "--addr", "127.0.0.1:0")
	bob := harness.NewVisitor(t, base)
	bob.LogIn("bob")
	second := exportOf(t, bob)
	if r := bob.Direct("/tide-table"); r.StatusCode != http.StatusMovedPermanently {
		t.Errorf("a former address in the second blog: status %d", r.StatusCode)
	}
	stop()
	if a, b := normalized(t, first), normalized(t, second); !reflect.DeepEqual(a, b) {
		t.Errorf("the first export is\n%s\nthe export after the import is\n%s",
			strings.Join(a, "\n"), strings.Join(b, "\n"))
	}

	t.Run("imports nothing into the account of the export", func(t *testing.T) {
		out := harness.RunCommand(t, env, "import", "--as", "ada", file)
		wantOutput(t, out, "0 imported", "0 changed", "0 not imported", "0 new comments", "No problems found.")
		harness.Verify(t, env)
	})
}

var (
	pictureName = regexp.MustCompile(`[a-z2-9]{26}(-\d+x\d+\.\w+)`)
	commentID   = regexp.MustCompile(`"id":"[a-z2-9]{26}","postId"`)
	ownerFields = regexp.MustCompile(`"(userId|username|created|exported)":\s*"[^"]*"`)
)

// normalized returns the content of an export in a fixed order, without the IDs, names and times that differ between
// accounts.
func normalized(t *testing.T, export []byte) (lines []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(export), int64(len(export)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		body, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		name, text := f.Name, string(body)
		switch path.Dir(name) {
		case "images":
			name, text = pictureName.ReplaceAllString(name, "*$1"), fmt.Sprintf("%d bytes", len(body))
		case ".":
			head, rest, _ := strings.Cut(text, `"posts":`)
			text = ownerFields.ReplaceAllString(head, "") + rest
			text = strings.ReplaceAll(text, `{"file":`, "\n"+`{"file":`) // a line for each picture
			text = commentID.ReplaceAllString(pictureName.ReplaceAllString(text, "*$1"), `"id":"*","postId"`)
			each := strings.Split(text, "\n") // IDs are random, and with them the order of posts and pictures
			for i := range each {
				each[i] = strings.Trim(each[i], " ,]")
			}
			slices.Sort(each)
			text = strings.Join(each, "\n")
		default:
			text = pictureName.ReplaceAllString(text, "*$1")
		}
		lines = append(lines, name+": "+text)
	}
	slices.SortFunc(lines, cmp.Compare[string])
	return lines
}

// TestNextImportFinishesAKilledOne kills an import while it writes. The next import completes it.
func TestNextImportFinishesAKilledOne(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	site := t.TempDir()
	for n := range 600 {
		text := fmt.Sprintf("---\ntitle: Post %d\ndate: 2020-01-01T00:00:00Z\ntags: [one, two]\n"+
			"url: /old/%d\n---\n%s\n", n, n, strings.Repeat("Some text. ", 200))
		if err := os.WriteFile(filepath.Join(site, fmt.Sprintf("post-%03d.md", n)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := harness.Program(t, env, "import", "--as", "ada", site)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	before := harness.DatabaseSize(env["INKFEED_DATA"])
	for deadline := time.Now().Add(time.Minute); harness.DatabaseSize(env["INKFEED_DATA"]) < before+1<<20; {
		if time.Now().After(deadline) {
			cmd.Process.Kill()
			t.Fatal("the import has written nothing within a minute")
		}
		time.Sleep(5 * time.Millisecond) // until the import has written something
	}
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	_ = cmd.Wait()
	out := harness.RunCommand(t, env, "import", "--as", "ada", site)
	wantOutput(t, out, "0 changed", "0 not imported", "No problems found.")
	harness.Verify(t, env)
	wantOutput(t, harness.RunCommand(t, env, "import", "--as", "ada", site), "0 imported", "0 changed", "600 unchanged")
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	for _, n := range []int{0, 299, 599} {
		p := harness.NewVisitor(t, base).Get(fmt.Sprint("/old/", n))
		if p.Status != http.StatusOK || !strings.Contains(harness.Text(p.Find("main h1")), fmt.Sprint("Post ", n)) {
			t.Errorf("post %d: status %d at %s", n, p.Status, p.URL)
		}
	}
}

func TestPostWithTemplateCodeIsImportedAsADraft(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	site := t.TempDir()
	if err := os.CopyFS(site, os.DirFS(harness.Exports+"hugo")); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.txt")
	out := harness.RunCommand(t, env, "import", "--as", "ada", "--report", report, site)
	wantOutput(t, out, "2 as drafts", "1 post is a draft because it has template code",
		"the shortcode tide-chart is not known", "--templates keep")
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada := harness.NewVisitor(t, base)
	ada.LogIn("ada")
	if text := harness.Text(ada.Get("/drafts").Find("main")); !strings.Contains(text, "Tides") {
		t.Errorf("the list of drafts says: %s", text)
	}
	if r := ada.Direct("/tide-table/"); r.StatusCode < 400 {
		t.Errorf("the former address of the draft: status %d, location %q", r.StatusCode, r.Header.Get("Location"))
	}
	stop()
	out = harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "remove", site)
	wantOutput(t, out, "1 imported", "1 as a post", "0 as drafts")
	harness.Verify(t, env)
	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	p := harness.NewVisitor(t, base).Get("/tide-table/")
	text := harness.Text(p.Find("main"))
	if p.Status != http.StatusOK || !strings.Contains(text, "Tides") || strings.Contains(text, "{{") {
		t.Errorf("the post without template code: status %d: %s", p.Status, text)
	}
}

func TestImportOfFewOrNoPostsFails(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	good, bad := "---\ntitle: Quay\ndate: 2020-01-02\n---\nText.\n", strings.Repeat("Too long. ", 400_000)
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"if the generator's folder has no posts": {
			map[string]string{"hugo.toml": "", "content/_index.md": "---\ntitle: Home\n---\n"},
			[]string{"nothing was imported", "no post in content"},
		},
		"if no post is readable": {
			map[string]string{"hugo.toml": "", "content/a.md": bad},
			[]string{"nothing was imported", "1 post "},
		},
		"if most posts are in other folders": {
			map[string]string{"hugo.toml": "", "journal/a.md": good, "content/b.md": good, "journal/c.md": good},
			[]string{"only 1 of the 3 posts"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			site := t.TempDir()
			for name, text := range c.files {
				file := filepath.Join(site, name)
				err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600))
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range [][]string{
				{"import", "--as", "ada", "--dry-run", site},
				{"import", "--as", "ada", site},
			} {
				var out bytes.Buffer
				err := cli.Run(t.Context(), args, func(name string) string { return env[name] }, &out, io.Discard)
				for _, want := range c.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("error %v, want %q in it", err, want)
					}
				}
				wantOutput(t, out.String(), "not imported")
			}
		})
	}
}
