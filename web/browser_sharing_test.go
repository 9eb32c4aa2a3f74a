package web_test

import (
	"testing"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// A draft is shown to somebody before it is published, who needs no account.
func TestADraftIsSharedByItsPrivateLink(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	base := serve(t, w.handler)
	b := newTab(t, ctx, base)
	b.as(w.ada)
	call(b, protocol.SetPermission, protocol.SetPermissionParams{Origin: base, Setting: protocol.PermissionSettingGranted,
		BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
		Permission:       &protocol.PermissionDescriptor{Name: "clipboard-read"}})
	b.Open("/new")
	b.eventually(`document.querySelector('#tags').role === 'combobox'`)
	b.typing("#title", "Not yet")
	b.typing("#content", "Tell me what you *think*.")
	b.eventually(saved)
	b.click("#share summary")
	b.press(`#share button[value="share"]`)
	b.sees("#copy-link")
	b.eventually(`document.querySelector('#copy-link').checkVisibility()`)
	b.press("#copy-link")
	b.eventually(`document.querySelector('#copy-link').textContent === 'Copied'`)
	b.eval(`(() => { navigator.clipboard.readText().then((text) => { document.title = text; }); })()`)
	b.eventually(`document.title === document.querySelector('#preview-link').value`)
	link := b.eval(`new URL(document.querySelector('#preview-link').value).pathname`)

	stranger := newTab(t, ctx, base)
	stranger.Open(link)
	stranger.eventually(`document.querySelector('.prose em')?.textContent === 'think'`)
	b.press(`button[value="unshare"]`)
	b.eventually(`document.querySelector('#share summary') !== null && document.querySelector('#preview-link') === null`)
	stranger.Open(link)
	stranger.eventually(`document.querySelector('.prose') === null`)
	b.quiet()
	stranger.quiet("404")
}
