package writing_test

import (
	"testing"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// A private link shows a draft to a visitor without an account.
func TestADraftIsSharedByItsPrivateLink(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	base := webtest.Listen(t, w.Handler)
	b := webtest.NewTab(t, ctx, base)
	b.SignInAs(w.Ada)
	webtest.Call(b, protocol.SetPermission,
		protocol.SetPermissionParams{Origin: base, Setting: protocol.PermissionSettingGranted,
			BrowserContextID: chromedp.FromContext(b.Ctx).BrowserContextID,
			Permission:       &protocol.PermissionDescriptor{Name: "clipboard-read"}})
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	b.Type("#title", "Not yet")
	b.Type("#content", "Tell me what you *think*.")
	b.WaitUntil(saved)
	openPublishing(b)
	b.Click("#share summary")
	b.Press(`#share button[value="share"]`)
	b.WaitUntil(`(() => {
		const field = document.querySelector('#new-preview-link');
		if (!field || document.activeElement !== field) return false;
		const { top, bottom } = field.getBoundingClientRect();
		return top >= 0 && bottom <= innerHeight && field.selectionEnd === field.value.length;
	})()`)
	b.WantValue(`document.querySelector('#new-preview-link').selectionStart`, "0")
	b.Press(".done .copy-field button")
	b.WaitForText(".done .copy-field button", "Copied")
	b.Eval(`(() => { navigator.clipboard.readText().then((text) => { document.title = text; }); })()`)
	b.WaitUntil(`document.title === document.querySelector('#preview-link').value`)
	link := b.Eval(`new URL(document.querySelector('#preview-link').value).pathname`)

	visitor := webtest.NewTab(t, ctx, base)
	visitor.Open(link)
	visitor.WaitUntil(`document.querySelector('.prose em')?.textContent === 'think'`)
	openPublishing(b)
	b.Press(`button[value="unshare"]`)
	b.WaitUntil(`document.querySelector('#share summary') !== null && document.querySelector('#preview-link') === null`)
	visitor.Open(link)
	visitor.WaitUntil(`document.querySelector('.prose') === null`)
	b.WantQuietConsole()
	visitor.WantQuietConsole("404")
}
