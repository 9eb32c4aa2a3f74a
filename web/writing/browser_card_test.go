package writing_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"inkfeed/web/webtest"
)

func TestTheDialogShowsTheCardAndTakesACover(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	l, base := webtest.NewUnreliableServer(t, w.Handler)
	b := webtest.NewTab(t, ctx, base)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	b.Type("#title", "The tide")
	b.Type("#content", "Words of the text.")
	openPublishing(b)
	b.WaitForText("#card h2", "The tide")
	b.WaitForText("#card .text", "Words of the text.")
	b.WaitUntil(`document.querySelector('#full-address').textContent.endsWith('/the-tide')`)
	t.Run("with what is changed in the dialog, such as the subtitle", func(t *testing.T) {
		b.Type("#subtitle-again", "Twice a day")
		b.WaitForText("#card .text", "Twice a day")
		b.WantValue(`document.querySelector('#subtitle').value`, "Twice a day")
		b.Type("#address", "Eling tides")
		b.WaitUntil(`document.querySelector('#full-address').textContent.endsWith('/eling-tides')`)
		b.WaitUntil(saved)
		if d, _ := draft(w.Ada, draftID(b)); d.Details.Subtitle != "Twice a day" {
			t.Errorf("the draft has the subtitle %q", d.Details.Subtitle)
		}
	})
	t.Run("and says why a picture that is dropped on it is no cover", func(t *testing.T) {
		dropping(b, 1, "notes.txt", "text/plain")
		b.WaitForText("#cover-state.field-error", "Couldn't add notes.txt: that file type isn't supported.")
		l.CutOff("/images")
		dropping(b, 20, "sea.png", "image/png")
		b.WaitForText("#cover-state.field-error", "Couldn't add sea.png: can't reach the server.")
		l.Restore()
		b.WantValue(`document.querySelector('#content').value`, "Words of the text.")
	})
	t.Run("or makes it the cover, which is in no text", func(t *testing.T) {
		dropping(b, 640, "sea.png", "image/png")
		b.WaitForText("#cover-state", "The picture is the cover now.")
		b.WaitUntil(`document.querySelector('#card .thumb img').naturalWidth > 0`)
		b.WaitUntil(saved)
		b.Click("#publish-now")
		b.WaitUntil(`document.querySelector('.post-cover img')?.getAttribute('src').includes('-640x20.')`)
	})
	b.WantQuietConsole("ERR_EMPTY_RESPONSE", "415")
}

func TestPicturesHaveCaptions(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	b.Type("#content", "Before")
	pasting(b, 640, "sea.png", "image/png")
	t.Run("when they are added, beside a thumbnail", func(t *testing.T) {
		b.WaitUntil(`document.activeElement.id === 'alt'`)
		b.WantValue(`document.querySelector('.thumbnail canvas').width > 0`, "true")
		b.Do(chromedp.KeyEvent("The sea"))
		b.PressKey(kb.Tab)
		b.Do(chromedp.KeyEvent(`A "calm" day`))
		b.PressKey("\r")
		b.WaitUntil(`/^Before\n\n!\[The sea\]\(\/media\/[^) ]+ "A \\"calm\\" day"\)\n$/
			.test(document.querySelector('#content').value)`)
	})
	t.Run("and when the cursor is in a picture of the text", func(t *testing.T) {
		b.Eval(`document.querySelector('#content').setSelectionRange(12, 12)`)
		b.Click(`[data-format="picture"]`)
		b.WaitUntil(`document.querySelector('.thumbnail img')?.naturalWidth > 0`)
		b.WantValue(`[...document.querySelectorAll('.describe-dialog input')].map((i) => i.value).join()`,
			`The sea,A "calm" day`)
		b.SetValue("#caption", "In May")
		b.PressKey("\r")
		b.WaitUntil(`/^Before\n\n!\[The sea\]\(\/media\/[^) ]+ "In May"\)\n$/
			.test(document.querySelector('#content').value)`)
		b.PressKey("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)) // one step of the author
		b.WaitUntil(`document.querySelector('#content').value.includes('calm')`)
	})
	t.Run("while a file is dragged over the page, which shows where it can be dropped", func(t *testing.T) {
		drag := func(event string) {
			b.Eval(`(() => {
				const files = new DataTransfer();
				files.items.add(new File([''], 'a.png', { type: 'image/png' }));
				document.body.dispatchEvent(new DragEvent('` + event + `', { dataTransfer: files, bubbles: true }));
			})()`)
		}
		shown := `document.querySelector('#writing .drop-hint').checkVisibility()`
		b.WantValue(shown, "false")
		drag("dragover")
		b.WaitUntil(shown)
		drag("dragleave")
		b.WaitUntil(`!` + shown)
	})
	b.WantQuietConsole()
}

func TestARestoredCopyKeepsALanguageThatTheListLacks(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	b.Eval(`(() => {
		const { post, user } = document.querySelector('#editor').elements;
		localStorage.setItem('inkfeed.draft.' + post.value + '.1', JSON.stringify({ post: post.value, editor: '1',
			user: user.value, title: 'Grüezi', content: 'Hoi', tags: '', language: 'gsw', status: 'listed', version: 0,
			revision: 0, at: Date.now() }));
		location.href = '/new?post=' + post.value;
	})()`)
	b.WaitVisible(`[data-do="restore"]`)
	b.Click(`[data-do="restore"]`)
	b.WaitUntil(`document.querySelector('#language').value === 'gsw'`)
	openPublishing(b)
	b.WaitForText("#publish-summary", "Language: gsw.")
	b.WaitUntil(saved)
	if d, _ := draft(w.Ada, draftID(b)); d.Details.Language != "gsw" {
		t.Errorf("the draft has the language %q", d.Details.Language)
	}
	b.WantQuietConsole("404")
}
