package webtest_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"inkfeed/web/webtest"
)

// A link may open a field and move the focus into it before the key is up.
func TestAKeyIsPressedOnOneElement(t *testing.T) {
	_, b := webtest.OpenWorld(t)
	b.Open("/about:nothing")
	b.Eval(`(() => {
		document.body.innerHTML = '<a id="link" href="#x">open</a> <textarea id="field"></textarea>';
		document.querySelector('#link').addEventListener('click', e => {
			e.preventDefault();
			setTimeout(() => document.querySelector('#field').focus());
		});
	})()`)
	for range 20 {
		b.Press("#link")
		b.WaitUntil(`document.activeElement.id === 'field'`)
	}
	b.PressKey("a")
	b.PressKey(kb.Enter)
	b.PressKey("B")
	b.WantValue(`document.querySelector('#field').value`, "a\nB")
}
