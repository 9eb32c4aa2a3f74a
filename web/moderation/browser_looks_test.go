package moderation_test

import (
	"image/color"
	"strconv"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestPreviewFollowsTheFormInABrowser(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	admin := w.SignUpAs("quinn", domain.RoleAdministrator)
	b.SignInAs(admin)
	b.Resize(1280, 900)
	b.OpenAndWait("/admin/settings")
	sections := func(want string) {
		t.Helper()
		b.WaitUntil(`[...document.querySelectorAll('.settings > section')].filter(s => s.checkVisibility())
			.map(s => s.querySelector('h2').id).join() === '` + want + `'`)
	}
	sections("about")
	b.Click(".room-menu a[href$='#looks']")
	sections("looks")
	history := b.Eval("history.length")
	shown := func(attribute, value string) {
		t.Helper()
		b.WaitUntil(`document.querySelectorAll('iframe').length === 1 && document.querySelector('iframe')
			.contentDocument.documentElement.getAttribute('` + attribute + `') === '` + value + `'`)
	}
	b.Eval("document.querySelector('[name=tagline]').value = 'Typed'")
	b.Eval("document.querySelector('[name=typeface][value=book]').click()")
	shown("data-typeface", "book")
	b.Eval("document.querySelector('[name=corners][value=round]').click()")
	shown("data-corners", "round")
	b.Type("#accent", "#ffff00")
	b.WaitForText("#accent-note", "So that text stays readable")
	b.WantValue("document.querySelector('#accent-picker').value", "#ffff00")
	b.WantValue("document.querySelector('[name=tagline]').value", "Typed")
	b.WantValue("history.length", history)
	b.Click("[aria-labelledby=looks] .save-bar button")
	b.WaitForText("[role=status]", "Site settings saved")
	sections("looks")
	b.WantQuietConsole()
}

func TestCustomCSSWorksInABrowser(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	admin := w.SignUpAs("quinn", domain.RoleAdministrator)
	admin.Post("/admin/settings", siteForm(admin, "css", "h1 { letter-spacing: 1px }")...).Want(303)
	const spacing = "getComputedStyle(document.querySelector('h1')).letterSpacing"
	wantSpacing := func(path, want string) {
		t.Helper()
		b.OpenAndWait(path)
		b.WantValue(spacing, want)
	}
	b.SignInAs(nil)
	wantSpacing(w.Long.Path(), "1px")
	b.OpenAndWait("/login")
	b.WantValue("String("+spacing+" === '1px')", "false")
	b.SignInAs(admin)
	b.OpenAndWait(w.Long.Path() + "?safe")
	b.WantValue("String("+spacing+" === '1px')", "false")
	b.WaitForText(".safe-notice", "Only you see this page")

	b.Resize(1280, 900)
	b.OpenAndWait("/admin/settings#looks")
	framed := func(property, want string) {
		t.Helper()
		b.WaitUntil(`document.querySelectorAll('iframe').length === 1 && getComputedStyle(document.
			querySelector('iframe').contentDocument.querySelector('a.brand')).` + property + ` === '` + want + `'`)
	}
	framed("letterSpacing", b.Eval("getComputedStyle(document.querySelector('a.brand')).letterSpacing"))
	typeCSS := func(css string) {
		b.Eval("Object.assign(document.querySelector('#css'), { value: " + strconv.Quote(css) +
			" }).dispatchEvent(new Event('input', { bubbles: true }))")
	}
	typeCSS("a.brand { letter-spacing: 3px }")
	framed("letterSpacing", "3px")
	typeCSS("a.brand { letter-spacing: 3px } a.brand { letter-spacing: 5px; ") // the rule is not complete yet
	b.Eval("document.querySelector('[name=corners][value=round]').click()")
	b.WaitUntil("document.querySelector('iframe').contentDocument.documentElement.dataset.corners === 'round'")
	framed("letterSpacing", "3px")
	typeCSS("a.brand { letter-spacing: 5px }")
	framed("letterSpacing", "5px")
	b.WantQuietConsole()
}

func TestReadersSwitchBetweenLightAndDark(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	admin := w.SignUpAs("quinn", domain.RoleAdministrator)
	admin.UploadTo("/admin/settings", map[string][]byte{"logo": pngOf(t, 400, 100, color.Black),
		"logoDark": pngOf(t, 400, 100, color.White)}, siteForm(admin, "name", "Notes", "scheme", "light",
		"scheme-switch", "footer")...).Want(303)
	const (
		paper = "getComputedStyle(document.body).backgroundColor"
		logo  = "[...document.querySelectorAll('.logo')].filter(l => l.checkVisibility()).map(l => l.className).join()"
		bar   = "[...document.querySelectorAll('meta[name=theme-color]')].map(m => m.media).join()"
	)
	wantScheme := func(background, shown, media string) {
		t.Helper()
		b.WantValue(paper, background)
		b.WantValue(logo, shown)
		b.WantValue(bar, media)
	}
	b.SignInAs(nil)
	b.OpenAndWait(w.Long.Path())
	wantScheme("rgb(251, 250, 246)", "logo in-light", "all,not all")
	b.Click(".scheme-switch")
	wantScheme("rgb(22, 24, 28)", "logo in-dark", "not all,all")
	b.OpenAndWait("/") // the choice stays, without a cookie
	wantScheme("rgb(22, 24, 28)", "logo in-dark", "not all,all")
	b.WantValue("document.cookie + localStorage.getItem('inkfeed-scheme')", "dark")
	b.Click(".scheme-switch")
	wantScheme("rgb(251, 250, 246)", "logo in-light", "all,not all")
	b.WantValue("String(localStorage.getItem('inkfeed-scheme'))", "null")
	b.WantQuietConsole()
}
