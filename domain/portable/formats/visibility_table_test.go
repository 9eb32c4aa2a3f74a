package formats_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// front returns a text with front matter in YAML that says something about its visibility.
func front(said string) string {
	return "---\ntitle: A\ndate: 2020-01-02\n" + said + "\n---\ntext\n"
}

const notionPage = "A 0123456789abcdef0123456789abcdef.md"

// exportOf are small exports with one post, in each format, that say something about the visibility of the post.
var exportOf = map[string]func(said string) map[string]string{
	"Markdown": func(said string) map[string]string { return map[string]string{"a.md": front(said)} },
	"Fenced": func(said string) map[string]string {
		return map[string]string{"eleventy.config.js": "", "posts/a.md": "---" + said + "\n---\ntext\n"}
	},
	"Hugo": func(said string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/a.md": front(said)}
	},
	"HugoTOML": func(said string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/a.md": "+++\ndate = 2020-01-02\n" + said +
			"\n+++\ntext\n"}
	},
	"HugoJSON": func(said string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/a.md": `{"date": "2020-01-02", ` + said + "}\ntext\n"}
	},
	"HugoSection": func(said string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/_index.md": "---\n" + said + "\n---\n",
			"content/posts/a.md": front("")}
	},
	"HugoConfig": func(said string) map[string]string {
		return map[string]string{"hugo.yaml": said, "content/posts/a.de.md": front("")}
	},
	"HugoLanguage": func(said string) map[string]string {
		return map[string]string{"hugo.yaml": "", "config/_default/languages.en.yaml": "weight: 1\n",
			"config/_default/languages.de.yaml": said, "content/posts/a.de.md": front("")}
	},
	"Jekyll": func(said string) map[string]string {
		return map[string]string{"_config.yml": "", "_posts/2020-01-02-a.md": front(said)}
	},
	"JekyllConfig": func(said string) map[string]string {
		return map[string]string{"_config.yml": said, "_posts/2020-01-02-a.md": front("")}
	},
	"JekyllFile": func(name string) map[string]string {
		return map[string]string{"_config.yml": "", name: "---\ntitle: A\n---\ntext\n"}
	},
	"Hexo": func(said string) map[string]string {
		return map[string]string{"_config.yml": "", "source/_posts/a.md": front(said)}
	},
	"HexoText": func(text string) map[string]string {
		return map[string]string{"_config.yml": "title: X\n", "source/_posts/a.md": text}
	},
	"HexoFile": func(name string) map[string]string {
		return map[string]string{"_config.yml": "title: X\n", "source/_posts/" + name: front("")}
	},
	"HexoConfig": func(said string) map[string]string {
		return map[string]string{"_config.yml": said, "source/_posts/a.md": front("tags: [a, secret]\nconcealed: true")}
	},
	"Eleventy": func(said string) map[string]string {
		return map[string]string{"eleventy.config.js": "", "posts/a.md": front(said)}
	},
	"EleventyData": func(said string) map[string]string {
		return map[string]string{"eleventy.config.js": "", "posts/posts.11tydata.js": "export default " +
			"{ " + said + " };",
			"posts/a.md": front("")}
	},
	"EleventyJSON": func(said string) map[string]string {
		return map[string]string{"eleventy.config.js": "", "posts/a.json": said, "posts/a.md": front("")}
	},
	"EleventyConfig": func(said string) map[string]string {
		return map[string]string{"eleventy.config.js": "export default function (c) {\n" + said + "\n}\n",
			"posts/a.md": front(""), "posts/posts.data.yaml": "draft: true", "posts/index.json": `{"draft": true}`}
	},
	"EleventyInput": func(said string) map[string]string {
		return map[string]string{"eleventy.config.js": "export default { dir: { input: 'content' } }",
			"content/content.11tydata.js": "export default { " + said + " }", "content/posts/a.md": front("")}
	},
	"EleventyLayout": func(said string) map[string]string {
		return map[string]string{"eleventy.config.js": "", "posts/a.md": front("layout: x"),
			"_includes/x.njk": "---\nlayout: y.njk\n---\n", "_includes/y.njk": "---\n" + said + "\n---\n"}
	},
	"EleventyGlobal": func(said string) map[string]string {
		name, text, _ := strings.Cut(said, " ")
		return map[string]string{"eleventy.config.js": "", "posts/a.md": front(""), "_data/" + name: text}
	},
	"AstroSchema": func(said string) map[string]string {
		return map[string]string{"astro.config.mjs": "", "src/content.config.ts": "const blog = " +
			"defineCollection({" + said +
			"});\nexport const collections = { blog };", "src/content/blog/drafts/a.md": front("")}
	},
	"AstroRoute": func(said string) map[string]string {
		return map[string]string{"astro.config.mjs": "", "src/pages/[slug].astro": "const p = await " + said,
			"src/content/blog/a.md": front("live: true\nold: false")}
	},
	"AstroDefault": func(said string) map[string]string {
		return map[string]string{"astro.config.mjs": "", "src/content.config.ts": "const blog = defineCollection({" +
			"schema: z.object({ live: z.boolean().default(" + said + ") }) });\nexport const collections = { blog };",
			"src/pages/[id].astro":  "await getCollection('blog', ({ data }) => data.live)",
			"src/content/blog/a.md": front("")}
	},
	"AstroHelper": func(said string) map[string]string {
		return map[string]string{"astro.config.mjs": "", "src/pages/[...slug].astro": "import { getPosts } from " +
			"'../posts';\nconst a = await getCollection('authors');\nconst p = await getPosts();",
			"src/posts.ts": "export const getPosts = () => " + said, "src/content/blog/a.md": front("")}
	},
	"AstroMDX": func(said string) map[string]string {
		return map[string]string{"astro.config.mjs": "", "src/content/blog/a.mdx": said + "\n\n# A\n\ntext\n"}
	},
	"MDX": func(said string) map[string]string { return map[string]string{"a.mdx": said + "\n\ntext\n"} },
	"Astro": func(said string) map[string]string {
		return map[string]string{"astro.config.mjs": "", "src/content/blog/a.md": front(said)}
	},
	"Zola": func(said string) map[string]string {
		return map[string]string{"config.toml": "base_url = '/'\n", "content/a.md": "+++\ndate = 2020-01-02\n" + said +
			"\n+++\ntext\n"}
	},
	"ZolaSection": func(said string) map[string]string {
		return map[string]string{"config.toml": "base_url = '/'\n", "content/x/_index.md": "+++\n" + said + "\n+++\n",
			"content/x/y/a.md": "+++\n+++\ntext\n"}
	},
	"Obsidian": func(said string) map[string]string {
		return map[string]string{".obsidian/app.json": "{}", "a.md": front(said)}
	},
	"Dendron": func(said string) map[string]string {
		return map[string]string{"dendron.yml": "", "a.md": front(said)}
	},
	"Foam": func(said string) map[string]string {
		return map[string]string{".foam/x.md": "", "a.md": front(said)}
	},
	"Logseq": func(said string) map[string]string {
		return map[string]string{"logseq/config.edn": "{}", "pages/a.md": said + "\n\n- text\n"}
	},
	"Notion": func(said string) map[string]string {
		return map[string]string{notionPage: "# A\n\n" + said + "\n\ntext\n"}
	},
	"Pelican": func(said string) map[string]string {
		return map[string]string{"content/a.md": "Title: A\nDate: 2020-01-02 10:00\n" + said + "\n\ntext\n"}
	},
	"PelicanConfig": func(said string) map[string]string {
		return map[string]string{"pelicanconf.py": said, "content/a.md": "Title: A\n\ntext\n"}
	},
	"PelicanFuture": func(said string) map[string]string {
		return map[string]string{"pelicanconf.py": said, "content/a.md": "Title: A\nDate: 2099-01-02\n\ntext\n"}
	},
	"WordPress": func(said string) map[string]string { return wxrOf("post", said) },
	"WordPressBlock": func(said string) map[string]string {
		return map[string]string{"a.xml": wxr(`<item><title>A</title><content:encoded><![CDATA[<!-- wp:group ` + said +
			` --><p>x</p><!-- /wp:group -->]]></content:encoded><wp:post_id>1</wp:post_id><wp:post_type>post` +
			`</wp:post_type><wp:status>publish</wp:status></item>`)}
	},
	"WordPressPage": func(said string) map[string]string { return wxrOf("page", said) },
	"WordPressUndated": func(said string) map[string]string {
		return map[string]string{"a.xml": wxr(`<item><title>A</title><content:encoded>x</content:encoded>` +
			`<wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type>` + said + `</item>`)}
	},
	"Ghost": func(said string) map[string]string {
		return map[string]string{"a.json": `{"db":[{"data":{"posts":[{"id":"1","title":"A","slug":"a",` +
			`"html":"<p>x</p>","created_at":"2020-01-01T00:00:00Z",` + said + `}]}}]}`}
	},
	"GhostSetting": func(said string) map[string]string {
		return map[string]string{"a.json": `{"db":[{"data":{"posts":[{"id":"1","title":"A","slug":"a",` +
			`"html":"<p>x</p>","status":"published"}],"settings":[` + said + `]}}]}`}
	},
	"Substack": func(row string) map[string]string {
		return map[string]string{"posts.csv": "post_id,post_date,is_published,type,audience,title\n" + row + "\n",
			"posts/1.a.html": "<p>x</p>"}
	},
	"Medium": func(name string) map[string]string {
		return map[string]string{"posts/" + name + "_A-0123456789ab.html": `<article class="h-entry">` +
			`<h1 class="p-name">A</h1><section class="e-content"><h3 class="graf--title">A</h3><p>x</p></section>` +
			`<footer><a><time class="dt-published" datetime="2020-01-02T10:00:00Z"></time></a></footer></article>`}
	},
	"Blogger": func(said string) map[string]string {
		return map[string]string{"a.xml": `<feed xmlns="http://www.w3.org/2005/Atom"><entry>` +
			`<id>1</id><category scheme="http://schemas.google.com/g/2005#kind" term="x#post"/><title>A</title>` +
			`<content type="html">x</content>` + said + `</entry></feed>`}
	},
	"Takeout": func(said string) map[string]string { // the status and other elements
		status, said, _ := strings.Cut(said, " ")
		return map[string]string{"feed.atom": takeout(`<entry><id>1</id><blogger:type>POST</blogger:type>` +
			`<title>A</title>` +
			`<content type='html'>x</content><blogger:status>` + status + `</blogger:status>` + said + `</entry>`)}
	},
	"Tumblr": func(said string) map[string]string {
		return map[string]string{"posts/posts.xml": `<tumblr><posts><post id="1" type="regular" ` + said +
			`><regular-title>A</regular-title><regular-body>x</regular-body></post></posts></tumblr>`}
	},
	"WriteFreely": func(said string) map[string]string {
		return map[string]string{"a.json": `{"username":"u","collections":[{"alias":"b","posts":[{` +
			`"id":"aaaaaaaaaa","title":"A","body":"x",` + said + `}]}]}`}
	},
	"WriteFreelyBlog": func(said string) map[string]string {
		return map[string]string{"a.json": `{"username":"u","collections":[{"alias":"b",` + said +
			`,"posts":[{"id":"aaaaaaaaaa","title":"A","slug":"a","body":"x"}]}]}`}
	},
	"Inkfeed": func(said string) map[string]string {
		return map[string]string{"inkfeed.json": `{"format":"inkfeed","version":1,"posts":[]}`,
			"posts/a.md": "---\ntitle: A\nid: abcdefghijkmnpqrstuvwxyz23\n" + said + "\n---\nText.\n"}
	},
}

// wxrOf returns an export of WordPress with a dated item.
func wxrOf(kind, said string) map[string]string {
	return map[string]string{"a.xml": wxr(`<item><title>A</title><content:encoded>x</content:encoded>` +
		`<wp:post_id>1</wp:post_id><wp:post_type>` + kind + `</wp:post_type><wp:post_date_gmt>2020-01-02 10:00:00` +
		`</wp:post_date_gmt>` + said + `</item>`)}
}

// statusLeftOut stands for a post, or a whole export, that is not imported.
const statusLeftOut = portable.Status("left out")

// yaml are the formats whose front matter is YAML.
const yaml = "Markdown Hugo Jekyll Hexo Eleventy Astro Obsidian Dendron Foam Inkfeed"

// visibilityTable says what audience a post gets: in which formats, what the export says, and the status. Statuses that
// only the author can see are all written as "draft".
var visibilityTable = []struct {
	formats string
	said    string
	want    portable.Status
}{
	// Misspelt, quoted and nested values.
	{yaml, "", portable.Published},
	{yaml, `draft: "true"`, portable.Draft},
	{yaml, "draft: ture", portable.Draft},
	{yaml, "draft: yes", portable.Draft},
	{yaml, "Draft: TRUE", portable.Draft},
	{yaml, "draft: [true]", portable.Draft},
	{yaml, "draft: {yes: true}", portable.Draft},
	{yaml, "draft: 2", portable.Draft},
	{yaml, "draft: 1", portable.Draft},
	{yaml, "draft: 0", portable.Published},
	{yaml, "draft: null", portable.Published},
	{yaml, "\"draft\u00a0\": true", portable.Draft},
	{yaml, "\u200bdraft: true", portable.Draft},
	{yaml, "dr\xffaft: true\nlayout: ž", portable.Draft},
	{yaml, "draft: true\ndraft: false", portable.Draft + "," + statusLeftOut},
	{yaml, "draft: true\nDraft: false", portable.Draft},
	{yaml, `published: "false"`, portable.Draft},
	{yaml, "published: flase", portable.Draft},
	{yaml, "published: 20200102", portable.Published},
	{yaml, "unpublished: true", portable.Draft},
	{yaml, "visibility: pubic", portable.Draft},
	{yaml, "visibility: 3", portable.Draft},
	{yaml, "visibility: [public]", portable.Draft},
	{yaml, "private: true", portable.Draft},
	{yaml, "hidden: yes", portable.Unlisted},
	{yaml, "unlisted: ture", portable.Draft},
	{yaml, "visible: false", portable.Unlisted},
	{yaml, "password: [hash]", portable.Draft},
	{yaml, "password: {a: b}", portable.Draft},
	{yaml, "trash: true", portable.Draft},
	{yaml, "wip: true", portable.Draft},
	{yaml, "workInProgress: true", portable.Draft},
	{yaml, "in-progress: yes", portable.Draft},
	{yaml, "unfinished: true", portable.Draft},
	{yaml, "noPublish: true", portable.Draft},
	{yaml, "isPublish: false", portable.Draft},
	{yaml, "isPublished: false", portable.Draft},
	{yaml, "enabled: false", portable.Draft},
	{yaml, "enabled: flase", portable.Draft},
	{yaml, "disabled: true", portable.Draft},
	{yaml, "live: false", portable.Draft},
	{yaml, "live: https://demo.example/", portable.Published},
	{yaml, "released: false", portable.Draft},
	{yaml, "released: 2019-03-04", portable.Published},
	{"Markdown Hugo Jekyll Hexo Eleventy Astro Obsidian", "released: 2099-03-04", portable.Draft},
	{yaml, "show: false", portable.Draft},
	{yaml, "show: {contents: true}", portable.Published},
	{yaml, "state: draft", portable.Draft},
	{yaml, "stage: draft", portable.Draft},
	{yaml, "stage: Writing it", portable.Draft},
	{yaml, "stage: seedling", portable.Published},
	{yaml, "state: published", portable.Published},
	{yaml, "params: {draft: ture}", portable.Draft},
	{yaml, "extra: {private: true}", portable.Draft},
	{yaml, "build: {list: [never]}", portable.Draft},
	{yaml, "title: [", portable.Draft + "," + statusLeftOut},
	{"Markdown Hugo Jekyll Obsidian Dendron Foam", `status: "Draft"`, portable.Draft},
	{"Markdown Hugo Jekyll Obsidian Dendron Foam", "status: 5", portable.Draft},
	{"Markdown Hugo Jekyll Obsidian Dendron Foam", "post_status: future", portable.Published}, // its date has passed
	{"Markdown Hugo Jekyll Obsidian Dendron Foam", "publishDate: next spring", portable.Draft},
	{"Markdown Hugo Jekyll Obsidian Dendron Foam", "publishDate: 2099-01-01", portable.Scheduled},
	{"Markdown Hugo Jekyll Obsidian Dendron Foam", "publishedAt: 2099-01-01", portable.Scheduled},
	{"Inkfeed", "status: pubic", statusLeftOut},
	{"Inkfeed", "status: Unlisted", statusLeftOut},
	{"Inkfeed", "status: [unlisted]", portable.Draft},
	{"Inkfeed", "status: unlisted", portable.Unlisted},
	{"Inkfeed", "status: unpublished", portable.Draft},
	{"Inkfeed", "publishDate: soon", statusLeftOut},
	{"Inkfeed", "publishDate: 2099-01-01\nprivate: true", portable.Draft},
	{"Inkfeed", "draft: true\npublishDate: 2099-01-01", portable.Draft},
	{"Inkfeed", "draft: true\nstatus: unpublished\npublishDate: 2099-01-01", portable.Draft},
	{"Inkfeed", "private: true\nstatus: unpublished\npublishDate: 2099-01-01", portable.Draft},
	{"Inkfeed", "unlisted: true\nstatus: unpublished", portable.Draft},
	{"Markdown", "]\ntitle: x", portable.Draft},
	{"Fenced", "json\n" + `{"title": "A", "draft": true}`, portable.Draft},
	{"Fenced", "json\n" + `{"title": "A"}`, portable.Published},
	{"Fenced", " JSON\n" + `{"title": "A"} x`, portable.Draft},
	{"Fenced", "js\n{title: 'A', draft: true}", portable.Draft},
	{"Fenced", "javascript\nconst draft = true", portable.Draft},
	{"Fenced", "toml\ndraft = true", portable.Draft},
	{"Fenced", "yml\ndraft: true", portable.Draft},
	{"Fenced", "coffee\ndraft: yes", portable.Draft},
	{"HugoTOML", "draft = true", portable.Draft},
	{"HugoTOML", "draft = ture", portable.Draft},
	{"HugoTOML", "draft = [true]", portable.Draft},
	{"HugoTOML", "build = {render = 'nevr'}", portable.Draft},
	{"HugoJSON", `"draft": true`, portable.Draft},
	{"HugoJSON", `"draft": 1`, portable.Draft},
	{"HugoJSON", `"draft": [1]`, portable.Draft},
	{"HugoJSON", `"draft": true,`, portable.Draft}, // not JSON
	{"HugoJSON", `"draft": false`, portable.Published},
	{"HugoSection", "cascade: {draft: true}", portable.Draft},
	{"HugoSection", "cascade: {draft: ture}", portable.Draft},
	{"HugoSection", "cascade: {params: {private: true}}", portable.Draft},
	{"HugoSection", "cascade: [{draft: true}", portable.Draft}, // not YAML
	{"HugoConfig", "languages: {en: {}, de: {disabled: true}}", portable.Draft},
	{"HugoConfig", "languages: {en: {}, de: {disabled: ture}}", portable.Draft},
	{"HugoConfig", "languages: {en: {}, de: {disabled: false}}", portable.Published},
	{"HugoConfig", "cascade: {draft: [", portable.Draft},
	{"HugoLanguage", "disabled: true", portable.Draft},
	{"HugoLanguage", "weight: 2", portable.Published},
	{"JekyllConfig", "defaults: [{values: {published: flase}}]", portable.Draft},
	{"JekyllConfig", "defaults: [{values: {published: false}}", portable.Draft}, // not YAML
	{"JekyllFile", "_drafts/a.md", portable.Draft},
	{"JekyllFile", "_posts/a.md", portable.Draft},
	{"JekyllFile", "_posts/2020-01-02-a.md", portable.Published},
	{"JekyllFile", "_posts/2099-01-02-a.md", portable.Scheduled},
	{"HexoText", "title: K\npublished: false\n---\nbody\n", portable.Draft},
	{"HexoText", "title: K\r\npublished: false\r\n-----\r\nbody\r\n", portable.Draft},
	{"HexoText", "title: K\n---\nbody\n", portable.Published},
	{"HexoText", "title: [\npublished: false\n---\nbody\n", portable.Draft},
	{"HexoText", "\"title\": \"K\",\n\"published\": false\n;;;\nbody\n", portable.Draft},
	{"HexoText", "\"title\": \"K\",\n\"published\": flase\n;;;\nbody\n", portable.Draft},
	{"HexoText", ";;;\n\"title\": \"K\",\n\"published\": false\n;;;\nbody\n", portable.Draft},
	{"HexoText", "A title\n---\nbody\n", portable.Published},
	{"HexoText", "A *text: and* more [of: it\n\n---\nbody\n", portable.Published},
	{"HexoFile", "_private/a.md", statusLeftOut},
	{"HexoFile", ".x/a.md", statusLeftOut},
	{"HexoFile", "b/_c/a.md", statusLeftOut},
	{"HexoFile", "b/.a.md", statusLeftOut},
	{"HexoFile", "b/a.md", portable.Published},
	{"HexoConfig", "encrypt: {tags: [{name: secret, password: x}]}", portable.Draft},
	{"HexoConfig", "encrypt: {tags: [{name: other, password: x}]}", portable.Published},
	{"HexoConfig", "encrypt: {tags: secret}", portable.Draft},
	{"HexoConfig", "hide_posts: {filter: concealed}", portable.Unlisted},
	{"HexoConfig", "hide_posts: {filter: other}", portable.Published},
	{"Eleventy", "permalink: false", portable.Draft},
	{"Eleventy", "eleventyExcludeFromCollections: true", portable.Unlisted},
	{"Eleventy", "eleventyExcludeFromCollections: [posts]", portable.Draft},
	{"Eleventy", "eleventyComputed: {draft: '{{ secret }}'}", portable.Draft},
	{"EleventyData", "draft: false", portable.Published},
	{"EleventyData", "draft: true", portable.Draft},
	{"EleventyData", "draft: isDraft", portable.Draft},
	{"EleventyData", "draft(data) { return true }", portable.Draft},
	{"EleventyData", "...require('./other')", portable.Draft},
	{"EleventyData", "permalink: false", portable.Draft},
	{"EleventyData", "permalink: (data) => data.old ? false : data.page.url", portable.Draft},
	{"EleventyData", "eleventyExcludeFromCollections: (data) => data.secret", portable.Draft},
	{"EleventyData", "eleventyComputed: () => x", portable.Draft},
	{"EleventyData", "eleventyComputed: { visibility: () => 'draft' }", portable.Draft},
	{"EleventyData", "layout: x", portable.Published},
	{"EleventyJSON", `{"draft": true}`, portable.Draft},
	{"EleventyJSON", `{"draft": true`, portable.Draft},
	{"EleventyJSON", `{"layout": "x"}`, portable.Published},
	{"Eleventy", `permalink: "{% if draft %}false{% endif %}"`, portable.Draft},
	{"Eleventy", "permalink: \"{{ 'false' if wip else page.url }}\"", portable.Draft},
	{"EleventyData", "permalink: (data) => data.old ? !1 : data.page.url", portable.Draft},
	{"EleventyInput", "draft: true", portable.Draft},
	{"EleventyInput", "layout: 'x'", portable.Published},
	{"EleventyLayout", "draft: true", portable.Draft},
	{"EleventyLayout", "permalink: false", portable.Draft},
	{"EleventyLayout", "eleventyExcludeFromCollections: true", portable.Unlisted},
	{"EleventyLayout", "draft: [", portable.Draft},
	{"EleventyLayout", "title: x", portable.Published},
	{"EleventyGlobal", "draft.json true", portable.Draft},
	{"EleventyGlobal", "draft.json false", portable.Published},
	{"EleventyGlobal", "draft.js export default true", portable.Draft},
	{"EleventyGlobal", "site.json {}", portable.Published},
	{"EleventyConfig", "", portable.Published},
	{"EleventyConfig", `c.addGlobalData("draft", true);`, portable.Draft},
	{"EleventyConfig", `c.addGlobalData("draft", false);`, portable.Published},
	{"EleventyConfig", `// c.addGlobalData("draft", true);`, portable.Published},
	{"EleventyConfig", `c.addGlobalData("draft", () => wip);`, portable.Draft},
	{"EleventyConfig", `c.addGlobalData(name, { draft: wip });`, portable.Draft},
	{"EleventyConfig", `c.addGlobalData("title", "draft");`, portable.Published},
	{"EleventyConfig", `c.addGlobalData("eleventyComputed.permalink", () => (d) => d.wip ? false : d.x);`,
		portable.Draft},
	{"EleventyConfig", `c.addGlobalData("eleventyComputed.permalink", () => (d) => d.draft ? false : d.x);`,
		portable.Published},
	{"EleventyConfig", `c.addGlobalData("eleventyComputed", { draft: (d) => d.wip });`, portable.Draft},
	{"EleventyConfig", `c.addPreprocessor("x", "md", (d) => { if (!d.live) return false });`, portable.Draft},
	{"EleventyConfig", `c.addPreprocessor("drafts", "md", (d) => { if (d.draft) return false });`, portable.Published},
	{"EleventyConfig", `c.addPreprocessor("x", "md", (d) => { if (d.draft || d.wip) return false });`, portable.Draft},
	{"EleventyConfig", `c.addPreprocessor("x", "md", (d, text) => text);`, portable.Published},
	{"EleventyConfig", `c.setDataFileBaseName("index");`, portable.Draft},
	{"EleventyConfig", `c.setDataFileSuffixes([".data", ""]);`, portable.Draft},
	{"EleventyConfig", `c.addDataExtension("yaml", (text) => yaml.load(text));`, portable.Draft},
	{"Zola", "draft = true", portable.Draft},
	{"Zola", `draft = "ture"`, portable.Draft},
	{"Zola", "render = false", portable.Draft},
	{"Zola", `render = "perhaps"`, portable.Draft},
	{"Zola", "[extra]\nprivate = true", portable.Draft},
	{"Zola", "draft = ", portable.Draft},
	{"ZolaSection", "draft = true", portable.Draft},
	{"ZolaSection", `draft = "ture"`, portable.Draft},
	{"ZolaSection", "draft = ", portable.Draft},
	{"ZolaSection", "draft = false", portable.Published},
	{"AstroSchema", "", portable.Published},
	{"AstroSchema", "schema: z.object({ title: z.string(), published: z.boolean().default(false) })", portable.Draft},
	{"AstroSchema", "schema: z.object({ draft: z.boolean().optional().default(true) })", portable.Draft},
	{"AstroSchema", "schema: z.object({ draft: z.boolean().default(isDraft()) })", portable.Draft},
	{"AstroSchema", "schema: z.object({ status: z.enum(['draft', 'live']).default('draft') })", portable.Draft},
	{"AstroSchema", "schema: base}); const base = z.object({ draft: z.boolean().default(true) })", portable.Draft},
	{"AstroSchema", "schema: z.object({ draft: z.boolean().default(false) })", portable.Published},
	{"AstroSchema", "loader: glob({ pattern: '**/*.{md,mdx}', base: './src/content/blog' })", portable.Published},
	{"AstroSchema", "loader: glob({ pattern: ['**/*.md', '!drafts/**'] })", portable.Draft},
	{"AstroSchema", "loader: glob({ pattern: 'posts/*.md', base: './src/content/blog' })", portable.Draft},
	{"AstroRoute", "getCollection('blog')", portable.Published},
	{"AstroRoute", "getCollection('blog', ({ data }) => data.live && !data.old)", portable.Published},
	{"AstroRoute", "getCollection('blog', ({ data }) => !data.draft && data.pubDate < new Date())", portable.Published},
	{"AstroRoute", "getCollection('blog', ({ data }) => import.meta.env.PROD ? data.draft !== true : true)",
		portable.Published},
	{"AstroRoute", "getCollection('blog', ({ data }) => data.ready)", portable.Draft},
	{"AstroRoute", "getCollection('blog', (post) => { return !post.data.live; })", portable.Draft},
	{"AstroRoute", "getCollection('blog', ({ data }) => data.stage > 2)", portable.Draft},
	{"AstroRoute", "getCollection('blog', ({ data: { ready } }) => ready)", portable.Draft},
	{"AstroRoute", "getCollection('blog', isPublic)", portable.Draft},
	{"AstroRoute", "getCollection('blog', ({ id }) => !id.startsWith('a'))", portable.Draft},
	{"AstroRoute", "(await getCollection('blog')).filter((p) => p.data.ready)", portable.Draft},
	{"AstroDefault", "true", portable.Published},
	{"AstroDefault", "false", portable.Draft},
	{"AstroHelper", "getCollection('blog', ({ data }) => !data.draft)", portable.Published},
	{"AstroHelper", "getCollection('blog', ({ data }) => data.ready)", portable.Draft},
	{"AstroHelper", "getCollection('other')", portable.Draft},
	{"MDX AstroMDX", "export const meta = { title: 'x', draft: true }", portable.Draft},
	{"MDX AstroMDX", "export const draft = true;", portable.Draft},
	{"MDX AstroMDX", "import x from './x'\nexport const published = false", portable.Draft},
	{"MDX AstroMDX", "export const meta = {\n  \"visibility\": 'members',\n}", portable.Draft},
	{"MDX AstroMDX", "export const draft: boolean = isDraft()", portable.Draft},
	{"MDX AstroMDX", "export { draft } from './meta'", portable.Draft},
	{"MDX AstroMDX", "export const meta = { title: 'x', draft: false }", portable.Published},
	{"MDX AstroMDX", "export const published = true;", portable.Published},
	{"Obsidian", "publish: false", portable.Draft},
	{"Obsidian", "dg-publish: flase", portable.Draft},
	{"Obsidian", "share: no", portable.Draft},
	{"Dendron", "nav_exclude: true", portable.Unlisted},
	{"Dendron", "nav_exclude: ture", portable.Draft},
	{"Logseq", "public:: false", portable.Draft},
	{"Logseq", "public:: flase", portable.Draft},
	{"Logseq", "private:: true", portable.Draft},
	{"Logseq", "public:: true", portable.Published},
	{"Notion", "Status: Draft", portable.Draft},
	{"Notion", "Status: Drafting it", portable.Draft},
	{"Notion", "Published: No", portable.Draft},
	{"Notion", "Private: Yes", portable.Draft},
	{"Notion", "Visibility: Team", portable.Draft},
	{"Notion", "Status: Published", portable.Published},
	{"Pelican", "", portable.Published},
	{"Pelican", "Status: published", portable.Published},
	{"Pelican", "Status: draft", portable.Draft},
	{"Pelican", "Status: Draft", portable.Draft},
	{"Pelican", "Status: drfat", portable.Draft},
	{"Pelican", "Status: hidden", portable.Unlisted},
	{"Pelican", "Status: skip", portable.Draft},
	{"Pelican", "Status: draft\nStatus: published", portable.Draft},
	{"Pelican", "Summary: In short\n    and long\nStatus: draft", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA = {'status': 'draft'}", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA = {'lang': 'en'}", portable.Published},
	{"PelicanConfig", "# DEFAULT_METADATA = {'status': 'draft'}", portable.Published},
	{"PelicanConfig", "DEFAULT_METADATA = {'a': {'b': 1}, 'status': 'draft'}", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA = {'status': STATUS}", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA = {**base}", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA = {'date': now()}", portable.Published},
	{"PelicanConfig", "DEFAULT_METADATA = dict(status='draft')", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA = base", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA = (('status', 'draft'),)", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA = {}\nDEFAULT_METADATA['status'] = 'draft'", portable.Draft},
	{"PelicanConfig", "if X:\n    DEFAULT_METADATA = {'status': 'draft'}", portable.Draft},
	{"PelicanConfig", "DEFAULT_METADATA: dict = {'status': 'draft'}", portable.Draft},
	{"PelicanConfig", "EXTRA_PATH_METADATA = {'a.md': {'status': 'draft'}}", portable.Draft},
	{"PelicanConfig", "EXTRA_PATH_METADATA = {'CNAME': {'path': 'CNAME'}}", portable.Published},
	{"PelicanConfig", "PATH_METADATA = r'(?P<status>\\w+)/.*'", portable.Draft},
	{"PelicanConfig", "FILENAME_METADATA = '(?P<status>.*)'", portable.Draft},
	{"PelicanConfig", "FILENAME_METADATA = r'(?P<slug>.*)'", portable.Published},
	{"PelicanFuture", "", portable.Published},
	{"PelicanFuture", "WITH_FUTURE_DATES = True", portable.Published},
	{"PelicanFuture", "WITH_FUTURE_DATES = False", portable.Scheduled},
	{"PelicanFuture", "WITH_FUTURE_DATES = not DEBUG", portable.Scheduled},
	{"PelicanFuture", "if X:\n    WITH_FUTURE_DATES = False", portable.Scheduled},
	{"Pelican", "  Status: draft", portable.Draft},
	{"Pelican", "Status:draft", portable.Draft},
	{"WordPress", "<wp:status>publish</wp:status>", portable.Published},
	{"WordPressBlock", `{"layout":{"type":"constrained"},"className":"wide"}`, portable.Published},
	{"WordPressBlock", `{"otterConditions":[[{"type":"loggedInUser"}]]}`, portable.Draft},
	{"WordPressBlock", `{"contentControls":{"enabled":true,"rules":{"user":{"userStatus":"logged_in"}}}}`,
		portable.Draft},
	{"WordPressBlock", `{"userRole":"editor"}`, portable.Draft},
	{"WordPressBlock", `{"allowedRoles":["editor"]}`, portable.Draft},
	{"WordPressBlock", `{"blockVisibilityRules":{"x":1}}`, portable.Draft},
	{"WordPressBlock", `{"displayCondition":{"conditions":[1]}}`, portable.Draft},
	{"WordPressBlock", `{"visibleTo":"members"}`, portable.Draft},
	{"WordPressBlock", `{"hideBlock":true}`, portable.Draft},
	{"WordPressBlock", `{"advgbBlockControls":1}`, portable.Draft},
	{"WordPressBlock", `{"otterConditions":[],"userRole":"","hideBlock":false}`, portable.Published},
	{"WordPressPage", "<wp:status>publish</wp:status>", portable.Unlisted},
	{"WordPressPage", "<wp:status>private</wp:status>", portable.Draft},
	{"WordPress", "<wp:status>draft</wp:status>", portable.Draft},
	{"WordPress", "<wp:status>pending</wp:status>", portable.Draft},
	{"WordPress", "<wp:status>auto-draft</wp:status>", portable.Draft},
	{"WordPress", "<wp:status>private</wp:status>", portable.Draft},
	{"WordPress", "<wp:status>trash</wp:status>", statusLeftOut},
	{"WordPress", "<wp:status>inherit</wp:status>", statusLeftOut},
	{"WordPress", "<wp:status>Publish</wp:status>", statusLeftOut},
	{"WordPress", "<wp:status>wc-archived</wp:status>", statusLeftOut},
	{"WordPress", "", portable.Draft},
	{"WordPress", "<wp:status></wp:status>", portable.Draft},
	{"WordPress", "<wp:status>publish</wp:status><wp:post_password>x</wp:post_password>",
		portable.Draft},
	{"WordPress", "<wp:status>publish</wp:status><wp:postmeta><wp:meta_key>" +
		"_jetpack_newsletter_access</wp:meta_key><wp:meta_value>subscribers</wp:meta_value></wp:postmeta>",
		portable.Draft},
	{"WordPress", "<wp:status>publish</wp:status><wp:postmeta><wp:meta_key>_jetpack_newsletter_access</wp:meta_key>" +
		"<wp:meta_value></wp:meta_value></wp:postmeta><wp:postmeta><wp:meta_key>_members_access_role</wp:meta_key>" +
		"<wp:meta_value>subscriber</wp:meta_value></wp:postmeta>", portable.Draft},
	{"WordPress", "<wp:status>future</wp:status>", portable.Published}, // it has passed
	{"WordPressUndated", "<wp:status>future</wp:status>", portable.Draft},
	{"WordPressUndated", "<wp:status>future</wp:status><wp:post_date_gmt>2099-13-02</wp:post_date_gmt>",
		portable.Draft},
	{"WordPressUndated", "<wp:status>future</wp:status><wp:post_date_gmt>2099-01-02 00:00:00</wp:post_date_gmt>",
		portable.Scheduled},
	{"Ghost", `"status":"published"`, portable.Published},
	{"Ghost", `"status":"draft"`, portable.Draft},
	{"Ghost", `"status":"Published"`, portable.Draft},
	{"Ghost", `"status":null`, portable.Draft},
	{"Ghost", `"status":5`, statusLeftOut},
	{"Ghost", `"type":"post"`, portable.Draft},
	{"Ghost", `"status":"sent"`, portable.Unlisted},
	{"Ghost", `"status":"scheduled"`, portable.Draft},
	{"Ghost", `"status":"scheduled","published_at":"soon"`, portable.Draft},
	{"Ghost", `"status":"scheduled","published_at":"2099-01-01T00:00:00Z"`, portable.Scheduled},
	{"Ghost", `"status":"published","visibility":"public"`, portable.Published},
	{"Ghost", `"status":"published","visibility":"members"`, portable.Draft},
	{"Ghost", `"status":"published","visibility":"paid"`, portable.Draft},
	{"Ghost", `"status":"published","visibility":"tiers"`, portable.Draft},
	{"Ghost", `"status":"published","visibility":"pubic"`, portable.Draft},
	{"Ghost", `"status":"scheduled","published_at":"2099-01-01T00:00:00Z","visibility":"paid"`, portable.Draft},
	{"Ghost", `"status":"published","page":1`, portable.Unlisted},
	{"Ghost", `"status":"published","page":"true"`, portable.Unlisted},
	{"Ghost", `"status":"published","type":"page"`, portable.Unlisted},
	{"Ghost", `"status":"published","type":"email"`, portable.Unlisted},
	{"GhostSetting", `{"key":"is_private","value":true}`, portable.Draft},
	{"GhostSetting", `{"key":"is_private","value":"true"}`, portable.Draft},
	{"GhostSetting", `{"key":"is_private","value":"false"}`, portable.Published},
	{"Substack", "1.a,2020-01-02,true,newsletter,everyone,A", portable.Published},
	{"Substack", "1.a,2020-01-02,TRUE,newsletter,everyone,A", portable.Published},
	{"Substack", "1.a,2020-01-02,false,newsletter,everyone,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,ture,newsletter,everyone,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,,newsletter,everyone,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,true,newsletter,only_paid,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,true,newsletter,only_free,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,true,newsletter,founding,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,true,newsletter,Everybody,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,true,newsletter,,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,true,newsletter,everyone,A,B", portable.Draft}, // a comma too many
	{"Substack", "1.a,2020-01-02,true,secret,everyone,A", portable.Draft},
	{"Substack", "1.a,2020-01-02,true,page,everyone,A", portable.Unlisted},
	{"Medium", "2020-01-02", portable.Published},
	{"Medium", "draft", portable.Draft},
	{"Medium", "Draft", statusLeftOut},
	{"Blogger", "", portable.Published},
	{"Blogger", "<app:control><app:draft>yes</app:draft></app:control>", portable.Draft},
	{"Blogger", "<app:control><app:draft> Yes\n</app:draft></app:control>", portable.Draft},
	{"Blogger", "<app:control><app:draft>true</app:draft></app:control>", portable.Draft},
	{"Blogger", "<app:control><app:draft>no</app:draft></app:control>", portable.Published},
	{"Takeout", "LIVE", portable.Published},
	{"Takeout", "live", portable.Draft},
	{"Takeout", "DRAFT", portable.Draft},
	{"Takeout", "SCHEDULED", portable.Draft},
	{"Takeout", "SCHEDULED <published>2099-01-01T00:00:00Z</published>", portable.Scheduled},
	{"Takeout", "SOFT_TRASHED", statusLeftOut},
	{"Takeout", "LIVE <blogger:trashed>2020-01-02T00:00:00Z</blogger:trashed>", statusLeftOut},
	{"Takeout", "HIDDEN", portable.Draft},
	{"Tumblr", "", portable.Published},
	{"Tumblr", `state="published"`, portable.Published},
	{"Tumblr", `state="private"`, portable.Draft},
	{"Tumblr", `state="queued"`, portable.Draft},
	{"Tumblr", `state="draft"`, portable.Draft},
	{"Tumblr", `state="submission"`, portable.Draft},
	{"Tumblr", `state="pubished"`, portable.Draft},
	{"Tumblr", `private="true" state="published"`, portable.Draft},
	{"Tumblr", `private="1"`, portable.Draft},
	{"Tumblr", `private="TRUE"`, portable.Draft},
	{"WriteFreely", `"slug":"a"`, portable.Published},
	{"WriteFreely", `"slug":null`, portable.Draft},
	{"WriteFreely", `"slug":5`, statusLeftOut},
	{"WriteFreely", `"slug":"a","created":"2099-01-01T00:00:00Z"`, portable.Scheduled},
	{"WriteFreely", `"slug":"a","body":"x<!--paid-->y"`, portable.Draft},
	{"WriteFreelyBlog", `"public":true`, portable.Published},
	{"WriteFreelyBlog", `"public":false`, portable.Draft}, // unlisted, private or with a password
	{"WriteFreelyBlog", `"public":"no"`, statusLeftOut},
}

func TestWhatAnExportSaysAboutVisibilityIsFollowed(t *testing.T) {
	for _, row := range visibilityTable {
		for _, format := range strings.Fields(row.formats) {
			t.Run(format+"/"+row.said, func(t *testing.T) {
				got := statusOf(t, exportOf[format](row.said))
				if !slices.Contains(strings.Split(string(row.want), ","), string(got)) {
					t.Errorf("the post is %q, want %q", got, row.want)
				}
			})
		}
	}
}

// statusOf returns the status of the only post in an export.
func statusOf(t *testing.T, files map[string]string) portable.Status {
	t.Helper()
	b, err := formats.Read([]fs.FS{folder(files)}, now)
	switch {
	case err != nil:
		return statusLeftOut
	case len(b.Posts) == 0 && len(b.Problems) == 0:
		t.Fatal("the post is left out without a report")
	case len(b.Posts) == 0:
		return statusLeftOut
	case len(b.Posts) > 1:
		t.Errorf("%d posts", len(b.Posts))
	case b.Posts[0].Status == portable.Unpublished:
		return portable.Draft
	}
	return b.Posts[0].Status
}
