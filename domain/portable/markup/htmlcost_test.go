package markup_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/portable/markup"
)

// numbered repeats a part, in which the number of the repetition replaces "%".
func numbered(n int, part string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(part, "%", strconv.Itoa(i)))
	}
	return b.String()
}

func TestUnclosedHTMLTakesBoundedMemory(t *testing.T) {
	formats := "<b><i><s><u><em><tt><code><font><small><big><strong><strike>"
	paragraphs := strings.Repeat("<p>x", 5_000)
	for name, source := range map[string]string{
		"formats":                      strings.Repeat(formats, 33) + paragraphs,
		"formats in a paragraph":       "<p>" + strings.Repeat(formats, 33) + paragraphs,
		"formats with attributes":      "<p>" + numbered(400, "<b a=%>") + paragraphs,
		"formats with long attributes": "<p>" + numbered(20, "<b a=%"+strings.Repeat(" b c", 500)+">") + paragraphs,
		"formats whose end is ignored": numbered(400, "<b a=%>") + "<table>" + strings.Repeat("</b>", 400) +
			"</table>" +
			paragraphs,
		"formats that end in an object": numbered(400, "<b a=%>") + "<object>" + strings.Repeat("</b>", 400) +
			paragraphs,
		"formats around blocks": numbered(400, "<b a=%><div><div><div><div><div><div><div><div><div></b>") +
			paragraphs,
		"links":                      numbered(400, "<a href=%><div>") + paragraphs,
		"closed blocks":              "<div>" + numbered(300, "<i a=%>") + strings.Repeat("<div>x</div>", 5_000),
		"ignored ends":               strings.Repeat("aaaa</x>", 20_000),
		"ignored starts":             strings.Repeat("aaaa<tr>", 20_000),
		"ignored starts in a select": "<select>" + strings.Repeat("aaaa<p>", 20_000),
		"texts between rows":         "<table>" + strings.Repeat("aaaa<tr>", 20_000),
		"texts between cells":        "<table>" + strings.Repeat("<td></tr>aaaaaaaaaaaaaaaa", 20_000),
		"texts and comments":         "<table>" + strings.Repeat("aaaa<!---->", 20_000),
		"texts after a table":        "<table><table></table>" + strings.Repeat("aaaa<tr>", 20_000),
		"a raw text in a picture":    "<svg><title>" + strings.Repeat("aaaa</x>", 20_000),
		"attributes of the page":     numbered(5_000, "<body a%>"),
		"quotes":                     strings.Repeat("<blockquote>", 400) + paragraphs,
		"lists":                      strings.Repeat("<ul><li>", 200) + paragraphs,
		"quotes and texts":           strings.Repeat("<ol><li>x<blockquote>", 150),
		"quotes one after another": strings.Repeat(strings.Repeat("<blockquote>", 15)+"<p>x"+
			strings.Repeat("</blockquote>", 15), 1_000),
	} {
		t.Run(name, func(t *testing.T) {
			for what, read := range map[string]func(string) error{
				"HTML": func(s string) error { _, err := (&markup.Translator{}).HTML(s); return err },
				"page": func(s string) error {
					page, err := markup.ParsePage(s)
					if err == nil {
						_, err = page.Markdown(page.Find("body"))
					}
					return err
				},
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := read(source)
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20+400*uint64(len(source)) {
					t.Errorf("%s: %d bytes allocate %d MB, error %v", what, len(source), used>>20, err)
				}
			}
		})
	}
}

func TestCarelessHTMLIsTranslated(t *testing.T) {
	words := strings.Repeat("Some words of a paragraph. ", 3)
	for name, source := range map[string]string{
		"unclosed paragraphs":      strings.Repeat("<p>"+words, 2_000),
		"unclosed formats":         "<font size=2><b><i>" + strings.Repeat("<p>"+words+"</p>", 2_000),
		"unclosed formats in each": strings.Repeat("<p><b>x<i>"+words+"</p>", 1_000),
		"unclosed anchors":         numbered(2_000, "<a name=a%>\n<h2>x</h2><p>"+words+"</p>"),
		"links around blocks":      numbered(2_000, "<a href=/%><div><p>"+words+"</p></div></a>"),
		"misnested formats":        strings.Repeat("<b>x<i>"+words+"</b></i>", 2_000),
		"formats around blocks":    strings.Repeat("<b><p>"+words+"</b></p>", 500),
		"list items":               strings.Repeat("<ul><li>a<li><b>b</ul>", 1_000),
		"a table": "<table>" + strings.Repeat("<tr><td>"+words+"<td><b>x</b>\n", 3_000) +
			"</table>",
		"a table in cells": strings.Repeat("<table><tbody><tr><td><table><tr><td>"+words+
			"</td></tr></table></td></tr></table>", 500),
		"links in cells": "<table>" + numbered(500, "<tr><td><a href=/%>"+words+"</td></tr>") +
			"</table>",
		"a drawing":          "<svg><path d='x'/></svg>" + strings.Repeat("<p>"+words+"</p>", 500),
		"an object":          strings.Repeat("<p>"+words+"</p><object><param><embed src=/a></object>", 100),
		"an unknown element": strings.Repeat("<o:p></o:p><p><x-y>"+words+"</x-y></p>", 1_000),
		"answers in answers": strings.Repeat("<blockquote>"+words, 30) + strings.Repeat("</blockquote>", 30),
		"a long list of lists": "<ul>" +
			strings.Repeat("<li>a<ul><li>"+words+"<ol><li><p>c</p></li></ol></li></ul></li>", 1_000),
	} {
		t.Run(name, func(t *testing.T) {
			if text, err := (&markup.Translator{}).HTML(source); err != nil || len(text) < len(source)/4 {
				t.Errorf("%d bytes become %d, error %v", len(source), len(text), err)
			}
		})
	}
}
