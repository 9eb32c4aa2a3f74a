package writing_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"inkfeed/web/webtest"
)

const scriptHasRun = `document.querySelector('#tags').role === 'combobox'`

func openDraft(b *webtest.Tab, id string) {
	b.T.Helper()
	b.Open("/posts/" + id + "/edit")
	b.WaitUntil(scriptHasRun)
}

// The browser keeps the text of each editor, so tabs with the same draft do not delete each other's.
func TestTabsKeepTheirOwnCopies(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	d := w.Ada.CreateDraft("A title", "One", "")
	b.SignInAs(w.Ada)
	openDraft(b, d.PostID)
	b.Eval(`void (window.other = open(location.href))`)
	b.WaitUntil(`other.document.querySelector('#tags')?.role === 'combobox'`)
	b.Type("#content", " two")
	b.WaitUntil(saved)
	b.Eval(`(() => {
		const field = other.document.querySelector('#content');
		field.value += ' three';
		field.dispatchEvent(new other.Event('input', { bubbles: true }));
		field.dispatchEvent(new other.Event('focusout', { bubbles: true }));
	})()`)
	b.WaitUntil(`other.document.querySelector('#saved').textContent.includes('changed in another tab')`)
	b.Eval(`other.close()`)
	b.Type("#content", " four")
	b.WaitUntil(`document.querySelector('[name=version]').value === '3'`)
	b.WaitUntil(saved)
	b.WantValue(`Object.values(localStorage).map((e) => JSON.parse(e).content).join()`, "One three")
	openDraft(b, d.PostID)
	b.WaitForText(".recovered", "found unsaved changes")
	t.Run("and an older copy does not silently replace a newer draft", func(t *testing.T) {
		b.WaitForText("#saved-status", "found unsaved changes")
		b.Click(`.recovered [data-do="restore"]`)
		b.WaitForText("#saved", "changed in another tab")
		b.WantValue(`document.querySelector('#content').value`, "One three")
		if now, _ := draft(w.Ada, d.PostID); now.Content != "One two four" {
			t.Errorf("the draft is %q", now.Content)
		}
	})
	t.Run("and a choice between versions counts once", func(t *testing.T) {
		b.Click("#saved button")
		b.WaitUntil(`document.querySelector('h1').textContent === 'This draft has two versions'`)
		b.Click("button[value=theirs]")
		b.WaitUntil(`document.querySelector('#content')?.value === 'One two four' && ` + scriptHasRun)
		b.WaitUntil(`localStorage.length === 0 && document.querySelector('.recovered') === null`)
		b.WantValue(`sessionStorage.length`, "0")
	})
	b.WantQuietConsole("409", "Autofocus")
}

func TestARestoredTextKeepsItsTabsLaterCopy(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	d := w.Ada.CreateDraft("A title", "One", "")
	b.SignInAs(w.Ada)
	openDraft(b, d.PostID)
	b.Eval(`(() => {
		const send = fetch;
		fetch = async (to, how) => to.startsWith('/drafts/') ? new Response('{}', { status: 401 }) : send(to, how);
	})()`)
	b.Type("#content", " two")
	b.WaitForText("#saved", "your session has expired")
	b.Eval(`void (window.other = open(location.href))`)
	b.WaitUntil(`other.document.querySelector('[name=version]')?.value === '2' && localStorage.length === 0`)
	b.Type("#content", " three")
	b.WaitUntil(`localStorage.length === 1`)
	b.Eval(`(() => {
		const field = other.document.querySelector('#content');
		field.value += ' four';
		field.dispatchEvent(new other.Event('input', { bubbles: true }));
		field.dispatchEvent(new other.Event('focusout', { bubbles: true }));
	})()`)
	b.WaitUntil(`other.document.querySelector('[name=version]').value === '3'`)
	b.WaitUntil(`other.document.querySelector('#saved').textContent.startsWith('Saved')`)
	b.WantValue(`Object.values(localStorage).map((e) => JSON.parse(e).content).join()`, "One two three")
	if now, _ := draft(w.Ada, d.PostID); now.Content != "One two four" {
		t.Errorf("the draft is %q", now.Content)
	}
}

// After a lost response, the server has a text of the author that the editor does not know to be saved.
func TestARestoredTextDoesNotConflictWithItsLostResponse(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	d := w.Ada.CreateDraft("A title", "One", "")
	b.SignInAs(w.Ada)
	openDraft(b, d.PostID)
	b.Eval(`(() => {
		const send = fetch;
		let sent = 0;
		fetch = async (to, how) => {
			if (!to.startsWith('/drafts/')) return send(to, how);
			if (!sent++) await send(to, how);
			throw new TypeError('lost');
		};
	})()`)
	b.Type("#content", " two")
	b.WaitForText("#saved", "can't reach the server")
	b.Type("#content", " three")
	b.WaitUntil(`Object.values(localStorage).some((e) => JSON.parse(e).content === 'One two three')`)
	openDraft(b, d.PostID)
	b.WantValue(`document.querySelector('#content').value`, "One two")
	b.Click(`.recovered [data-do="restore"]`)
	b.WaitUntil(saved + ` && localStorage.length === 0`)
	if now, _ := draft(w.Ada, d.PostID); now.Content != "One two three" {
		t.Errorf("the draft is %q", now.Content)
	}
}

func TestATextIsNeverSavedForTheNextUser(t *testing.T) {
	t.Run("by the script", func(t *testing.T) {
		w, b := webtest.OpenWorld(t)
		b.SignInAs(w.Ada)
		b.Open("/new")
		b.WaitUntil(scriptHasRun)
		id := draftID(b)
		b.SignInAs(w.Ben)
		b.Type("#content", "private")
		b.WaitForText("#saved", "Another user is logged in")
		b.WaitForText("#saved", "We kept a copy in this browser.")
		b.WantValue(`document.querySelector('#saved a[href^="/login"]')`, "null") // it would lead back as the next user
		if _, there := draft(w.Ben, id); there {
			t.Error("the next user has the draft")
		}
		b.WantValue(`localStorage.length`, "1")
		b.SignInAs(w.Ada)
		b.WaitUntil(saved)
	})
	t.Run("by the form, which comes back with the text", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		id := ada.NewPostID()
		form := webtest.FormFields(ada.Get("/new?post="+id), "title", "A title", "content", "private", "do", "save")
		a := ben.Post("/posts", form...).Want(http.StatusForbidden).
			Has(".error-summary", "Another user is logged in").Has("#content", "private")
		if _, there := draft(ben, id); there {
			t.Error("the next user has the draft")
		}
		ben.Post("/posts", webtest.FormFields(a, "do", "save")...).Want(http.StatusForbidden)
		ada.Post("/posts", webtest.FormFields(a, "do", "save")...).Want(http.StatusSeeOther)
		if d, _ := draft(ada, id); d.Content != "private" {
			t.Errorf("the draft is %q", d.Content)
		}
	})
}

func TestAPictureIsNeverUploadedForTheNextUser(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(scriptHasRun)
	b.SignInAs(w.Ben)
	pasting(b, 640, "sea.png", "image/png")
	b.Click(".describe-dialog button[value=ok]")
	b.WaitUntil(`document.querySelector('.uploads [role=alert]') ||
		document.querySelector('#content').value.includes('/media/')`)
	b.WantValue(`document.querySelector('.uploads [role=alert]')?.textContent.includes('Another user is logged in')`,
		"true")
}

// Leaving the page ends uploads. The text must not keep their placeholders.
func TestAnInterruptedUploadLeavesNoPlaceholder(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	d := w.Ada.CreateDraft("A title", "One\n\n![A cat \\[1\\]](uploading:123)\n\ntwo", "")
	b.SignInAs(w.Ada)
	openDraft(b, d.PostID)
	b.WaitForText(".uploads", "Couldn't add A cat [1]: you left the page before it was uploaded.")
	b.WaitUntil(`!document.querySelector('#content').value.includes('uploading')`)
	webtest.WaitFor(t, "the draft has no placeholder", func() bool {
		now, _ := draft(w.Ada, d.PostID)
		return now.Version == 2 && !strings.Contains(now.Content, "uploading")
	})
	b.WantQuietConsole()
}

func TestAnUploadInProgressAsksBeforeThePageIsLeft(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(scriptHasRun)
	leaving := func() string { return b.Eval(`dispatchEvent(new Event('beforeunload', { cancelable: true }))`) }
	b.Eval(`(() => {
		const send = fetch;
		const held = new Promise((resolve) => { window.finish = resolve; });
		fetch = (to, how) => to.includes('/images') ? held : send(to, how);
		const data = new DataTransfer();
		data.items.add(new File([new Uint8Array([137, 80, 78, 71])], 'cat.png', { type: 'image/png' }));
		document.querySelector('#content').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data }));
	})()`)
	b.Click(".describe-dialog button[value=ok]")
	b.WaitUntil(`document.querySelector('#content').value.includes('uploading:')`)
	if leaving() != "false" {
		t.Error("the page can be left during an upload")
	}
	b.Eval(`finish(new Response('{"url": "/media/cat.png"}'))`)
	b.WaitUntil(`document.querySelector('#content').value.includes('/media/cat.png')`)
	if leaving() != "true" {
		t.Error("the page cannot be left after the upload")
	}
}

func TestAFailureToCompareVersionsIsVisible(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	l, base := webtest.NewUnreliableServer(t, w.Handler)
	b := webtest.NewTab(t, ctx, base)
	d := w.Ada.CreateDraft("A title", "One", "")
	b.SignInAs(w.Ada)
	openDraft(b, d.PostID)
	w.Ada.Post("/drafts/"+d.PostID, "version", "1", "title", "A title", "content", "Two").Want(http.StatusOK)
	b.Type("#content", " three")
	b.WaitForText("#saved", "changed in another tab")
	l.CutOff("/")
	b.Click("#saved button")
	b.WaitForText("#saved", "Can't reach the server. Your text is safe.")
	l.Restore()
	b.Click("#saved button")
	b.WaitUntil(`document.querySelector('h1').textContent === 'This draft has two versions'`)
	b.WantQuietConsole("409", "Autofocus", "ERR_EMPTY_RESPONSE")
}

// Screen readers announce what is put into an element only if they knew the element before.
func TestPlacesOfAnnouncementsAreKnownToScreenReaders(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(scriptHasRun)
	b.Eval(`document.querySelector('#reading').hidden = false`)
	for _, place := range []string{"#Page-notice", "#preview-problem", "#publish-problem"} {
		b.WantValue(`getComputedStyle(document.querySelector('`+place+`')).display !== 'none'`, "true")
	}
}

func TestForcedColoursShowTheStateOfTheEditor(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(scriptHasRun)
	webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
	b.Type("#content", "**bold**")
	b.Eval(`document.querySelector('#content').setSelectionRange(3, 3)`)
	b.WaitUntil(`document.querySelector('[data-format=bold]').ariaPressed === 'true'`)
	for _, element := range []string{"[data-format=bold]", "#content"} {
		b.WantValue(`(({ outlineStyle, outlineWidth }) => [outlineStyle, outlineWidth])(
			getComputedStyle(document.querySelector('`+element+`')))`, "solid,2px")
	}
}
