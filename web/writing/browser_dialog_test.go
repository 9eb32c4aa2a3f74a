package writing_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"inkfeed/web/webtest"
)

func TestPublishingIsADialog(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	b.Type("#title", "A title,")
	b.Eval(`(() => {
		const title = document.querySelector('#title');
		title.value += '\nin two lines';
		title.dispatchEvent(new Event('input', { bubbles: true }));
	})()`)
	b.WaitUntil(`document.querySelector('#title').value === 'A title, in two lines'`)
	b.Type("#content", "text")
	summary := func(want string) {
		t.Helper()
		b.WaitUntil(`document.querySelector('#publish-summary').textContent === ` + strconv.Quote(want))
	}
	t.Run("that says what will happen", func(t *testing.T) {
		openPublishing(b)
		summary("Publishes now for everyone, without tags. Your followers are notified.")
		b.Type("#tags", "sea, wind, Sea, gulls")
		summary("Publishes now for everyone, with 3 tags. Your followers are notified.")
		b.Click("#status-unlisted")
		b.SetValue("#tags", "sea")
		b.Type("#tags", " ")
		summary("Publishes now for people with the link, with 1 tag.")
	})
	t.Run("that offers the pictures of the text as its cover", func(t *testing.T) {
		cat := "/media/" + strings.Repeat("a", 26) + "-2000x1500.jpg"
		b.Click("#close-publish")
		b.Type("#content", "\n\n![A \\[cat\\]]("+cat+")")
		openPublishing(b)
		b.WaitUntil(`document.querySelector('#cover-image img')?.getAttribute('src') === '` +
			strings.Replace(cat, "1500.", "1500.480.", 1) + `'`)
		b.Click(`#covers label:has([alt="A [cat]"])`)
		b.WaitUntil(saved)
		id := draftID(b)
		if d, _ := draft(w.Ada, id); "/media/"+d.Details.Cover != cat {
			t.Errorf("the draft has the cover %q", d.Details.Cover)
		}
	})
	t.Run("and leads back to the text", func(t *testing.T) {
		b.PressKey(kb.Escape)
		b.WaitUntil(`!document.querySelector('dialog').open && document.activeElement.id === 'open-publish'`)
		b.Eval(`document.querySelector('#content').focus()`)
		b.PressKey("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
		b.WaitUntil(`document.activeElement.id === 'publish-title'`)
		b.Click("#close-publish")
		b.WaitUntil(`document.activeElement.id === 'content'`)
	})
	t.Run("that opens at a field with an error", func(t *testing.T) {
		openPublishing(b)
		b.SetValue("#address", "!?")
		b.Click("#publish-now")
		b.WaitUntil(`document.querySelector('dialog')?.matches(':modal') && document.activeElement.id === 'address'
			&& document.activeElement.ariaInvalid === 'true'`)
		b.PressKey(kb.Escape)
		b.Click(`.error-summary a[href="#address"]`)
		b.WaitUntil(`document.querySelector('dialog').matches(':modal') && document.activeElement.id === 'address'`)
		b.Eval(`(() => { document.querySelector('#address').value = ''; })()`)
	})
	t.Run("that opens at its heading in a low window, such as at 400 % zoom", func(t *testing.T) {
		b.PressKey(kb.Escape)
		b.Resize(320, 200)
		b.Click("#open-publish")
		b.WaitUntil(`document.activeElement.id === 'publish-title' &&
			document.querySelector('dialog').scrollTop === 0`)
		b.Resize(1280, 800)
	})
	t.Run("that schedules in four steps", func(t *testing.T) {
		b.Click("details:has(#publishDate) summary")
		year := strconv.Itoa(time.Now().Year() + 1)
		setPublishDate(b, year+"-07-01T10:30")
		main := func(shown, hidden string) {
			t.Helper()
			b.WaitUntil(`document.querySelector('` + shown + `').checkVisibility() &&
				!document.querySelector('` + hidden + `').checkVisibility()`)
		}
		summary("Publishes for people with the link on 1 July " + year + ", 10:30, with 1 tag.")
		main(".sheet-actions #schedule", "#publish-now")
		b.Click("#clear-date")
		summary("Publishes now for people with the link, with 1 tag.")
		main("#publish-now", "#schedule")
		b.WaitUntil(`document.activeElement.id === 'publish-now'`)
		setPublishDate(b, year+"-07-01T10:30")
		summary("Publishes for people with the link on 1 July " + year + ", 10:30, with 1 tag.")
		b.Click("#schedule")
		b.WaitForText(".done", "scheduled")
	})
	t.Run("in focus mode too, which leaves only the text and the bar", func(t *testing.T) {
		shown := `['header.site', 'footer.site', '#toggle-preview']
			.some(s => document.querySelector(s).checkVisibility())`
		b.Click("#focus-mode")
		b.WaitUntil(`!` + shown)
		b.Click("#open-publish")
		b.WaitUntil(`document.activeElement.id === 'publish-title'`)
		b.PressKey(kb.Escape)
		b.WaitUntil(`!document.querySelector('dialog').open && !` + shown)
		b.PressKey(kb.Escape)
		b.WaitUntil(shown)
	})
	b.WantQuietConsole("422", "404", "Autofocus")
}

func TestPublishingWaitsForTheServer(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	l, base := webtest.NewUnreliableServer(t, w.Handler)
	b := webtest.NewTab(t, ctx, base)
	b.SignInAs(w.Ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	b.Type("#title", "Offline")
	b.Type("#content", "text")
	openPublishing(b)
	b.WaitUntil(saved)
	stopClock(b)
	l.CutOff("/")
	b.Click("#publish-now")
	b.WaitForText("#publish-problem", "Can't reach the server. Your text is safe. Trying again…")
	b.Click("#close-publish") // gives up
	l.Restore()
	pass(b, 20_000)
	openPublishing(b)
	b.WaitUntil(`document.querySelector('#publish-problem').textContent === ''`)
	l.CutOff("/")
	b.Click("#publish-now")
	b.WaitForText("#publish-problem", "Can't reach the server.")
	l.Restore()
	b.WaitUntil(`window.pass?.(1000) ?? document.querySelector('.post h1')?.textContent === 'Offline'`)
	b.WantQuietConsole("ERR_EMPTY_RESPONSE", "ERR_CONNECTION")
}
