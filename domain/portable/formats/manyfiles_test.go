package formats_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// files returns files whose names and contents have their number in place of "%".
func files(n int, name, content string) map[string]string {
	all := make(map[string]string, n)
	for i := range n {
		number := strings.NewReplacer("%", fmt.Sprint(i))
		all[number.Replace(name)] = number.Replace(content)
	}
	return all
}

// repeated returns a text n times, with its number in place of "%".
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "%", fmt.Sprint(i)))
	}
	return b.String()
}

const notionID = "0123456789abcdef0123456789abcdef"

// TestManyFilesAndRowsCostABoundedAmount reads uploads whose files or rows refer to many others.
func TestManyFilesAndRowsCostABoundedAmount(t *testing.T) {
	aliases := "---\naliases: [" + repeated(20, "/x%,") + "]\n---\n" + strings.Repeat("[a](../%) ", 10)
	for name, upload := range map[string]struct{ many, one map[string]string }{
		"links to one of many notes with the same name": {files(1000, "d%/a.md", "x"),
			map[string]string{".obsidian/app.json": "", "b.md": repeated(3000, "[[b%/a]]")}},
		"notes that link to their own name": {files(2000, "d%/a.md", "[[a]] ![[x.png]]"),
			map[string]string{".obsidian/app.json": ""}},
		"pages of Logseq in namespaces": {files(1000, "pages/a___b%.md", "- [[a/b]]\n\t- b:: c"),
			map[string]string{"logseq/config.edn": ""}},
		"posts of Hugo with aliases": {files(500, "content/p/%.md", aliases), map[string]string{"hugo.toml": ""}},
		"posts of one series": {files(1000, "content/p/%.md", "---\nseries: [s]\n---\nx"),
			map[string]string{"hugo.toml": ""}},
		"a configuration with many languages": {files(300, "content/p/%.l%.md", "x"),
			map[string]string{"hugo.toml": repeated(900, "[languages.l%]\nweight=1\n")}},
		"a page with many resources": {files(3000, "content/p/a/%.png", ""),
			map[string]string{"hugo.toml": "", "content/p/a/index.md": repeated(1000, "![](%.png)")}},
		"taxonomies of Zola": {
			files(500, "content/a%.md", "+++\n[taxonomies]\ntags=["+repeated(30, "'t%',")+"]\n+++\nx"),
			map[string]string{"config.toml": "base_url='/'\ntaxonomies=[{name='tags'}]"}},
		"categories of Jekyll": {
			files(800, "_posts/2020-01-02-a%.md", "---\ncategories: ["+repeated(30, "c%,")+"]\n---\nx"),
			map[string]string{"_config.yml": "permalink: /:categories/:title/\n"}},
		"pages of Notion in folders": {files(1000, "A "+notionID+"/B% "+notionID+".md", "# B\n\n[x](B%20/B.md)"), nil},
		"tags of Ghost": {nil, map[string]string{"a.json": `{"db":[{"data":{"posts":[` + repeated(300, `{"id":"%"},`) +
			`{}],"tags":[` + repeated(300, `{"id":"%","name":"t%"},`) + `{}],"posts_tags":[` +
			repeated(9000, `{"post_id":"1","tag_id":"%"},`) + `{}]}}]}`}},
		"attachments of WordPress": {nil, map[string]string{"a.xml": `<rss xmlns:wp="w" xmlns:content="c"><channel>` +
			repeated(2000, `<item><wp:post_type>attachment</wp:post_type><wp:attachment_url>http://a/%.png`+
				`</wp:attachment_url></item>`) + `<item><wp:post_type>post</wp:post_type><content:encoded><![CDATA[` +
			repeated(1000, `<img src="http://a/%.png">`) + `]]></content:encoded></item></channel></rss>`}},
		"footnotes and references": {nil, map[string]string{"a.md": repeated(3000, "a[^%] [x][%] ") + "\n\n" +
			repeated(3000, "[^%]: b\n\n[%]: /a%\n\n")}},
		"rows of a table without files": {nil, map[string]string{"posts/1.a.html": "x",
			"posts.csv": "post_id,is_published,title\n" + repeated(5000, "%.a,true,A\n")}},
	} {
		all := maps.Clone(upload.one)
		if all == nil {
			all = make(map[string]string)
		}
		maps.Copy(all, upload.many)
		checkCost(t, name, all)
	}
}
