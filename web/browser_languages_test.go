package web_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/web"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

// The bars of the pages keep their lines in languages with long words, and under a long name of the site.
func TestBarsFitInEveryLanguage(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewCachedSite(t, "", func(c *web.Config) {
		c.Languages, c.Current = locale.NewSet(locale.All()...), site.NewCurrentSettings()
		c.Current.Apply(domain.Settings{Info: siteinfo.Info{Name: "Notizen vom stillen Meer"}})
	})
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	post := s.SignUp("ben").CreatePost("A title", "Text.")
	_, base := webtest.NewUnreliableServer(t, s.Handler)
	b := webtest.NewTab(t, ctx, base)
	const rows = `(selector => new Set([...document.querySelectorAll(selector)].filter(e => e.checkVisibility())
		.map(e => e.getBoundingClientRect()).map(r => Math.round((r.top + r.height / 2) / 12))).size)`
	inOneRow := func(path, selector string, widths ...int64) {
		t.Helper()
		b.Open(path)
		for _, width := range widths {
			b.Resize(width, 800)
			if got := b.Eval(rows + `("` + selector + `")`); got != "1" || !b.FitsWindow() {
				t.Errorf("%s, %d pixels: %s has %s rows, or the page is too wide", path, width, selector, got)
			}
		}
	}
	check := func(t *testing.T, editor bool) {
		t.Helper()
		inOneRow("/", "header.site > *", 320, 390, 768, 1280)
		b.Resize(390, 800)
		if got := b.Eval(`(e => e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth)
			(document.querySelector(".brand span"))`); got != "true" {
			t.Error("the name of the site is cut")
		}
		if !editor {
			return
		}
		inOneRow(post.Path(), ".reactions > :not(.liked-by)", 320, 390, 768, 1280)
		b.Open("/admin/users")
		for _, width := range []int64{320, 390, 768, 1280} {
			b.Resize(width, 800)
			b.Eval(`document.querySelector(".room-menu details").open = true`)
			const whole = `(e => e.scrollWidth <= e.clientWidth)(document.querySelector(".room-menu"))`
			if b.Eval(whole) != "true" || !b.FitsWindow() {
				t.Errorf("the links of administrators are cut at %d pixels", width)
			}
		}
		b.Open("/new")
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
		for _, width := range []int64{320, 390, 768, 1280} {
			b.Resize(width, 800)
			if got := b.Eval(rows + `(".editor-bar > :is(button, .button)")`); got != "1" || !b.FitsWindow() {
				t.Errorf("%d pixels: the editor bar has %s rows of buttons", width, got)
			}
		}
		if got := b.Eval(rows + `(".editor-bar > :is(button, .button, #toolbar)")`); got != "1" {
			t.Errorf("the editor bar has %s rows", got)
		}
	}
	inOneRow("/", "header.site > *", 320, 390, 768, 1280) // anonymous
	b.SignInAs(ada)
	for _, l := range locale.All() {
		t.Run(l.Code(), func(t *testing.T) {
			ada.Post("/settings/language", "language", l.Code()).Want(303)
			check(t, true)
		})
	}
}
