package writing_test

import (
	"strconv"
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
		window.fetch = (url, options) => url === '` + path + `'
			? new Promise((go) => waiting.push(go)).then(() => real(url, options)) : real(url, options);
		window.asked = () => waiting.length;
		window.answer = () => { window.fetch = real; waiting.forEach((go) => go()); };
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
