package web_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// typing types at the end of a field, as keys do.
func (b *tab) typing(selector, text string) {
	b.t.Helper()
	b.eval(`(() => { const f = document.querySelector('` + selector + `'); f.focus(); f.setSelectionRange(f.value.length, f.value.length); })()`)
	b.do(chromedp.KeyEvent(text))
}

// key presses a key where the focus is.
func (b *tab) key(key string, modifiers ...chromedp.KeyOption) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key, modifiers...))
}

func (b *tab) says(selector, text string) {
	b.t.Helper()
	b.eventually(`document.querySelector('` + selector + `')?.textContent.includes(` + strconv.Quote(text) + `)`)
}

func TestKeysOfTheEditor(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open("/new")
	b.eventually(`document.querySelector('#tags').role === 'combobox'`)
	ctrl := chromedp.KeyModifiers(chromedp.ModifierCtrl)
	value := func() string { return b.eval(`document.querySelector('#content').value`) }
	selectAll := func() { b.eval(`document.querySelector('#content').setSelectionRange(0, 4)`) }
	b.typing("#content", "word")
	for key, want := range map[string]string{"b": "**word**", "i": "*word*", "k": "[word](https://)"} {
		selectAll()
		b.key(key, ctrl)
		if got := value(); got != want {
			t.Errorf("Ctrl+%s makes %q", key, got)
		}
		if key == "k" {
			b.key("z", ctrl) // what a key inserts can be undone
		} else {
			b.key(key, ctrl) // and taken away by itself
		}
		b.eventually(`document.querySelector('#content').value === 'word'`)
	}
	b.typing("#title", "T")
	b.key("\r")
	b.eventually(`document.activeElement.id === 'content' && location.pathname !== '/posts'`)
	b.key("\r", ctrl)
	b.eventually(`document.activeElement.id === 'publish-now'`)
	b.key("\r")
	b.eventually(`document.querySelector('.post h1')?.textContent === 'T'`)
	b.quiet()
}
