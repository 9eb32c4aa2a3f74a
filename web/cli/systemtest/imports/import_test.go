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

// wantSaid looks for texts in what a command printed, whatever the space between its words.
func wantSaid(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(strings.Join(strings.Fields(out), " ")+"\n", part) {
			t.Errorf("import does not say %q:\n%s", part, out)
		}
	}
}

func TestABlogOfHugoMovesIn(t *testing.T) {
	env := harness.BlogOf(t, "ada")
	site := filepath.Join(t.TempDir(), "site")
	if err := os.CopyFS(site, os.DirFS(harness.Exports+"hugo")); err != nil {
		t.Fatal(err)
	}
	t.Run("a dry run tells, and writes nothing", func(t *testing.T) {
		for range 2 {
			wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--dry-run", "--templates", "keep", site), "5 would be imported", "2 new pictures")
		}
	})
	report := filepath.Join(t.TempDir(), "report.txt")
	out := harness.RunCommand(t, env, "import", "--as", "ADA", "--templates", "keep", "--report", report, site)
	wantSaid(t, out, "Hugo", "4 posts, 2 drafts", "5 imported", "1 not imported", "2 new pictures")
	if text, err := os.ReadFile(report); err != nil || !strings.Contains(string(text), "tide-chart") || !strings.Contains(string(text), "empty.md: not imported") ||
		!strings.Contains(string(text), "pictures on other sites") {
		t.Errorf("the report says %s, %v", text, err)
	}
	harness.Verify(t, env)

	t.Run("and is there once however often it moves in", func(t *testing.T) {
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site), "0 imported", "5 unchanged", "0 new pictures")
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--dry-run", "--templates", "keep", site), "0 would be imported", "0 new pictures")
		harness.Verify(t, env)
	})
	t.Run("what its source changes is changed here", func(t *testing.T) {
		file := filepath.Join(site, "content/posts/bundle/index.md")
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(text, "\nA line more.\n"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site), "0 imported", "1 changed", "4 unchanged")
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site), "0 imported", "0 changed", "5 unchanged")
		harness.Verify(t, env)
	})

	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	anyone, ada := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.LogIn("ada")
	tides := anyone.Direct("/tide-table").Header.Get("Location")
	harbour := anyone.Direct("/posts/bundle/").Header.Get("Location")
	t.Run("with slugs, dates, tags and pictures", func(t *testing.T) {
		if !strings.HasSuffix(tides, "/high-and-low") {
			t.Fatalf("it is at %q", tides)
		}
		p := anyone.Get(tides)
		if text := harness.Text(p.Find("main")); p.Status != http.StatusOK || !strings.Contains(text, `Tides: a "short" table`) && !strings.Contains(text, "Tides: a “short” table") {
			t.Errorf("status %d: %s", p.Status, text)
		}
		if when, _ := p.Find("time").First().Attr("datetime"); !strings.HasPrefix(when, "2019-03-04") {
			t.Errorf("it is of %s", when)
		}
		src, _ := p.Find("main img").First().Attr("src")
		if got := anyone.Direct(src); !strings.HasPrefix(src, "/media/") || got.StatusCode != http.StatusOK {
			t.Errorf("the picture is at %q: status %d", src, got.StatusCode)
		}
		if to, _ := p.Find(`main a:contains("the harbour")`).Attr("href"); to != harbour+"#walls" {
			t.Errorf("the link leads to %q, and not to %q", to, harbour)
		}
		if text := harness.Text(anyone.Get("/tags/c++").Find("main")); !strings.Contains(text, "Tides") {
			t.Errorf("the tag's page shows %s", text)
		}
		if text := harness.Text(anyone.Get(harbour).Find("main")); !strings.Contains(text, "A line more") || !strings.Contains(text, "H₂O") {
			t.Errorf("the other post shows %s", text)
		}
	})
	t.Run("former addresses lead there for ever", func(t *testing.T) {
		for _, old := range []string{"/posts/high-and-low/", "/tide-table/", "/posts/tides-old.html"} {
			if r := anyone.Direct(old); r.StatusCode != http.StatusMovedPermanently || r.Header.Get("Location") != tides {
				t.Errorf("%s: status %d to %q", old, r.StatusCode, r.Header.Get("Location"))
			}
		}
	})
	t.Run("drafts are drafts, and what is in no list is in none", func(t *testing.T) {
		if text := harness.Text(ada.Get("/drafts").Find("main")); !strings.Contains(text, "An idea") || !strings.Contains(text, "In a hundred years") {
			t.Errorf("drafts: %s", text)
		}
		for _, list := range []string{"/", "/@ada"} {
			if text := harness.Text(anyone.Get(list).Find("main")); !strings.Contains(text, "The harbour") || strings.Contains(text, "In no list") || strings.Contains(text, "An idea") {
				t.Errorf("%s: %s", list, text)
			}
		}
		if p := anyone.Get("/posts/secret"); p.Status != http.StatusOK || !strings.Contains(harness.Text(p.Find("main")), "Only with the address") {
			t.Errorf("the unlisted post: status %d", p.Status)
		}
	})
	id := strings.Split(harbour, "/")[2]
	if p := ada.Post("/posts/"+id+"/delete", "revision", "2"); p.Status != http.StatusOK {
		t.Fatalf("delete: status %d", p.Status)
	}
	stop()
	t.Run("what was deleted here stays deleted", func(t *testing.T) {
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site), "0 imported", "bundle/index.md: not imported: it was deleted here")
		base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
		defer stop()
		if r := harness.NewVisitor(t, base).Direct("/posts/bundle"); r.StatusCode != http.StatusGone {
			t.Errorf("status %d", r.StatusCode)
		}
	})
	t.Run("what was changed here is left alone", func(t *testing.T) {
		base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
		ada := harness.NewVisitor(t, base)
		ada.LogIn("ada")
		id := strings.Split(tides, "/")[2]
		if p := ada.Post("/posts/"+id, "revision", "1", "title", "My tides", "content", "Written here."); p.Status != http.StatusOK {
			t.Fatalf("edit: status %d: %s", p.Status, harness.Text(p.Find("main")))
		}
		stop()
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site), "1 left as changed here")
		file := filepath.Join(site, "content/posts/tides.md")
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(text, "\nAnd there.\n"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", site), "tides.md: not imported: the post was changed both here and in its source")
		harness.Verify(t, env, "--wait")
	})
}

func TestOtherBlogsMoveIn(t *testing.T) {
	for export, c := range map[string]struct {
		says  []string
		moved map[string]string // what is read at former addresses
	}{
		"wordpress.xml": {[]string{"WordPress", "3 posts, 4 drafts", "7 imported", "1 new picture ", "its readers' comments"},
			map[string]string{"/2015/04/beans-and-peas/": "Sow in April", "/?p=9": "First line",
				"/2014/12/%D1%85%D0%BE%D0%BB%D0%BE%D0%B4/": "On the pond", "/about/": "Who we are"}},
		"ghost.json":       {[]string{"Ghost", "3 posts, 4 drafts", "7 imported", "1 new picture "}, map[string]string{"/cards-on-the-table/": "and more"}},
		"writefreely.json": {[]string{"WriteFreely", "2 posts, 1 draft ", "3 imported"}, map[string]string{"/ada/cool-post": "Rest."}},
		"jekyll":           {[]string{"Jekyll", "1 post, 1 draft ", "2 imported"}, map[string]string{"/werkstatt/2017/06/05/erste-schritte.html": "Text mit"}},
		"jekyll-collections": {[]string{"Jekyll", "6 posts, 0 drafts", "6 imported", "dates from the names of files and folders: 1"},
			map[string]string{"/c/2021/3/4/first/": "See the essay", "/c/old-first": "See the essay", "/c/night%20walks/2021/3/4/at-midnight/": "Dark.",
				"/c/essays/on-rivers/": "They run.", "/c/stamps/blue_mauritius": "Rare.", "/c/about-us.html": "We collect."}},
		"hugo-languages": {[]string{"Hugo", "6 posts, 0 drafts", "6 imported", "dates from front matter: 5"},
			map[string]string{"/blog/2020/cafe-bar/": "Hello.", "/blog/2020/old-cafe": "Hello.", "/blog/up/": "Hello.", "/blog/de/2020/kaffee/": "Hallo.",
				"/blog/de/eigene/adresse/": "Hallo.", "/blog/root/2020/Page.html": "Hallo.", "/blog/deep/way-down/": "Down.", "/blog/about/": "Us."}},
		"zola": {[]string{"Zola", "5 posts, 1 draft ", "6 imported", "2 new pictures"},
			map[string]string{"/blog/posts/first-beans/": "They grow at the pond", "/blog/beans.html": "Water them in the morning", "/blog/posts/our-pond/": "Do not feed them",
				"/blog/de/posts/bundle/": "Frösche", "/blog/who-we-are/": "A garden"}},
		"obsidian": {[]string{"Obsidian", "2 posts, 1 draft", "3 imported", "1 new picture "},
			map[string]string{"/Garden/Growing+iOS+Beans": "Sow them in May", "/Garden/Soil": "Good for Runner beans and beans"}},
	} {
		t.Run(export, func(t *testing.T) {
			env := harness.BlogOf(t, "ada")
			wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", "--uploads", harness.Exports, harness.Exports+export), c.says...)
			wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", "--uploads", harness.Exports, harness.Exports+export), "0 imported", "0 changed")
			harness.Verify(t, env)
			base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
			anyone := harness.NewVisitor(t, base)
			for old, says := range c.moved {
				if p := anyone.Get(old); p.Status != http.StatusOK || !strings.HasPrefix(p.URL.Path, "/posts/") || !strings.Contains(harness.Text(p.Find("main")), says) {
					t.Errorf("%s leads to %s: status %d: %s", old, p.URL, p.Status, harness.Text(p.Find("main")))
				}
			}
		})
	}
}

func TestImportSaysWhatIsWrong(t *testing.T) {
	env := harness.BlogOf(t, "ada")
	for name, c := range map[string]struct{ args, says string }{
		"nobody is named":   {"import " + harness.Exports + "jekyll", "--as"},
		"a stranger":        {"import --as eve " + harness.Exports + "jekyll", `no user "eve"`},
		"nothing is named":  {"import --as ada", "DIR|FILE"},
		"nothing is there":  {"import --as ada " + harness.Exports + "nowhere", "nowhere"},
		"no export":         {"import --as ada main.go", "neither a folder of Markdown"},
		"no such uploads":   {"import --as ada --uploads nowhere " + harness.Exports + "jekyll", "--uploads"},
		"an unknown report": {"import --as ada --report nowhere/x " + harness.Exports + "jekyll", "--report"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := cli.Run(t.Context(), strings.Fields(c.args), func(name string) string { return env[name] }, &out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// exportOf downloads what a visitor wrote.
func exportOf(t *testing.T, v *harness.Visitor) []byte {
	t.Helper()
	resp, err := v.HTTP.Get(v.Base + "/settings/export")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	return body
}

func TestAnExportComesBackAsItWas(t *testing.T) {
	env := harness.BlogOf(t, "ada")
	harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "keep", harness.Exports+"hugo")
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada := harness.NewVisitor(t, base)
	ada.LogIn("ada")
	tides := strings.Split(ada.Direct("/tide-table").Header.Get("Location"), "/")[2]
	plain := strings.Split(ada.Publish("Plain", "first text").URL.Path, "/")[2]
	ada.Post("/posts/"+plain, "revision", "1", "title", "Plain, better", "content", "second text\n\n* [x]: /y\n", "tags", "Neu, 日本")
	ada.Post("/posts/"+tides+"/comments", "content", "My *own* comment")
	ada.Post("/posts/" + tides + "/like")
	ada.Post("/posts/" + plain + "/bookmark")
	if p := ada.Post("/settings/profile", "displayName", "Ada Lovelace", "bio", "I write about **tides**."); p.Status != http.StatusOK {
		t.Fatalf("profile: status %d", p.Status)
	}
	first := exportOf(t, ada)
	stop()
	file := filepath.Join(t.TempDir(), "export.zip")
	if err := os.WriteFile(file, first, 0o600); err != nil {
		t.Fatal(err)
	}

	other := harness.BlogOf(t, "bob")
	out := harness.RunCommand(t, other, "import", "--as", "bob", file)
	wantSaid(t, out, "Inkfeed", "Everything was kept.", "1 new comment ")
	wantSaid(t, harness.RunCommand(t, other, "import", "--as", "bob", file), "0 imported", "0 changed", "Everything was kept.")
	harness.Verify(t, other)
	base, stop = harness.Serve(t, other, "--addr", "127.0.0.1:0")
	bob := harness.NewVisitor(t, base)
	bob.LogIn("bob")
	second := exportOf(t, bob)
	if r := bob.Direct("/tide-table"); r.StatusCode != http.StatusMovedPermanently {
		t.Errorf("a former address: status %d", r.StatusCode)
	}
	stop()
	if a, b := likened(t, first), likened(t, second); !reflect.DeepEqual(a, b) {
		t.Errorf("went out as\n%s\ncame back as\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}

	t.Run("to its own author it brings nothing new", func(t *testing.T) {
		out := harness.RunCommand(t, env, "import", "--as", "ada", file)
		wantSaid(t, out, "0 imported", "0 changed", "0 not imported", "0 new comments", "Everything was kept.")
		harness.Verify(t, env)
	})
}

var (
	pictureName = regexp.MustCompile(`[a-z2-9]{26}(-\d+x\d+\.\w+)`)
	commentID   = regexp.MustCompile(`"id":"[a-z2-9]{26}","postId"`)
	ownerFields = regexp.MustCompile(`"(userId|username|created|exported)":\s*"[^"]*"`)
)

// likened is all that an export says, but for what belongs to an account and a moment.
func likened(t *testing.T, export []byte) (lines []string) {
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
			text = commentID.ReplaceAllString(pictureName.ReplaceAllString(text, "*$1"), `"id":"*","postId"`)
			each := strings.Split(text, "\n") // of posts, in no certain order
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

// An import that is killed leaves no half of anything, and is finished by the next.
func TestAKilledImportIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	site := t.TempDir()
	for n := range 600 {
		text := fmt.Sprintf("---\ntitle: Post %d\ndate: 2020-01-01T00:00:00Z\ntags: [one, two]\nurl: /old/%d\n---\n%s\n", n, n, strings.Repeat("Some text. ", 200))
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
			t.Fatal("nothing is written")
		}
		time.Sleep(5 * time.Millisecond) // until there is something to lose
	}
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	_ = cmd.Wait()
	out := harness.RunCommand(t, env, "import", "--as", "ada", site)
	wantSaid(t, out, "0 changed", "0 not imported", "Everything was kept.")
	harness.Verify(t, env)
	wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", site), "0 imported", "0 changed", "600 unchanged")
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	for _, n := range []int{0, 299, 599} {
		if p := harness.NewVisitor(t, base).Get(fmt.Sprint("/old/", n)); p.Status != http.StatusOK || !strings.Contains(harness.Text(p.Find("main h1")), fmt.Sprint("Post ", n)) {
			t.Errorf("post %d: status %d at %s", n, p.Status, p.URL)
		}
	}
}

func TestAPostWithTemplateCodeWaitsAsADraft(t *testing.T) {
	env := harness.BlogOf(t, "ada")
	site := t.TempDir()
	if err := os.CopyFS(site, os.DirFS(harness.Exports+"hugo")); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.txt")
	out := harness.RunCommand(t, env, "import", "--as", "ada", "--report", report, site)
	wantSaid(t, out, "2 as drafts", "1 post is a draft because it has template code", "the shortcode tide-chart is not known", "--templates keep")
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada := harness.NewVisitor(t, base)
	ada.LogIn("ada")
	if text := harness.Text(ada.Get("/drafts").Find("main")); !strings.Contains(text, "Tides") {
		t.Errorf("the drafts are %s", text)
	}
	if r := ada.Direct("/tide-table/"); r.StatusCode < 400 {
		t.Errorf("the former address answers %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	stop()
	wantSaid(t, harness.RunCommand(t, env, "import", "--as", "ada", "--templates", "remove", site), "1 imported", "1 as a post", "0 as drafts")
	harness.Verify(t, env)
	base, _ = harness.Serve(t, env, "--addr", "127.0.0.1:0")
	p := harness.NewVisitor(t, base).Get("/tide-table/")
	if text := harness.Text(p.Find("main")); p.Status != http.StatusOK || !strings.Contains(text, "Tides") || strings.Contains(text, "{{") {
		t.Errorf("status %d: %s", p.Status, text)
	}
}

func TestAnImportThatBringsLittleFails(t *testing.T) {
	env := harness.BlogOf(t, "ada")
	good, bad := "---\ntitle: Quay\ndate: 2020-01-02\n---\nText.\n", "---\ntitle: [\n---\nText.\n"
	for name, c := range map[string]struct {
		files map[string]string
		says  []string
	}{
		"no posts where the generator has them": {map[string]string{"hugo.toml": "", "content/_index.md": "---\ntitle: Home\n---\n"}, []string{"nothing was imported", "no post in content"}},
		"no post that can be read":              {map[string]string{"hugo.toml": "", "content/a.md": bad}, []string{"nothing was imported", "1 post "}},
		"posts elsewhere":                       {map[string]string{"hugo.toml": "", "journal/a.md": good, "content/b.md": good, "journal/c.md": good}, []string{"only 1 of the 3 posts"}},
	} {
		t.Run(name, func(t *testing.T) {
			site := t.TempDir()
			for name, text := range c.files {
				file := filepath.Join(site, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range [][]string{{"import", "--as", "ada", "--dry-run", site}, {"import", "--as", "ada", site}} {
				var out bytes.Buffer
				err := cli.Run(t.Context(), args, func(name string) string { return env[name] }, &out, io.Discard)
				for _, says := range c.says {
					if err == nil || !strings.Contains(err.Error(), says) {
						t.Errorf("error %v, want %q", err, says)
					}
				}
				wantSaid(t, out.String(), "not imported")
			}
		})
	}
}
