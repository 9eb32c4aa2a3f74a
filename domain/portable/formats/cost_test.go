package formats_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/domain/portable/markup"
)

// The most that reading may cost: bytes and objects that are allocated, and objects for each byte of the unpacked
// upload. docs/security-design.md states them. An object stands for a step: reading does little between two of them.
const (
	mostBytes, mostBytesEach     = 48 << 20, 4 << 10
	mostObjects, mostObjectsEach = 100_000, 40
)

// wrappers returns an upload of each kind that a reader reads with a hostile text in it, by the kind.
func wrappers(text string) map[string]map[string]string {
	quoted := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	escaped := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s))
		return b.String()
	}
	rss := func(s string) string {
		return `<rss xmlns:wp="w" xmlns:content="c"><channel><link>https://a.example</link>` + s +
			`</channel></rss>`
	}
	item := func(s string) string {
		return `<item><title>t</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type>` + s + `</item>`
	}
	ghost := func(s string) string { return `{"db":[{"data":` + s + `}]}` }
	matter := func(fence, s string) string { return fence + "\n" + s + "\n" + fence + "\ntext\n" }
	const csv = "post_id,is_published,title\n1.a,true,A\n"
	jekyll, zola := "title: A\n", "base_url = '/'\n"
	post := "_posts/2020-01-02-a.md"
	return map[string]map[string]string{
		"jekyll":          {"_config.yml": jekyll, post: "---\ntitle: A\n---\n" + text},
		"jekyll matter":   {"_config.yml": jekyll, post: matter("---", text)},
		"jekyll keys":     {"_config.yml": jekyll, post: matter("---", "tags: "+text)},
		"jekyll config":   {"_config.yml": text, post: "---\ntitle: A\n---\nx"},
		"jekyll defaults": {"_config.yml": "defaults:\n" + text, post: "---\ntitle: A\n---\nx"},
		"jekyll HTML":     {"_config.yml": jekyll, "_posts/2020-01-02-a.html": "---\ntitle: A\n---\n" + text},
		"jekyll include": {
			"_config.yml": jekyll, post: "{% include a.html %}\n\n" + text, "_includes/a.html": text,
		},
		"jekyll data": {
			"_config.yml": "plugins: [jemoji]", "_data/a.yml": text, "_data/b.json": text, "_data/c.csv": text,
			post: "{{ site.data.a[0].a }}{{ site.data.b.a }}{{ site.data.c[0].a }}" + text,
		},
		"hugo emoji": {
			"hugo.toml":    "enableEmoji = true\n[markup.goldmark.parser.attribute]\nblock = true\n",
			"content/a.md": text,
		},
		"hexo": {"_config.yml": "", "source/_posts/a.md": "---\ntitle: A\n---\n" + text,
			"source/_posts/a/b.png": ""},
		"hexo matter": {"_config.yml": "", "source/_posts/a.md": matter("---", "categories: "+text)},
		"hexo config": {"_config.yml": "new_post_name: " + text, "source/_posts/a.md": "x"},
		"hexo title": {"_config.yml": "", "source/_posts/a.md": matter("---", "title: "+text),
			"source/_posts/b.md": strings.Repeat("{% post_link a %}", 1000)},
		"eleventy":        {".eleventy.js": "", "a.md": "---\ntitle: A\n---\n" + text},
		"eleventy config": {".eleventy.js": text, ".eleventyignore": text, "a.md": "x"},
		"eleventy data": {".eleventy.js": "", "a/a.json": `{"a":` + text, "a/b.md": "{{ a }}",
			"_data/b.json": text},
		"eleventy program":  {".eleventy.js": "", "a/a.11tydata.js": "export default {a: " + text, "a/b.md": "{{ a }}"},
		"astro config":      {"astro.config.mjs": "defineConfig({a: " + text, "src/pages/a.md": "x"},
		"astro collections": {"src/content.config.ts": text, "src/content/a/b.md": "x", "src/pages/[a].astro": text},
		"MDX":               {"a.mdx": "import a from './b.png'\n\n" + text},
		"pelican":           {"pelicanconf.py": "PLUGINS = ['liquid_tags']", "a.md": "Title: x\n\n" + text},
		"pelican config":    {"pelicanconf.py": "PATH = " + text, "a.md": "Title: x\n\nx"},
		"hugo":              {"hugo.toml": "", "content/posts/a.md": "+++\ntitle = 'A'\n+++\n" + text},
		"hugo matter":       {"hugo.toml": "", "content/posts/a.md": matter("+++", text)},
		"hugo list":         {"hugo.toml": "", "content/posts/a.md": matter("+++", "tags = ["+text+"]")},
		"hugo JSON":         {"hugo.toml": "", "content/posts/a.md": "{\n\"tags\":" + text + "}\nx"},
		"hugo config":       {"hugo.toml": text, "content/posts/a.md": "x"},
		"hugo YAML config":  {"hugo.yaml": text, "content/posts/a.md": "x"},
		"hugo JSON config":  {"hugo.json": text, "content/posts/a.md": "x"},
		"hugo shortcode": {
			"hugo.toml":                 "",
			"content/a.md":              "{{< a " + text + " >}}",
			"layouts/shortcodes/a.html": "{{ .Get 0 }}",
		},
		"hugo template": {
			"hugo.toml":    "",
			"content/a.md": "{{< a b >}}" + text, "layouts/shortcodes/a.html": text,
		},
		"zola":            {"config.toml": zola, "content/a.md": "+++\n+++\n" + text},
		"zola config":     {"config.toml": zola + text, "content/a.md": "+++\n+++\nx"},
		"plain":           {"a.md": text},
		"plain HTML":      {"a.md": "x", "b.html": text},
		"obsidian":        {".obsidian/app.json": "", "a.md": text, "b/c.md": "[[a]]", "b/x.png": ""},
		"obsidian config": {".obsidian/app.json": text, "a.md": "x"},
		"dendron":         {"dendron.yml": "", "v/a.md": text, "v/a.b.md": "x"},
		"logseq":          {"logseq/config.edn": text, "pages/a.md": text, "journals/2020_01_02.md": "x"},
		"notion":          {"A 0123456789abcdef0123456789abcdef.md": "# A\n\n" + text},
		"wordpress":       {"a.xml": rss(item(`<content:encoded>` + escaped(text) + `</content:encoded>`))},
		"wordpress blocks": {
			"a.xml": rss(item(`<content:encoded>` + escaped("<!-- wp:x -->"+text) + `</content:encoded>`)),
		},
		"wordpress pattern": {"a.xml": rss(item(`<content:encoded>`+escaped(strings.Repeat(`<!-- wp:block `+
			`{"ref":2} /-->`,
			9)+text)+`</content:encoded>`) + `<item><wp:post_id>2</wp:post_id><wp:post_type>wp_block</wp:post_type>` +
			`<wp:status>publish</wp:status><content:encoded>` + escaped(text) + `</content:encoded></item>`)},
		"wordpress notes": {"a.xml": rss(item(`<content:encoded>` + escaped(`<sup data-fn="a">1</sup>`+text) +
			`</content:encoded><wp:postmeta><wp:meta_key>footnotes</wp:meta_key><wp:meta_value>` +
			escaped(`[{"id":"a","content":`+quoted(text)+`}]`) + `</wp:meta_value></wp:postmeta>`))},
		"wordpress properties": {"a.xml": rss(item(`<content:encoded>` + escaped(`<!-- wp:a/b {"a":`+text+`} /-->`) +
			`</content:encoded>`))},
		"several files":   {"a.xml": rss(item("") + text), "b.xml": rss(item(text)), "c.xml": text, "d.json": text},
		"wordpress items": {"a.xml": rss(item("") + text)},
		"wordpress item":  {"a.xml": rss(item(text))},
		"wordpress title": {
			"a.xml": rss(`<item><wp:post_type>post</wp:post_type><title>` + escaped(text) + `</title></item>`),
		},
		"XML":             {"a.xml": text},
		"ghost HTML":      {"a.json": ghost(`{"posts":[{"id":1,"html":` + quoted(text) + `}]}`)},
		"ghost lexical":   {"a.json": ghost(`{"posts":[{"id":1,"lexical":` + quoted(`{"root":`+text) + `}]}`)},
		"ghost mobiledoc": {"a.json": ghost(`{"posts":[{"id":1,"mobiledoc":` + quoted(text) + `}]}`)},
		"ghost markdown":  {"a.json": ghost(`{"posts":[{"id":1,"markdown":` + quoted(text) + `}]}`)},
		"ghost posts":     {"a.json": ghost(`{"posts":[` + text + `]}`)},
		"ghost data":      {"a.json": ghost(`{"posts":[{"id":1}],` + text + `}`)},
		"JSON":            {"a.json": text},
		"substack":        {"posts.csv": csv, "posts/1.a.html": text},
		"substack data":   {"posts.csv": csv, "posts/1.a.html": `<div data-attrs="` + escaped(text) + `"></div>`},
		"substack table":  {"posts.csv": csv + text, "posts/1.a.html": "x"},
		"medium": {
			"posts/2019-01-02_x-abcdef123456.html": `<div class="h-entry"><section class="e-content">` + text,
		},
		"blogger": {
			"feed.atom": takeout(takeoutEntry("1",
				"POST",
				"LIVE",
				"2020-01-01",
				"<content>"+escaped(text)+"</content>")),
		},
		"blogger entries": {"feed.atom": takeout(text)},
		"tumblr":          {"posts/html/123456.html": tumblrPage("", "", "x") + text},
		"tumblr XML": {
			"posts.xml": `<tumblr><posts><post id="1"><regular-body>` + escaped(text) +
				`</regular-body></post></posts></tumblr>`,
		},
		"tumblr posts":      {"posts.xml": `<tumblr><posts>` + text},
		"writefreely":       {"a.json": `[{"id":"a","slug":"a","body":` + quoted(text) + `}]`},
		"writefreely posts": {"a.json": `[` + text},
		"writefreely text":  {"a.txt": text, "b/c.txt": "x"},
		"inkfeed":           {"inkfeed.json": `{"format":"inkfeed","version":1,"posts":[` + text + `]}`},
		"inkfeed file": {
			"inkfeed.json": `{"format":"inkfeed","version":1,"posts":[{"id":"x","file":"posts/a.md"}]}`,
			"posts/a.md":   text,
		},
		"inkfeed properties": {"inkfeed.json": `{"format":"inkfeed","version":1,` + text + `}`},
	}
}

// readAll reads an upload and does what an import does with it before it stores anything.
func readAll(upload []byte) {
	b, err := formats.ReadUpload("a.zip", bytes.NewReader(upload), int64(len(upload)), portable.Options{}, now)
	if err != nil {
		return
	}
	d := portable.NewDirectory(b)
	for i, p := range b.Posts {
		markup.Rewrite(p.Content, func(l markup.Link) (string, bool) {
			_, _, post := d.Post(i, l.Destination)
			_, file := d.File(i, l.Destination)
			return "", post && file && d.Inside(i, l.Destination) && d.Foreign(l.Destination)
		})
	}
	b.Listings()
	portable.GroupProblems(b.Problems)
}

// cost returns the bytes and objects that reading an upload allocates.
func cost(upload []byte) (allocated, objects uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	readAll(upload)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}

// checkCost reports uploads of a text that cost more than allowed.
func checkCost(t *testing.T, kind string, files map[string]string) {
	t.Helper()
	contents, size := make(map[string][]byte), 0
	for name, text := range files {
		contents[name] = []byte(text)
		size += len(name) + len(text)
	}
	allocated, objects := cost(zipped(t, contents))
	if most := uint64(mostBytes + mostBytesEach*size); allocated > most {
		t.Errorf("%s: reading %d bytes allocates %d bytes, more than %d", kind, size, allocated, most)
	}
	if most := uint64(mostObjects + mostObjectsEach*size); objects > most {
		t.Errorf("%s: reading %d bytes allocates %d objects, more than %d", kind, size, objects, most)
	}
}

// hostile returns a text of a length between a head and a tail. The number of its repetition replaces "%" in the part.
func hostile(head, part, tail string, length int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; part != "" && b.Len() < length; i++ {
		b.WriteString(strings.ReplaceAll(part, "%", strconv.Itoa(i)))
	}
	return b.String() + tail
}

// kinds are the kinds of wrappers, sorted.
func kinds() []string { return slices.Sorted(maps.Keys(wrappers(""))) }

// parts are beginnings of hostile texts, in the notations of all formats.
var parts = strings.Split(`x|[embed]|[youtube |[caption]|[gallery ids=1]|<b>|<p>x|<b a=%>|<div>|`+
	`<a href=%>|<q>|<br>|</x>|<!--|`+
	`<table><tr><td>|<blockquote>|<ul><li>|<svg>|<select><option>|<h1 id=%>|](|![|[a](%)|[%]: b~|> |`+
	`- |* |1. |# a%~|:+1:|*[a%]: b~|# a {.b}~|`+
	`{{< x >}}|{{< a %|{{ x }}|{% if x %}|{% include a.html %}|{: #a%}|{{ x(a=[|{% x() %}|[[a%]]|`+
	`![[b/x.png]]|%%|#a%|a:: b~|`+
	`a%: b~|a%:~  b: c~|a: |[a%]~|[[a.b]]~|a.b%=1~|a.|{a=|[|{|[a, [|{a: |- a~|? |&a |*a |!a |"a%",|`+
	`"a%":1,|{"a":|{},|[],|`+
	`"|'|\\"x|\\|<item></item>|<item><wp:post_type>post</wp:post_type></item>|<a>|<x y%='z'>|`+
	`<post id='%'/>|<tag>%</tag>|`+
	`<wp:author><wp:author_login>a</wp:author_login>`+
	`<wp:author_display_name>%</wp:author_display_name></wp:author>|`+
	`{% post_link a %}|{% codeblock %}|![](b.png)|{#|<A b={a}>|<A b="|</A>|<Image src={a} />|{b}|import a from 'b'~~|`+
	`export const a = {|return {|a: {|a: [|A = [|'%',|{static}b|[a]({filename}b.md)|const a% = defineCollection(|`+
	`<category domain='post_tag' nicename='%'>%</category>|&amp;|&a|%,true,A~|https://a.example/%~~|`+
	`{"id":"%","body":"x"},|<!-- wp:block {"ref":2} /-->|<!-- wp:a/b {"a%":"b c"} /-->|`+
	`<sup data-fn="a">1</sup>|<div data-attrs='{"text":"a"}'>|<pre class="wp-block-verse">|\\u0000`,
	"|")

// FuzzCostOfReading searches for uploads that cost more than their size allows, in each format. The texts are short,
// because go test ends a fuzz target that takes ten seconds for an input.
func FuzzCostOfReading(f *testing.F) {
	known := kinds()
	for i, part := range parts {
		part = strings.ReplaceAll(part, "~", "\n")
		f.Add(uint8(i), "", part, "", uint8(1))
		f.Add(uint8(i*7), part, parts[(i*11)%len(parts)], part, uint8(4))
	}
	f.Fuzz(func(t *testing.T, kind uint8, head, part, tail string, length uint8) {
		if len(head)+len(part)+len(tail) > 4<<10 {
			return
		}
		name := known[int(kind)%len(known)]
		checkCost(t, name, wrappers(hostile(head, part, tail, int(length%32)<<10))[name])
	})
}

// TestHostileUploadsCostABoundedAmount reads each part in each kind of upload. Without INKFEED_EXHAUSTIVE it reads some
// of them.
func TestHostileUploadsCostABoundedAmount(t *testing.T) {
	known, every, length := kinds(), 17, 16<<10
	if os.Getenv("INKFEED_EXHAUSTIVE") != "" {
		every, length = 1, 128<<10
	}
	for i, part := range parts {
		text := wrappers(hostile("", strings.ReplaceAll(part, "~", "\n"), "", length))
		for j := i % every; j < len(known); j += every {
			checkCost(t, part+" in "+known[j], text[known[j]])
		}
	}
}
