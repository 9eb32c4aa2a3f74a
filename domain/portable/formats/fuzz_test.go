package formats_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/domain/portable/markup"
)

// sound checks that a blog that was read can be used.
func sound(t *testing.T, b *portable.Blog, err error) {
	if (b == nil) == (err == nil) {
		t.Fatalf("blog %v, error %v", b, err)
	}
	if err != nil {
		if err.Error() == "" {
			t.Error("an error without a message")
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
				t.Errorf("the path %q does not begin with a slash", old)
			}
		}
		markup.Rewrite(p.Content, func(l markup.Link) (string, bool) {
			d.Post(i, l.Destination)
			if d.Inside(i, l.Destination) && d.Foreign(l.Destination) {
				t.Errorf("%q is both within the blog and on another site", l.Destination)
			}
			if name, ok := d.File(i, l.Destination); ok && !fs.ValidPath(name) {
				t.Errorf("the file name %q is not valid", name)
			}
			return "", false
		})
	}
}

func FuzzFolder(f *testing.F) {
	f.Add("inkfeed.json", `{"format":"inkfeed","version":1,"posts":[],"site":{"logo":"a.png","pages":[{"id":"p.x"}]}}`,
		"posts/a.md", "---\ntitle: x\nid: p.abcdefghijkmnpqrstuvwxyz23\n---\n\nx\n")
	f.Add("hugo.toml", "baseURL='https://a.example'", "content/posts/a.md",
		"+++\ntitle='x'\ndate=2020-01-01\n+++\n{{< ref \"a.md\" >}} <b>x</b>")
	f.Add("_config.yml", "permalink: pretty", "_posts/2020-01-01-a.md",
		"---\ntitle: x\n---\n{% highlight go %}\nx\n{% endhighlight %}{: .y}")
	f.Add("a.md", "# x\n\n<div>\n<table><tr><td>x</td></tr></table>\n</div>\n\n[a]: /b \"c\"", "b.md",
		"---\n- x\n---\n![a](b.png)")
	f.Add("config.toml", "[permalinks]\nposts='/:year/:slug'", "content/posts/x/index.md",
		"{\"title\": \"x\"}\n\n<a href='x'>y</a><br>")
	f.Add("_config.yml", "permalink: :category/:title/:hash\nnew_post_name: :year-:title.md", "source/_posts/2020-a.md",
		"---\ntitle: x\ncategories: [[a, b], c]\n---\n{% post_link 2020-a %}{% codeblock a lang:go %}{{ x }}{% "+
			"endcodeblock %}{# c #}")
	f.Add("_posts/_posts.11tydata.js", "export default { permalink: (d) => `/${d.title}/`, tags: ['a'] }",
		"_posts/a.md",
		"---\ntitle: x\npermalink: '{{ page.date | date: \"%Y\" }}/{{ title | slug }}'\n---\n{{ title | url }}")
	f.Add("src/content.config.ts", "const a = defineCollection({ loader: glob({ base: './b' }) });", "b/c.mdx",
		"import x from './y.png'\n\n<A b={x} {...c}>\n  {d}\n</A> <img src={x.src} />")
	f.Add("pelicanconf.py", "ARTICLE_URL = '{date:%Y}/{slug}/'\nPATH = 'c'", "c/d/e.md",
		"Title: x\nDate: 2020-01-02\n\n[a]({filename}f.md) ![b]({static}/g.png)")
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
		b, err := formats.Read([]fs.FS{files}, now)
		sound(t, b, err)
	})
}

func FuzzTemplates(f *testing.F) {
	f.Add("{{< tip title=\"x\" >}}\n- {{% figure src=a.png caption=`b` %}}\n{{< /tip >}} {{</* x */>}}",
		"<div>{{ with .Get 0 }}{{ . }}{{ end }}\n\n{{ .Inner | markdownify }}</div>")
	f.Add("- {{< own a >}}\n  {{< highlight go >}}\n  x\n  {{< /highlight >}}{{< /own >}}",
		"{{ if eq (.Get \"a\") `b` }}x{{ else }}{{ .Inner }}{{ .Inner }}{{ end }}{{ $x := .Get 1 }}{{ $x }}")
	f.Add("> {% include own.html a=\"b\" c=page.title %}{%- assign x = 'y' | append: \"z\" -%}{{ x | upcase }}",
		"<p>{% if include.a == 'b' and include.c %}{{ include.a | markdownify }}{% elsif x %}y{% else %}z{% endif "+
			"%}</p>")
	f.Add("{% raw %}{{ x }}{% endraw %}{% highlight go %}\n{% include own.html %}{% endhighlight %}\n{: "+
		".x}{::comment}y{:/comment}", "{% include own.html %}")
	f.Add("import a from 'b'\n\n<C d={a} e=\"f\">\n{/* g */}<H /></C>{i.map(j => <K>{l}</K>)} <m n={{o: 1}} /> "+
		"$\\{p}$", "")
	f.Add("{{ site.data.own[0].a }} {% assign x = site.data.own.a %}{{ x[page.title].b }} :tada:\n\n*[a]: b\n\n## x "+
		"{#own .big}\n{.x}\n", "a: [{b: c}]")
	f.Add("{{ site.data.rows[0].a }}{% if site.data.rows %}x{% endif %}", "a,\"b\nc\n1,2,3\n")
	f.Fuzz(func(t *testing.T, post, template string) {
		for _, files := range []map[string]string{
			{"hugo.toml": "enableEmoji = true\n[params]\nx='y'\n[markup.goldmark.parser.attribute]\nblock = true",
				"content/a.md":                "---\ntitle: A\n---\n" + post,
				"layouts/shortcodes/own.html": template},
			{"_config.yml": "x: y\nplugins: [jemoji]", "_posts/2020-01-02-a.md": "---\ntitle: A\n---\n" + post,
				"_includes/own.html": template, "_data/own.yml": template, "_data/rows.csv": template},
			{"_config.yml": "", "source/_posts/a.md": "---\ntitle: A\n---\n" + post, "source/_posts/b.md": template},
			{"eleventy.config.js": template, "a.md": "---\ntitle: A\n---\n" + post},
			{"a.mdx": post},
		} {
			b, err := formats.Read([]fs.FS{folder(files)}, now)
			sound(t, b, err)
			if err != nil {
				continue
			}
			for _, p := range b.Posts {
				if strings.ContainsAny(p.Content, "\x11\x12\x13") || !utf8.ValidString(p.Content) {
					t.Errorf("%q becomes %q", post, p.Content)
				}
				if most := 64 * (len(post) + 100) * (len(template) + 100); len(p.Content) > most {
					t.Errorf("%d bytes become %d", len(post), len(p.Content))
				}
			}
		}
	})
}

func FuzzWordPress(f *testing.F) {
	f.Add("<!-- wp:paragraph --><p>x</p><!-- /wp:paragraph -->", "publish", "2020-01-01 00:00:00",
		"https://a.example/x/")
	f.Add("a\n\nb\n[caption caption=\"x\"]<a href='y.png'><img src='y-1x1.png'></a> z[/caption][gallery "+
		"ids=1,2][code]<b>[/code]", "future", "x", "?p=1")
	f.Add("<table><tr><td>x<br>y</td></tr></table><iframe src=//a></iframe>[embed]http://x[/embed]", "draft", "", "")
	f.Add("[gallery columns=2 exclude=\"3\"]<!-- wp:cover {\"url\":\"/x.jpg\"} --><div><a><q>x</q></a></div><!-- "+
		"/wp:cover --><a href=/y><div><p>z</p></div></a>", "publish", "", "")
	f.Add("<code>a\nb</code>\n<img src=https://i0.wp.com/a.example/2020/x.jpg?w=1><div class=kg-callout-card><div "+
		"class=kg-callout-emoji>x</div></div>", "publish", "", "")
	f.Add("]]><item>", "private", "0000-00-00", "%zz")
	f.Fuzz(func(t *testing.T, content, status, date, link string) {
		export := `<rss><channel><link>https://a.example</link><item><title>t</title><link>` + link +
			`</link><content:encoded><![CDATA[` + content +
			`]]></content:encoded><wp:post_id>1</wp:post_id><wp:post_date>` + date + `</wp:post_date><wp:status>` +
			status +
			`</wp:status><wp:post_type>post</wp:post_type></item><item><wp:post_id>2</wp:post_id><wp:post_parent>` +
			`1</wp:post_parent><wp:post_type>attachment</wp:post_type>` +
			`<link>https://a.example/y</link><wp:attachment_url>` +
			`https://i0.wp.com/f.example/x.jpg</wp:attachment_url></item></channel></rss>`
		b, err := formats.Read([]fs.FS{folder(map[string]string{"export.xml": export})}, now)
		sound(t, b, err)
	})
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"db":[{"data":{"posts":[{"id":1,"slug":"x","lexical":"{\"root\":{\"type\":\"root\",` +
		`\"children\":[{\"type\":\"text\",\"text\":\"x\",\"format\":1}]}}"}]}}]}`)
	f.Add(`{"data":{"posts":[{"id":1,"mobiledoc":"{\"cards\":[[\"hr\",{}]],\"markups\":[[\"b\"]],\"sections\":[[1,` +
		`\"p\",[[0,[0],1,\"x\"]]],[10,0]]}"}],"tags":[{"id":1,"name":"x"}],"posts_tags":[{"post_id":1,"tag_id":1}]}}`)
	f.Add(`{"collections":[{"alias":"a","posts":[{"id":"x","slug":"y","body":"# z"}]}]}`)
	f.Add(`[{"id":"x","slug":"y","body":"# z","collection":{"alias":"a","url":"https://a.example/a/"}}]`)
	f.Add(`{"data":{"posts":[{"id":1,"lexical":"{\"root\":{\"children\":[{\"type\":\"callout\",` +
		`\"calloutText\":\"<p>x\"},{\"type\":\"file\",\"src\":\"__GHOST_URL__\"}]}}"}],"users":[{"id":1,"name":"x"}` +
		`],"posts_authors":[{"author_id":1}]}}`)
	f.Add(`{"format":"inkfeed","version":1,"posts":[{"id":"x"}]}`)
	f.Fuzz(func(t *testing.T, export string) {
		for _, name := range []string{"export.json", "inkfeed.json"} {
			b, err := formats.Read([]fs.FS{folder(map[string]string{name: export})}, now)
			sound(t, b, err)
		}
	})
}

// Repeated parts must not take quadratic time. Time is not measured, because machines differ: reading long texts in
// quadratic time exceeds the timeout of go test. Short texts, which go test reads without INKFEED_EXHAUSTIVE, only show
// that each format survives them.
func TestHostileTextsAreReadInLinearTime(t *testing.T) {
	length := 2_000
	if os.Getenv("INKFEED_EXHAUSTIVE") != "" {
		length = 40_000
	}
	for _, part := range []string{"<b>", "</b>", "](", "![", "[a](b", "{{<", "{{< x >}}", "{% x %}", "{:", "<div>\n\n",
		"<table>\n\n", "`", "<a href=x>",
		"\n[a]: <", "<!--", "{{", "[caption]", "<table><tr><td>", "> ", "- ", "[a][", "&lt; ", "{{< highlight go >}}",
		"{{< tip >}}", "{{< tip >}}x{{< /tip >}}", "{{</*", "{{< a \"", "{{< a `",
		"{% raw %}", "{% if x %}", "{% if x %}{% endif %}", "{%- comment -%}", "{% endif %}{% if x %}",
		"{% capture x %}{{ x }}x{% endcapture %}", "{% include a.html %}", "[x y=1]", "[x y=1]z[/x]", "{::comment}",
		"[[", "[[a]]", "![[a", "%%", "==a", "#a ", "> [!a]\n", "^a\n", "$a", "a:: b\n", "- a\n\t", "{{ x(", "{% x() %}",
		"{% end %}", "{{/*", "```a,b\n", "<% ", "<aside>\n", "# a\n",
		"<blockquote>\n\n", "<details>\n\nx\n\n</details>\n\n", "[code]", "<pre>", "[code][/code]",
		"<details><summary>",
		"<div markdown=1>", "<div markdown=1></div>", "<div markdown=1>\n</div>\n", "\n<br>\n",
		"<div>\n{% include a %}",
		":a", ":+1:", "<:v:", "*[a]: b\n", "a *[a]: ",
		"# a {.b", "{.a}\n", "a {.b}\n=\n", "# a {.b=\"", "{{ site.data.a[",
		"{% include gallery %}", "{{< carousel images=\"*\" >}}"} {
		t.Run(part, func(t *testing.T) {
			text := strings.Repeat(part, length/len(part))
			for _, files := range []map[string]string{{"_posts/2020-01-01-a.md": text}, {"hugo.toml": "",
				"content/posts/a.md": text},
				{"hugo.toml": "enableEmoji = true\n[markup.goldmark.parser.attribute]\nblock = true\n",
					"content/a.md": text},
				{"_config.yml": "plugins: [jemoji]", "_posts/2020-01-01-a.md": text, "_data/a.yml": text,
					"_data/b.csv": text},
				{"config.toml": "base_url = '/'", "content/a.md": text}, {".obsidian/app.json": "", "a.md": text}, {
					"logseq/config.edn": "", "pages/a.md": text},
				{"A 0123456789abcdef0123456789abcdef.md": "# A\n\n" + text},
				{"a.xml": `<rss><channel><item><content:encoded><![CDATA[` + text +
					`]]></content:encoded><wp:post_type>post</wp:post_type></item></channel></rss>`},
				{"posts.csv": "post_id,is_published,title\n1.a,true,A\n", "posts/1.a.html": text},
				{"posts/2019-01-02_x-abcdef123456.html": `<div class="h-entry"><section class="e-content">` + text},
				{"feed.atom": takeout(takeoutEntry("1", "POST", "LIVE", "2020-01-01", "<content><![CDATA["+text+
					"]]></content>"))},
				{"posts/html/123456.html": tumblrPage("", "", "x") + text}} {
				b, err := formats.Read([]fs.FS{folder(files)}, now)
				sound(t, b, err)
			}
		})
	}
}

func FuzzZola(f *testing.F) {
	f.Add("{{ youtube(id=\"x\") }} {% quote(author=`y`) %}\n{{ img(src='a.png', x=[1, 2]) }}\n{% end %} {{/* x() */}}",
		"posts/2020-01-02-a.fr.md")
	f.Add("{% a() %}{% b(x=1) %}{% end %}{% end %}{% end %}{{- x() -}}\n```rust,linenos\n```\n[x](@/a.md#b)", "a.md")
	f.Fuzz(func(t *testing.T, text, name string) {
		if !fs.ValidPath("content/"+name) || strings.Contains(name, "/..") || name == "" {
			return
		}
		b, err := formats.Read([]fs.FS{folder(map[string]string{"config.toml": "base_url = '/'\n[languages.fr]",
			"content/" + name: "+++\n+++\n" + text})}, now)
		sound(t, b, err)
	})
}

func FuzzNotes(f *testing.F) {
	f.Add("[[a]] [[A#b|c]] ![[x.png|3]] ![[a]] #tag ==x== %%y%% ^id\n> [!note]- t\n> [[#x]]",
		"x:: y\n- [b]([[a]])\n\tid:: z")
	f.Add("---\naliases: [x]\npublish: true\n---\n# T\n$a$ [[../a\\|x]] `[[a]]` [[a^b]]", "[[x]] \x14 \x140\x14")
	f.Fuzz(func(t *testing.T, text, other string) {
		for _, files := range []map[string]string{
			{".obsidian/app.json": "{}", "a.md": text, "b/c.md": other},
			{"dendron.yml": "", "v/a.md": text, "v/a.b.md": other},
			{"logseq/config.edn": "", "pages/a.md": text, "journals/2020_01_02.md": other},
			{"A 0123456789abcdef0123456789abcdef.md": text,
				"A 0123456789abcdef0123456789abcdef/B 1123456789abcdef0123456789abcdef.md": other},
		} {
			files["x.png"] = "png"
			b, err := formats.Read([]fs.FS{folder(files)}, now)
			sound(t, b, err)
			if err != nil {
				continue
			}
			for _, p := range b.Posts {
				if strings.Contains(p.Title+p.Content, "\x14") {
					t.Errorf("an internal mark is left in %q", p.Title+p.Content)
				}
			}
		}
	})
}

func FuzzRewrite(f *testing.F) {
	f.Add("[a](b) ![c](<d e> \"t\") `[x](y)`\n\n[r]: s\n\n```\n[x](y)\n```")
	f.Fuzz(func(t *testing.T, text string) {
		same := markup.Rewrite(text, func(l markup.Link) (string, bool) { return "", false })
		if same != text {
			t.Errorf("%q becomes %q", text, same)
		}
		if !utf8.ValidString(text) {
			return
		}
		changed := markup.Rewrite(text, func(l markup.Link) (string, bool) { return "/new", true })
		if !utf8.ValidString(changed) {
			t.Errorf("%q becomes %q", text, changed)
		}
	})
}
