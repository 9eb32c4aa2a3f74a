package writing_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"inkfeed/domain/locale"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

// A dialog opens with its heading and what is below it in view, and the keys that open it do nothing else.
func TestDialogsOpenAtTheirTop(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewCachedSite(t, "", func(c *web.Config) { c.Languages = locale.NewSet(locale.All()...) })
	ada := s.SignUp("ada")
	b := webtest.NewTab(t, ctx, webtest.Listen(t, s.Handler))
	b.SignInAs(ada)
	inView := func(t *testing.T, elements ...string) {
		t.Helper()
		for _, e := range elements {
			if got := b.Eval(`(({ top, bottom, height }) => height > 0 && top >= 0 && bottom <= innerHeight &&
				document.elementFromPoint(innerWidth / 2, top + 5).closest('dialog, [popover]') !== null)(
				document.querySelector('` + e + `').getBoundingClientRect())`); got != "true" {
				t.Errorf("%s is out of view", e)
			}
		}
	}
	for _, l := range locale.All() {
		ada.Post("/settings/language", "language", l.Code()).Want(303)
		b.Open("/new")
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
		b.Type("#title", "A title")
		b.Type("#content", "text\n\n![A cat](/media/"+strings.Repeat("a", 26)+"-20x15.jpg)")
		for _, size := range [][2]int64{{320, 568}, {390, 844}, {412, 915}, {768, 1024}, {1024, 768}, {1280, 800},
			{1920, 1080}} {
			b.Resize(size[0], size[1])
			t.Run(l.Code()+", "+strconv.Itoa(int(size[0])), func(t *testing.T) {
				b.Press("#open-publish")
				b.WaitUntil(`document.querySelector('.publish-dialog').matches(':modal')`)
				b.WantValue(`document.activeElement.id`, "publish-title")
				inView(t, "#publish-title", "#publish-summary")
				for _, key := range []string{"\r", " "} {
					b.PressKey(key)
					b.WantValue(`document.querySelector('.publish-dialog').matches(':modal') &&
						document.querySelector('#editor').ariaBusy`, "null")
				}
				b.Eval(`document.querySelector('.publish-dialog').scrollBy(0, 5000)`) // it opens at the top again
				b.PressKey(kb.Escape)
				b.WaitUntil(`!document.querySelector('.publish-dialog').open`)

				b.Click(".help-button")
				b.WaitVisible("#help")
				inView(t, "#help-title")
				b.PressKey(kb.Escape)
				b.WaitUntil(`!document.querySelector('#help').matches(':popover-open')`)

				pasting(b, 10, strings.Repeat("sea", 60)+".png", "image/png")
				b.WaitUntil(`document.activeElement.id === 'alt'`)
				inView(t, "#describe-title", ".describe-dialog .name", "#alt")
				b.PressKey(kb.Escape)
				b.WaitUntil(`document.querySelector('.describe-dialog') === null`)
			})
		}
	}
	b.WantQuietConsole("404")
}
