package web_test

import "testing"

// A browser shows an answer only when its connection is not reset while it still sends the form.
// The text is in a hidden field: to lay out megabytes in a visible one takes Chromium long.
func TestABrowserShowsTheAnswerToAFormThatIsTooLarge(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open("/settings")
	b.eval(`(() => {
		const form = document.createElement('form');
		form.method = 'post';
		form.action = '/posts';
		const field = document.createElement('input');
		field.type = 'hidden';
		field.name = 'content';
		field.value = 'word '.repeat(3300000);
		form.append(field);
		document.body.append(form);
		setTimeout(() => HTMLFormElement.prototype.submit.call(form), 50); // after this script has answered
	})()`)
	b.eventually(
		`document.readyState === 'complete' && document.querySelector('main').innerText.includes('larger than this site accepts')`,
	)
}

// The text of a form that was refused may not be stored. The editor then saves it, instead of taking
// what came back for what the server has.
func TestARefusedFormIsSavedWhenItComesBack(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open("/new")
	b.eval(`(() => {
		const form = document.getElementById('editor');
		form.elements.title.value = 'Too long to publish';
		form.elements.content.value = 'word '.repeat(240000);
		const publish = document.createElement('input');
		publish.type = 'hidden';
		publish.name = 'do';
		publish.value = 'publish';
		form.append(publish);
		setTimeout(() => HTMLFormElement.prototype.submit.call(form), 50); // past the script, which would save first
	})()`)
	b.eventually(`document.readyState === 'complete' && document.querySelector('main').innerText.includes('the limit is 1,000,000')`)
	b.eventually(`document.getElementById('saved').innerText.startsWith('Saved')`)
	b.Open("/drafts")
	b.eventually(`document.querySelector('main').innerText.includes('Too long to publish')`)
}
