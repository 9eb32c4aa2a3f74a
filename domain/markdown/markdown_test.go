package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
)

func TestRenderedHTML(t *testing.T) {
	m := markdown.New()
	for name, c := range map[string]struct{ in, want string }{
		"headings follow the title without gaps": {"### Three\n\n###### Six\n\n### Three",
			heading(2, "three", "Three") + heading(3, "six", "Six") + heading(2, "three-1", "Three")},
		"raw HTML is shown as it was typed": {"a List<String> <b onclick=x>bold</b> " +
			"<script>alert(1)</script>", "<p>a List&lt;String&gt; &lt;b onclick=x&gt;bold&lt;/b&gt; " +
			"&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"},
		"blocks of HTML are shown as they were typed": {"<aside>\nAll & everything\n</aside>\n\nMore",
			"<p>&lt;aside&gt;\nAll &amp; everything\n&lt;/aside&gt;\n</p>\n<p>More</p>\n"},
		"a closed block of HTML is shown as it was typed": {"<!-- one\ntwo -->\nMore",
			"<p>&lt;!-- one\ntwo --&gt;\n</p>\n<p>More</p>\n"},
		"lists and quotes have a direction of their own": {"- a\n\n> b",
			"<ul dir=\"auto\">\n<li>a</li>\n</ul>\n<blockquote dir=\"auto\"><p>b</p>\n</blockquote>\n"},
		"images of other sites become links": {"![a cat](https://example.org/cat.png)",
			`<p><a href="https://example.org/cat.png" rel="nofollow ugc noopener">a cat</a></p>` + "\n"},
		"an image without text becomes a link with a note": {"![](https://example.org/cat.png)",
			`<p><a href="https://example.org/cat.png" rel="nofollow ugc noopener">` +
				`<span class="picture-note">Picture</span></a></p>` + "\n"},
		"an image in a link becomes its text": {"[![a cat](https://example.org/cat.png)](https://example.org)",
			`<p><a href="https://example.org" rel="nofollow ugc noopener">a cat</a></p>` + "\n"},
		"scripts do not become links": {"[x](javascript:alert(1))", "<p>x</p>\n"},
		"bare links are linked": {"see https://example.org",
			`<p>see <a href="https://example.org" rel="nofollow ugc noopener">https://example.org</a></p>` + "\n"},
		"code keeps its language": {"```go\nx < y\n```",
			"<pre tabindex=\"0\" data-language=\"go\"><code class=\"language-go\">x &lt; y\n</code></pre>\n"},
		"tables keep their alignment": {"|a|\n|--:|\n|1|",
			"<table dir=\"auto\">\n<thead>\n<tr>\n<th align=\"right\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td " +
				"align=\"right\">1</td>\n</tr>\n</tbody>\n</table>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := m.HTML(c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestHeadingInACommentIsBelowTheHeadingOfTheComments(t *testing.T) {
	if got := markdown.New().CommentHTML("# One\n\n## Two"); got != "<h3>One</h3>\n<h4>Two</h4>\n" {
		t.Errorf("got %q", got)
	}
}

func TestSummaryIsAShortPlainText(t *testing.T) {
	m := markdown.New()
	post := domain.Post{ID: "p", Title: "T", Version: 7, LikeCount: 2,
		Content: "# Title\n\nFirst *paragraph*.\n\n- one\n- two\n\n```\ncode\n```\n" + strings.Repeat("word ", 100)}
	s := m.Summarize(post)
	if !strings.HasPrefix(s.Text, "First paragraph. one · two word") {
		t.Errorf("text %q", s.Text)
	}
	if n := plaintext.Characters(s.Text); n > domain.SummaryLimit || !strings.HasSuffix(s.Text, "word…") {
		t.Errorf("%d characters: %q", n, s.Text)
	}
	if s.Version != 7 || s.LikeCount != 2 {
		t.Errorf("%+v", s)
	}
	for source, want := range map[string]string{
		"`a & b` <i>":              "a & b <i>",
		"# A heading alone":        "A heading alone",
		"```\ncode alone\n```":     "code alone",
		"One.\n\n## Two\n\nThree.": "One. Three.",
	} {
		if got := m.Text(source, 100); got != want {
			t.Errorf("the text of %q is %q, want %q", source, got, want)
		}
	}
}

// heading returns a heading of a rendered post with its link.
func heading(level int, id, title string) string {
	former := strings.Replace(id, "-1", "-2", 1) // a former id counts from 2
	return fmt.Sprintf(`<div class="section" id="%s"><h%d id="h-%s">%s</h%d><a class="anchor" href="#%s" `+
		`aria-label="Link to this section: %s">#</a></div>`+"\n",
		id, level, former, title, level, id, title)
}
