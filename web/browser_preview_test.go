package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestTheLivePreview(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.size(1280, 900)
	b.Open("/new")
	b.eventually(`document.querySelector('#tags').role === 'combobox'`)
	t.Run("is beside the text where there is room", func(t *testing.T) {
		b.typing("#title", "A title")
		b.typing("#content", "Some *text* and <b>")
		b.eventually(`document.querySelector('#rendering em')?.textContent === 'text'`)
		b.says("#rendering .title", "A title")
		b.says("#rendering .prose", "<b>")
		b.eventually(`document.querySelector('#count').textContent === '3 words, 1 min to read'`)
		if got := b.eval(`document.querySelector('#reading').getBoundingClientRect().left > document.querySelector('#content').getBoundingClientRect().right`); got != "true" {
			t.Error("it is not beside the text")
		}
		if b.eval(`document.querySelector('.tabs').checkVisibility() || document.querySelector('#preview').checkVisibility()`) != "false" {
			t.Error("there are tabs, or a button for it")
		}
	})
	t.Run("is behind a tab where there is not", func(t *testing.T) {
		b.size(390, 844)
		b.eventually(`document.querySelector('.tabs').checkVisibility() && !document.querySelector('#reading').checkVisibility()`)
		b.do(chromedp.Focus(chromedp.CSS("#tab-writing")))
		b.key(kb.ArrowRight)
		b.eventually(`document.querySelector('#reading').checkVisibility() && !document.querySelector('#content').checkVisibility()`)
		b.eventually(`document.activeElement.id === 'tab-reading' && document.activeElement.ariaSelected === 'true'`)
		b.eventually(`document.querySelector('#reading').getAttribute('role') === 'tabpanel'`)
		b.click("#tab-writing")
		b.eventually(`document.querySelector('#content').checkVisibility()`)
		b.typing("#content", " 吾輩は")
		b.says("#count", "4 words and 3 characters, 1 min to read")
	})
	b.quiet()
}
