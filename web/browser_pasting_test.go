package web_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// pasting pastes a picture of that many pixels into the text, or, as any other file, none.
func pasting(b *tab, width int, name, mediaType string) {
	b.t.Helper()
	handing(b, width, name, mediaType, `new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true })`)
}

// dropping lets go of it there.
func dropping(b *tab, width int, name, mediaType string) {
	b.t.Helper()
	handing(b, width, name, mediaType, `new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true })`)
}

// handing sends the text an event that comes with a file, which must not be the
// browser's to deal with.
func handing(b *tab, width int, name, mediaType, event string) {
	b.t.Helper()
	b.eval(`(() => {
		const canvas = document.createElement('canvas');
		[canvas.width, canvas.height] = [` + strconv.Itoa(width) + `, 20];
		canvas.getContext('2d').fillRect(0, 0, 10, 10);
		canvas.toBlob((blob) => {
			const files = new DataTransfer();
			files.items.add(new File([` + map[bool]string{true: "blob", false: "'no picture'"}[mediaType == "image/png"] + `], '` + name + `', { type: '` + mediaType + `' }));
			if (document.querySelector('#content').dispatchEvent(` + event + `)) throw new Error('left to the browser');
		});
	})()`)
}

func TestAPictureIsPastedIntoTheText(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	l, base := newLine(t, w.handler)
	b := newTab(t, ctx, base)
	b.size(1280, 900)
	b.as(w.ada)
	b.Open("/new")
	b.eventually(`document.querySelector('#tags').role === 'combobox'`)
	b.typing("#content", "Before")
	t.Run("with the description that is asked for", func(t *testing.T) {
		pasting(b, 640, "sea.png", "image/png")
		b.sees("dialog.ask")
		b.eventually(`document.activeElement.id === 'alt'`)
		b.do(chromedp.KeyEvent("The [sea]"))
		b.key("\r")
		b.eventually(`/^Before\n\n!\[The \\\[sea\\\]\]\(\/media\/[^)]+-640x20\.[a-z]+\)\n$/.test(document.querySelector('#content').value)`)
		b.eventually(`document.activeElement.id === 'content'`)
		b.eventually(`document.querySelector('#rendering img')?.alt === 'The [sea]'`)
		b.eventually(saved)
	})
	t.Run("also one that is dropped there", func(t *testing.T) {
		dropping(b, 320, "gull.png", "image/png")
		b.sees("dialog.ask")
		b.eventually(`document.activeElement.id === 'alt'`)
		b.do(chromedp.KeyEvent("A gull"))
		b.key("\r")
		b.eventually(`/\n\n!\[A gull\]\(\/media\/[^)]+-320x20\.[a-z]+\)\n$/.test(document.querySelector('#content').value)`)
		b.eventually(saved)
	})
	t.Run("and is set apart from the text around it", func(t *testing.T) {
		was := b.eval(`document.querySelector('#content').value`)
		b.eval(`(() => { const c = document.querySelector('#content'); c.value = 'Before after'; c.setSelectionRange(7, 7); })()`)
		dropping(b, 330, "gull.png", "image/png") // another picture, which has no description yet
		b.sees("dialog.ask")
		b.click(`dialog.ask button[value="ok"]`)
		b.eventually(`/^Before \n\n!\[\]\(\/media\/[^)]+\)\n\nafter$/.test(document.querySelector('#content').value)`)
		b.eval(`(() => { const c = document.querySelector('#content'); c.value = ` + strconv.Quote(was) + `; c.setSelectionRange(c.value.length, c.value.length); })()`)
	})
	t.Run("any other file that is dropped changes nothing, and does not take one off the page", func(t *testing.T) {
		was := b.eval(`document.querySelector('#content').value`)
		dropping(b, 1, "notes.txt", "text/plain")
		b.eventually(`document.querySelector('dialog.ask') === null`)
		if got := b.eval(`document.querySelector('#content').value`); got != was {
			t.Errorf("the text is %q", got)
		}
	})
	value := func() string { return b.eval(`document.querySelector('#content').value`) }
	with := value()
	t.Run("or not, when it is thought better of", func(t *testing.T) {
		pasting(b, 10, "x.png", "image/png")
		b.sees("dialog.ask")
		b.click(`dialog.ask button[value="cancel"]`)
		b.eventually(`document.querySelector('dialog.ask') === null`)
		if got := value(); got != with {
			t.Errorf("the text is %q", got)
		}
	})
	t.Run("one that is none is refused, with the reason", func(t *testing.T) {
		pasting(b, 10, "x.webp", "image/webp")
		b.click(`dialog.ask button[value="ok"]`)
		b.says(`.complaint[role="alert"]`, "Couldn't add x.webp: ")
		b.eventually(`!document.querySelector('#content').value.includes('uploading:')`)
	})
	t.Run("one that does not get through is taken out again", func(t *testing.T) {
		l.cutOff("/images")
		pasting(b, 10, "y.png", "image/png")
		b.click(`dialog.ask button[value="ok"]`)
		b.eventually(`[...document.querySelectorAll('.complaint')].some(e => e.textContent === "Couldn't add y.png: can't reach the server.")`)
		b.eventually(`!document.querySelector('#content').value.includes('uploading:')`)
	})
	b.quiet("415", "ERR_EMPTY_RESPONSE")
}
