package formats_test

import "testing"

func TestWordPressCodeKeepsEveryCharacter(t *testing.T) {
	const page = "<!DOCTYPE html>\n<ul>\n  <li>a &amp; b</li>\n\n  <!-- more -->\n</ul>\n<?php echo [gallery]; ?>"
	fence := func(language, code string) string { return "```" + language + "\n" + code + "\n```" }
	for name, c := range map[string]struct{ in, want string }{
		"in [code]": {"[code]" + page + "[/code]", fence("", page)},
		"in [sourcecode language]": {"[sourcecode language=\"html\"]\n" + page + "\n[/sourcecode]",
			fence("html", page)},
		"in [code lang]": {"[code lang='php' firstline=\"3\"]\n" + page + "\n[/code]",
			fence("php", page)},
		"in a language's shortcode": {"[php]" + page + "[/php]", fence("php", page)},
		"in [crayon]": {"[crayon lang=\"xhtml\" title=\"x\"]" + page + "[/crayon]",
			fence("xhtml", page)},
		"in [cc_html]":  {"[cc_html]" + page + "[/cc_html]", fence("html", page)},
		"in <pre lang>": {"<pre lang=\"html\" line=\"1\">\n" + page + "\n</pre>", fence("html", page)},
		"in <pre class=brush>": {"<pre class=\"brush: xml; title: x\">" + page + "</pre>",
			fence("xml", page)},
		"in <pre class=lang:>": {"<pre class=\"lang:xhtml decode:true\">" + page + "</pre>",
			fence("xhtml", page)},
		"in <pre> with elements": {"<pre>" + page + "</pre>", fence("", page)},
		"in <pre><code> with elements": {"<pre><code class=\"language-html\">" + page + "</code></pre>",
			fence("html", page)},
		"in a block for code": {"<!-- wp:code -->\n<pre class=\"wp-block-code\"><code>" + page +
			"</code></pre>\n<!-- /wp:code -->", fence("", page)},
		"in a shortcode within <pre>":               {"<pre>[php]" + page + "[/php]</pre>", fence("php", page)},
		"with the closing tag of another shortcode": {"[code]a[/php]b[/code]", fence("", "a[/php]b")},
		"with a fence":                 {"[code]\n```\na\n```\n[/code]", "````\n```\na\n```\n````"},
		"with types in angle brackets": {"<pre>List<String> a = b<c;</pre>", fence("", "List<String> a = b<c;")},
		"that were stored with entities": {"[html]&lt;b&gt;a &amp;amp; b&lt;/b&gt;[/html]",
			fence("html", "<b>a &amp; b</b>")},
		"that SyntaxHighlighter's block holds": {
			"<!-- wp:syntaxhighlighter/code {\"language\":\"php\"} -->\n<pre class=\"wp-block-syntaxhighlighter-code " +
				"brush: php; notranslate\">&lt;?php\n\n&lt;b&gt;</pre>\n<!-- /wp:syntaxhighlighter/code -->",
			fence("php", "<?php\n\n<b>")},
		"with line breaks as elements": {"[code]a &lt; b<br />\nc[/code]", fence("", "a < b\nc")},
		"between paragraphs": {"One.\n\n[css]\na &gt; b { }\n[/css]\n\nTwo.", "One.\n\n" +
			fence("css", "a > b { }") + "\n\nTwo."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := translated(t, c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
	t.Run("except elements that colour or emphasise it", func(t *testing.T) {
		got := translated(t,
			"<pre class=\"lang:go\"><span class=\"k\">if</span> a &lt; b</pre>\n\n<pre>a <strong>b</strong></pre>")
		if want := "```go\nif a < b\n```\n\n```\na b\n```"; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
	t.Run("unless its shortcode is unclosed or escaped", func(t *testing.T) {
		for in, want := range map[string]string{"See [code] <b>there</b>.": "See \\[code] **there**.",
			"[[php]<i>x</i>[/php]]": "\\[\\[php]*x*\\[/php]]"} {
			if got := translated(t, in); got != want {
				t.Errorf("%q becomes %q, want %q", in, got, want)
			}
		}
	})
}
