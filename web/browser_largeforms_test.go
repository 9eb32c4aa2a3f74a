package web_test

import (
	"testing"

	"inkfeed/web/webtest"
)

// A browser shows the response only if the server does not reset the connection during the upload. The text is in a
// hidden field, because Chromium takes long to lay out megabytes in a visible one.
func TestABrowserShowsTheResponseToAnOversizedForm(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/settings")
	b.Eval(`(() => {
		const form = document.createElement('form');
		form.method = 'post';
		form.action = '/posts';
		const field = document.createElement('input');
		field.type = 'hidden';
		field.name = 'content';
		field.value = 'word '.repeat(3300000);
		form.append(field);
		document.body.append(form);
		setTimeout(() => HTMLFormElement.prototype.submit.call(form), 50); // after this script has returned
	})()`)
	b.WaitUntil(`document.readyState === 'complete' &&
		document.querySelector('main').innerText.includes('larger than this site accepts')`)
}

// The text of a refused form may not be stored yet. The editor therefore saves the text that comes back, instead of
// assuming that the server has it.
func TestTheEditorSavesTheTextOfARefusedForm(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.Eval(`(() => {
		const form = document.getElementById('editor');
		form.elements.title.value = 'Too long to publish';
		form.elements.content.value = ('word '.repeat(200) + '\n').repeat(1000);
		const publish = document.createElement('input');
		publish.type = 'hidden';
		publish.name = 'do';
		publish.value = 'publish';
		form.append(publish);
		setTimeout(() => HTMLFormElement.prototype.submit.call(form), 50); // bypasses saving by the script
	})()`)
	b.WaitUntil(`document.readyState === 'complete' &&
		document.querySelector('main').innerText.includes('of at most 1,000,000 bytes')`)
	b.WaitUntil(`document.getElementById('saved').innerText.startsWith('Saved')`)
	b.Open("/drafts")
	b.WaitUntil(`document.querySelector('main').innerText.includes('Too long to publish')`)
}
