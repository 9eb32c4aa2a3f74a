package importing_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"inkfeed/domain/markdown"
)

var (
	hrefs = regexp.MustCompile(`href="([^"#]*)#([^"]+)"`)
	ids   = regexp.MustCompile(` id="([^"]+)"`)
)

// Every link with a fragment, within a post or to another post, leads to an id of the target's page.
func TestLinksWithFragmentsLeadToTheirPlacesAfterAnImport(t *testing.T) {
	const sections = "# Getting *started*\n\ntext\n\n## A & B\n\ntext\n\n## Über uns 🎉\n\ntext\n\n## FAQ " +
		"{#questions}\n\ntext\n\n" +
		"## Usage\n\n## Usage\n\n<a name=\"old-place\"></a>Text with <span id=\"inner\">a span</span>.\n\n<div " +
		"id=\"boxed\">A box. <a href=\"#boxed\">here</a></div>\n\n" +
		"### 日本語の見出し\n\ntext\n"
	const within = "[1](#getting-started) [2](#a--b) [3](#über-uns-) [4](#questions) [5](#usage-1) [6](#old-place) " +
		"[7](#inner) [8](#日本語の見出し) [9](#%C3%BCber-uns-)\n\n"
	across := func(address string) string { return strings.ReplaceAll(within, "(#", "("+address+"#") }
	html := `<p><a href="#setup">1</a> <a href="#custom">2</a> <a href="#fn-a">3</a> <a href="#row">4</a>` +
		` <a href="#a-b">5</a></p>
<h2 id="setup">Setup</h2><p>text</p><h2 id="custom">Another <em>title</em></h2><p id="p">text</p><h2 id="a-b">` +
		`A &amp; B</h2>
<p><a name="fn-a"></a>note</p><ul><li id="row">row</li></ul>`
	htmlAcross := func(address string) string {
		return strings.ReplaceAll(html[:strings.Index(html, "</p>")+4], `"#`, `"`+address+"#")
	}
	item := func(n int, slug, title, content string) string {
		return fmt.Sprintf(`<item><title>%s</title><link>https://ada.example/%s/</link><content:encoded>`+
			`<![CDATA[%s]]></content:encoded>
<wp:post_id>%d</wp:post_id><wp:post_date_gmt>2020-01-0%d 08:00:00</wp:post_date_gmt><wp:post_name>`+
			`%s</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>`,
			title, slug, content, n, n, slug)
	}
	quoted := func(s string) string { return strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(s) }
	for name, c := range map[string]struct {
		source map[string]string
		links  int // with fragments on the pages, except those that the renderer adds
	}{
		"Hugo": {map[string]string{"hugo.toml": "baseURL = 'https://ada.example'",
			"content/posts/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\n" + within + sections,
			"content/posts/two.md": "---\ntitle: Two\ndate: 2020-01-02\n---\n" + across("/posts/one/") +
				across("../one") + across("one.md")}, 37},
		"Jekyll": {map[string]string{"_config.yml": "url: https://ada.example\n",
			"_posts/2020-01-01-one.md": "---\ntitle: One\n---\n" + within + sections +
				"\nSetext\n------\n\n## Moved {: #away}\n\n## Left\n{: #gone .x}\n\nA paragraph.\n{: " +
				"#here}\n\n[a](#setext) [b](#away) [c](#gone) [d](#here)\n",
			"_posts/2020-01-02-two.md": "---\ntitle: Two\n---\n" + across("/2020/01/01/one.html")}, 23},
		"Markdown": {map[string]string{"one.md": "# One\n\n" + within + sections, "two.md": "# Two\n\n" +
			across("one.md")}, 19},
		"WordPress": {map[string]string{"export.xml": `<?xml version="1.0"?><rss version="2.0" ` +
			`xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">` +
			`<channel>
<title>Ada</title><link>https://ada.example</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>` +
			`https://ada.example</wp:base_blog_url>` +
			item(1, "one", "One", html) + item(2, "two", "Two", htmlAcross("https://ada.example/one/")) +
			`</channel></rss>`}, 10},
		"Ghost": {map[string]string{"ghost.json": `{"db":[{"meta":{"version":"5.0.0"},"data":{"posts":[
{"id":"1","title":"One","slug":"one",` +
			`"html":"` + quoted(html) + `","type":"post","status":"published","visibility":"public",` +
			`"published_at":"2021-01-01T00:00:00.000Z"},
{"id":"2","title":"Two","slug":"two","html":"` + quoted(htmlAcross("__GHOST_URL__/one/")) +
			`","type":"post","status":"published","visibility":"public",` +
			`"published_at":"2021-01-02T00:00:00.000Z"}]}}]}`}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			m := newStore()
			mustImport(t, m, c.source)
			markdown, links := markdown.New(), 0
			pages := map[string]string{}
			for _, p := range m.posts {
				pages[p.Path()] = markdown.HTML(p.Content)
			}
			for at, page := range pages {
				has := map[string]bool{}
				for _, found := range hrefs.FindAllStringSubmatch(anchors.ReplaceAllString(page, ""), -1) {
					links++
					target, known := pages[found[1]]
					if found[1] == "" {
						target, known = page, true
					}
					clear(has)
					for _, id := range ids.FindAllStringSubmatch(target, -1) {
						has[id[1]] = true
					}
					if id, err := url.PathUnescape(found[2]); err != nil || !known || !has[id] {
						t.Errorf("%s: a link leads to %s#%s: %v", at, found[1], found[2], has)
					}
				}
			}
			if links != c.links {
				t.Errorf("%d links have fragments, want %d: %v", links, c.links, pages)
			}
		})
	}
}

var anchors = regexp.MustCompile(`<a class="anchor" [^>]*>`)
