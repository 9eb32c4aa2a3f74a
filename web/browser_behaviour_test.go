package web_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// The header has one line for each user in each window, and its menu links to all pages of the user.
func TestTheHeaderHasOneLineAndACompleteMenu(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	links := func(want string) {
		t.Helper()
		got := b.Eval(`[...document.querySelectorAll('header.site nav :is(a, summary, button)')]
			.filter(e => e.checkVisibility({contentVisibilityAuto: true}) && e.getClientRects().length)
			.map(e => (e.querySelector('span') ?? e).textContent.trim()).join()`)
		if got != want {
			t.Errorf("the header has the links %s, want %s", got, want)
		}
	}
	fits := func(viewer string) {
		t.Helper()
		for _, width := range []int64{320, 390, 1280} {
			b.Resize(width, 800)
			got := b.Eval(`document.querySelector('header.site').clientHeight < 1.5 * 44 &&
				[...document.querySelectorAll('header.site :is(a, summary)')]
				.map(e => e.getBoundingClientRect()).every(r => r.left >= 0 && r.right <= innerWidth)`)
			if got != "true" || !b.FitsWindow() {
				t.Errorf("%d pixels, %s: the header has several lines or leaves the window", width, viewer)
			}
		}
	}
	b.Open(w.Quiet.Path())
	links("Log in,Sign up")
	fits("anonymous")

	b.SignInAs(w.SignUp("augusta-ada-king-noel"))
	b.Open(w.Quiet.Path())
	fits("author")
	links("Write,Menu")
	b.Click(".menu summary")
	fits("author with an open menu")
	links("Write,Menu,@augusta-ada-king-noel,Drafts,Following,Bookmarks,Notifications,Settings,Log out")
	b.Press(`.menu a[href="/drafts"]`)
	b.WaitUntil(`location.pathname === '/drafts'`)

	b.SignInAs(w.SignUpAs("maud", domain.RoleAdministrator))
	b.Open(w.Quiet.Path())
	fits("administrator")
	b.Click(".menu summary")
	links("Write,Menu,@maud,Drafts,Following,Bookmarks,Notifications,Settings,Moderation,Administration,Log out")
}

func TestAMenuClosesWhenTheUserIsDone(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open(w.Quiet.Path())
	const open = `!!document.querySelector('header.site .menu').open`
	for name, done := range map[string]func(){
		"with Escape":                 func() { b.PressKey(kb.Escape) },
		"with a click elsewhere":      func() { b.Click("main h1") },
		"with the focus elsewhere":    func() { b.Eval(`document.querySelector('.brand').focus()`) },
		"with a second click on Menu": func() { b.Click("header.site .menu summary") },
	} {
		b.Click("header.site .menu summary")
		b.WaitUntil(open)
		done()
		b.WaitUntil("!(" + open + ")")
		if focus := b.Eval(`document.activeElement.tagName`); name == "with Escape" && focus != "SUMMARY" {
			t.Errorf("%s: the focus is on %s, want the button of the menu", name, focus)
		}
	}
}

func TestTheLayoutIsStable(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.SignUp("augusta-ada-king-noel"))
	b.Resize(320, 800)
	for _, path := range []string{
		"/", "/?page=2", "/posts/" + w.Long.ID + "/comments", "/posts/" + w.Long.ID + "/comments?page=3",
	} {
		b.Open(path)
		if got := b.Eval(`(() => {
			const middle = e => { const r = e.getBoundingClientRect(); return r.left + r.width / 2 };
			const number = document.querySelector('.pager span.muted'), pager = document.querySelector('.pager');
			return Math.abs(middle(number) - middle(pager)) < 1;
		})()`); got != "true" {
			t.Errorf("%s: the page number is not centred", path)
		}
		if got := b.Eval(`document.querySelector('header.site').clientHeight < 1.5 * 44`); got != "true" ||
			!b.FitsWindow() {
			t.Errorf("%s: the header has more than one row, or the page does not fit the window", path)
		}
	}

	w.Ada.CreateComments(w.Quiet, "- one\n\n- two\n\n  more\n\n- three\n\nEnd.",
		"- مرحبا بكم في المدونة\n- Hello\n  - Inner\n\n> مرحبا", "### Three\n\n#### Four\n\n##### Five\n\n###### Six")
	b.Open(w.Quiet.Path())
	if got := b.Eval(`(() => {
		const p = [...document.querySelectorAll('#Page-comments li li p')].map(p => p.getBoundingClientRect());
		return p.slice(1).map((r, i) => Math.round(r.top - p[i].bottom)).join();
	})()`); got != "11,11,11" && got != "10,10,10" {
		t.Errorf("the gaps of a loose list are %s pixels", got)
	}
	if got := b.Eval(`(() => {
		const style = selector => getComputedStyle(document.querySelector('#Page-comments ' + selector));
		return [style('ul:has(ul)').direction, style('ul:has(ul) > li:last-child').textAlign, style('ul ul').direction,
			style('ul ul > li').textAlign, style('blockquote').borderRightWidth];
	})()`); got != "rtl,right,ltr,left,3px" {
		t.Errorf("a mostly Arabic list with an English item and list, and an Arabic quotation, have the styles %s", got)
	}
}

func TestHeadingLevelsLookDifferent(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	const headings = "# One\n\n## Two\n\n### Three\n\n#### Four\n\n##### Five\n\nText"
	p, err := domain.NewPost(w.Ada.User, "Headings", headings, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Data.Store.Posts.Create(t.Context(), p)
	w.Ben.CreateComments(p, headings)
	b := webtest.NewTab(t, ctx, webtest.Listen(t, w.Handler))
	b.Open(p.Path())
	for box, levels := range map[string]string{".post .prose": "h2,h3,h4,h5,h6", ".comment .prose": "h3,h4,h5,h6"} {
		looks := `(() => {
			const looks = [...document.querySelector('` + box + `').querySelectorAll('` + levels + `')].map(e => {
				const s = getComputedStyle(e);
				return [s.fontSize, s.fontFamily, s.color].join();
			});
			return new Map(looks.map(l => [l, true])).size;
		})()`
		if got, want := b.Eval(looks), b.Eval(`'`+levels+`'.split(',').length`); got != want {
			t.Errorf("%s: %s styles for %s heading levels", box, got, want)
		}
	}
}
