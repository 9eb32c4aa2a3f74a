package writing_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// slowServer lets the page's scripts wait for the answers to requests for a path, until answer is called.
func slowServer(b *webtest.Tab, path string) {
	b.T.Helper()
	b.Eval(`(() => {
		const real = window.fetch, waiting = [];
		let answered = false;
		window.fetch = (url, options) => url === '` + path + `' && !answered
			? new Promise((go) => waiting.push(go)).then(() => real(url, options)) : real(url, options);
		window.asked = () => waiting.length;
		window.answer = () => { answered = true; waiting.forEach((go) => go()); };
	})()`)
}

func TestSubmittingTakesTime(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	write := func(title string) {
		t.Helper()
		b.Open("/new")
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
		b.Type("#title", title)
		b.Type("#content", "text")
		openPublishing(b)
		b.WaitUntil(saved)
	}
	closed := `document.querySelector('#editor').ariaBusy !== 'true'`
	t.Run("and the author may change their mind meanwhile", func(t *testing.T) {
		write("Not yet")
		slowServer(b, "/healthz")
		b.Click("#publish-now")
		b.WaitUntil(`asked() === 1`)
		b.Click("#close-publish")
		openPublishing(b)
		b.Click("details:has(#publishDate) summary")
		year := strconv.Itoa(time.Now().Year() + 1)
		setPublishDate(b, year+"-07-01T10:30")
		b.Click("#schedule")
		b.Eval(`answer()`)
		b.WaitForText(".done", "scheduled")
	})
	t.Run("and a form that became invalid meanwhile is still saved", func(t *testing.T) {
		write("A wrong date")
		b.Click("details:has(#publishDate) summary")
		slowServer(b, "/healthz")
		b.Click("#publish-now")
		b.WaitUntil(`asked() === 1`)
		b.Eval(`document.querySelector('#publishDate').setCustomValidity('incomplete')`)
		b.Eval(`answer()`)
		b.WaitUntil(closed)
		b.Eval(`document.querySelector('#publishDate').setCustomValidity('')`)
		b.Press("#close-publish")
		b.Type("#content", " and more")
		b.WaitUntil(saved)
		openPublishing(b)
		b.Click("#publish-now")
		b.WaitForText(".post h1", "A wrong date")
	})
	t.Run("while the server restarts behind a proxy", func(t *testing.T) {
		write("Restarted")
		b.Eval(`(() => {
			const real = window.fetch;
			window.fetch = async () => new Response('', { status: 502 });
			window.restart = () => { window.fetch = real; dispatchEvent(new Event('online')); };
		})()`)
		b.Click("#publish-now")
		b.WaitForText("#publish-problem", "Can't reach the server.")
		b.Eval(`restart()`)
		b.WaitForText(".post h1", "Restarted")
	})
	t.Run("until the pictures are uploaded", func(t *testing.T) {
		write("With a picture")
		b.Click("#close-publish")
		slowServer(b, "/images")
		pasting(b, 640, "sea.png", "image/png")
		b.WaitUntil(`document.activeElement.id === 'alt'`)
		b.Do(chromedp.KeyEvent("The sea"))
		b.PressKey("\r")
		b.WaitUntil(`window.asked() === 1`)
		openPublishing(b)
		b.Click("#publish-now")
		b.WaitForText("#publish-problem", "Waiting for 1 picture…")
		b.Eval(`answer()`)
		b.WaitVisible(`.post img[alt="The sea"]`)
	})
	b.WantQuietConsole()
}

// Comparing two versions leaves the editor, so it waits until all pictures are uploaded.
func TestComparingVersionsWaitsForPictures(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	d := w.Ada.CreateDraft("A title", "One", "")
	b.SignInAs(w.Ada)
	conflict := func(t *testing.T) {
		t.Helper()
		openDraft(b, d.PostID)
		now, _ := draft(w.Ada, d.PostID)
		w.Ada.Post("/drafts/"+d.PostID, "version", strconv.Itoa(now.Version), "title", "A title",
			"content", now.Content+" two").Want(http.StatusOK)
		b.Type("#content", " three")
		b.WaitForText("#saved", "changed in another tab")
	}
	addPicture := func(t *testing.T, alt string) {
		t.Helper()
		slowServer(b, "/images")
		b.Eval(`(() => { window.answerUpload = window.answer; window.uploading = window.asked; })()`)
		pasting(b, 640, "sea.png", "image/png")
		b.WaitUntil(`document.activeElement.id === 'alt'`)
		b.Do(chromedp.KeyEvent(alt))
		b.PressKey("\r")
		b.WaitUntil(`uploading() === 1`)
	}
	wantComparison := func(t *testing.T, alt string) {
		t.Helper()
		b.WaitForText("h1", "This draft has two versions")
		b.WantValue(`/!\[`+alt+`\]\(\/media\//.test(document.querySelector('[name=content]').value)`, "true")
	}
	t.Run("that are being uploaded", func(t *testing.T) {
		conflict(t)
		addPicture(t, "The sea")
		b.Click("#saved button")
		b.WaitForText("#saved", "Waiting for 1 picture…")
		b.Eval(`answerUpload()`)
		wantComparison(t, "The sea")
	})
	t.Run("whose upload begins while the server is asked whether it answers", func(t *testing.T) {
		conflict(t)
		slowServer(b, "/healthz")
		b.Eval(`(() => { window.answerCheck = window.answer; })()`)
		b.Click("#saved button")
		b.WaitUntil(`asked() === 1`)
		addPicture(t, "The shore")
		b.Eval(`answerCheck()`)
		b.WaitForText("#saved", "Waiting for 1 picture…")
		b.Eval(`answerUpload()`)
		wantComparison(t, "The shore")
	})
	b.WantQuietConsole("409", "Autofocus")
}

func TestSavingGoesOnIfTheAuthorStaysForAnUpload(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(scriptHasRun)
	b.Type("#content", "text")
	slowServer(b, "/images")
	pasting(b, 640, "sea.png", "image/png")
	b.WaitUntil(`document.activeElement.id === 'alt'`)
	b.PressKey("\r")
	b.WaitUntil(`asked() === 1`)
	b.AnswerDialog("header.site a", false)
	b.Eval(`answer()`)
	b.WaitUntil(`document.querySelector('#content').value.includes('/media/')`)
	b.Type("#content", " and more")
	b.WaitUntil(saved)
	if d, _ := draft(w.Ada, draftID(b)); !strings.HasSuffix(d.Content, " and more") {
		t.Errorf("the draft is %q", d.Content)
	}
	b.WantQuietConsole()
}
