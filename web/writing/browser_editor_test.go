package writing_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// openPublishing opens the dialog with the controls of publishing, in a window that shows its buttons.
func openPublishing(b *webtest.Tab) {
	b.T.Helper()
	b.Resize(1280, 800)
	b.Click("#open-publish")
	b.WaitUntil(`document.querySelector('dialog.publish-dialog').matches(':modal') &&
		document.activeElement.id === 'publish-title'`)
}

// setPublishDate sets the date of a scheduled publication, like typing.
func setPublishDate(b *webtest.Tab, date string) {
	b.T.Helper()
	b.Eval(`(() => {
		const at = document.querySelector('#publishDate');
		at.value = '` + date + `';
		at.dispatchEvent(new Event('input', { bubbles: true }));
	})()`)
}

func TestKeyboardShortcutsOfTheEditor(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	ctrl := chromedp.KeyModifiers(chromedp.ModifierCtrl)
	value := func() string { return b.Eval(`document.querySelector('#content').value`) }
	selectAll := func() { b.Eval(`document.querySelector('#content').setSelectionRange(0, 4)`) }
	b.Eval(`window.stayed = true`)
	openPublishing(b)
	b.Type("#address", "words")
	b.PressKey("\r") // the script saves a detail alone, without submitting the form
	b.WaitUntil(`document.querySelector('[name=version]').value === '1' && window.stayed`)
	b.Click("#close-publish")
	b.Type("#content", "word")
	for key, want := range map[string]string{"b": "**word**", "i": "*word*", "k": "[word](https://)"} {
		selectAll()
		b.PressKey(key, ctrl)
		if got := value(); got != want {
			t.Errorf("Ctrl+%s makes the text %q", key, got)
		}
		if key == "k" {
			b.PressKey("z", ctrl) // the insertion can be undone
		} else {
			b.PressKey(key, ctrl) // the same key removes the marks
		}
		b.WaitUntil(`document.querySelector('#content').value === 'word'`)
	}
	b.Type("#title", "T")
	b.PressKey("\r")
	b.WaitUntil(`document.activeElement.id === 'content' && location.pathname !== '/posts'`)
	b.PressKey("\r", ctrl)
	b.WaitUntil(`document.activeElement.id === 'publish-title'`)
	b.PressKey("\r") // publishes nothing
	b.PressKey("\r", ctrl)
	b.WantValue(`document.querySelector('.publish-dialog').matches(':modal')`, "true")
	b.Press("#publish-now")
	b.WaitUntil(`document.querySelector('.post h1')?.textContent === 'T'`)
	b.WantQuietConsole()
}
