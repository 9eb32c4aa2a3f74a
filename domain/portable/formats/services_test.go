package formats_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// equal compares two texts.
func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%s\nwant\n%s", what, got, want)
	}
}

// reports checks that the report contains each of some texts exactly once.
func reports(t *testing.T, b *portable.Blog, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if n := len(problems(b, text)); n != 1 {
			t.Errorf("the report contains %d times %q: %v", n, text, b.Problems)
		}
	}
}

func TestSubstackExportIsRead(t *testing.T) {
	b := open(t, "substack", portable.Options{})
	equal(t, "the format", b.Format+" "+b.Title, "Substack keeper")
	t.Run("publishes only public posts", func(t *testing.T) {
		statuses(t, b, map[string]portable.Status{"The lighthouse": portable.Published, "Keepers only": portable.Draft,
			"Not yet":  portable.Draft,
			"Fog horn": portable.Published, "Half open": portable.Draft, "About us": portable.Unlisted,
			"Mailed":  portable.Draft,
			"Friends": portable.Draft, "Stray": portable.Draft})
		reports(t, b, "Keepers only: imported as a draft: only subscribers could read it (only_paid)",
			"Half open: imported as a draft: only paying subscribers",
			`Friends: imported as a draft: its audience "close_friends" is not known`,
			"About us: imported as an unlisted post: it was a page",
			`Mailed: imported as a draft: its kind "adhoc_email" is not known`,
			"1009.stray.html: imported as a draft: posts.csv does not list it", "Lost: not imported")
	})
	lighthouse := find(t, b, "The lighthouse")
	t.Run("keeps dates, slugs and addresses", func(t *testing.T) {
		if !lighthouse.Created.Equal(time.Date(2023, 5, 6, 7, 8, 9, 0, time.UTC)) ||
			lighthouse.Slug != "the-lighthouse" {
			t.Errorf("created %s, slug %s", lighthouse.Created, lighthouse.Slug)
		}
		equal(t, "the address", strings.Join(lighthouse.Paths, " "), "/p/the-lighthouse")
	})
	equal(t, "the subtitle", lighthouse.Subtitle, "A * in the night")
	t.Run("translates pictures, embeds, footnotes and formulas, and removes widgets", func(t *testing.T) {
		equal(t, "the text", "\n"+lighthouse.Content, `
It stands *alone*[^1], see [the horn](https://keeper.substack.com/p/fog-horn?utm_source=x).

![A tower](https://substack-post-media.s3.amazonaws.com/public/images/tower_800x600.png)

*At dusk*

[Buy lamps](https://shop.example/lamps)

[https://www.youtube.com/watch?v=dQw4](https://www.youtube.com/watch?v=dQw4)

> Lights out
> 
> — [Ann](https://twitter.com/ann/status/9)

![Lamps](https://media.example/one.png)

![Lamps](https://media.example/two.png)

*Two lamps*

> Keep the light.

$$
E = m_c * c^2
$$

`+"```go\nif a < b {\n}\n```"+`

[^1]: So **they** say.

    Twice.`)
		reports(t, b, "The lighthouse: a poll was left out")
		contains(t, find(t, b, "Fog horn").Content, "https://api.example/fog.mp3")
	})
	t.Run("finds posts by address", func(t *testing.T) {
		for address, want := range map[string]string{"https://keeper.substack.com/p/fog-horn?utm_source=x": "Fog horn",
			"/p/keepers-only":                       "Keepers only",
			"https://other.substack.com/p/fog-horn": ""} {
			if post, _ := leads(t, b, "The lighthouse", address); post != want {
				t.Errorf("%s leads to %q, want %q", address, post, want)
			}
		}
	})
	t.Run("never reads lists of subscribers", func(t *testing.T) {
		for _, p := range b.Posts {
			if strings.Contains(p.Content, "private.example") {
				t.Errorf("%s contains a subscriber's address", p.Title)
			}
		}
	})
}

func TestMediumExportIsRead(t *testing.T) {
	b := open(t, "medium", portable.Options{})
	equal(t, "the format", b.Format, "Medium")
	statuses(t, b, map[string]portable.Status{"Bread, slowly": portable.Published, "Rye": portable.Published,
		"Yeast":                            portable.Draft,
		"I agree with every word of this…": portable.Draft})
	reports(t, b, "may be a response")
	bread := find(t, b, "Bread, slowly")
	equal(t, "the addresses", strings.Join(bread.Paths, " "),
		"/@ada/bread-slowly-abcdef123456 /bread-slowly-abcdef123456 /p/abcdef123456")
	if !bread.Created.Equal(time.Date(2019, 1, 2, 3, 4, 5, 678e6, time.UTC)) || bread.Slug != "bread-slowly" {
		t.Errorf("created %s, slug %s", bread.Created, bread.Slug)
	}
	equal(t, "the subtitle", bread.Subtitle, "Flour and time")
	equal(t, "the text", "\n"+bread.Content, `
Mix **well**, see [rye](/p/0123456789ab) and [oats](https://medium.com/@eve/oats-ffffff000000).

### Oven

![](https://cdn-images-1.medium.com/max/800/1*loaf.jpeg)

*A loaf*

`+"```sh\nbake <dough>\n  --slowly\n```"+`

[The mill](https://mill.example/flour)

[https://gist.github.com/ada/77](https://gist.github.com/ada/77)

* * *

The end.

> Wait longer`)
	for address, want := range map[string]string{"/p/0123456789ab": "Rye", "/the-oven/rye-0123456789ab": "Rye",
		"https://medium.com/@eve/oats-ffffff000000": ""} {
		if post, _ := leads(t, b, "Bread, slowly", address); post != want {
			t.Errorf("%s leads to %q, want %q", address, post, want)
		}
	}
}

func TestOtherFilesAreNotReadAsAnExportOfAService(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a table": {"posts.csv": "a,b\n1,2\n"},
		"pages of a site": {"posts/2019-01-02_x-abcdef123456.html": "<p>x</p>",
			"posts/html/123.html": "<p>y</p>"},
		"another feed":    {"feed.atom": "<feed><entry><id>x</id><title>t</title></entry></feed>"},
		"a truncated zip": {"posts/posts.zip": "PK\x03\x04"},
		"a feed in XML": {
			"a.xml": "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>x</id></entry></feed>"},
		"other XML named posts.xml": {"posts.xml": "<urlset></urlset>"},
	} {
		t.Run(name, func(t *testing.T) {
			if b, err := formats.Read([]fs.FS{folder(files)}, now); err == nil {
				t.Errorf("read as %s with %d posts", b.Format, len(b.Posts))
			}
		})
	}
	t.Run("a folder of Markdown with a table, a feed and a zip", func(t *testing.T) {
		b := read(t, map[string]string{"posts.csv": "a,b\n", "a.md": "# A\n\nx",
			"feed.atom": "<feed><title>x</title></feed>", "posts.zip": "x"})
		equal(t, "the format", b.Format, "Markdown")
	})
}

func FuzzSubstack(f *testing.F) {
	f.Add("1.a,2020-01-01,true,newsletter,everyone,T,S",
		`<p>x<a class="footnote-anchor" href="#footnote-1">1</a></p><div class="footnote"><a id="footnote-1" `+
			`class="footnote-number">1</a><div class="footnote-content"><p>y</p></div></div>`)
	f.Add(`2.b,,false,page,only_paid,"T""",`,
		`<div class="captioned-image-container"><figure><a class="image-link" href="x"><img `+
			`data-attrs="{&quot;src&quot;:&quot;https://x/image/fetch/a/https%3A%2F%2Fy&quot;}"></a><figcaption>`+
			`z</figcaption></figure></div>`)
	f.Add("3,x,true,thread,,,",
		`<div class="tweet" data-attrs="{}"><a href="https://t.example">x</a></div><div class="latex-rendered" `+
			`data-attrs="{&quot;persistentExpression&quot;:&quot;x&quot;}"></div><div class="youtube-wrap" `+
			`data-attrs="["></div>`)
	f.Fuzz(func(t *testing.T, row, text string) {
		b, err := formats.Read([]fs.FS{folder(map[string]string{
			"posts.csv":      "post_id,post_date,is_published,type,audience,title,subtitle\n" + row + "\n",
			"posts/1.a.html": text, "posts/2.b.html": text, "posts/3.html": text})}, now)
		sound(t, b, err)
	})
}

func TestARaggedRowOfSubstackIsReported(t *testing.T) {
	b := read(t, map[string]string{"posts.csv": "post_id,is_published,title\n1.a,true,A\n2.b,true,B,C\n3.c,true\n",
		"posts/1.a.html": "x", "posts/2.b.html": "x", "posts/3.c.html": "x"})
	if len(b.Posts) != 3 || b.Posts[0].Status != portable.Published || b.Posts[1].Status != portable.Draft ||
		b.Posts[2].Status != portable.Draft || len(b.Problems) != 2 ||
		!strings.HasPrefix(b.Problems[0].Text, "imported as a draft: its row in posts.csv") {
		t.Errorf("posts %+v, problems %v", b.Posts, b.Problems)
	}
}

func FuzzMedium(f *testing.F) {
	f.Add("<h3 class=graf--title>x</h3><pre>a<br>b</pre><div class=graf--mixtapeEmbed><a "+
		"class=markup--mixtapeEmbed-anchor href=https://a.example><strong>x</strong></a></div>",
		"https://medium.com/@a/x-abcdef123456")
	f.Add("<p><a href='/x-abcdef123456#y'>x</a></p><script src=https://gist.github.com/a.js></script>", "%zz")
	f.Fuzz(func(t *testing.T, text, canonical string) {
		b, err := formats.Read([]fs.FS{folder(map[string]string{
			"posts/2019-01-02_x-abcdef123456.html": `<article class="h-entry"><h1 class="p-name">x</h1><section ` +
				`class="e-content">` +
				text + `</section><footer><time class="dt-published" datetime="2020-01-01"></time><a ` +
				`class="p-canonical" href="` + canonical + `">x</a></footer></article>`})}, now)
		if err == nil { // a text can close its own section
			sound(t, b, err)
		}
	})
}

func TestAuthorOfAPostIsRead(t *testing.T) {
	item := func(n, by string) string {
		return `<item><title>P` + n + `</title><dc:creator><![CDATA[` + by +
			`]]></dc:creator><content:encoded>x</content:encoded><wp:post_id>` + n +
			`</wp:post_id><wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>`
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"WordPress": {map[string]string{
			"a.xml": `<rss><channel><wp:author><wp:author_login><![CDATA[ann]]></wp:author_login><wp:author_email>` +
				`ann@example.org</wp:author_email>` +
				`<wp:author_display_name><![CDATA[Ann Hill]]></wp:author_display_name></wp:author>` + item("1", "bob") +
				item("2", "ann") + item("3", "ann") + `</channel></rss>`},
			"ann (Ann Hill, ann@example.org) 2, bob () 1"},
		"Ghost": {map[string]string{"a.json": `{"data":{"posts":[{"id":"1","title":"A","html":"x"},{"id":"2",` +
			`"title":"B","html":"x"},{"id":"3","title":"C","html":"x","author_id":"8"}],
			"users":[{"id":"8","name":"Ann","slug":"ann-1","email":"ann@example.org"},{"id":"9","name":"Ann",` +
			`"slug":"ann-2"}],
			"posts_authors":[{"post_id":"1","author_id":"9","sort_order":1},{"post_id":"1","author_id":"8",` +
			`"sort_order":0},{"post_id":"2","author_id":"9"}]}}`},
			"Ann (ann-1, ann@example.org) 2, ann-2 (Ann) 1"},
		"front matter": {map[string]string{"hugo.toml": "", "content/a.md": "---\nauthor: Ann  Hill\n---\nx",
			"content/b.md": "---\nauthors: [bob, Ann Hill]\n---\nx",
			"content/c.md": "+++\n[author]\nname = 'bob'\n+++\nx", "content/d.md": "# none"},
			"bob () 2, Ann Hill () 1,  () 1"},
		"Medium": {map[string]string{
			"posts/2019-01-02_x-abcdef123456.html": `<article class="h-entry"><h1 class="p-name">x</h1><section ` +
				`class="e-content"><h3>x</h3></section>` +
				`<a class="p-author h-card" href="https://medium.com/@ada">Ada L.</a></article>`}, "Ada L. (ada) 1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			var got []string
			for _, a := range b.Authors() {
				got = append(got, fmt.Sprintf("%s (%s) %d", a.ID, strings.Join(a.Names, ", "), a.Posts))
			}
			equal(t, "the authors", strings.Join(got, ", "), c.want)
		})
	}
	for name, want := range map[string]string{"tumblr": "tea", "blogger.xml": "Ann Hill", "substack": ""} {
		if a := open(t, name, portable.Options{}).Authors()[0]; a.ID != want {
			t.Errorf("%s is by %q, want %q", name, a.ID, want)
		}
	}
	t.Run("and several authors are reported unless each has a user", func(t *testing.T) {
		reports(t, open(t, "blogger.xml", portable.Options{}),
			"the posts of 2 authors, Ann Hill and Bob Dale, all go to one user")
		b, closeBlog, err := formats.Open("../testdata/blogger.xml", portable.Options{Authors: true}, now)
		if err != nil {
			t.Fatal(err)
		}
		defer closeBlog()
		if found := problems(b, "authors"); len(found) > 0 {
			t.Errorf("the report says %v", found)
		}
	})
}
