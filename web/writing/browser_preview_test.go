package writing_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"inkfeed/web/webtest"
)

func TestTheLivePreviewFollowsTheText(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Resize(1280, 900)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	t.Run("beside the text in a wide window", func(t *testing.T) {
		b.Type("#title", "A title")
		b.Type("#content", "Some *text* and <b>")
		b.WaitUntil(`document.querySelector('#rendering em')?.textContent === 'text'`)
		b.WaitForText("#rendering .title", "A title")
		b.WaitForText("#rendering .prose", "<b>")
		b.WaitUntil(`document.querySelector('#count').textContent === '3 words, 1 min read'`)
		if got := b.Eval(`document.querySelector('#reading').getBoundingClientRect().left >
			document.querySelector('#content').getBoundingClientRect().right`); got != "true" {
			t.Error("the preview is not beside the text")
		}
		if b.Eval(`document.querySelector('.tabs').checkVisibility() ||
			document.querySelector('#preview').checkVisibility()`) != "false" {
			t.Error("the tabs or the preview button are visible")
		}
	})
	t.Run("in a tab in a narrow window", func(t *testing.T) {
		b.Resize(390, 844)
		b.WaitUntil(`document.querySelector('.tabs').checkVisibility() &&
			!document.querySelector('#reading').checkVisibility()`)
		b.Do(chromedp.Focus(chromedp.CSS("#tab-writing")))
		b.PressKey(kb.ArrowRight)
		b.WaitUntil(`document.querySelector('#reading').checkVisibility() &&
			!document.querySelector('#content').checkVisibility()`)
		b.WaitUntil(`document.activeElement.id === 'tab-reading' && document.activeElement.ariaSelected === 'true'`)
		b.WaitUntil(`document.querySelector('#reading').getAttribute('role') === 'tabpanel'`)
		b.Click("#tab-writing")
		b.WaitUntil(`document.querySelector('#content').checkVisibility()`)
		b.Type("#content", " 吾輩は")
		b.WaitForText("#count", "4 words and 3 characters, 1 min read")
	})
	b.WantQuietConsole()
}
