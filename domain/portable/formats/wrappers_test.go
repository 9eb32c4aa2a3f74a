package formats_test

import "testing"

// hugoText returns the Markdown of a text in a Hugo blog.
func hugoText(t *testing.T, text string) string {
	t.Helper()
	b := read(t, map[string]string{"hugo.toml": "", "content/posts/quay.md": "---\ntitle: Quay\n---\n" + text})
	return find(t, b, "Quay").Content
}

func TestMarkdownInQuotesAndFoldableSectionsIsKept(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a quote around paragraphs": {
			"He said:\n\n<blockquote>\n\nThe *tide*\nwaits.\n\n- for you\n\n</blockquote>\n\nSo.",
			"He said:\n\n> The *tide*\n> waits.\n>\n> - for you\n\nSo."},
		"a quote next to lines of text": {
			"He said:\n<blockquote class=\"x\">\n\nThe **tide**.\n\n</blockquote>\nSo.",
			"He said:\n\n> The **tide**.\n\nSo."},
		"a quote of HTML alone": {
			"<blockquote><p>The <em>tide</em>.</p></blockquote>\n", "> The *tide*."},
		"a quote in a quote": {
			"<blockquote>\n\nOuter\n\n<blockquote>\n\nInner\n\n</blockquote>\n\n</blockquote>",
			"> Outer\n>\n> > Inner"},
		"a quote in a list": {
			"- Said:\n\n  <blockquote>\n\n  The *tide*.\n\n  </blockquote>\n\nSo.",
			"- Said:\n\n  > The *tide*.\n\nSo."},
		"a closing tag in code": {
			"<blockquote>\n\n`</blockquote>` ends it.\n\n</blockquote>", "> `</blockquote>` ends it."},
		"a section around Markdown": {
			"<details>\n  <summary>More <b>here</b></summary>\n\n  - one\n  - two\n\n</details>\n\nSo.",
			"<details>\n<summary>More **here**</summary>\n\n- one\n- two\n\n</details>\n\nSo."},
		"an unfolded section with attributes": {
			"<details class=\"x\" open><summary>More</summary>\n\nText\n\n</details>",
			"<details open>\n<summary>More</summary>\n\nText\n\n</details>"},
		"a section of HTML alone": {
			"<details><summary><h3>More</h3></summary><p>One</p><p>Two</p></details>\n",
			"<details>\n<summary>More</summary>\n\nOne\n\nTwo\n\n</details>"},
		"a section with a quote": {
			"<details>\n\n<blockquote>\n\nText\n\n</blockquote>\n\n</details>", "<details>\n\n> Text\n\n</details>"},
		"a quote that is never closed": {"<blockquote>\n\nText\n", "Text"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hugoText(t, c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestWordPressDetailsStayFoldable(t *testing.T) {
	got := translated(t,
		"<!-- wp:details -->\n<details class=\"wp-block-details\"><summary>Tides &amp; times</summary><!-- "+
			"wp:paragraph -->\n<p>High at <strong>noon</strong>.</p>\n<!-- /wp:paragraph --></details>\n<!-- "+
			"/wp:details "+
			"-->")
	if want := "<details>\n<summary>Tides & times</summary>\n\nHigh at **noon**.\n\n</details>"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
