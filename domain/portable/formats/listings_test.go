package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

// listingsOf reads a blog from files and returns its listings by their addresses.
func listingsOf(t *testing.T, files map[string]string) map[string]portable.Listing {
	t.Helper()
	return byAddress(read(t, files))
}

func byAddress(b *portable.Blog) map[string]portable.Listing {
	all := make(map[string]portable.Listing)
	for _, l := range b.Listings() {
		address := l.Path
		l.Path = ""
		all[address] = l
	}
	return all
}

func TestListingsOfTheOldBlog(t *testing.T) {
	post := func(title, more string) string {
		return "---\ntitle: " + title + "\ndate: 2019-05-06\n" + more + "\n---\nText.\n"
	}
	t.Run("include the prefixes of the site and its languages", func(t *testing.T) {
		all := listingsOf(t, map[string]string{
			"hugo.toml": "baseURL = 'https://a.example/blog/'\ndefaultContentLanguage = " +
				"'en'\n[languages.en]\n[languages.fr]\n",
			"content/essays/one.md":      post("One", "tags: [Big Data]"),
			"content/essays/deux.fr.md":  post("Deux", ""),
			"content/essays/2020/new.md": post("New", ""),
		})
		for address, want := range map[string]portable.Listing{
			"/blog": {}, "/blog/fr": {}, "/blog/feed": {Feed: ".rss"}, "/blog/fr/essays": {}, "/blog/essays": {},
			"/blog/tags/big-data": {Tag: "Big Data"}, "/blog/fr/tags/big-data": {Tag: "Big Data"}, "/blog/tags": {},
			"/blog/archives": {Archive: true}, "/blog/essays/2020": {Archive: true, Year: 2020},
		} {
			if got, ok := all[address]; !ok || got != want {
				t.Errorf("%s: %+v, %v", address, got, ok)
			}
		}
		if _, ok := all["/blog/essays/one"]; ok {
			t.Error("the address of a post is a listing")
		}
		if _, ok := all["/"]; ok {
			t.Error("the home page of another site is a listing")
		}
	})
	t.Run("include other taxonomies in each language, leading to all posts", func(t *testing.T) {
		all := listingsOf(t, map[string]string{
			"hugo.toml": "defaultContentLanguage = 'ko'\n[taxonomies]\ntag = 'tags'\nseries = " +
				"'series'\n[languages.ko]\nweight = 1\n[languages.en]\nweight = 2\n",
			"content/a/b.en.md":   post("One", "series: [My first App]"),
			"content/a/hid.en.md": post("Hidden", "series: Plans\ndraft: true"),
		})
		for _, address := range []string{"/ko", "/series", "/en/series", "/en/tags", "/en/series/my-first-app"} {
			if got, ok := all[address]; !ok || got != (portable.Listing{}) {
				t.Errorf("%s: %+v, %v", address, got, ok)
			}
		}
		if _, ok := all["/en/series/plans"]; ok {
			t.Error("the series of a hidden post is a listing")
		}
	})
	t.Run("omit the addresses of posts", func(t *testing.T) {
		all := listingsOf(t, map[string]string{"hugo.toml": "", "content/archives.md": post("All of it", ""),
			"content/tags/go.md": post("Go", "tags: go")})
		for _, address := range []string{"/archives", "/tags/go"} {
			if l, ok := all[address]; ok {
				t.Errorf("%s: %+v", address, l)
			}
		}
	})
	t.Run("assign an address to the tag that matches best", func(t *testing.T) {
		all := listingsOf(t, map[string]string{"_config.yml": "",
			"_posts/2019-05-06-a.md": post("A", "tags: ['C++', 'C#', 'c', 'Café']"), "_posts/2019-05-06-b.md": post("B",
				"tags: ['F#']")})
		for address, tag := range map[string]string{"/tags/c": "c", "/tags/c++": "C++", "/tag/C#": "C#",
			"/categories/f": "F#", "/tags/cafe": "Café", "/tags/café": "Café"} {
			if got := all[address].Tag; got != tag {
				t.Errorf("%s belongs to %q", address, got)
			}
		}
	})
	t.Run("omit the tags of hidden posts", func(t *testing.T) {
		all := listingsOf(t, map[string]string{"hugo.toml": "",
			"content/secret/a.md": post("A", "draft: true\ntags: plans"), "content/open/b.md": post("B", "")})
		for _, address := range []string{"/secret", "/tags/plans"} {
			if _, ok := all[address]; ok {
				t.Errorf("%s is a listing", address)
			}
		}
	})
	t.Run("fit into one record", func(t *testing.T) {
		files := map[string]string{"hugo.toml": ""}
		for n := range 300 {
			files[fmt.Sprintf("content/%s/%d.md", strings.Repeat(fmt.Sprintf("%d/", n), 60)+strings.Repeat("x", 200),
				n)] = post("X", "")
		}
		bytes, n := 0, 0
		for address := range listingsOf(t, files) {
			bytes, n = bytes+len(address), n+1
		}
		if n > 20_000 || bytes > 1<<20 || n > 300*10+50 {
			t.Errorf("%d listings of %d bytes", n, bytes)
		}
	})
}

func TestListingsOfWordPressFollowFromTheExport(t *testing.T) {
	b := read(t, map[string]string{"export.xml": `<rss xmlns:wp="w" xmlns:content="c" xmlns:dc="d"><channel>` +
		`<title>A</title><link>https://a.example</link>
		<wp:category><wp:category_nicename>plants</wp:category_nicename><wp:category_parent></wp:category_parent>` +
		`</wp:category>
		<wp:category><wp:category_nicename>trees</wp:category_nicename><wp:category_parent>` +
		`plants</wp:category_parent></wp:category>
		<wp:category><wp:category_nicename>loop</wp:category_nicename><wp:category_parent>` +
		`loop</wp:category_parent></wp:category>
		<item><title>Oaks</title><link>https://a.example/2015/04/05/oaks/</link><dc:creator>Ada L</dc:creator>` +
		`<content:encoded>Text.</content:encoded><wp:post_id>7</wp:post_id>
		<wp:post_date_gmt>2015-04-05 10:00:00</wp:post_date_gmt><wp:status>publish</wp:status><wp:post_type>` +
		`post</wp:post_type>
		<category domain="category" nicename="trees">Trees &amp;amp; shrubs</category>` +
		`<category domain="category" nicename="loop">Loop</category><category domain="post_tag" nicename="c-sharp">` +
		`C#</category></item></channel></rss>`})
	all := byAddress(b)
	for address, want := range map[string]portable.Listing{
		"/category/plants/trees": {Tag: "Trees & shrubs"},
		"/tag/c-sharp":           {Tag: "C#"}, "/feed": {Feed: ".rss"}, "/feed/atom": {Feed: ".atom"},
		"/author/ada-l": {},
		"/2015":         {Archive: true, Year: 2015}, "/2015/04": {Archive: true,
			Year: 2015}, "/2015/04/05": {Archive: true,
			Year: 2015}, "/": {},
	} {
		if got, ok := all[address]; !ok || got != want {
			t.Errorf("%s: %+v, %v", address, got, ok)
		}
	}
	if _, ok := all["/tag/c#"]; ok {
		t.Error("a tag has a listing at an address that it never had")
	}
}
