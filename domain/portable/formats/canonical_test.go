package formats_test

import "testing"

func TestCanonicalAddressOfAPostIsRead(t *testing.T) {
	const elsewhere = "https://example.org/first"
	matter := func(line string) string { return "---\ntitle: A\ndate: 2020-01-02\n" + line + "\n---\ntext\n" }
	hugo := func(line string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/a.md": matter(line)}
	}
	medium := func(canonical string) map[string]string {
		return map[string]string{"posts/2019-01-02_A-abcdef123456.html": `<article class="h-entry">` +
			`<h1 class="p-name">A</h1><section class="e-content">Text.</section><footer>` +
			`<time class="dt-published" datetime="2019-01-02T03:04:05Z"></time>` +
			`<a class="p-canonical" href="` + canonical + `">Canonical link</a></footer></article>`}
	}
	ghostURL := func(value string) map[string]string {
		return map[string]string{"g.json": `{"data": {"posts": [{"title": "A", "canonical_url": ` + value + `}]}}`}
	}
	wordpress := func(key string) map[string]string {
		return map[string]string{"a.xml": wxr(`<item><title>A</title><wp:post_type>post</wp:post_type>` +
			`<wp:status>publish</wp:status><content:encoded>x</content:encoded><wp:postmeta><wp:meta_key>` + key +
			`</wp:meta_key><wp:meta_value>` + elsewhere + `</wp:meta_value></wp:postmeta></item>`)}
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"from canonicalURL in Hugo": {hugo("canonicalURL: " + elsewhere), elsewhere},
		"from canonicalUrl in Hugo": {hugo("canonicalUrl: " + elsewhere), elsewhere},
		"from canonical in Hugo":    {hugo("canonical: " + elsewhere), elsewhere},
		"from a theme's parameters": {hugo("params:\n  canonicalURL: " + elsewhere), elsewhere},
		"from canonical_url in Jekyll": {map[string]string{"_config.yml": "",
			"_posts/2020-01-02-a.md": matter("canonical_url: " + elsewhere)},
			elsewhere},
		"from Zola's extra table": {map[string]string{"config.toml": "base_url = 'https://my.example'\n",
			"content/a.md": "+++\ntitle = 'A'\ndate = 2020-01-02\n[extra]\n" +
				"canonical = '" + elsewhere + "'\n+++\ntext\n"},
			elsewhere},
		"from Ghost":              {ghostURL(`"` + elsewhere + `"`), elsewhere},
		"not from null in Ghost":  {ghostURL("null"), ""},
		"from Yoast in WordPress": {wordpress("_yoast_wpseo_canonical"), elsewhere},
		"from Rank Math there":    {wordpress("rank_math_canonical_url"), elsewhere},
		"from Medium":             {medium(elsewhere), elsewhere},
		"not from Medium's own":   {medium("https://medium.com/@ada/a-abcdef123456"), ""},
		"not from its subdomains": {medium("https://ada.medium.com/a-abcdef123456"), ""},
		"not from a domain there": {medium("https://blog.example.org/a-abcdef123456"), ""},
		"not from another story":  {medium("https://medium.com/p/bbbbbb222222"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			if len(b.Posts) != 1 || b.Posts[0].CanonicalURL != c.want {
				t.Errorf("the posts are %+v, the problems %v; want the address %q", b.Posts, b.Problems, c.want)
			}
		})
	}
}
