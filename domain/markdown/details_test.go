package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain/markdown"
)

func TestFoldableSectionIsRendered(t *testing.T) {
	m := markdown.New()
	for name, c := range map[string]struct{ in, want string }{
		"with Markdown in it": {
			"Before\n<details>\n<summary>How *it* works</summary>\n\n- one\n- two\n\n</details>\nAfter",
			"<p>Before</p>\n<details>\n<summary>How <em>it</em> works</summary>\n<ul " +
				"dir=\"auto\">\n<li>one</li>\n<li>two</li>\n</ul>\n</details>\n<p>After</p>\n"},
		"unfolded at first, with the title in the same line": {
			"<details open><summary>A & B</summary>\nText\n</details>",
			"<details open=\"\">\n<summary>A &amp; B</summary>\n<p>Text</p>\n</details>\n"},
		"without a title": {
			"<details>\nText\n</details>", "<details>\n<p>Text</p>\n</details>\n"},
		"nest": {
			"<details>\n<summary>A</summary>\n<details>\n<summary>B</summary>\nb\n</details>\na\n</details>",
			"<details>\n<summary>A</summary>\n<details>\n<summary>B</summary>\n<p>b</p>\n</details>\n<p>a</p>\n" +
				"</details>\n"},
		"in lists and quotes": {
			"> <details>\n> <summary>A</summary>\n> a\n> </details>\n\n- <details>\n  a\n  </details>",
			"<blockquote dir=\"auto\"><details>\n<summary>A</summary>\n<p>a</p>\n</details>\n</blockquote>\n<ul " +
				"dir=\"auto\">\n<li>\n<details>\n<p>a</p>\n</details>\n</li>\n</ul>\n"},
		"with a closing tag in code, which does not end it": {
			"<details>\n\n```\n</details>\n```\n\n</details>",
			"<details>\n<pre tabindex=\"0\"><code>&lt;/details&gt;\n</code></pre>\n</details>\n"},
		"shown as it was typed if it is not closed": {
			"<details>\n<summary>A *b*</summary>\n\nText",
			"<p>&lt;details&gt;</p>\n<p>&lt;summary&gt;A <em>b</em>&lt;/summary&gt;</p>\n<p>Text</p>\n"},
		"shown as it was typed if it has attributes": {
			"<details onclick=\"x\">\nText\n</details>\n",
			"<p>&lt;details onclick=&#34;x&#34;&gt;\nText\n&lt;/details&gt;\n</p>\n"},
		"with escaped HTML in its title": {
			"<details>\n<summary><b onclick=x>A</b></summary>\n</details>",
			"<details>\n<summary>&lt;b onclick=x&gt;A&lt;/b&gt;</summary>\n</details>\n"},
		"with a title that is not at its beginning": {
			"<summary>A</summary>\n", "<p>&lt;summary&gt;A&lt;/summary&gt;\n</p>\n"},
		"with a closing tag too many": {
			"</details>\n", "<p>&lt;/details&gt;\n</p>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := m.HTML(c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestFoldableSectionOutsideOfPosts(t *testing.T) {
	m := markdown.New()
	const source = "Who did it?\n\n<details>\n<summary>Answer</summary>\n\nThe *gardener*.\n\n</details>\n\nThe end."
	const folded = "<details>\n<summary>Answer</summary>\n<p>The <em>gardener</em>.</p>\n</details>\n"
	t.Run("is rendered in comments", func(t *testing.T) {
		if got := m.CommentHTML(source); !strings.Contains(got, folded) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("is rendered in feeds", func(t *testing.T) {
		if got, _ := m.FeedHTML(source, "https://example.org/"); !strings.Contains(got, folded) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("is omitted from summaries", func(t *testing.T) {
		for _, got := range []string{m.Text(source, 100), m.Post(source).Excerpt(100)} {
			if got != "Who did it? The end." {
				t.Errorf("got %q", got)
			}
		}
	})
	t.Run("is in the summary if there is no other text", func(t *testing.T) {
		const alone = "<details>\n<summary>Answer</summary>\nThe gardener.\n</details>"
		for _, got := range []string{m.Text(alone, 100), m.Post(alone).Excerpt(100)} {
			if got != "Answer The gardener." {
				t.Errorf("got %q", got)
			}
		}
	})
	t.Run("is found by search", func(t *testing.T) {
		if got := m.PlainText(source); got != "Who did it?\nAnswer\nThe gardener.\nThe end." {
			t.Errorf("got %q", got)
		}
	})
}

func TestNestedFoldableSectionsAreLimitedAndBalanced(t *testing.T) {
	const lines = 2000
	got := markdown.New().HTML(strings.Repeat("<details>\n", lines) + strings.Repeat("x\n\n</details>\n", lines))
	begun, ended := strings.Count(got, "<details>"), strings.Count(got, "</details>")
	if begun != ended {
		t.Errorf("%d sections are opened and %d closed", begun, ended)
	}
	depth, deepest := 0, 0
	for line := range strings.Lines(got) {
		depth += strings.Count(line, "<details>") - strings.Count(line, "</details>")
		deepest = max(deepest, depth)
	}
	if deepest > 8 {
		t.Errorf("sections are nested %d deep", deepest)
	}
}
