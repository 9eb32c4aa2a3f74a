package markdown_test

import (
	"testing"

	"inkfeed/domain/markdown"
)

func TestFeedHTMLHasAbsoluteAddresses(t *testing.T) {
	m := markdown.New()
	got, about := m.FeedHTML("# a\n\n[b](/c) [d](#h-a) [e](https://f.g/h?i=1&j=2) k[^1]\n\n![l]("+picture+
		")\n\n```go\nfunc f()\n```\n\n[^1]: n", "https://example.org/posts/x/y")
	want := "<h2>a</h2>\n" +
		`<p><a href="https://example.org/c">b</a> <a href="https://example.org/posts/x/y#h-a">d</a> <a ` +
		`href="https://f.g/h?i=1&amp;j=2" rel="nofollow ugc noopener">e</a> k<sup>1</sup></p>` + "\n" +
		`<figure><img src="https://example.org` + picture + `" width="1200" height="800" alt="l"></figure>` + "\n" +
		"<pre><code class=\"language-go\">func f()\n</code></pre>\n" +
		"<section>\n<ol>\n<li>\n<p>n</p>\n</li>\n</ol>\n</section>\n"
	if got != want || len(about.Pictures) != 1 || about.Pictures[0].Image.Path() != picture {
		t.Errorf("got  %q\nwant %q, and the pictures %+v", got, want, about.Pictures)
	}
}
