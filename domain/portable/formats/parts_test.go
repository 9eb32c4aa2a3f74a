package formats_test

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// wxrPost returns a published post of WordPress.
func wxrPost(id int, title, content string, more ...string) string {
	return fmt.Sprintf(`<item><title>%s</title><link>https://harbour.example/p%d/</link><content:encoded><![CDATA[%s`+
		`]]></content:encoded><wp:post_id>%d</wp:post_id><wp:post_date_gmt>2012-05-01 08:00:00</wp:post_date_gmt>`+
		`<wp:status>publish</wp:status><wp:post_type>post</wp:post_type>%s</item>`, title, id, content, id,
		strings.Join(more, ""))
}

// titles returns the titles of a blog's posts in one text.
func titles(b *portable.Blog) string {
	var all []string
	for _, p := range b.Posts {
		all = append(all, p.Title)
	}
	return strings.Join(all, ", ")
}

func ghostFile(title, slug, more string) string {
	return `{"db":[{"data":{"posts":[{"uuid":"` + slug + `","title":"` + slug + `","slug":"` + slug +
		`","status":"published","html":"<p><a href='/b/'>x</a></p>","published_at":"2024-02-01T10:00:00.000Z"` + more +
		`}],"settings":[{"key":"title","value":"` + title + `"}]}}]}`
}

func TestExportInSeveralFilesIsReadAsOneBlog(t *testing.T) {
	t.Run("of WordPress, with links, pictures and authors across the files", func(t *testing.T) {
		b := read(t, map[string]string{
			"blog.000.xml": wxr(`<wp:author><wp:author_login>ann</wp:author_login><wp:author_display_name>Ann Hill` +
				`</wp:author_display_name></wp:author>` + wxrPost(1, "One",
				`<a href="https://harbour.example/p2/">two</a> [gallery ids="7"]`, `<dc:creator>bob</dc:creator>`)),
			"blog.001.xml": wxr(`<wp:author><wp:author_login>bob</wp:author_login><wp:author_display_name>Bob`+
				`</wp:author_display_name></wp:author>`, wxrPost(2, "Two", "b", `<dc:creator>ann</dc:creator>`),
				attached("7", "0", "x.jpg", "X", "", "1")),
		})
		equal(t, "the posts", titles(b), "One, Two")
		contains(t, find(t, b, "One").Content, "![X](https://harbour.files.example/2012/05/x.jpg)")
		if to, _ := leads(t, b, "One", "https://harbour.example/p2/"); to != "Two" {
			t.Errorf("the link leads to %q", to)
		}
		equal(t, "the names of bob", strings.Join(b.Names["bob"], " "), "Bob")
		equal(t, "the key", b.Posts[1].Key, "wordpress:https://harbour.example#2")
	})
	t.Run("of Ghost", func(t *testing.T) {
		b := read(t, map[string]string{"a.json": ghostFile("T", "a", ""), "b.json": ghostFile("T", "b", "")})
		equal(t, "the posts", titles(b), "a, b")
		if to, _ := leads(t, b, "a", "/b/"); to != "b" || len(b.Problems) > 0 {
			t.Errorf("the link leads to %q, problems %v", to, b.Problems)
		}
	})
	t.Run("of WriteFreely and Tumblr", func(t *testing.T) {
		equal(t, "the posts", titles(read(t, map[string]string{
			"a.json": `{"posts":[{"id":"a","title":"A","body":"x"}]}`,
			"b.json": `[{"id":"b","title":"B","body":"x","collection":{"alias":"y"}}]`})), "A, B")
		equal(t, "the posts", titles(read(t, map[string]string{
			"a.xml": `<tumblr><posts><post id="1"><regular-title>A</regular-title></post></posts></tumblr>`,
			"b.xml": `<tumblr><posts><post id="2"><regular-title>B</regular-title></post></posts></tumblr>`})), "A, B")
	})
	t.Run("and a post in several files is imported once, in its latest version", func(t *testing.T) {
		b := read(t, map[string]string{"old.json": ghostFile("T", "a", ""),
			"new.json": ghostFile("T", "a", `,"updated_at":"2025-02-01T10:00:00.000Z","status":"draft"`)})
		statuses(t, b, map[string]portable.Status{"a": portable.Draft})
		reports(t, b, "1 post is in several files of the export: its latest version is imported")
		b = read(t, map[string]string{"1.json": ghostFile("T", "a", `,"status":"draft"`),
			"2.json": ghostFile("T", "a", "")})
		statuses(t, b, map[string]portable.Status{"a": portable.Draft})
	})
}

func TestPostThatOneOfSeveralFilesHidesStaysHidden(t *testing.T) {
	const scheduled = `,"status":"scheduled","published_at":"2999-01-02T10:00:00.000Z"`
	trash := wxrPost(1, "One", "a", `<wp:status>trash</wp:status>`+
		`<wp:post_modified_gmt>2013-05-01 08:00:00</wp:post_modified_gmt>`)
	live := takeout(takeoutEntry("1", "POST", "LIVE", "2019-01-02T03:04:05Z", `<title>A spring</title>`), "", "")
	refers := wxrPost(2, "Two", `<p>Text</p><!-- wp:block {"ref":7} /-->`)
	for name, c := range map[string]struct {
		files map[string]string
		posts string
		want  portable.Status
	}{
		"scheduled before, and a draft later": {map[string]string{"a.json": ghostFile("T", "a", scheduled),
			"b.json": ghostFile("T", "a", `,"status":"draft","updated_at":"2025-02-01T10:00:00.000Z"`)}, "a",
			portable.Draft},
		"published before, and in the trash later": {map[string]string{"a.xml": wxr(wxrPost(1, "One", "a"),
			wxrPost(2, "Two", "b")), "b.xml": wxr(trash)}, "Two", portable.Published},
		"in the trash before, and published later": {map[string]string{"a.xml": wxr(wxrPost(1, "One", "a",
			`<wp:post_modified_gmt>2014-05-01 08:00:00</wp:post_modified_gmt>`)), "b.xml": wxr(trash)}, "One",
			portable.Published},
		"of Blogger, in the trash": {map[string]string{"Takeout/Blogger/Blogs/A/feed.atom": live,
			"Takeout/Blogger/Blogs/A/2/feed.atom": strings.ReplaceAll(live, "LIVE", "SOFT_TRASHED")}, "", ""},
		"a pattern that is private in one file": {map[string]string{
			"a.xml": wxr(syncedPattern(7, "<p>Secret</p>", "private")),
			"b.xml": wxr(syncedPattern(7, "<p>Secret</p>", "publish"), refers)}, "Two", portable.Published},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			equal(t, "the posts", titles(b), c.posts)
			for _, p := range b.Posts {
				if p.Status != c.want || strings.Contains(p.Content, "Secret") {
					t.Errorf("%s is %s: %s", p.Title, p.Status, p.Content)
				}
			}
		})
	}
}

func TestBlogsOfOneTakeoutKeepTheirAddresses(t *testing.T) {
	feed := func(blog, private string) string {
		entry := func(id, title, file, link string) string {
			return strings.ReplaceAll(takeoutEntry(id, "POST", "LIVE", "2019-01-02T03:04:05Z", `<title>`+title+blog+
				`</title><blogger:filename>`+file+`</blogger:filename><content>&lt;a href="`+link+`"&gt;x&lt;/a&gt;`+
				`</content>`), "blog-9", "blog-"+blog)
		}
		return takeout(entry("1"+blog, "About ", "/p/about.html", "https://"+blog+".example/p/home.html"),
			entry("2"+blog, "Home ", "/p/home.html", "https://"+blog+".example/p/about.html"), private)
	}
	b := read(t, map[string]string{"Takeout/Blogger/Blogs/A/feed.atom": feed("a", ""),
		"Takeout/Blogger/Blogs/B/feed.atom": feed("b", `<entry><id>tag:x.BLOG_READ_ACCESS_MODE</id>`+
			`<blogger:type>SETTINGS</blogger:type><content>READERS</content></entry>`)})
	equal(t, "the posts", titles(b), "About a, Home a, About b, Home b")
	statuses(t, b, map[string]portable.Status{"Home a": portable.Published,
		"About a": portable.Published, "About b": portable.Draft, "Home b": portable.Draft})
	for from, to := range map[string]string{"Home a": "About a", "Home b": "About b"} {
		for _, address := range []string{"/p/about.html", "https://" + from[5:] + ".example/p/about.html"} {
			if post, _ := leads(t, b, from, address); post != to {
				t.Errorf("%s in %s leads to %q", address, from, post)
			}
		}
	}
}

func TestFilesThatAreNotImportedAreNamed(t *testing.T) {
	two := wxr(wxrPost(1, "One", "a"), wxrPost(2, "Two", "b"))
	for name, c := range map[string]struct {
		files map[string]string
		posts string
		want  []string
	}{
		"an export of another blog": {map[string]string{"a.xml": two,
			"b.xml": strings.ReplaceAll(wxr(wxrPost(1, "Other", "c")), "harbour.", "quay.")}, "One, Two",
			[]string{"another blog was left out, which can be imported on its own: WordPress (1, such as b.xml)"}},
		"an export of another blog of Ghost": {map[string]string{"a.json": ghostFile("A", "a", ""),
			"b.json": ghostFile("B", "b", "")}, "a", []string{"on its own: Ghost (1, such as b.json)"}},
		"an export of another program": {map[string]string{"a.json": ghostFile("A", "a", ""), "b.xml": two},
			"One, Two", []string{"on its own: Ghost (1, such as a.json)"}},
		"texts beside an export": {map[string]string{"b.xml": two, "a.md": "# A\n\nx", "README.md": "x"},
			"One, Two", []string{"on its own: Markdown (2, such as README.md, a.md)"}},
		"an export beside more texts": {map[string]string{"hugo.toml": "", "old/b.xml": wxr(wxrPost(1, "One", "a")),
			"content/posts/a.md": "# A\n\nx", "content/posts/b.md": "# B\n\nx", "data/x.json": "{}"}, "A, B",
			[]string{"on its own: WordPress (1, such as old/b.xml)"}},
		"a README beside an export": {map[string]string{"b.xml": two, "README.md": "x"}, "One, Two",
			[]string{"left out: files that are not part of a known export (1, such as README.md)"}},
		"a damaged part": {map[string]string{"b.xml": two, "c.xml": two[:len(two)-200]}, "One, Two",
			[]string{"left out: it is not a valid export of WordPress: XML syntax error on line 4: unexpected EOF " +
				"(1, such as c.xml)"}},
		"files of unknown forms": {map[string]string{"b.xml": two, "sitemap.xml": "<urlset></urlset>",
			"x.json": `{"a":1}`, "y.json": "{", "z.zip": "PK", "a/b/c/d/e.json": "{}"}, "One, Two",
			[]string{"such as sitemap.xml", "(3, such as a/b/c/d/e.json, x.json, z.zip)",
				"left out: it is not valid JSON: unexpected end of JSON input (1, such as y.json)"}},
		"files beside an export of Inkfeed": {map[string]string{"b.xml": two, "x/inkfeed.json": "{}",
			"inkfeed.json": `{"format":"inkfeed","version":1,"posts":[]}`}, "",
			[]string{"(2, such as b.xml, x/inkfeed.json)"}},
		"a second table of Substack": {map[string]string{
			"a/posts.csv": "post_id,is_published,title\n1.a,true,A\n", "a/posts/1.a.html": "x",
			"b/posts.csv": "post_id,is_published,title\n1.a,true,B\n", "b/posts/1.a.html": "x"}, "A",
			[]string{"(1, such as b/posts.csv)"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			equal(t, "the posts", titles(b), c.posts)
			reports(t, b, c.want...)
		})
	}
	t.Run("and so are other parts beside a single file", func(t *testing.T) {
		dir := t.TempDir()
		for name, text := range map[string]string{"blog.000.xml": two, "blog.001.xml": two, "blog.xml": "",
			"x.xml": "", "blog.001.txt": ""} {
			if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b, closeBlog, err := formats.Open(dir+"/blog.000.xml", portable.Options{}, now)
		if err != nil {
			t.Fatal(err)
		}
		defer closeBlog()
		reports(t, b, "only blog.000.xml was read: to import the files beside it, too, such as blog.001.xml, "+
			"blog.xml, import their folder")
	})
}

func TestExportOfManyFilesCostsABoundedAmount(t *testing.T) {
	many := map[string]string{}
	for i := range 2000 {
		many[strconv.Itoa(i)+".json"] = `{"a":` + strconv.Itoa(i) + strings.Repeat("}", i%200)
		many["a/b/c/d/"+strconv.Itoa(i)+".json"] = ""
	}
	for name, text := range map[string]string{"WordPress": wxr(wxrPost(1, "One", "a")),
		"sites": `<rss xmlns:wp="w"><channel><link>https://a%.example</link><item>` +
			`<wp:post_type>post</wp:post_type></item></channel></rss>`} {
		for i := range 1000 {
			many[name+strconv.Itoa(i)+".xml"] = strings.ReplaceAll(text, "%", strconv.Itoa(i))
		}
	}
	checkCost(t, "many files", many)
	b, err := formats.Read([]fs.FS{folder(many)}, now)
	if err != nil || len(b.Problems) > 1200 {
		t.Errorf("%d problems, error %v", len(b.Problems), err)
	}
}
