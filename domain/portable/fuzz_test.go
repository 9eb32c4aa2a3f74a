package portable_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"inkfeed/domain/portable"
)

// sound holds of whatever was read that it can be used.
func sound(t *testing.T, b *portable.Blog, err error) {
	if (b == nil) == (err == nil) {
		t.Fatalf("blog %v, error %v", b, err)
	}
	if err != nil {
		if err.Error() == "" {
			t.Error("an error without a word")
		}
		return
	}
	d := portable.NewDirectory(b)
	for i, p := range b.Posts {
		if p.Key == "" || p.Where == "" || p.Status == "" {
			t.Errorf("a post without key, place or status: %+v", p)
		}
		for _, old := range p.Paths {
			if !strings.HasPrefix(old, "/") {
				t.Errorf("path %q", old)
			}
		}
		portable.Rewrite(p.Content, func(l portable.Link) (string, bool) {
			d.Post(i, l.Destination)
			if d.Inside(i, l.Destination) && d.Foreign(l.Destination) {
				t.Errorf("%q is inside and elsewhere", l.Destination)
			}
			if name, ok := d.File(i, l.Destination); ok && !fs.ValidPath(name) {
				t.Errorf("file %q", name)
			}
			return "", false
		})
	}
}

func FuzzFolder(f *testing.F) {
	f.Add("hugo.toml", "baseURL='https://a.example'", "content/posts/a.md", "+++\ntitle='x'\ndate=2020-01-01\n+++\n{{< ref \"a.md\" >}} <b>x</b>")
	f.Add("_config.yml", "permalink: pretty", "_posts/2020-01-01-a.md", "---\ntitle: x\n---\n{% highlight go %}\nx\n{% endhighlight %}{: .y}")
	f.Add("a.md", "# x\n\n<div>\n<table><tr><td>x</td></tr></table>\n</div>\n\n[a]: /b \"c\"", "b.md", "---\n- x\n---\n![a](b.png)")
	f.Add("config.toml", "[permalinks]\nposts='/:year/:slug'", "content/posts/x/index.md", "{\"title\": \"x\"}\n\n<a href='x'>y</a><br>")
	f.Fuzz(func(t *testing.T, name, text, other, more string) {
		files := fstest.MapFS{}
		for n, body := range map[string]string{name: text, other: more} {
			if !fs.ValidPath(n) || n == "." || strings.Contains(n, "//") {
				return
			}
			files[n] = &fstest.MapFile{Data: []byte(body)}
		}
		if strings.HasPrefix(name, other+"/") || strings.HasPrefix(other, name+"/") {
			return
		}
		b, err := portable.Read([]fs.FS{files}, now)
		sound(t, b, err)
	})
}

func FuzzWordPress(f *testing.F) {
	f.Add("<!-- wp:paragraph --><p>x</p><!-- /wp:paragraph -->", "publish", "2020-01-01 00:00:00", "https://a.example/x/")
	f.Add("a\n\nb\n[caption caption=\"x\"]<a href='y.png'><img src='y-1x1.png'></a> z[/caption][gallery ids=1,2][code]<b>[/code]", "future", "x", "?p=1")
	f.Add("<table><tr><td>x<br>y</td></tr></table><iframe src=//a></iframe>[embed]http://x[/embed]", "draft", "", "")
	f.Add("[gallery columns=2 exclude=\"3\"]<!-- wp:cover {\"url\":\"/x.jpg\"} --><div><a><q>x</q></a></div><!-- /wp:cover --><a href=/y><div><p>z</p></div></a>", "publish", "", "")
	f.Add("<code>a\nb</code>\n<img src=https://i0.wp.com/a.example/2020/x.jpg?w=1><div class=kg-callout-card><div class=kg-callout-emoji>x</div></div>", "publish", "", "")
	f.Add("]]><item>", "private", "0000-00-00", "%zz")
	f.Fuzz(func(t *testing.T, content, status, date, link string) {
		export := `<rss><channel><link>https://a.example</link><item><title>t</title><link>` + link + `</link><content:encoded><![CDATA[` + content +
			`]]></content:encoded><wp:post_id>1</wp:post_id><wp:post_date>` + date + `</wp:post_date><wp:status>` + status +
			`</wp:status><wp:post_type>post</wp:post_type></item><item><wp:post_id>2</wp:post_id><wp:post_parent>1</wp:post_parent><wp:post_type>attachment</wp:post_type>` +
			`<link>https://a.example/y</link><wp:attachment_url>https://i0.wp.com/f.example/x.jpg</wp:attachment_url></item></channel></rss>`
		b, err := portable.Read([]fs.FS{folder(map[string]string{"export.xml": export})}, now)
		sound(t, b, err)
	})
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"db":[{"data":{"posts":[{"id":1,"slug":"x","lexical":"{\"root\":{\"type\":\"root\",\"children\":[{\"type\":\"text\",\"text\":\"x\",\"format\":1}]}}"}]}}]}`)
	f.Add(`{"data":{"posts":[{"id":1,"mobiledoc":"{\"cards\":[[\"hr\",{}]],\"markups\":[[\"b\"]],\"sections\":[[1,\"p\",[[0,[0],1,\"x\"]]],[10,0]]}"}],"tags":[{"id":1,"name":"x"}],"posts_tags":[{"post_id":1,"tag_id":1}]}}`)
	f.Add(`{"collections":[{"alias":"a","posts":[{"id":"x","slug":"y","body":"# z"}]}]}`)
	f.Add(`[{"id":"x","slug":"y","body":"# z","collection":{"alias":"a","url":"https://a.example/a/"}}]`)
	f.Add(`{"data":{"posts":[{"id":1,"lexical":"{\"root\":{\"children\":[{\"type\":\"callout\",\"calloutText\":\"<p>x\"},{\"type\":\"file\",\"src\":\"__GHOST_URL__\"}]}}"}],"users":[{"id":1,"name":"x"}],"posts_authors":[{"author_id":1}]}}`)
	f.Add(`{"format":"inkfeed","version":1,"posts":[{"id":"x"}]}`)
	f.Fuzz(func(t *testing.T, export string) {
		for _, name := range []string{"export.json", "inkfeed.json"} {
			b, err := portable.Read([]fs.FS{folder(map[string]string{name: export})}, now)
			sound(t, b, err)
		}
	})
}

// Whatever is repeated must not take a time that grows with its square. No time is
// measured, machines differ: what grows so takes all that a test has.
func TestHostileTextsTakeNotLong(t *testing.T) {
	for _, part := range []string{"<b>", "</b>", "](", "![", "[a](b", "{{<", "{{< x >}}", "{% x %}", "{:", "<div>\n\n", "<table>\n\n", "`", "<a href=x>",
		"\n[a]: <", "<!--", "{{", "[caption]", "<table><tr><td>", "> ", "- ", "[a][", "&lt; ", "{{< highlight go >}}"} {
		t.Run(part, func(t *testing.T) {
			text := strings.Repeat(part, 40_000/len(part))
			for _, files := range []map[string]string{{"_posts/2020-01-01-a.md": text}, {"hugo.toml": "", "content/posts/a.md": text},
				{"a.xml": `<rss><channel><item><content:encoded><![CDATA[` + text + `]]></content:encoded><wp:post_type>post</wp:post_type></item></channel></rss>`}} {
				b, err := portable.Read([]fs.FS{folder(files)}, now)
				sound(t, b, err)
			}
		})
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add("[a](b) ![c](<d e> \"t\") `[x](y)`\n\n[r]: s\n\n```\n[x](y)\n```")
	f.Fuzz(func(t *testing.T, text string) {
		same := portable.Rewrite(text, func(l portable.Link) (string, bool) { return "", false })
		if same != text {
			t.Errorf("%q became %q", text, same)
		}
		if !utf8.ValidString(text) {
			return
		}
		changed := portable.Rewrite(text, func(l portable.Link) (string, bool) { return "/new", true })
		if !utf8.ValidString(changed) {
			t.Errorf("%q became %q", text, changed)
		}
	})
}

func TestZips(t *testing.T) {
	packed := func(t *testing.T, fill func(z *zip.Writer)) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		fill(z)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		name := t.TempDir() + "/export.zip"
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	t.Run("are read as the folders that they hold", func(t *testing.T) {
		b, closeBlog, err := portable.Open(packed(t, func(z *zip.Writer) {
			if err := z.AddFS(os.DirFS("testdata/jekyll")); err != nil {
				t.Fatal(err)
			}
		}), portable.Options{}, now)
		if err != nil {
			t.Fatal(err)
		}
		defer closeBlog()
		if b.Format != "Jekyll" || len(b.Posts) != 2 {
			t.Errorf("%d posts of %s", len(b.Posts), b.Format)
		}
	})
	t.Run("that are packed too tightly are refused", func(t *testing.T) {
		_, _, err := portable.Open(packed(t, func(z *zip.Writer) {
			w, _ := z.Create("a.md")
			zeros := make([]byte, 1<<20)
			for range 64 {
				if _, err := w.Write(zeros); err != nil {
					t.Fatal(err)
				}
			}
		}), portable.Options{}, now)
		if err == nil || !strings.Contains(err.Error(), "tightly") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("whose files lead out give none of those", func(t *testing.T) {
		outside := t.TempDir() + "/secret.md"
		if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := portable.Open(packed(t, func(z *zip.Writer) {
			for _, name := range []string{"../../../../../../.." + outside, outside} {
				w, _ := z.CreateRaw(&zip.FileHeader{Name: name})
				_, _ = w.Write(nil)
			}
		}), portable.Options{}, now)
		if err == nil {
			t.Error("something was read")
		}
	})
}

func TestALinkOutOfAFolderIsNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()+"/secret.md"
	for name, text := range map[string]string{outside: "secret", dir + "/a.md": "# A\n\ntext"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, dir+"/b.md"); err != nil {
		t.Skip(err)
	}
	b, closeBlog, err := portable.Open(dir, portable.Options{}, now)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBlog()
	if len(b.Posts) != 1 || b.Posts[0].Title != "A" {
		t.Errorf("posts %+v", b.Posts)
	}
}
