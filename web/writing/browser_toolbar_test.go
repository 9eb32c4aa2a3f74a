package writing_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"inkfeed/web/webtest"
)

// writeText makes a text that of the editor, with the selection between two | or the cursor at one.
func writeText(b *webtest.Tab, text string) {
	b.T.Helper()
	from := strings.Index(text, "|")
	to := strings.LastIndex(text, "|")
	if from < to {
		to--
	}
	b.Eval(`(() => {
		const field = document.querySelector('#content');
		field.value = '';
		field.focus();
		document.execCommand('insertText', false, ` + strconv.Quote(strings.ReplaceAll(text, "|", "")) + `);
		field.setSelectionRange(` + strconv.Itoa(from) + `, ` + strconv.Itoa(to) + `);
	})()`)
}

// writtenText is the text of the editor, with the selection as in writeText.
func writtenText(b *webtest.Tab) string {
	b.T.Helper()
	return b.Eval(`(() => {
		const { value, selectionStart: from, selectionEnd: to } = document.querySelector('#content');
		return value.slice(0, from) + '|' + value.slice(from, to) + (from < to ? '|' : '') + value.slice(to);
	})()`)
}

func openEditor(t *testing.T) *webtest.Tab {
	t.Helper()
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Resize(1280, 1600) // nothing scrolls
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	return b
}

func TestTheToolbarFormatsTheText(t *testing.T) {
	b := openEditor(t)
	button := func(format string) string { return `#toolbar [data-format="` + format + `"]` }
	for _, tt := range []struct{ format, before, after string }{
		{"bold", "a |word| here", "a **|word|** here"},
		{"bold", "a |word |here", "a **|word|** here"},
		{"bold", "a **|word|** here", "a |word| here"},
		{"bold", "a **wo|rd** here", "a wo|rd here"},
		{"bold", "an *|inner|* word", "an ***|inner|*** word"},
		{"bold", "|one\n\ntwo|", "|**one**\n\n**two**|"},
		{"bold", "|**one**\n\n**two**|", "|one\n\ntwo|"},
		{"bold", "o|ne two\nthr|ee", "o|**ne two**\n**thr**|ee"},
		{"bold", "|## one\n\n- **two**\n  1. [x] three\n> > four\n\n---\n|five",
			"|## **one**\n\n- **two**\n  1. [x] **three**\n> > **four**\n\n---\n|five"},
		{"bold", "|- one|", "- **|one|**"},
		{"italic", "|one\n\n***two***|", "|*one*\n\n***two***|"},
		{"italic", "|*one*\n\n***two***|", "|one\n\n**two**|"},
		{"italic", "a |word|", "a *|word|*"},
		{"italic", "a ***|word|***", "a **|word|**"},
		{"italic", "2 * 3 |and| 4 * 5", "2 * 3 *|and|* 4 * 5"},
		{"code", "a |word|", "a `|word|`"},
		{"code", "|one\ntwo|\n", "```\none\ntwo\n```|\n"},
		{"link", "a |word|", "a [word](|https://|)"},
		{"code", "|a\n```\nb|", "````\na\n```\nb\n````|"},
		{"link", "|https://example.org|", "[|](https://example.org)"},
		{"link", "|HTTPS://example.org|", "[|](HTTPS://example.org)"},
		{"link", "|one\n\ntwo|", "[one](|https://|)\n\ntwo"},
		{"link", "|one\ntwo|", "[one\ntwo](|https://|)"},
		{"link", "|- one\n- two|", "- [one](|https://|)\n- two"},
		{"heading", "One\ntw|o", "One\n## tw|o"},
		{"heading", "### tw|o", "tw|o"},
		{"quote", "|one\n\ntwo|", "|> one\n>\n> two|"},
		{"quote", "|> one\n>\n> two|\n", "|one\n\ntwo|\n"},
		{"list", "|one\ntwo\n|three", "|- one\n- two|\nthree"},
		{"list", "\n|", "\n- |"},
	} {
		writeText(b, tt.before)
		b.Click(button(tt.format))
		if got := writtenText(b); got != tt.after {
			t.Errorf("%s makes %q of %q, want %q", tt.format, got, tt.before, tt.after)
		}
		b.WantValue(`document.activeElement.id`, "content")
		b.PressKey("z", chromedp.KeyModifiers(chromedp.ModifierCtrl))
		undone := b.Eval(`document.querySelector('#content').value`)
		if undone != strings.ReplaceAll(tt.before, "|", "") {
			t.Errorf("undoing %s makes %q of %q", tt.format, undone, tt.before)
		}
	}
	t.Run("while the author types, and then ends the format", func(t *testing.T) {
		writeText(b, "a |")
		b.Click(button("bold"))
		b.Do(chromedp.KeyEvent("word"))
		b.Click(button("bold"))
		if got := writtenText(b); got != "a **word**|" {
			t.Errorf("the text is %q", got)
		}
	})
	t.Run("by shortcuts, which other layouts type with other keys", func(t *testing.T) {
		writeText(b, "one|")
		b.Eval(`document.querySelector('#content').dispatchEvent(new KeyboardEvent('keydown',
			{ key: '(', code: 'Digit9', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }))`)
		b.Eval(`document.querySelector('#content').dispatchEvent(new KeyboardEvent('keydown',
			{ key: 'у', code: 'KeyE', ctrlKey: true, bubbles: true, cancelable: true }))`)
		if got := writtenText(b); got != "> one`|`" {
			t.Errorf("the text is %q", got)
		}
	})
	t.Run("and shows the format at the cursor", func(t *testing.T) {
		writeText(b, "## a **b|c** d")
		b.WaitUntil(`[...document.querySelectorAll('#toolbar [aria-pressed="true"]')].map(b => b.dataset.format).join()
			=== 'bold,heading'`)
	})
	t.Run("and is one stop of the Tab key", func(t *testing.T) {
		b.Do(chromedp.Focus(chromedp.CSS("#content")))
		for _, before := range []string{"subtitle", "title"} {
			b.PressKey(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))
			b.WantValue(`document.activeElement.id`, before)
		}
		b.PressKey(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))
		b.WantValue(`document.activeElement.dataset.format`, "bold")
		for _, step := range [][2]string{{kb.ArrowRight, "italic"}, {kb.ArrowLeft, "bold"}, {kb.ArrowLeft, "picture"},
			{kb.ArrowRight, "bold"}, {kb.End, "picture"}, {kb.Home, "bold"}, {kb.ArrowRight, "italic"}} {
			b.PressKey(step[0])
			b.WantValue(`document.activeElement.dataset.format`, step[1])
		}
		b.PressKey(kb.Tab)
		b.WantValue(`document.activeElement.id`, "title")
	})
	t.Run("and shows the format of all selected lines", func(t *testing.T) {
		writeText(b, "|**a**\n\n**b**|")
		b.WaitUntil(`document.querySelector('#toolbar [data-format="bold"]').ariaPressed === 'true'`)
		writeText(b, "|**a**\n\nb|")
		b.WaitUntil(`document.querySelector('#toolbar [data-format="bold"]').ariaPressed === 'false'`)
	})
	b.WantQuietConsole()
}

func TestLinesPastedIntoTheTitleBecomeOneLine(t *testing.T) {
	b := openEditor(t)
	got := b.Eval(`(() => {
		const title = document.querySelector('#title');
		title.focus();
		document.execCommand('insertText', false, 'before after');
		title.setSelectionRange(7, 7);
		document.execCommand('insertText', false, 'two \n lines ');
		return title.value.slice(0, title.selectionStart) + '|' + title.value.slice(title.selectionEnd);
	})()`)
	if got != "before two lines |after" {
		t.Errorf("the title with its cursor is %q", got)
	}
}

func TestEnterContinuesListsAndQuotes(t *testing.T) {
	b := openEditor(t)
	for _, tt := range []struct{ name, before, after string }{
		{"a list", "- one|", "- one\n- |"},
		{"a list within an item", "* one| two", "* one\n* | two"},
		{"a nested list", "- one\n  + two|", "- one\n  + two\n  + |"},
		{"a numbered list", "9. one|", "9. one\n10. |"},
		{"a numbered list with brackets", "1) one|", "1) one\n2) |"},
		{"a task list", "- [x] done|", "- [x] done\n- [ ] |"},
		{"a quote", "> one|", "> one\n> |"},
		{"a list in a quote", "> - one|", "> - one\n> - |"},
		{"a quote in a quote", ">> one|", ">> one\n>> |"},
		{"no empty item", "- one\n- |", "- one\n\n|"},
		{"no empty numbered item", "1. one\n2. |\n", "1. one\n\n|\n"},
		{"no empty task", "- [ ] |", "|"},
		{"no empty line of a quote", "> one\n> |", "> one\n\n|"},
		{"no empty item in a quote", "> - one\n> - |", "> - one\n>\n> |"},
		{"no other text", "one|", "one\n|"},
		{"no dash without a space", "-|", "-\n|"},
		{"no list in a code block", "```\n- one|", "```\n- one\n|"},
		{"a list after a code block", "```\nx\n```\n- one|", "```\nx\n```\n- one\n- |"},
	} {
		writeText(b, tt.before)
		b.PressKey(kb.Enter)
		if got := writtenText(b); got != tt.after {
			t.Errorf("%s: Enter makes %q of %q, want %q", tt.name, got, tt.before, tt.after)
		}
	}
	t.Run("but not while an input method composes, nor with Shift", func(t *testing.T) {
		writeText(b, "- 猫|")
		if b.Eval(`document.querySelector('#content').dispatchEvent(new InputEvent('beforeinput',
			{ inputType: 'insertLineBreak', isComposing: true, bubbles: true, cancelable: true }))`) != "true" {
			t.Error("the end of a composition is handled")
		}
		b.PressKey(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierShift))
		if got := writtenText(b); got != "- 猫\n|" {
			t.Errorf("with Shift, the text is %q", got)
		}
	})
	b.WantQuietConsole()
}
