package writing_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// pasting pastes a file into the text. If mediaType is PNG, the file is a picture of that width, otherwise it is none.
func pasting(b *webtest.Tab, width int, name, mediaType string) {
	b.T.Helper()
	handing(b, width, name, mediaType,
		`new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true })`)
}

// dropping drops a file onto the text, as pasting does.
func dropping(b *webtest.Tab, width int, name, mediaType string) {
	b.T.Helper()
	handing(b, width, name, mediaType,
		`new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true })`)
}

// handing dispatches an event with a file on the text, and waits for that. The script must prevent the browser's
// default action.
func handing(b *webtest.Tab, width int, name, mediaType, event string) {
	b.T.Helper()
	content := "'no picture'"
	if mediaType == "image/png" {
		content = "blob"
	}
	b.Eval(`(() => {
		window.handed = false;
		const canvas = document.createElement('canvas');
		[canvas.width, canvas.height] = [` + strconv.Itoa(width) + `, 20];
		canvas.getContext('2d').fillRect(0, 0, 10, 10);
		canvas.toBlob((blob) => {
			const files = new DataTransfer();
			files.items.add(new File([` + content + `], '` + name + `', { type: '` + mediaType + `' }));
			if (document.querySelector('#content').dispatchEvent(` + event + `))
				throw new Error('left to the browser');
			window.handed = true;
		});
	})()`)
	b.WaitUntil(`window.handed`)
}

func TestPicturesArePastedIntoTheText(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	l, base := webtest.NewUnreliableServer(t, w.Handler)
	b := webtest.NewTab(t, ctx, base)
	b.Resize(1280, 900)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	b.Click("#toggle-preview")
	b.Type("#content", "Before")
	t.Run("with a description", func(t *testing.T) {
		pasting(b, 640, "sea.png", "image/png")
		b.WaitVisible("dialog.describe-dialog")
		b.WaitUntil(`document.activeElement.id === 'alt'`)
		b.Do(chromedp.KeyEvent("The [sea]"))
		b.PressKey("\r")
		b.WaitUntil(`/^Before\n\n!\[The \\\[sea\\\]\]\(\/media\/[^)]+-640x20\.[a-z]+\)\n$/
			.test(document.querySelector('#content').value)`)
		b.WaitUntil(`document.activeElement.id === 'content'`)
		b.WaitUntil(`document.querySelector('#rendering img')?.alt === 'The [sea]'`)
		b.WaitUntil(saved)
	})
	t.Run("by dropping them", func(t *testing.T) {
		dropping(b, 320, "gull.png", "image/png")
		b.WaitVisible("dialog.describe-dialog")
		b.WaitUntil(`document.activeElement.id === 'alt'`)
		b.Do(chromedp.KeyEvent("A gull"))
		b.PressKey("\r")
		b.WaitUntil(`/\n\n!\[A gull\]\(\/media\/[^)]+-320x20\.[a-z]+\)\n$/
			.test(document.querySelector('#content').value)`)
		b.WaitUntil(saved)
	})
	t.Run("in a paragraph of their own", func(t *testing.T) {
		was := b.Eval(`document.querySelector('#content').value`)
		b.Eval(`(() => {
			const c = document.querySelector('#content');
			c.value = 'Before after';
			c.setSelectionRange(7, 7);
		})()`)
		dropping(b, 330, "gull.png", "image/png") // another picture, without a description
		b.WaitVisible("dialog.describe-dialog")
		b.Click(`dialog.describe-dialog button[value="ok"]`)
		b.WaitUntil(`/^Before \n\n!\[\]\(\/media\/[^)]+\)\n\nafter$/.test(document.querySelector('#content').value)`)
		b.Eval(`(() => {
			const c = document.querySelector('#content');
			c.value = ` + strconv.Quote(was) + `;
				c.setSelectionRange(c.value.length, c.value.length);
			})()`)
	})
	t.Run("unless they are other files, which do not replace the page", func(t *testing.T) {
		was := b.Eval(`document.querySelector('#content').value`)
		dropping(b, 1, "notes.txt", "text/plain")
		b.WaitForText(".uploads [role=alert]", "Couldn't add notes.txt: that file type isn't supported.")
		b.WaitUntil(`!document.querySelector('.uploads button').checkVisibility()`) // no retry
		b.Click(".uploads button:last-child")
		b.WaitUntil(`document.querySelector('.uploads li') === null`)
		b.WaitUntil(`document.querySelector('dialog.describe-dialog') === null`)
		if got := b.Eval(`document.querySelector('#content').value`); got != was {
			t.Errorf("the text is %q", got)
		}
	})
	value := func() string { return b.Eval(`document.querySelector('#content').value`) }
	with := value()
	t.Run("unless the dialog is cancelled", func(t *testing.T) {
		pasting(b, 10, "x.png", "image/png")
		b.WaitVisible("dialog.describe-dialog")
		b.Click(`dialog.describe-dialog button[value="cancel"]`)
		b.WaitUntil(`document.querySelector('dialog.describe-dialog') === null`)
		if got := value(); got != with {
			t.Errorf("the text is %q", got)
		}
	})
	t.Run("unless the server refuses them, with one reason in view for each file", func(t *testing.T) {
		for range 2 { // the second reason replaces the first
			b.Eval(`document.querySelectorAll('.field-error').forEach(e => { e.dataset.earlier = true; })`)
			pasting(b, 10, "x.svg", "image/svg+xml")
			b.Click(`dialog.describe-dialog button[value="ok"]`)
			b.WaitForText(`.field-error[role="alert"]:not([data-earlier])`, "Couldn't add x.svg: ")
			b.WaitUntil(`document.querySelector('#content').value === ` + strconv.Quote(with))
		}
		b.WantValue(`(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
			document.querySelector('.field-error').getBoundingClientRect())`, "true")
		b.WantValue(`document.querySelectorAll('.uploads li').length`, "1")
		b.WantValue(`document.querySelector('.uploads button').checkVisibility()`, "false") // it would refuse it again
		b.Click(`.uploads button:nth-of-type(2)`)                                           // dismisses it
		b.WaitUntil(`document.querySelector('.uploads li') === null && document.activeElement.id === 'content'`)
	})
	t.Run("unless the upload fails, until it is tried again", func(t *testing.T) {
		l.CutOff("/images")
		pasting(b, 10, "y.png", "image/png")
		b.WaitUntil(`document.activeElement.id === 'alt'`)
		b.Do(chromedp.KeyEvent("Spray"))
		b.PressKey("\r")
		b.WaitUntil(`[...document.querySelectorAll('.field-error')].some(
			e => e.textContent === "Couldn't add y.png: can't reach the server.")`)
		b.WaitUntil(`document.querySelector('#content').value === ` + strconv.Quote(with))
		l.Restore()
		pasting(b, 200, "y.png", "image/png") // another picture of that name
		b.WaitUntil(`document.activeElement.id === 'alt'`)
		b.Do(chromedp.KeyEvent("Foam"))
		b.PressKey("\r")
		b.WaitUntil(`/!\[Foam\]\(\/media\/[^)]+\)\n$/.test(document.querySelector('#content').value)`)
		b.Click(`.uploads button:nth-of-type(1)`)
		b.WaitUntil(`/!\[Spray\]\(\/media\/[^)]+\)\n$/.test(document.querySelector('#content').value)`)
		b.WaitUntil(`document.querySelector('.uploads li') === null`)
		b.WantValue(`document.querySelector('#saved-status').textContent`, "Picture added.")
	})
	t.Run("at the end of a draft in which no cursor was placed", func(t *testing.T) {
		b.WaitUntil(saved)
		b.Open(b.Eval("'/posts/' + document.querySelector('[name=post]').value + '/edit'"))
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
		was := value()
		dropping(b, 50, "first.png", "image/png")
		dropping(b, 60, "second.png", "image/png") // while the dialog of the first is open
		for _, alt := range []string{"First", "Second"} {
			b.WaitUntil(`document.activeElement.id === 'alt' && document.activeElement.value === ''`)
			b.Do(chromedp.KeyEvent(alt))
			b.PressKey("\r")
			b.WaitUntil(`document.querySelector('#content').value.includes('` + alt + `')`)
		}
		b.WaitUntil(`/^\n!\[First\]\(\/media\/[^)]+-50x20\.png\)\n\n!\[Second\]\(\/media\/[^)]+-60x20\.png\)\n$/
			.test(document.querySelector('#content').value.slice(` + strconv.Itoa(len(was)) + `))`)
		b.WaitUntil(`document.querySelector('.uploads li') === null`)
	})
	b.WantQuietConsole("415", "ERR_EMPTY_RESPONSE")
}
