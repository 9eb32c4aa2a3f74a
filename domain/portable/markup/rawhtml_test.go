package markup_test

import (
	"regexp"
	"strings"
	"testing"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// reported returns the problems of a translation, one a line.
func reported(tr *markup.Translator) string {
	var b portable.Blog
	tr.ReportLosses(&b, "post")
	var lines []string
	for _, p := range b.Problems {
		lines = append(lines, p.Text)
	}
	return strings.Join(lines, "\n")
}

var blankLines = regexp.MustCompile(`\n{3,}`)

func TestRawHTMLInMarkdown(t *testing.T) {
	for outcome, c := range map[string]struct{ source, want, report string }{
		"keeps a picture whose attributes are on several lines": {
			"See\n<img\n  src=\"/a.png\"\n  alt=\"A boat\"> there", "See\n![A boat](/a.png) there", ""},
		"keeps a link whose attributes are on several lines of a quote": {
			"> See <a\n> href=\"/a\"\n> title=\"x\">this</a> there", "> See [this](/a) there", ""},
		"keeps Markdown between blank lines in a figure": {
			"<figure>\n\n![A *boat*](/a.png)\n\n<figcaption>At <b>sea</b></figcaption>\n</figure>\n",
			"![A *boat*](/a.png)\n\n*At **sea***", ""},
		"keeps Markdown between blank lines in other elements": {
			"<div class=\"x\"\n  style=\"y\">\n\n**a** `b`\n\n</div>\n\n<center>\n\n[c](/d)\n\n</center>\n\n" +
				"<section>\n\n- e\n\n</section>\n", "**a** `b`\n\n[c](/d)\n\n- e", ""},
		"keeps Markdown between blank lines in a foldable section": {
			"<details\n  class=\"x\">\n<summary>More</summary>\n\n**a**[^1]\n\n</details>\n\n[^1]: b",
			"<details>\n<summary>More</summary>\n\n**a**[^1]\n\n</details>\n\n[^1]: b", ""},
		"reads Markdown between blank lines in a table": {
			"<table>\n<tr>\n<td>\n\n**a**[^1]\n\n</td>\n<td>*b*</td>\n</tr>\n</table>\n\n[^1]: c",
			"| **a**[^1] | \\*b\\* |\n|---------------|-------|\n\n[^1]: c", ""},
		"shows a reading in parentheses": {
			"<ruby>漢字<rt>かんじ</rt></ruby> と <ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>",
			"漢字(かんじ) と 字(じ)", ""},
		"keeps the ids that links lead to": {
			"[a](#x) [b](#y) [c](#z) [d](#q)\n\n<b id=\"x\">e</b>\n\n<details id=\"y\">\n\nf\n\n</details>\n\n" +
				"<table><tr id=\"z\"><td>g</td></tr></table>\n\n<blockquote id=\"q\">\n\nh\n\n</blockquote>\n",
			"[a](#x) [b](#y) [c](#z) [d](#q)\n\n<a id=\"x\"></a>**e**\n\n<a id=\"y\"></a>\n\n" +
				"<details>\n\nf\n\n</details>\n\n" +
				"| <a id=\"z\"></a>g |\n|-------|\n\n<a id=\"q\"></a>\n\n> h", ""},
		"gives ids that a page cannot have another form": {
			"a<sup id=\"fnref-8-1\"><a href=\"#fn-8-1\">1</a></sup>\n\n" +
				"<ol><li id=\"fn-8-1\">b <a href=\"#fnref-8-1\">c</a></li></ol>",
			"a<a id=\"at-fnref-8-1\"></a>[1](#at-fn-8-1)\n\n1. <a id=\"at-fn-8-1\"></a>b [c](#at-fnref-8-1)",
			"a <sup> is plain text now"},
		"shows a lazy picture once": {
			"x <img src=\"/blank.gif\" data-src=\"/a.png\" alt=\"a\">" +
				"<noscript><img src=\"/a.png\" alt=\"a\"></noscript>",
			"x ![a](/a.png)", ""},
		"shows a picture that is only there without scripts": {
			"<p>x <noscript><img src=\"/a.png\" alt=\"a\"></noscript></p>", "x ![a](/a.png)", ""},
		"takes the largest picture of several": {
			"x <img srcset=\"/a,1.png 300w, /b.png 1200w,\n /c.png 600w\">", "x ![](/b.png)", ""},
		"replaces a picture within the text by its description": {
			"x <img src=\"data:image/png;base64,AAAA\" alt=\"A *boat*\"> ![b](data:image/png;base64,AAAA) ![c][d]\n\n" +
				"[d]: <data:image/jpeg;base64,AAAA>\n\n    ![b](data:image/png;base64,AAAA)\n",
			"x A \\*boat\\* b c\n\n    ![b](data:image/png;base64,AAAA)",
			"a picture within the text itself was left out: image/jpeg, 0.0 KB\n" +
				"a picture within the text itself was left out: image/png, 0.0 KB (2 times)"},
		"names links that no page may have": {
			"[a](tel:+123) <a href=\"javascript:x()\">b</a> <ftp://c.example/> [d]\n\n[d]: file:///e\n\n" +
				"`<ftp://f.example>` <mailto:g@h.example> [i](HTTPS://j.example)\n\n<p><a href=\"skype:k\">l</a></p>\n",
			"[a](tel:+123) [b](<javascript:x()>) <ftp://c.example/> [d]\n\n[d]: file:///e\n\n`<ftp://f.example>` " +
				"<mailto:g@h.example> [i](HTTPS://j.example)\n\nl",
			"a link is plain text now, because pages cannot link to such an address: file:///e\n" +
				"a link is plain text now, because pages cannot link to such an address: ftp://c.example/\n" +
				"a link is plain text now, because pages cannot link to such an address: javascript:x()\n" +
				"a link is plain text now, because pages cannot link to such an address: skype:k\n" +
				"a link is plain text now, because pages cannot link to such an address: tel:+123"},
	} {
		t.Run(outcome, func(t *testing.T) {
			tr := &markup.Translator{}
			got := blankLines.ReplaceAllString(strings.TrimSpace(tr.Markdown(c.source)), "\n\n")
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if got := reported(tr); got != c.report {
				t.Errorf("reported\n%s\nwant\n%s", got, c.report)
			}
		})
	}
}
