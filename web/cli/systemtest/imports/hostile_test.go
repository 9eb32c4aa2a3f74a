package imports

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"inkfeed/web/cli/systemtest/harness"
)

// hostile are uploads that once took gigabytes or hours, and neighbours of them.
var hostile = []struct {
	name    string
	content func(t *testing.T) []byte
}{
	{"brackets in YAML", markdown("---\na: " + strings.Repeat("[", 60_000) + "\n---\n")},
	{"mappings in YAML", markdown("---\n" + strings.Repeat("? ", 30_000) + "\n---\n")},
	{"sequences in YAML", markdown("---\na:\n" + strings.Repeat("- ", 30_000) + "x\n---\n")},
	{"dots in TOML", markdown("+++\n" + strings.Repeat("a.", 30_000) + "a=1\n+++\n")},
	{"arrays in TOML", markdown("+++\na=" + strings.Repeat("[", 60_000) + "\n+++\n")},
	{"a configuration in YAML", zipOf("config.yaml", "a: "+strings.Repeat("[", 60_000), "content/posts/a.md", "x")},
	{"formatting tags in Markdown", markdown("---\ntitle: A\n---\n<div>" + multiplying)},
	{"formatting tags of Ghost", ghost(multiplying)},
	{"formatting tags of WordPress", wordpress(multiplying)},
	{"formatting tags of Medium", zipOf("posts/2020-01-01_A-0123456789ab.html", `<article class="h-entry">`+
		`<h1 class="p-name">A</h1><section class="e-content">`+multiplying+`</section></article>`)},
	{"formatting tags of Tumblr", zipOf("posts/html/1.html", "<body>"+multiplying+"</body>")},
	{"embeds of WordPress", wordpress(strings.Repeat("[embed]", 100_000))},
	{"videos of WordPress", wordpress(strings.Repeat("[youtube ", 100_000))},
	{"an archive in an archive", nested},
	{"brackets in JSON", func(*testing.T) []byte { return []byte(strings.Repeat(`{"db":[`, 500_000)) }},
	{"elements in XML", func(*testing.T) []byte { return []byte("<rss><channel>" + strings.Repeat("<a>", 2_000_000)) }},
}

// multiplying are formatting tags that an HTML parser opens again in each of many paragraphs.
var multiplying = "<p>" + formatting() + strings.Repeat("<p>x", 20_000)

func formatting() string {
	var b strings.Builder
	for n := range 400 {
		fmt.Fprintf(&b, "<b id=%d>", n)
	}
	return b.String()
}

func markdown(text string) func(*testing.T) []byte {
	return zipOf("content/posts/a.md", text, "hugo.toml", "")
}

func ghost(html string) func(*testing.T) []byte {
	return func(*testing.T) []byte {
		return fmt.Appendf(nil, `{"db":[{"data":{"posts":[{"id":"1","title":"A","status":"published","html":%q}]}}]}`,
			html)
	}
}

func wordpress(content string) func(*testing.T) []byte {
	return func(*testing.T) []byte {
		return []byte(`<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" ` +
			`xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version><item>` +
			`<title>A</title><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><content:encoded>` +
			`<![CDATA[` + content + `]]></content:encoded></item></channel></rss>`)
	}
}

// zipOf packs files, given by their names and contents in turn.
func zipOf(files ...string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		t.Helper()
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			w, err := z.Create(files[i])
			if err == nil {
				_, err = io.WriteString(w, files[i+1])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
}

// nested packs an archive of Tumblr in which an archive has 120 MB of texts.
func nested(t *testing.T) []byte {
	words := strings.Repeat("<p>Some words of a post.</p>", 100_000)
	var texts []string
	for n := range 40 {
		texts = append(texts, fmt.Sprintf("html/%d.html", n), words)
	}
	return zipOf("posts.zip", string(zipOf(texts...)(t)), "media/1.png", strings.Repeat("noise", 1000))(t)
}

// TestHostileUploadsStopNeitherTheSiteNorOthers uploads hostile exports to a server. It must go on, let others log in
// meanwhile, come to a decision about each upload, and use at most 300 MB more memory, with its children.
func TestHostileUploadsStopNeitherTheSiteNorOthers(t *testing.T) {
	var log harness.Logs
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	server := harness.Spawn(t, env, &log, "serve", "--addr", "127.0.0.1:0")
	defer server.Kill()
	ada, bob := harness.NewVisitor(t, server.Address), harness.NewVisitor(t, server.Address)
	ada.SignUp("ada")
	bob.SignUp("bob")
	before := memory(t, server.Cmd.Process.Pid)
	most, stop := watchMemory(t, server.Cmd.Process.Pid)
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			ada, bob := ada.In(t), harness.NewVisitor(t, server.Address)
			if p := ada.Upload("/settings/import", h.content(t)); p.Status != http.StatusOK {
				t.Fatalf("the upload: status %d: %s", p.Status, harness.Text(p.Find(".error")))
			}
			said := ""
			harness.Eventually(t, "the decision about the upload", func() bool {
				if p := bob.Post("/login", "username", "bob", "password", "correct horse"); p.Status != http.StatusOK {
					t.Errorf("a log-in meanwhile: status %d", p.Status)
				}
				said = harness.Text(ada.Get("/settings/import").Find("main"))
				return strings.Contains(said, "cannot be imported") || strings.Contains(said, "no posts that can be") ||
					strings.Contains(said, "Preview of your import")
			})
			t.Logf("%.300s", said)
		})
	}
	stop()
	t.Logf("memory: %d MB before, at most %d MB", before, *most)
	if *most-before > 300 {
		t.Errorf("the server and its children used %d MB, and %d MB before the uploads", *most, before)
	}
}

// watchMemory follows the memory of a process and its children until stop is called.
func watchMemory(t *testing.T, process int) (most *int, stop func()) {
	most = new(int)
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				*most = max(*most, memory(t, process))
			}
		}
	})
	return most, func() { close(over); watching.Wait() }
}

// memory returns the resident memory of a process and its children in MB, as Linux reports it; elsewhere 0.
func memory(t *testing.T, process int) (sum int) {
	for _, id := range append(children(process), process) {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", id)) // it may have ended
		if _, after, ok := strings.Cut(string(status), "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(after)[0])
			if err != nil {
				t.Error(err)
			}
			sum += kb / 1024
		}
	}
	return sum
}

func children(process int) (ids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", process))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			if id, err := strconv.Atoi(field); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
