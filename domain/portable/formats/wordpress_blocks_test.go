package formats_test

import (
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

// syncedPattern returns a synced pattern of WordPress.
func syncedPattern(id int, content, status string) string {
	return `<item><title>Pattern</title><content:encoded><![CDATA[` + content + `]]></content:encoded><wp:post_id>` +
		strconv.Itoa(id) + `</wp:post_id><wp:status>` + status + `</wp:status><wp:post_type>wp_block</` +
		`wp:post_type></item>`
}

func TestSyncedPatternOfWordPressIsInserted(t *testing.T) {
	const paragraph = "<!-- wp:paragraph --><p>%</p><!-- /wp:paragraph -->"
	text := func(s string) string { return strings.ReplaceAll(paragraph, "%", s) }
	for name, c := range map[string]struct {
		text, want string
		patterns   []string
		report     []string
	}{
		"once": {text("a") + `<!-- wp:block {"ref":7} /-->` + text("c"), "a\n\nb\n\nc",
			[]string{syncedPattern(7, text("b"), "publish")}, nil},
		"under its full name, closed, with other properties": {
			`<!-- wp:core/block {"align":"wide","ref":7} --><!-- /wp:core/block -->`, "b",
			[]string{syncedPattern(7, text("b"), "publish")}, nil},
		"within another": {`<!-- wp:block {"ref":7} /-->`, "b\n\nc",
			[]string{syncedPattern(7, text("b")+`<!-- wp:block {"ref":8} /-->`, "publish"),
				syncedPattern(8, text("c"), "publish")}, nil},
		"unless it is missing": {text("a") + `<!-- wp:block {"ref":9} /-->`, "a", nil,
			[]string{"Quay: a synced pattern was left out, because the export lacks it"}},
		"unless it is a draft": {text("a") + `<!-- wp:block {"ref":7} /-->`, "a",
			[]string{syncedPattern(7, "secret", "draft")}, []string{
				"Quay: a synced pattern was left out, because it was not public", "1 item of the type wp_block"}},
		"unless it contains itself": {text("a") + `<!-- wp:block {"ref":7} /-->`, "a" + strings.Repeat("\n\nb", 8),
			[]string{syncedPattern(7, text("b")+`<!-- wp:block {"ref":7} /-->`, "publish")},
			[]string{"Quay: a synced pattern was left out, because it is nested too deeply"}},
		"without the changes of the post": {`<!-- wp:block {"ref":7,"content":{"n":{"content":"x"}}} /-->`, "b",
			[]string{syncedPattern(7, text("b"), "publish")}, []string{"changes that the post made to a synced " +
				"pattern"}},
		"and others are counted": {text("a"), "a", []string{syncedPattern(7, "b", "publish")},
			[]string{"1 item of the type wp_block"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := single(t, "a.xml", wxr(append(c.patterns, article("Quay", c.text))...))
			equal(t, "the text", find(t, b, "Quay").Content, c.want)
			if reports(t, b, c.report...); len(b.Problems) != len(c.report) {
				t.Errorf("problems %v", b.Problems)
			}
		})
	}
	t.Run("from another file of the export", func(t *testing.T) {
		b := read(t, map[string]string{"1.xml": wxr(article("Quay", `<!-- wp:block {"ref":7} /-->`)),
			"2.xml": wxr(syncedPattern(7, text("b"), "publish"), wxrPost(9, "x", "y"))})
		equal(t, "the text", find(t, b, "Quay").Content, "b")
	})
	t.Run("as often as the limits allow", func(t *testing.T) {
		twice := `<!-- wp:block {"ref":%} /-->`
		items := []string{syncedPattern(0, strings.Repeat("x", 5000), "publish")}
		for i := range 8 {
			refs := strings.Repeat(strings.ReplaceAll(twice, "%", strconv.Itoa(i)), 30)
			items = append(items, syncedPattern(i+1, refs, "publish"))
		}
		for i := range 200 {
			items = append(items, wxrPost(i+100, "P", strings.ReplaceAll(twice, "%", strconv.Itoa(i%9))))
		}
		checkCost(t, "patterns", map[string]string{"a.xml": wxr(items...)})
		b := single(t, "a.xml", wxr(items...))
		if n := len(problems(b, "its synced patterns are too long")); n < 100 || n+len(b.Posts) != 200 {
			t.Errorf("%d posts of 200, %d are too long", len(b.Posts), n)
		}
	})
}

func TestFootnotesOfWordPressAreKept(t *testing.T) {
	meta := func(value string) string {
		return `<wp:postmeta><wp:meta_key>footnotes</wp:meta_key><wp:meta_value><![CDATA[` + value +
			`]]></wp:meta_value></wp:postmeta>`
	}
	ref := func(id, n string) string {
		return `<sup data-fn="` + id + `" class="fn"><a href="#` + id + `" id="` + id + `-link">` + n + `</a></sup>`
	}
	notes := meta(`[{"content":"So <em>they</em> say [x]","id":"a-1"},{"content":"unused","id":"c"},` +
		`{"content":"Or &quot;not&quot;","id":"b"}]`)
	b := single(t, "a.xml", wxr(article("Quay", "<!-- wp:paragraph --><p>One"+ref("b", "1")+" two"+ref("a-1", "2")+
		" one"+ref("b", "1")+" old<a class=\"fn\" data-fn=\"a-1\">*</a> [^1]</p><!-- /wp:paragraph -->"+
		"<!-- wp:footnotes /-->", notes)))
	equal(t, "the text", b.Posts[0].Content, "One[^1] two[^2] one[^1] old[^2] \\[^1]\n\n[^1]: Or \"not\"\n\n"+
		"[^2]: So *they* say \\[x]")
	if len(b.Problems) > 0 {
		t.Errorf("problems %v", b.Problems)
	}
	b = single(t, "a.xml", wxr(article("Quay", "<p>One"+ref("x", "1")+"</p>", meta("{"))))
	equal(t, "the text", b.Posts[0].Content, "One")
	reports(t, b, "a footnote was left out, because the export lacks its text")
}

func TestBlockOfWordPressIsTranslatedOrNamed(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		report     []string
	}{
		"a poem": {"<!-- wp:verse --><pre class=\"wp-block-verse\">One <em>two</em>\n  three\n\nfour</pre><!-- /" +
			"wp:verse -->",
			"One *two*  \n\u00a0\u00a0three\n\nfour", nil},
		"buttons": {`<!-- wp:buttons --><div class="wp-block-buttons"><!-- wp:button --><div class="wp-block-button">` +
			`<a class="wp-block-button__link" href="https://a.example/">Go</a></div><!-- /wp:button --><!-- ` +
			`wp:button -->` +
			`<div class="wp-block-button"><a class="wp-block-button__link">Stay</a></div><!-- /wp:button --></div>` +
			`<!-- /wp:buttons -->`, "[Go](https://a.example/)\n\nStay", nil},
		"emoji": {`<p>Hi <img src="https://s.w.org/images/core/emoji/14.0.0/72x72/1f642.png" alt="🙂" ` +
			`class="wp-smiley" ` +
			`style="height: 1em;"> and <img class="emoji" alt="❤️" src="https://x.example/2764.svg">, ` +
			`<img src="https://s.w.org/images/core/emoji/2/svg/1f1e8-1f1ff.svg" alt=""> ` +
			`<img src="https://a.example/wp-includes/images/smilies/icon_smile.gif" alt=":)" class="wp-smiley">` +
			`<img src="https://a.example/emoji/1f642.png" alt="A photo">` +
			`<img class="emoji" src="/parrot.gif" alt=":parrot:"></p>`,
			"Hi 🙂 and ❤️, 🇨🇿 :)![A photo](https://a.example/emoji/1f642.png)![:parrot:](/parrot.gif)", nil},
		"the caption of an embed": {`<!-- wp:embed {"url":"https://v.example/1"} --><figure ` +
			`class="wp-block-embed"><div ` +
			`class="wp-block-embed__wrapper">https://v.example/1</div><figcaption>A <b>talk</b></figcaption></figure>` +
			`<!-- /wp:embed -->`, "[https://v.example/1](https://v.example/1)\n\n*A " +
			"**talk***", []string{"embedded content"}},
		"the caption of a table": {`<!-- wp:table --><figure class="wp-block-table"><table><tr><th>a</th></tr><tr>` +
			`<td>b` +
			`</td></tr></table><figcaption>Tides</figcaption></figure><!-- /wp:table -->`,
			"| a |\n|---|\n| b |\n\n*Tides*", nil},
		"a quotation with its source": {`<!-- wp:pullquote --><figure class="wp-block-pullquote"><blockquote><p>` +
			`Row</p>` +
			`<cite>Ann</cite></blockquote></figure><!-- /wp:pullquote -->`, "> Row\n> \n> *Ann*", nil},
		"details": {`<!-- wp:details --><details class="wp-block-details"><summary>Why</summary><!-- wp:paragraph -->` +
			`<p>So</p><!-- /wp:paragraph --></details><!-- /wp:details -->`,
			"<details>\n<summary>Why</summary>\n\nSo\n\n</details>", nil},
		"media beside text": {`<!-- wp:media-text --><div class="wp-block-media-text"><figure><img src="/a.png" ` +
			`alt="A">` +
			`</figure><div class="wp-block-media-text__content"><!-- wp:paragraph --><p>x</p><!-- /wp:paragraph ` +
			`--></div>` +
			`</div><!-- /wp:media-text -->`, "![A](/a.png)\n\nx", nil},
		"a file": {`<!-- wp:file --><div class="wp-block-file"><a href="/a.pdf">A</a><a href="/a.pdf" ` +
			`class="wp-block-file__button" download>Download</a></div><!-- /wp:file -->`, "[A](/a.pdf)", nil},
		"columns, pages and a fold": {`<!-- wp:columns --><div><!-- wp:column --><div><p>a</p></div><!-- /` +
			`wp:column -->` +
			`<!-- wp:column --><div><p>b</p></div><!-- /wp:column --></div><!-- /wp:columns --><!-- wp:more -->` +
			`<!--more--><!-- /wp:more --><p>c</p><!-- wp:nextpage --><!--nextpage--><!-- /wp:nextpage --><p>d</p>` +
			`<!-- wp:spacer {"height":"9px"} --><div style="height:9px" class="wp-block-spacer"></div>` +
			`<!-- /wp:spacer --><!-- wp:paragraph /-->`, "a\n\nb\n\nc\n\nd", nil},
		"links to accounts": {`<!-- wp:social-links --><ul class="wp-block-social-links"><!-- wp:social-link ` +
			`{"url":"https://m.example/@a","service":"mastodon"} /--></ul><!-- /wp:social-links -->`,
			"- [mastodon](https://m.example/@a)", nil},
		"a list that WordPress makes": {`<p>a</p><!-- wp:latest-posts {"postsToShow":3,"label":"some words"} /-->`, "a",
			[]string{"the block latest-posts was left out"}},
		"a block of a plugin": {`<!-- wp:acme/box {"color":"red"} --><div class="acme"><p>In it</p></div>` +
			`<!-- /wp:acme/box -->`, "In it", []string{"the block acme/box is not known: its text is kept"}},
		"one that consists of properties": {`<!-- wp:acf/quote {"name":"acf/quote","data":{"text":"Great, ` +
			`\u003cem\u003ereally\u003c/em\u003e","_text":"field_5","author":"Ann","size":"big"},` +
			`"mode":"preview"} /-->`,
			"Ann\n\nGreat, *really*", []string{"the block acf/quote is not known: its text is kept"}},
		"one without words": {`<p>a</p><!-- wp:acme/map {"lat":1,"zoom":"9"} /-->`, "a",
			[]string{"the block acme/map was left out"}},
		"code of a plugin": {`<!-- wp:syntaxhighlighter/code {"language":"go"} --><pre ` +
			`class="wp-block-syntaxhighlighter-` +
			`code">x</pre><!-- /wp:syntaxhighlighter/code -->`, "```\nx\n```", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := single(t, "a.xml", wxr(article("Quay", c.text)))
			equal(t, "the text", b.Posts[0].Content, c.want)
			if reports(t, b, c.report...); len(b.Problems) != len(c.report) {
				t.Errorf("problems %v", b.Problems)
			}
			if b.Posts[0].Status != portable.Published {
				t.Errorf("the post is %s", b.Posts[0].Status)
			}
		})
	}
}
