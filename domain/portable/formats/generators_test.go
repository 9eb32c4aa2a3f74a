package formats_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// dated returns a text with front matter that has a title, a date and other lines.
func dated(title, more, text string) string {
	return "---\ntitle: " + title + "\ndate: 2020-01-02 03:04:05\n" + more + "---\n" + text + "\n"
}

// wantPaths checks the former addresses of posts.
func wantPaths(t *testing.T, b *portable.Blog, want map[string]string) {
	t.Helper()
	for name, address := range want {
		if p := find(t, b, name); !slices.Contains(append(p.Paths, p.Next...), address) {
			t.Errorf("%s was at %v, want %s", name, append(p.Paths, p.Next...), address)
		}
	}
}

// wantStatuses checks the statuses of posts.
func wantStatuses(t *testing.T, b *portable.Blog, want map[string]portable.Status) {
	t.Helper()
	for name, status := range want {
		if p := find(t, b, name); p.Status != status {
			t.Errorf("%s is %s, want %s: %v", name, p.Status, status, b.Problems)
		}
	}
}

func TestHexoIsRead(t *testing.T) {
	b := read(t, map[string]string{
		"_config.yml": "title: Beans\nurl: https://ada.example/blog\nroot: /blog/\n" +
			"permalink: :year/:month/:day/:category/:title/\npost_asset_folder: true\ntag_dir: marks\n",
		"source/_posts/first.md": dated("First", "tags: [Go, Rust]\ncategories: [Sports, Ball Games]\nupdated: "+
			"2021-01-02\n"+
			"photos:\n- photo.jpg\n", "{# a secret #}![](bean.png) {% asset_img bean.png \"A bean\" %}"+
			"{% post_link sub/second %} {% post_link second-draft 'D' %} `{% x %}`\n\n{% codeblock Greet lang:js %}\n"+
			"{{ a }}\n{% endcodeblock %}\n\n{% blockquote Ada, Book https://a.example %}\nq\n{% endblockquote %}"),
		"source/_posts/first/bean.png":  "png",
		"source/_posts/first/photo.jpg": "jpg",
		"source/_posts/sub/second.md": dated("Second", "permalink: own/second.html\n", "text {% raw %}{{ x "+
			"}}{% endraw %}"),
		"source/_posts/unknown.md":         dated("Unknown", "", "text {% chart %} and {{ value }}"),
		"source/_posts/hidden.md":          dated("Hidden", "published: false\n", "text"),
		"source/_drafts/second-draft.md":   "---\ntitle: Draft\n---\ntext\n",
		"source/about/index.md":            dated("About", "", "text [first](sub.html)"),
		"source/about/sub.md":              dated("Below", "", "text"),
		"source/about/third.md":            dated("Third", "", "text"),
		"source/tags/index.md":             "---\ntype: tags\n---\n",
		"source/_data/menu.yml":            "a: b",
		"source/pages/chart.ejs":           "<p>",
		"scaffolds/post.md":                "---\ntitle: {{ title }}\n---\n",
		"themes/x/source/_posts/README.md": "text",
	})
	t.Run("with the statuses of its posts", func(t *testing.T) {
		if b.Format != "Hexo" || b.Title != "Beans" || len(b.Posts) != 8 {
			t.Fatalf("%s, %s, %d posts: %v", b.Format, b.Title, len(b.Posts), b.Problems)
		}
		wantStatuses(t, b, map[string]portable.Status{"First": portable.Published, "Second": portable.Published,
			"Unknown": portable.Draft, "Hidden": portable.Draft, "Draft": portable.Draft, "About": portable.Unlisted})
	})
	t.Run("with its addresses", func(t *testing.T) {
		wantPaths(t, b, map[string]string{"First": "/blog/2020/01/02/Sports/Ball-Games/first",
			"Second": "/blog/own/second", "About": "/blog/about", "Unknown": "/blog/2020/01/02/uncategorized/unknown"})
		if !slices.ContainsFunc(b.Listings(), func(l portable.Listing) bool {
			return l.Path == "/blog/marks/Go" && l.Tag == "Go"
		}) {
			t.Errorf("the list of a tag is not known: %v", b.Listings())
		}
	})
	t.Run("with its tags translated", func(t *testing.T) {
		text := find(t, b, "First").Content
		for _, want := range []string{"![](/source/_posts/first/bean.png) ![A bean](/source/_posts/first/bean.png)",
			"[Second](/source/_posts/sub/second.md)", "[D](/source/_drafts/second-draft.md)", "`{% x %}`",
			"**Greet**\n\n```js\n{{ a }}\n```", "> q\n>\n> – [Ada, Book](https://a.example)",
			"![](/source/_posts/first/photo.jpg)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in:\n%s", want, text)
			}
		}
		if strings.Contains(text, "secret") || find(t, b, "Second").Content != "text {{ x }}" {
			t.Errorf("%s\n%s", text, find(t, b, "Second").Content)
		}
	})
	t.Run("with relative links of pages in files", func(t *testing.T) {
		for i, p := range b.Posts {
			if p.Title != "Below" {
				continue
			}
			if to, _, ok := portable.NewDirectory(b).Post(i, "third.html"); !ok || b.Posts[to].Title != "Third" {
				t.Error("third.html does not lead to the page beside it")
			}
		}
	})
	reports(t, b, "the tag {% chart %} is not known", "the value {{ value }} is not known",
		"left out: pages without a text of their own (1, such as source/tags/index.md)",
		"left out: templates (.ejs) (1, such as source/pages/chart.ejs)")
}

func TestTagsOfHexosThemesAreTranslated(t *testing.T) {
	for source, want := range map[string]string{
		"{% label primary@some text %}":         "some text",
		"{% label @text %}":                     "text",
		"{% btn https://a.example, Go, home %}": "[Go](https://a.example)",
		"{% tabs T %}\n<!-- tab One@icon -->\na\n<!-- endtab -->\n{% endtabs %}": "**One**\n\na",
		"{% note info %}\na\n{% endnote %}":                                      "> **Note**\n>\n> a",
		"{% link T https://a.example true %}":                                    "[T](https://a.example)",
		"{% youtube abc " +
			"%}": "<https://www.youtube.com/watch?v=abc>",
		"{% pullquote left %}\na\n{% endpullquote %}":  "> a",
		"{% codeblock %}\n{% x %}\n{% endcodeblock %}": "```\n{% x %}\n```",
		"{% iframe https://a.example/x 1 2 %}":         "<https://a.example/x>",
		"<pre>`{% foo %}`</pre>":                       "```\n`{% foo %}`\n```",
	} {
		b := read(t, map[string]string{"_config.yml": "", "source/_posts/a.md": dated("A", "", source)})
		if got := b.Posts[0]; got.Status != portable.Published || strings.TrimSpace(got.Content) != want {
			t.Errorf("%q is %s and becomes %q, want %q", source, got.Status, got.Content, want)
		}
	}
}

func TestHexoReadsNamesOfFilesByItsConfiguration(t *testing.T) {
	b := read(t, map[string]string{"_config.yml": "new_post_name: :year-:month-:day-:title.md\npermalink: " +
		"n/:year/:title/\n",
		"source/_posts/2019-03-04-a-b.md":   "---\ntitle: Dated\n---\n{% post_link other %}\n",
		"source/_posts/2019-03-05-other.md": "---\ntitle: Other\n---\ntext\n"})
	wantPaths(t, b, map[string]string{"Dated": "/n/2019/a-b", "Other": "/n/2019/other"})
	if got := find(t, b, "Dated").Content; got != "[Other](/source/_posts/2019-03-05-other.md)" {
		t.Error(got)
	}
}

func TestGeneratorsAreRecognised(t *testing.T) {
	post := dated("A", "", "text")
	for name, c := range map[string]struct {
		format string
		files  map[string]string
	}{
		"Hexo without a configuration": {"Hexo", map[string]string{"site/source/_posts/a.md": post}},
		"Octopress as Jekyll": {"Jekyll", map[string]string{"_config.yml": "source: source\n",
			"source/_posts/2020-01-02-a.md": post}},
		"Octopress without a configuration as Jekyll": {"Jekyll",
			map[string]string{"source/_posts/2020-01-02-a.md": post}},
		"Jekyll by a spaced source": {"Jekyll", map[string]string{"_config.yml": "source : source\n",
			"source/_posts/2020-01-02-a.md": post}},
		"Jekyll by its defaults": {"Jekyll", map[string]string{"_config.yml": "defaults: []\n",
			"source/_posts/2020-01-02-a.md": post}},
		"Jekyll by its plugins": {"Jekyll", map[string]string{"_config.yml": "plugins:\n  - jekyll-feed\n",
			"source/_posts/2020-01-02-a.md": post}},
		"Jekyll by a configuration within its source": {"Jekyll",
			map[string]string{"source/_config.yml": "collections: {x: {}}\n", "source/_posts/2020-01-02-a.md": post}},
		"Jekyll by its Gemfile": {"Jekyll", map[string]string{"_config.yml": "deploy: x\n",
			"Gemfile": "gem \"jekyll\"\n", "source/_posts/2020-01-02-a.md": post}},
		"Jekyll by the dates of all files": {"Jekyll", map[string]string{"_config.yml": "title: x\n",
			"source/_posts/2020-01-02-a.md": post}},
		"Hexo by its package, with dated files": {"Hexo", map[string]string{"_config.yml": "title: x\n",
			"package.json": `{"dependencies": {"hexo": "7"}}`, "source/_posts/2020-01-02-a.md": post}},
		"Hexo by its configuration, with dated files": {"Hexo", map[string]string{
			"_config.yml": "theme: x\ndeploy: {}\n", "source/_posts/2020-01-02-a.md": post}},
		"Eleventy by its older configuration": {"Eleventy", map[string]string{".eleventy.js": "",
			"posts/a.md": post}},
		"Eleventy in a folder": {"Eleventy",
			map[string]string{"my/site/eleventy.config.mjs": "", "my/site/a.md": post}},
		"Eleventy by its posts alone": {"Eleventy",
			map[string]string{"_posts/_posts.11tydata.js": "module.exports = {};",
				"_posts/a.md": post}},
		"Eleventy with Jekyll's folder": {"Eleventy", map[string]string{"eleventy.config.js": "", "_posts/a.md": post}},
		"Astro by its configuration":    {"Astro", map[string]string{"astro.config.mjs": "", "src/pages/a.md": post}},
		"Astro by its collections": {"Astro", map[string]string{"src/content/config.ts": "",
			"src/content/blog/a.md": post}},
		"Pelican": {"Pelican", map[string]string{"pelicanconf.py": "", "content/a.md": "Title: A\n\ntext\n"}},
		"Hugo with the sources of a theme's site": {"Hugo", map[string]string{"hugo.toml": "",
			"content/posts/a.md":          post,
			"assets/x/eleventy.config.js": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			if b := read(t, c.files); b.Format != c.format || len(b.Posts) != 1 {
				t.Errorf("%s with %d posts: %v", b.Format, len(b.Posts), b.Problems)
			}
		})
	}
}

func TestEleventyIsRead(t *testing.T) {
	b := read(t, map[string]string{
		"eleventy.config.js": "module.exports = function (c) {\n  c.addFilter('x', () => { return {a: 1} });\n" +
			"  return { dir: { input: 'src', includes: '_inc' }, pathPrefix: '/blog/' };\n};",
		".eleventyignore":     "# no\nsrc/notes/\n",
		"src/_data/site.json": `{"title": "Beans", "url": "https://ada.example", "author": {"name": "Ada"}}`,
		"src/index.njk":       "{% for p in collections.posts %}x{% endfor %}",
		"src/list.njk":        "x",
		"src/_inc/base.njk":   "x",
		"src/blog/blog.json": `{"tags": ["posts", "garden"], ` +
			`"permalink": "/b/{{ page.date | date: '%Y' }}/{{ title | slug }}/"}`,
		"src/blog/First Post.md": dated("First post", "tags: [post, Go]\n", "{{ title }} by {{ site.author.name }}: "+
			"[link]({{ '/b/2020/second/' | url }}) {{ x | y }}"),
		"src/blog/2020-03-04-second.md": dated("Second", "", "text <img src=\"{{ '/img/a.png' | url }}\">{% "+
			"image \"./a.png\", "+
			"\"Alt\" %}"),
		"src/blog/2020-03-04-second.11tydata.json": `{"tags": "Rust"}`,
		"src/blog/none.md":                         dated("Without a page", "permalink: false\n", "text"),
		"src/blog/hidden.md": dated("In no collection", "eleventyExcludeFromCollections: "+
			"true\n", "text"),
		"src/blog/draft.md":                  dated("Draft", "draft: true\n", "text"),
		"src/blog/drafts/drafts.11tydata.js": "export default { draft: true };",
		"src/blog/drafts/below.md":           dated("In a draft folder", "", "text"),
		"src/web/web.11tydata.js": "module.exports = { permalink: function({page}) { return " +
			"`/web/${ page.fileSlug }/` } };",
		"src/web/2019-01-02-x.md": dated("By a function", "", "text"),
		"src/odd/odd.11tydata.js": "module.exports = { permalink: (data) => data.go ? " +
			"make(data) : false };",
		"src/odd/a.md":              dated("Undecided", "", "text"),
		"src/gone/gone.11tydata.js": "module.exports = require('./other');",
		"src/gone/a.md":             dated("Unread", "", "text"),
		"src/about.md":              "---\ntitle: About\n---\ntext\n",
		"src/deep/deep.md":          dated("Deep", "", "text"),
		"src/notes/a.md":            dated("Ignored", "", "text"),
		"src/blog/template.html":    dated("List", "", "{% for x in y %}{% endfor %}"),
	})
	t.Run("with the statuses of its posts", func(t *testing.T) {
		if b.Format != "Eleventy" || b.Title != "Beans" {
			t.Fatalf("%s, %s: %v", b.Format, b.Title, b.Problems)
		}
		wantStatuses(t, b, map[string]portable.Status{"First post": portable.Draft, "Second": portable.Published,
			"Without a page": portable.Draft, "In no collection": portable.Unlisted, "Draft": portable.Draft,
			"In a draft folder": portable.Draft, "By a function": portable.Published, "Undecided": portable.Draft,
			"Unread": portable.Draft, "About": portable.Unlisted, "Deep": portable.Published})
	})
	t.Run("with its addresses", func(t *testing.T) {
		wantPaths(t, b, map[string]string{"First post": "/blog/b/2020/first-post", "Second": "/blog/b/2020/second",
			"By a function": "/blog/web/x", "About": "/blog/about", "Deep": "/blog/deep"})
	})
	t.Run("with its values and filters", func(t *testing.T) {
		if got, want := find(t, b, "First post").Content, "First post by Ada: [link](/b/2020/second/) {{ x | y "+
			"}}"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got, want := find(t, b, "Second").Content, "text ![](/img/a.png)![Alt](./a.png)"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("with the tags of its posts, not of its folders", func(t *testing.T) {
		if got := find(t, b, "First post").Tags; !slices.Equal(got, []string{"Go"}) {
			t.Error(got)
		}
		if got := find(t, b, "Second").Tags; !slices.Equal(got, []string{"Rust"}) {
			t.Error(got)
		}
	})
	reports(t, b, "the value {{ x }} is not known", "eleventy.config.js is a program: only the plain values in "+
		"it are read",
		"the tag \"garden\", which all pages of a folder have, was left out", "odd.11tydata.js: posts below are "+
			"imported as drafts: a program decides who can see them",
		"left out: pages that list posts (1, such as src/blog/template.html)",
		"src/notes/a.md: not imported: it looks like a post, but is not in src",
		"left out: templates (.njk) (1, such as src/list.njk)")
}

func TestAstroIsRead(t *testing.T) {
	b := read(t, map[string]string{
		"astro.config.mjs": "export default defineConfig({ site: 'https://ada.example', base: '/x', " +
			"integrations: [mdx()],\n" +
			"redirects: { '/old': '/x/posts/hello-world' } });",
		"src/content.config.ts": "const blog = defineCollection({ loader: glob({ base: './src/content/blog' }) });\n" +
			"const n = defineCollection({ loader: glob({ pattern: '**/*', base: './notes' }) });\n" +
			"const secret = defineCollection({});\nexport const collections = { blog, notes: n, secret };",
		"src/pages/posts/[...slug].astro":  "const posts = await getCollection('blog');",
		"src/pages/tags/[tag].astro":       "const posts = await getCollection('blog');",
		"src/pages/notes/[id]/index.astro": "getCollection(\"notes\", ({data}) => !data.draft)",
		"src/pages/about.md":               "---\ntitle: About\n---\ntext\n",
		"src/pages/index.astro":            "<p>",
		"src/pages/uses.astro":             "<p>",
		"src/content/blog/Hello World.md":  "---\ntitle: Hello\npubDate: Jan 02 2020\nheroImage: ./a.png\n---\ntext\n",
		"src/content/blog/a.png":           "png",
		"src/content/blog/_private.md":     dated("Underscore", "", "text"),
		"src/content/blog/draft.md":        dated("Draft", "draft: true\n", "text"),
		"src/content/secret/a.md":          dated("Without a route", "", "text"),
		"notes/2020/b.mdx": dated("Note", "slug: own\n", "import Chart from '../c.astro';\nimport pic from "+
			"'./p.png';\n\n"+
			"export const x = {\n\n  a: 1 };\n\nText {/* a secret */}{'here'}.\n\n<Image src={pic} alt=\"Pic\" />\n\n"+
			"<Aside type=\"tip\">\n  Say **it**.\n</Aside>\n\n<img src={pic.src} style={{a: 1}} /> `<Chart />`  "+
			"`{x}` $a_{1}$"),
		"notes/2020/p.png": "png",
		"notes/c.mdx":      dated("Component", "", "<Chart a={1}>\nkept\n</Chart>\n\n{data.map(x => <b>{x}</b>)}"),
	})
	t.Run("with the statuses of its posts", func(t *testing.T) {
		if b.Format != "Astro" || len(b.Posts) != 6 {
			t.Fatalf("%s, %d posts: %v", b.Format, len(b.Posts), b.Problems)
		}
		wantStatuses(t, b, map[string]portable.Status{"Hello": portable.Published, "Draft": portable.Draft,
			"Without a route": portable.Draft, "Note": portable.Published, "Component": portable.Draft,
			"About": portable.Unlisted})
	})
	t.Run("with its addresses", func(t *testing.T) {
		wantPaths(t, b, map[string]string{"Hello": "/x/posts/hello-world", "Note": "/x/notes/own", "About": "/x/about"})
		wantPaths(t, b, map[string]string{"Hello": "/x/old"})
	})
	t.Run("with MDX translated", func(t *testing.T) {
		got := find(t, b, "Note").Content
		want := "Text here.\n\n![Pic](./p.png)\n\n> **Tip**\n>\n> Say **it**.\n\n![](./p.png) `<Chart />`  " +
			"`{x}` $a_{1}$"
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	reports(t, b, "the component chart is not known and stays in the text, so the post is a draft",
		"the expression {data.map(x => <b>{x}</b>)} is not known", "code of MDX (export) was left out",
		"files whose names begin with _, which Astro leaves out (1, such as src/content/blog/_private.md)",
		"no page of the site shows the collection secret",
		"left out: templates (.astro) (1, such as src/pages/uses.astro)")
}

func TestFilesThatAGeneratorExcludesAreLeftOut(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"Hexo": {"_config.yml": "exclude: ['_posts/private/*']\n",
			"source/_posts/private/b.md": "x", "source/_posts/a.md": "x"},
		"Hexo by ignore": {"_config.yml": "ignore: '**/private/**'\n", "source/_posts/private/b.md": "x",
			"source/_posts/a.md": "x"},
		"Hexo by name":          {"_config.yml": "", "source/_posts/_b.md": "x", "source/_posts/a.md": "x"},
		"Eleventy":              {".eleventyignore": "b.md", ".eleventy.js": "", "b.md": "x", "a.md": "x"},
		"Eleventy by a program": {".eleventy.js": "c.ignores.add('./b/**');", "b/c.md": "x", "a.md": "x"},
		"Pelican": {"pelicanconf.py": "ARTICLE_EXCLUDES = ['b']", "content/b/c.md": "x",
			"content/a.md": "x"},
		"Pelican by its paths": {"pelicanconf.py": "ARTICLE_PATHS = ['a']", "content/b/c.md": "x",
			"content/a/a.md": "x"},
		"Pelican by names": {"pelicanconf.py": "IGNORE_FILES = ['draft-*']", "content/draft-c.md": "x",
			"content/a.md": "x"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, files)
			if len(b.Posts) != 1 {
				t.Errorf("the blog has %d posts, want 1", len(b.Posts))
			}
			reports(t, b, "left out: Markdown files outside of the folders of posts (1,")
		})
	}
}

func TestMDXIsTranslated(t *testing.T) {
	for source, want := range map[string]string{
		"{ unclosed":                           "{ unclosed",
		"} <A b={c":                            "} <A b={c",
		"\\{escaped}":                          "\\{escaped}",
		"<Card title=\"T\">\n  a\n</Card>":     "**T**\n\na",
		"<LinkCard href=\"/x\" title=\"T\" />": "[T](/x)",
		"<Tabs>\n<TabItem label=\"L\">\n\ta\n</TabItem>\n</Tabs>": "**L**\n\na",
		"<YouTube id=\"abc\" />":                                  "<https://www.youtube.com/watch?v=abc>",
		"<>a {\"b\"} {/* c {d} */}</>":                            "a b",
		"<Code code={`x`} lang=\"go\" />":                         "```go\nx\n```",
		"import x from 'y'\nimport z from 'w'\na":                 "",
		"1 < 2 and <b>c</b>":                                      "1 < 2 and **c**",
	} {
		b := read(t, map[string]string{"a.mdx": dated("A", "", source+"\n\nend")})
		got, _ := strings.CutSuffix(b.Posts[0].Content, "end")
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%q becomes %q, want %q: %v", source, got, want, b.Problems)
		}
	}
}

func TestPelicanIsRead(t *testing.T) {
	b := read(t, map[string]string{
		"pelicanconf.py": "SITENAME = 'Beans'\nPATH = 'content'\nTIMEZONE = 'Europe/Prague'\n" +
			"ARTICLE_URL = '{date:%Y}/{date:%b}/{category}/{slug}/'\nARTICLE_SAVE_AS = ARTICLE_URL + 'index.html'\n",
		"publishconf.py": "from pelicanconf import *\nSITEURL = \"https://ada.example\"\n",
		"content/news/first.md": "Title: The Größe & more\nDate: 2020-01-02 03:04\nTags: Go, Rust\n\n" +
			"![a]({static}/images/a.png) [second]({filename}second.md#part) [old](|filename|/news/third.rst) " +
			"[t]({tag}Big%20Go) <img src=\"{attach}b.png\"> `{static}x`\n",
		"content/news/second.md": "Title: Second\nDate: 2020-03-04\nSlug: own\nCategory: Big Ones\nStatus: " +
			"hidden\n\ntext\n",
		"content/news/draft.md":  "Title: Draft\nDate: 2020-01-02\nStatus: draft\n\ntext\n",
		"content/news/third.rst": "Third\n=====\n",
		"content/news/b.png":     "png",
		"content/images/a.png":   "png",
		"content/pages/about.md": "Title: About me\n\ntext\n",
		"content/save.md": "Title: Save\nDate: 2020-01-02\nsave_as: own/place.html\nurl: " +
			"own/place.html\n\ntext\n",
	})
	t.Run("with the statuses of its posts", func(t *testing.T) {
		if b.Format != "Pelican" || b.Title != "Beans" || len(b.Posts) != 5 {
			t.Fatalf("%s, %s, %d posts: %v", b.Format, b.Title, len(b.Posts), b.Problems)
		}
		wantStatuses(t, b, map[string]portable.Status{"The Größe & more": portable.Published,
			"Second": portable.Unlisted,
			"Draft":  portable.Draft, "About me": portable.Unlisted})
	})
	t.Run("with its addresses", func(t *testing.T) {
		wantPaths(t, b, map[string]string{"The Größe & more": "/2020/Jan/news/the-grosse-more",
			"Second": "/2020/Mar/big-ones/own", "About me": "/pages/about-me", "Save": "/own/place"})
	})
	t.Run("with its links", func(t *testing.T) {
		got := find(t, b, "The Größe & more").Content
		want := "![a](/content/images/a.png) [second](/content/news/second.md#part) [old](/content/news/third.rst) " +
			"[t](/tag/big-go.html) ![](/content/news/b.png) `{static}x`"
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	t.Run("with tags and the category of the folder", func(t *testing.T) {
		if got := find(t, b, "The Größe & more").Tags; !slices.Equal(got, []string{"Go", "Rust", "news"}) {
			t.Error(got)
		}
	})
	reports(t, b, "a link leads to a file that was not imported: /news/third.rst",
		"left out: texts in reStructuredText (1, such as content/news/third.rst)",
		"the setting ARTICLE_SAVE_AS is a program, so its default is assumed: ARTICLE_URL + 'index.html'")
}

func TestTextsInOtherFormatsAreReported(t *testing.T) {
	b := read(t, map[string]string{"a.md": "# A\n\ntext\n", "b.org": "x", "c/d.adoc": "x", "e.asciidoc": "x",
		"f.rst":   "x",
		"g.ipynb": "{}", "h.textile": "x", "page.html": "<p>x", "page.njk": "x", "_includes/x.njk": "x",
		"README.rst":    "x",
		".hidden/x.org": "x", "i.docx": "x"})
	reports(t, b, "left out: texts in Org (1, such as b.org)",
		"left out: texts in AsciiDoc (2, such as c/d.adoc, e.asciidoc)", "texts in reStructuredText (1, such as f.rst)",
		"texts in Jupyter (1, such as g.ipynb)", "texts in Textile (1,", "templates (.html) (1, such as page.html)",
		"templates (.njk) (1, such as page.njk)", "texts in Word (1,")
	t.Run("in the folders of other generators", func(t *testing.T) {
		for name, files := range map[string]map[string]string{
			"Hugo":   {"hugo.toml": "", "content/a.md": "text", "content/b.org": "x", "content/c.mdx": "x"},
			"Jekyll": {"_config.yml": "", "_posts/2020-01-02-a.md": "text", "_posts/b.org": "x", "c.mdx": "x"},
			"Zola": {"config.toml": "base_url = '/'", "content/a.md": "text", "content/b.org": "x",
				"content/c.mdx": "x"},
		} {
			b := read(t, files)
			reports(t, b, "left out: texts in Org (1,", "left out: texts in MDX (1,")
			if b.Format != name || len(b.Posts) != 1 {
				t.Errorf("%s: %s with %d posts", name, b.Format, len(b.Posts))
			}
		}
	})
	t.Run("also if there is no other text", func(t *testing.T) {
		b, err := formats.Read([]fs.FS{folder(map[string]string{"a.rst": "x"})}, now)
		if err != nil {
			t.Fatal(err)
		}
		reports(t, b, "left out: texts in reStructuredText (1, such as a.rst)", "there is no post in the folder")
	})
}
