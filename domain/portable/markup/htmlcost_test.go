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
		"forms in a form":            strings.Repeat("aaaa<form>", 20_000),
		"ends without a start":       strings.Repeat("<h1>", 20_000) + strings.Repeat("aaaa</h1>", 20_000),
		"ends of empty elements":     strings.Repeat("<image>", 20_000) + strings.Repeat("aaaa</image>", 20_000),
		"ends of choices":            strings.Repeat("<select>", 20_000) + strings.Repeat("aaaa</select>", 20_000),
		"ends of pictures":           strings.Repeat("<svg><br>", 20_000) + strings.Repeat("aaaa</svg>", 20_000),
		"ends of closed objects": numbered(200, "<object>"+numbered(99, "<b a=%>")+"</object>") +
			strings.Repeat("aaaa</b>", 20_000),
		"formats that end after a picture": numbered(400, "<b a=%>") + "<svg><p><object/></p></svg>" +
			strings.Repeat("</b>", 400) + "</object>" + paragraphs,
		"a picture within frames": "<frameset><svg></svg></frameset>" + strings.Repeat(" <p>", 20_000),
		"a raw text after HTML in a picture": "<svg><desc><x/></desc></svg></x></desc><title>" +
			strings.Repeat("aaaa</x>", 20_000),
		"a raw text after formats in a picture": "<svg><desc><b><b><b><b></b></b></b></desc></svg></b></desc><title>" +
			strings.Repeat("aaaa</x>", 20_000),
		"a raw text after an unknown end": "<svg><foreignObject></x><p></svg></p></foreignObject><title>" +
			strings.Repeat("aaaa</x>", 20_000),
		"a table after raw text in a template": "<template><style/></template><table></style>" +
			strings.Repeat("aaaa<td>", 20_000),
		"a table in a raw text after a picture": "<svg><p><style/><table></style></p></svg>" +
			strings.Repeat("aaaa<td>", 20_000),
		"a table in a picture": "<svg><table/></svg>" + strings.Repeat("aaaa<!---->", 20_000),
		"quotes":               strings.Repeat("<blockquote>", 400) + paragraphs,
		"lists":                strings.Repeat("<ul><li>", 200) + paragraphs,
		"quotes and texts":     strings.Repeat("<ol><li>x<blockquote>", 150),
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

// TestLongPostsWithUnusualElementsAreRead reads posts of ordinary lengths whose writers closed their tags.
func TestLongPostsWithUnusualElementsAreRead(t *testing.T) {
	paragraph := "<p>Some <a href='/a'>words</a>, more <b>words</b> and <i>other</i> ones of " +
		"a <a href='/b'>post</a>.</p>\n"
	row := "<tr><td>one</td><td>two</td><td><a href='/a'>three</a></td><td>four</td><td>five</td></tr>\n"
	rows := "<table><tbody>" + strings.Repeat(row, 3_000) + "</tbody></table>"
	icon := "<div><a href='/a'><svg role='img' viewBox='0 0 9 9'><title>Icon</title><g><path d='M1 1'></path>" +
		"<path d='x'/><linearGradient id='a'><stop offset='0'/></linearGradient></g></svg></a>" +
		"<button><svg><use href='#a'/></svg></button></div>"
	times := strings.Repeat
	posts := map[string]string{
		"rows":          rows,
		"icons in rows": icon + strings.Replace(rows, "one", icon, 99),
		"nested blocks": times("<div><span><b><i><font size='2'>"+times("words ", 60)+paragraph+
			"</span></div>", 1_000),
		"deeply nested": times("<div style='a'><span>", 40) +
			times("<div>x<br/></div>"+paragraph, 2_000),
		"nested lists": times(times("<ul><li>a <a href='/'>b</a>", 10)+
			times("</li></ul>", 10), 80),
		"lists without ends": times(times("<ul><li>a<li><b>b</b>", 10)+times("</ul>", 10), 80),
		"Word": times("<p class=MsoNormal><span lang=EN><![if !x]>a<o:p>&nbsp;</o:p></span></p>"+
			paragraph, 2_000),
		"pictures of Word":     times("<p><v:shape><v:imagedata src='a'/><o:lock/></v:shape></p>"+paragraph, 2_000),
		"scripts and drawings": times(icon+"<script>if (a<b) x()</script><style>p{}</style>"+paragraph, 1_500),
	}
	for name, element := range map[string]string{
		"object":              "<object><param name='movie' value='/v'></param><embed src='/v'></embed></object>",
		"object without ends": "<object><param name='movie' value='/v'><embed src='/v'></object>",
		"noscript":            "<noscript><img src='/a'><p>x</noscript>",
		"svg":                 icon,
		"closed svg":          "<svg/>",
		"select":              "<select><option>a<option>b</select>",
		"template":            "<template><p>a <b>b</b><br></p></template>",
		"math":                "<math><mrow><mi>x</mi><mo>=</mo><mn>1</mn><mspace/></mrow></math>",
		"applet":              "<applet><param><p>a</p></applet>",
		"marquee":             "<marquee>a <b>b</b></marquee>",
		"form":                "<form><p>a <input> <button>b</button></p></form>",
	} {
		posts["one "+name] = paragraph + element + times(paragraph, 500<<10/len(paragraph))
		posts["one "+name+" before rows"] = element + rows[:100_000] + "</td></tr></table>"
		each := strings.Replace(paragraph, "</p>", element+"</p>", 1)
		posts["many "+name] = times(each, 500<<10/len(each))
	}
	for name, source := range posts {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "one ") {
				if _, err := markup.ParsePage(source); err != nil {
					t.Error(err)
				}
			} else if text, err := (&markup.Translator{}).HTML(source); err != nil || len(text) < len(source)/9 {
				t.Errorf("%d bytes become %d, error %v", len(source), len(text), err)
			}
		})
	}
}
