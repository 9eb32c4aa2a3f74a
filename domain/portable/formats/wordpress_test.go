package formats_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// single reads an export of one file.
func single(t *testing.T, name, text string, uploads ...string) *portable.Blog {
	t.Helper()
	roots := []fs.FS{fstest.MapFS{name: {Data: []byte(text)}}}
	for _, upload := range uploads {
		roots = append(roots, fstest.MapFS{upload: {Data: []byte("x")}})
	}
	b, err := formats.Read(roots, now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wxr returns an export of WordPress with items.
func wxr(items ...string) string {
	return `<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" ` +
		`xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
		`xmlns:wp="http://wordpress.org/export/1.2/">
<channel><title>Harbour notes</title><link>https://harbour.example</link><wp:base_blog_url>` +
		`https://harbour.example</wp:base_blog_url>` +
		strings.Join(items, "\n") + `</channel></rss>`
}

// article returns a published post, with further elements.
func article(title, content string, more ...string) string {
	return `<item><title>` + title + `</title><link>https://harbour.example/quay/</link>` +
		`<content:encoded><![CDATA[` + content + `]]></content:encoded>
<wp:post_id>5</wp:post_id><wp:post_date_gmt>2012-05-01 08:00:00</wp:post_date_gmt><wp:status>publish</wp:status>` +
		`<wp:post_type>post</wp:post_type>` + strings.Join(more,
		"") + `</item>`
}

// attached returns a picture that was uploaded for a post.
func attached(id, parent, file, alt, caption, order string) string {
	return `<item><title>` + file + `</title><link>https://harbour.example/quay/` + file +
		`/</link><excerpt:encoded><![CDATA[` + caption + `]]></excerpt:encoded><wp:post_id>` + id + `</wp:post_id>
<wp:status>inherit</wp:status>` +
		`<wp:post_parent>` + parent + `</wp:post_parent><wp:menu_order>` + order + `</wp:menu_order><wp:post_type>` +
		`attachment</wp:post_type>
<wp:attachment_url>https://harbour.files.example/2012/05/` + file + `</wp:attachment_url>
<wp:postmeta><wp:meta_key>_wp_attachment_image_alt</wp:meta_key><wp:meta_value><![CDATA[` + alt +
		`]]></wp:meta_value></wp:postmeta></item>`
}

// translated returns the Markdown of a post's text.
func translated(t *testing.T, text string, items ...string) string {
	t.Helper()
	b := single(t, "export.xml", wxr(append(items, article("Quay", text))...))
	return find(t, b, "Quay").Content
}

func TestWordPressGallery(t *testing.T) {
	pictures := []string{attached("21", "5", "boats.jpg", "Two boats", "At <em>low</em> tide", "2"),
		attached("22", "5", "gulls.jpg", "", "", "1"),
		attached("23", "5", "song.mp3", "", "", "0"), attached("24", "9", "other.jpg", "Another post's", "", "0")}
	const boats = "![Two boats](https://harbour.files.example/2012/05/boats.jpg)\n\n*At low tide*"
	t.Run("without ids shows the post's pictures in order", func(t *testing.T) {
		got := translated(t, "Before.\n\n[gallery columns=\"2\" link=\"file\"]", pictures...)
		if want := "Before.\n\n![](https://harbour.files.example/2012/05/gulls.jpg)\n\n" + boats; got != want {
			t.Errorf("content:\n%s\nwant:\n%s", got, want)
		}
	})
	t.Run("omits excluded pictures", func(t *testing.T) {
		if got := translated(t, `[gallery exclude="22"]`, pictures...); got != boats {
			t.Errorf("content:\n%s", got)
		}
	})
	t.Run("with ids shows these pictures", func(t *testing.T) {
		if got, want := translated(t, `[gallery ids="21,24"]`, pictures...),
			boats+"\n\n![Another post's](https://harbour.files.example/2012/05/other.jpg)"; got != want {
			t.Errorf("content:\n%s", got)
		}
	})
	t.Run("of another post shows its pictures", func(t *testing.T) {
		if got, want := translated(t, `[gallery id="9"]`, pictures...),
			"![Another post's](https://harbour.files.example/2012/05/other.jpg)"; got != want {
			t.Errorf("content:\n%s", got)
		}
	})
	t.Run("is rejected early if there are too many", func(t *testing.T) {
		many := make([]string, 2000)
		for i := range many {
			many[i] = attached(fmt.Sprint(100+i), "5", fmt.Sprintf("p%d.jpg", i), "", "", "0")
		}
		b := single(t, "export.xml", wxr(append(many, article("Quay", strings.Repeat("[gallery]", 50_000)))...))
		if len(b.Posts) != 0 || len(problems(b, "larger than the limit")) != 1 {
			t.Errorf("%d posts, problems %v", len(b.Posts), b.Problems)
		}
	})
	t.Run("that repeats a picture too often is rejected before it fills the memory", func(t *testing.T) {
		caption := strings.Repeat("wind ", 20_000)
		b := single(t, "export.xml", wxr(attached("1", "5", "p.jpg", "", caption, "0"),
			article("Quay", `[gallery ids="`+strings.Repeat("1,", 100_000)+`1"]`)))
		if len(b.Posts) != 0 || len(problems(b, "larger than the limit")) != 1 {
			t.Errorf("%d posts, problems %v", len(b.Posts), b.Problems)
		}
	})
	t.Run("without pictures is reported", func(t *testing.T) {
		b := single(t, "export.xml", wxr(article("Quay", "[gallery]")))
		if len(problems(b, "gallery")) != 1 {
			t.Errorf("problems %v", b.Problems)
		}
	})
	t.Run("shows a picture in place of a link to its page", func(t *testing.T) {
		got := translated(t,
			`<a href="https://harbour.example/quay/boats.jpg/"><img `+
				`src="https://harbour.files.example/2012/05/boats.jpg" alt="Boats"></a>`, pictures...)
		if want := "![Boats](https://harbour.files.example/2012/05/boats.jpg)"; got != want {
			t.Errorf("content:\n%s", got)
		}
	})
}

func TestWordPressPictureIsFound(t *testing.T) {
	b := single(t, "export.xml", wxr(article("Quay", "x"), attached("21", "5", "boats.jpg", "", "", "0")),
		"2012/05/boats.jpg")
	for name, address := range map[string]string{
		"at the address of the attachment": "https://harbour.files.example/2012/05/boats.jpg?w=300",
		"in Jetpack's cache": "https://i2.wp.com/harbour.files.example/2012/05/boats.jpg" +
			"?resize=300%2C200&ssl=1",
		"in the cache, in another size": "https://i0.wp.com/harbour.example/wp-content/uploads" +
			"/2012/05/boats-300x200.jpg",
	} {
		t.Run(name, func(t *testing.T) {
			if _, file := leads(t, b, "Quay", address); file != "2012/05/boats.jpg" {
				t.Errorf("%s is %q", address, file)
			}
		})
	}
	t.Run("unless it is on another site", func(t *testing.T) {
		if _, file := leads(t, b, "Quay", "https://i0.wp.com/elsewhere.example/2012/05/boats.jpg"); file != "" {
			t.Errorf("found %q", file)
		}
	})
}

func TestWordPressBlockIsTranslated(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a cover's picture in its style": {
			`<!-- wp:cover {"url":"https://harbour.example/sky.jpg","id":3} -->
<div class="wp-block-cover" style="background-image:url(https://harbour.example/sky.jpg)">` +
				`<p class="wp-block-cover-text">Over it</p></div>
<!-- /wp:cover -->`, "![](https://harbour.example/sky.jpg)\n\nOver it"},
		"a cover's picture of its own": {
			`<!-- wp:cover {"url":"https://harbour.example/sky.jpg"} -->
<div class="wp-block-cover"><img class="wp-block-cover__image-background" alt="Sky" ` +
				`src="https://harbour.example/sky.jpg"/><div class="wp-block-cover__inner-container"><p>` +
				`Over it</p></div></div>
<!-- /wp:cover -->`, "![Sky](https://harbour.example/sky.jpg)\n\nOver it"},
		"a gallery": {
			`<!-- wp:gallery --><figure class="wp-block-gallery"><ul class="blocks-gallery-grid"><li ` +
				`class="blocks-gallery-item"><figure><img src="https://harbour.example/a.jpg" alt="A"/><figcaption>` +
				`One</figcaption></figure></li><li class="blocks-gallery-item"><figure><img ` +
				`src="https://harbour.example/b.jpg" alt=""/></figure></li></ul></figure><!-- /wp:gallery -->`,
			"![A](https://harbour.example/a.jpg)\n\n*One*\n\n![](https://harbour.example/b.jpg)"},
		"a file": {
			`<!-- wp:file --><div class="wp-block-file"><a href="https://harbour.example/chart.pdf">Chart</a><a ` +
				`href="https://harbour.example/chart.pdf" class="wp-block-file__button" download>Download</a></div>` +
				`<!-- /wp:file -->`,
			"[Chart](https://harbour.example/chart.pdf)"},
		"a link around blocks": {
			`<!-- wp:html --><a href="https://sea.example/"><img src="https://sea.example/a.png"><h3>The sea</h3>` +
				`<p>All of it.</p></a><!-- /wp:html -->`,
			"![](https://sea.example/a.png)\n\n### [The sea](https://sea.example/)\n\nAll of it."},
		"a button without an address": {
			`<!-- wp:button --><div class="wp-block-button"><a class="wp-block-button__link">Press <br></a></div>` +
				`<!-- /wp:button -->`, "Press"},
		"a named place": {`<p><a name="top"></a>High <a id="x">up</a></p><!-- wp:more -->`,
			"<a id=\"top\"></a>High <a id=\"x\"></a>up"},
		"quoted words": {"<p>He said <q>no</q>.</p>", "He said “no”."},
		"lines of code in a classic text": {"See:\n<code>a {\n\tb: c;\n}</code>\nDone, with <code>x</code>.",
			"See:\n\n```\na {\n\tb: c;\n}\n```\n\nDone, with `x`."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := translated(t, c.text); got != c.want {
				t.Errorf("content:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestWordPressTitleIsPlainText(t *testing.T) {
	for raw, want := range map[string]string{
		"Of &lt;tags&gt; &amp; more":                    "Of <tags> & more",
		"<![CDATA[Of &lt;tags&gt; <em>and</em> more]]>": "Of <tags> and more",
		"It&#8217;s": "It’s",
		"<![CDATA[One<br />two <span class=\"x\">3</span>]]>": "Onetwo 3",
	} {
		if b := single(t, "export.xml", wxr(article(raw, "x"))); b.Posts[0].Title != want {
			t.Errorf("%s is %q, want %q", raw, b.Posts[0].Title, want)
		}
	}
}

func TestWordPressReportsWhatItLeavesOut(t *testing.T) {
	b := single(t, "export.xml", wxr(
		article("Quay", "x", "<wp:is_sticky>1</wp:is_sticky>",
			"<excerpt:encoded><![CDATA[In short.]]></excerpt:encoded>", "<dc:creator><![CDATA[ann]]></dc:creator>"),
		strings.ReplaceAll(article("Mole", "y", "<dc:creator><![CDATA[bob]]></dc:creator>"), "<wp:post_id>5<",
			"<wp:post_id>6<")))
	for _, about := range []string{"sticky", "2 authors, ann and bob"} {
		if len(problems(b, about)) != 1 {
			t.Errorf("%q is not reported exactly once: %v", about, b.Problems)
		}
	}
	b = single(t, "export.xml", wxr(article("Quay", "x", "<dc:creator>ann</dc:creator>")))
	if len(b.Problems) > 0 {
		t.Errorf("problems %v", b.Problems)
	}
}

func TestWordPressValuesAreTrimmed(t *testing.T) {
	padded := func(s string) string { return "\n\t\t<![CDATA[" + s + "]]>\n\t" }
	b := single(t, "export.xml", wxr(`<item><title>`+padded("Quay")+`</title><link> https://harbour.example/quay/ `+
		`</link>
<content:encoded>`+padded("At the quay.")+`</content:encoded><excerpt:encoded>`+padded("")+
		`</excerpt:encoded><wp:post_id>`+padded("5")+`</wp:post_id>
<wp:post_date_gmt>`+padded("2012-05-01 08:00:00")+`</wp:post_date_gmt><wp:post_name>`+padded("quay")+
		`</wp:post_name><wp:status>`+padded("publish")+`</wp:status>
<wp:post_parent>`+padded("0")+`</wp:post_parent>`+
		`<wp:post_type>`+padded("post")+`</wp:post_type><wp:post_password>`+padded(
		"")+`</wp:post_password>
<category domain="post_tag" nicename="sea">`+padded("Sea")+`</category></item>`))
	p := find(t, b, "Quay")
	if p.Status != portable.Published || p.Content != "At the quay." || p.Slug != "quay" ||
		p.Created.Format("2006-01-02 15") != "2012-05-01 08" ||
		strings.Join(p.Tags, "|") != "Sea" || strings.Join(p.Paths, " ") != "/quay /?p=5" || len(b.Problems) != 0 {
		t.Errorf("%+v, problems %v", p, b.Problems)
	}
}

// Each of these would take quadratic time if a tag searched the rest of the text for its end.
func TestWordPressEmbedsAreReadInLinearTime(t *testing.T) {
	for _, part := range []string{"[embed]", "[youtube x]", "[youtube ", "[audio x][/video]"} {
		if text := readItem(t, strings.Repeat(part, 300_000/len(part))); text == "" {
			t.Errorf("%s: the text is empty", part)
		}
	}
}

func TestWordPressEmbedEndsAtItsOwnClosingTag(t *testing.T) {
	text := readItem(t, "[youtube https://a.example/1]\n\nBetween.\n\n[embed]https://a.example/2[/embed]")
	for _, want := range []string{"https://a.example/1", "Between.", "https://a.example/2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %s", text, want)
		}
	}
}

// readItem returns the text of a post with some content.
func readItem(t *testing.T, content string) string {
	t.Helper()
	b := read(t, map[string]string{"a.xml": `<rss><channel><item><content:encoded><![CDATA[` + content +
		`]]></content:encoded><wp:post_type>post</wp:post_type></item></channel></rss>`})
	return b.Posts[0].Content
}

func TestPicturesBesideAnExportOfWordPressAreFound(t *testing.T) {
	b := read(t, map[string]string{"wp-content/uploads/2020/01/oak.jpg": "picture", "export.xml": `<rss xmlns:wp="w"
		xmlns:content="c"><channel><title>A</title><link>https://a.example</link><item><title>Oaks</title>
		<content:encoded>
		&lt;img src="https://a.example/wp-content/uploads/2020/01/oak-300x200.jpg"&gt;</content:encoded>
		<wp:post_id>7</wp:post_id><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>
		</item></channel></rss>`})
	name, ok := portable.NewDirectory(b).File(0, "https://a.example/wp-content/uploads/2020/01/oak-300x200.jpg")
	if !ok || name != "wp-content/uploads/2020/01/oak.jpg" {
		t.Errorf("found %q, %v", name, ok)
	}
}
