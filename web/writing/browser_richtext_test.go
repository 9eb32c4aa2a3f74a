package writing_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// pasteTexts pastes a rich text with its plain text over the selection of the text. If the script leaves the paste to
// the browser, pasteTexts inserts the plain text, as a browser does.
func pasteTexts(b *webtest.Tab, html, plain string) {
	b.T.Helper()
	b.Eval(`(() => {
		const data = new DataTransfer();
		data.setData('text/plain', ` + strconv.Quote(plain) + `);
		if (` + strconv.Quote(html) + `) data.setData('text/html', ` + strconv.Quote(html) + `);
		const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
		const begin = performance.now();
		const left = document.querySelector('#content').dispatchEvent(paste);
		window.slowest = Math.max(window.slowest ?? 0, performance.now() - begin);
		if (left) document.execCommand('insertText', false, ` + strconv.Quote(plain) + `);
	})()`)
}

// undo undoes the last change of the text.
func undo(b *webtest.Tab) {
	b.T.Helper()
	b.PressKey("z", chromedp.KeyModifiers(chromedp.ModifierCtrl))
}

func TestRichTextIsPastedAsMarkdown(t *testing.T) {
	b := openEditor(t)
	fixtures, err := filepath.Glob("testdata/paste/*.html")
	if err != nil || len(fixtures) == 0 {
		t.Fatal(fixtures, err)
	}
	for _, fixture := range fixtures {
		t.Run("of "+filepath.Base(fixture), func(t *testing.T) {
			html, err := os.ReadFile(fixture)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(fixture, ".html") + ".md")
			if err != nil {
				t.Fatal(err)
			}
			writeText(b, "|")
			pasteTexts(b, string(html), "the plain text")
			if got := b.Eval(`document.querySelector('#content').value`); got != strings.TrimSpace(string(want)) {
				t.Errorf("the text is\n%s\nwant\n%s", got, want)
			}
			undo(b)
			b.WantValue(`document.querySelector('#content').value`, "")
		})
	}
	b.WaitForText(".uploads [role=alert]", "Some pictures couldn't be pasted.") // those of Word
	b.WantValue(`window.ran`, "undefined")
	for _, tt := range []struct{ name, before, html, plain, after string }{
		{"within a line", "a |b| c", "<p>one <b>two</b></p>", "one two", "a one **two**| c"},
		{"between paragraphs", "one|two", "<h2>H</h2><p>text</p>", "", "one\n\n## H\n\ntext\n\n|two"},
		{"after a line", "one\n|", "<h2>H</h2>", "", "one\n\n## H|"},
		{"into an item", "- |", "<ul><li>a</li><li>b</li></ul>", "", "- - a\n  - b|"},
		{"into a quote", "> one\n> |", "<p>a</p><pre>b</pre>", "", "> one\n> a\n>\n> ```\n> b\n> ```|"},
		{"in one format that has several elements", "|", "<b>on</b><b>e</b> <i>a<b>b</b></i>", "", "**one** *a**b***|"},
		{"with paragraphs that only its elements separate", "|", "<p># a</p><p>b</p>", "# a\nb", "# a\n\nb|"},
		{"unless it has no format", "|", "<div><span style='color: red'>a*b</span></div>", "a*b", "a*b|"},
		{"unless it is a program", "|", "<meta charset='utf-8'>" +
			"<div style='font-family: Menlo, monospace;white-space: pre;'>" +
			"<div><span style='font-style: italic'>a</span></div><div>b</div></div>", "a\nb", "a\nb|"},
		{"unless it is for a code block", "```\n|\n```", "<b>x</b>", "x", "```\nx|\n```"},
		{"unless it is for code", "a `|`", "<b>x</b>", "x", "a `x|`"},
		{"unless it is an address", "|", "<a href='https://a.example/'>https://a.example/</a>", "https://a.example/",
			"https://a.example/|"},
	} {
		writeText(b, tt.before)
		pasteTexts(b, tt.html, tt.plain)
		if got := writtenText(b); got != tt.after {
			t.Errorf("%s: the text is %q, want %q", tt.name, got, tt.after)
		}
		undo(b)
		if got := b.Eval(`document.querySelector('#content').value`); got != strings.ReplaceAll(tt.before, "|", "") {
			t.Errorf("%s: undoing makes %q of %q", tt.name, got, tt.before)
		}
	}
	// Some browsers offer the rich text for a paste with Shift, too.
	writeText(b, "|")
	b.Eval(`document.querySelector('#content').dispatchEvent(
		new KeyboardEvent('keydown', { key: 'V', ctrlKey: true, shiftKey: true, bubbles: true }))`)
	pasteTexts(b, "<b>x</b>", "x")
	if got := writtenText(b); got != "x|" {
		t.Errorf("with Shift, the text is %q", got)
	}
	b.Eval(`document.querySelector('#content').dispatchEvent(new KeyboardEvent('keyup', { bubbles: true }))`)
	// With the clipboard and the commands of the browser.
	writeText(b, "|")
	b.Eval(`(() => {
		document.addEventListener('copy', (event) => {
			event.preventDefault();
			event.clipboardData.setData('text/html', 'The <b>sea</b>');
			event.clipboardData.setData('text/plain', 'The sea');
		});
		document.execCommand('copy');
	})()`)
	for command, want := range map[string]string{"paste": "The **sea**|", "pasteAndMatchStyle": "The sea|"} {
		writeText(b, "|")
		webtest.Call(b, input.DispatchKeyEvent,
			input.DispatchKeyEventParams{Type: "keyDown", Commands: []string{command}})
		if got := writtenText(b); got != want {
			t.Errorf("%s makes %q, want %q", command, got, want)
		}
	}
	b.WantQuietConsole()
}

// attributed returns elements that a parser repeats in each paragraph, because they are not closed.
func attributed(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("<b id=" + strconv.Itoa(i) + ">")
	}
	return b.String()
}

// quotedEnds returns elements that a parser repeats in each paragraph, although they seem to be closed.
func quotedEnds(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("<b id=" + strconv.Itoa(i) + ` title="</b>">`)
	}
	return b.String()
}

func TestHostileRichTextIsPastedAsPlainText(t *testing.T) {
	b := openEditor(t)
	many := strings.Repeat
	for name, html := range map[string]string{
		"deep elements":     many("<div><b>", 50_000) + "x" + many("</b></div>", 50_000),
		"deep lists":        many("<ul><li>", 50_000) + "x",
		"deep quotes":       many("<blockquote>a</x>", 50_000),
		"repeated elements": "<p>" + attributed(150) + "</p>" + many("<p>x</p>", 50_000),
		"quoted end tags":   "<p>" + quotedEnds(400) + "x</p>" + many("<p>x</p>", 400),
		"many elements":     many("<b>x</b>", 125_000),
		"much text":         "<b>" + many("x ", 600_000) + "</b>",
		"wide table": "<table><tr>" + many("<td>x</td>", 40) + "</tr>" +
			many("<tr><td>x</td></tr>", 33_000) + "</table>",
		"much with tabs": "<b>x</b><ul><li>x" + many("<pre>\t\t\t\t\t\t\t\t\t\ty</pre>", 60_000),
	} {
		writeText(b, "|")
		pasteTexts(b, html, "plain")
		if got := writtenText(b); got != "plain|" {
			t.Errorf("%s: the text has %d bytes: %.100q", name, len(got), got)
		}
	}
	// These have many equal characters in a line, which a regular expression could search again and again.
	b.Eval(`(() => { document.execCommand = () => true; })()`) // the time of the browser's editing does not count
	for _, html := range map[string]string{
		"spaces":      "<b>x</b>" + many("<i> </i>", 40_000) + "y<pre>" + many(" ", 500_000) + "y</pre>",
		"punctuation": "<b>" + many("!", 400_000) + "</b>y<i>" + many("(", 400_000) + "x</i>",
		"marks":       "<p>" + many("-", 500_000) + "x</p><p><b>x</b>" + many("[", 200_000) + "</p>",
		"ticks":       "<code>" + many("`a", 300_000) + "</code>",
		"formats":     "<p>a" + many("<b>x</b>y", 30_000) + "</p>",
		"breaks":      "<b>x</b>" + many("<br> ", 40_000) + "y",
		"styles":      "<b style='" + many("a:b;", 250_000) + "'>x</b>",
		"dollars":     "<b>x</b>" + many(" $a", 300_000),
		"addresses":   "<b>x</b>" + many("http://www.", 70_000),
		"tags":        "<b>x</b>" + many("<a ", 300_000) + many("< style", 300_000),
	} {
		pasteTexts(b, html, "")
	}
	t.Log(b.Eval(`slowest`))
	b.WantValue(`slowest < 10_000`, "true") // milliseconds; a search again and again takes minutes
	b.WantQuietConsole()
}

func TestAnAddressPastedOnTextLinksIt(t *testing.T) {
	b := openEditor(t)
	for _, tt := range []struct{ name, before, address, after string }{
		{"words", "see |the sea|.", "https://example.org/a_(b)", "see [the sea](https://example.org/a_%28b%29)|."},
		{"words with spaces around them", "a| b |c", "https://example.org", "a [b](https://example.org) |c"},
		{"the text of a link", "[|b|](https://old.example)", "https://example.org", "[b](https://example.org)|"},
		{"an address", "[b](|https://|)", "https://example.org", "[b](https://example.org|)"},
		{"a part of an address", "[b](https://|old|.org)", "https://x.example", "[b](https://https://x.example|.org)"},
		{"code", "`|b|`", "https://example.org", "`https://example.org|`"},
		{"nothing", "a |b", "https://example.org", "a https://example.org|b"},
		{"paragraphs", "|a\n\nb|", "https://example.org", "https://example.org|"},
		{"words with another text", "|a|", "https://example.org and more", "https://example.org and more|"},
		{"words with a script", "|a|", "javascript:alert(1)", "javascript:alert(1)|"},
	} {
		writeText(b, tt.before)
		pasteTexts(b, "", tt.address)
		if got := writtenText(b); got != tt.after {
			t.Errorf("%s: the text is %q, want %q", tt.name, got, tt.after)
		}
		undo(b)
		if got := b.Eval(`document.querySelector('#content').value`); got != strings.ReplaceAll(tt.before, "|", "") {
			t.Errorf("%s: undoing makes %q", tt.name, got)
		}
	}
	b.WantQuietConsole()
}

func TestAPictureInRichTextIsUploaded(t *testing.T) {
	b := openEditor(t)
	writeText(b, "|")
	b.Eval(`(() => {
		const canvas = document.createElement('canvas');
		[canvas.width, canvas.height] = [330, 20];
		canvas.getContext('2d').fillRect(0, 0, 10, 10);
		window.picture = canvas.toDataURL('image/png');
		const data = new DataTransfer();
		data.setData('text/html', '<p>The <b>sea</b></p><img src="' + picture + '">');
		document.querySelector('#content').dispatchEvent(
			new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
	})()`)
	b.WaitUntil(`document.activeElement.id === 'alt'`)
	b.Do(chromedp.KeyEvent("Waves"))
	b.PressKey("\r")
	b.WaitUntil(`/^The \*\*sea\*\*\n\n!\[Waves\]\(\/media\/[^)]+-330x20\.[a-z]+\)\n$/
		.test(document.querySelector('#content').value)`)
	b.WantQuietConsole()
}
