package web_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"inkfeed/domain"
)

// size makes the tab that wide and high.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1})
}

func TestANetworkThatIsGoneIsSaid(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	server := httptest.NewServer(w.handler)
	defer server.Close()
	b := newTab(t, ctx, server.URL)
	b.as(w.ada)
	b.Open(w.quiet.Path())
	b.eventually("document.readyState === 'complete'")
	b.write("#Page-comment", "precious")
	server.Close()

	for _, action := range []string{"#Page-comment-send", "#Page-like-button"} {
		b.click(action)
		b.sees("#Page-notice dialog")
		if got := b.eval(`document.querySelector('#Page-notice').innerText`); got == "" ||
			b.eval(`document.querySelector('#Page-notice').innerText.includes("Can't reach Inkfeed")`) != "true" {
			t.Errorf("%s: the notice says %q", action, got)
		}
		b.click("#Page-notice button")
		b.do(chromedp.WaitNotVisible(chromedp.CSS("#Page-notice dialog")))
	}
	if got := b.eval(`document.querySelector('#Page-comment').value`); got != "precious" {
		t.Errorf("the form holds %q", got)
	}
	b.quiet("ERR_CONNECTION_REFUSED", "Failed to fetch")
}

func TestBackShowsWhatIsThereNow(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open(w.quiet.Path())
	b.eventually("document.readyState === 'complete'")
	b.write("#Page-comment", "mine")
	b.click("#Page-comment-send")
	b.eventually(`document.querySelector('#Page-own-comments li')`)
	b.Open("/")
	b.do(chromedp.NavigateBack())
	b.eventually(`document.querySelector('#Page-comments li')?.textContent.includes('mine')`)

	b.Open("/@ada")
	b.eventually(`document.querySelector('header .me')`)
	b.click(`form[action="/logout"] button`)
	b.eventually(`location.pathname === '/' && document.querySelector('header a[href="/login"]')`)
	b.do(chromedp.NavigateBack())
	b.eventually(`location.pathname === '/@ada' && document.querySelector('header a[href^="/login"]')`)
	if b.eval(`document.querySelector('header .me') === null`) != "true" {
		t.Error("Back shows the page of whoever has gone")
	}
}

// holdLikeGuard makes the guard against a double click, an animation of 0.6 s that follows a
// like, last until releaseLikeGuard.
func (b *tab) holdLikeGuard() {
	b.t.Helper()
	b.eval(`(() => {
		const style = new CSSStyleSheet();
		style.replaceSync('.heart.fresh { animation-play-state: paused }');
		document.adoptedStyleSheets = [style];
	})()`)
}

func (b *tab) releaseLikeGuard() {
	b.t.Helper()
	b.eval(`document.adoptedStyleSheets = []`)
	b.eventually(`getComputedStyle(document.querySelector('#Page-like-button')).pointerEvents === 'auto'`)
}

// countPosts counts in window.posts what the page's scripts post from now on.
func (b *tab) countPosts() {
	b.t.Helper()
	b.eval(`(() => {
		const send = fetch;
		window.posts = 0;
		fetch = (to, how) => {
			if ((how?.method ?? to.method) === "POST") window.posts++;
			return send(to, how);
		};
	})()`)
}

func TestTwoQuickPressesOfAKeyLikeOnce(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open(w.long.Path())
	b.eventually("document.readyState === 'complete'")
	b.holdLikeGuard()
	b.countPosts()
	b.do(chromedp.Focus(chromedp.CSS("#Page-like-button")), chromedp.KeyEvent("\r"))
	b.eventually(`document.querySelector('#Page-liked-by').innerText === 'Liked by you and @ben'`)
	b.do(chromedp.KeyEvent("\r"))
	b.releaseLikeGuard()
	b.do(chromedp.KeyEvent("\r"))
	b.eventually(`document.querySelector('#Page-liked-by').innerText === 'Liked by @ben'`)
	if n := b.eval("window.posts"); n != "2" {
		t.Errorf("two quick presses and one more post %s forms", n)
	}
	b.quiet()
}

func TestAStretchedCommentBoxBreaksNoPolicy(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.Open(w.quiet.Path())
	b.eventually("document.readyState === 'complete'")
	b.write("#Page-comment", "mine")
	b.eval(`document.querySelector('#Page-comment').style.height = '300px'`) // as dragging its corner does
	b.click("#Page-comment-send")
	b.eventually(`document.querySelector('#Page-own-comments li')`)
	b.quiet()
}

func TestOnesOwnCommentIsLabelledWhereItStandsApart(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	label := func() string { return b.eval(`document.querySelector('#Page-own-title').checkVisibility()`) }
	for path, apart := range map[string]string{"/posts/" + w.long.ID + "/comments": "true", w.long.Path(): "true", w.quiet.Path(): "false"} {
		b.Open(path)
		b.eventually("document.readyState === 'complete'")
		if label() != "false" {
			t.Errorf("%s: there is a label and nothing below it", path)
		}
		b.write("#Page-comment", "mine")
		b.click("#Page-comment-send")
		b.eventually(`document.querySelector('#Page-own-comments li')`)
		if label() != apart {
			t.Errorf("%s: labelled is %s", path, label())
		}
	}
}

func TestAConflictIsReadFirst(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.size(1280, 900)
	b.as(w.ada)
	b.Open("/posts/" + w.long.ID + "/edit")
	b.eval(fill([]string{"revision", "0", "title", "Mine", "content", "Mine"}))
	b.eventually(`document.activeElement.matches('[role="alert"]')`)
	left := func(selector string) string {
		return b.eval(`document.querySelector('` + selector + `').getBoundingClientRect().left`)
	}
	if h, a, f := left("h1"), left(`[role="alert"]`), left("#title"); h != a || a != f {
		t.Errorf("the left edges are %s, %s, %s", h, a, f)
	}
	b.click(`[role="alert"] a`)
	b.eventually(`document.activeElement.id === 'saved-title'`)
	b.quiet("409")
}

// Drafts and bookmarks are one's own from every page, also where the head has little room.
func TestTheMenu(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.member("augusta-ada-king-noel"))
	links := func(names string) {
		t.Helper()
		if got := b.eval(`[...document.querySelectorAll('header.site nav a, header.site nav summary')].filter(e => e.checkVisibility({contentVisibilityAuto: true}) && e.getClientRects().length).map(e => e.textContent.trim()).join()`); got != names {
			t.Errorf("the head of the page has %s, want %s", got, names)
		}
		if b.eval(`[...document.querySelectorAll('header.site nav a')].every(a => { const r = a.getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth })`) != "true" || !b.fits() {
			t.Error("the head of the page is too wide")
		}
	}
	b.size(1280, 800)
	b.Open(w.quiet.Path())
	links("Write,Drafts,Bookmarks,Settings,@augusta-ada-king-noel")
	b.size(320, 800)
	links("Write,Menu,@augusta-ada-king-noel")
	b.press(".menu summary")
	links("Write,Menu,Drafts,Bookmarks,Settings,@augusta-ada-king-noel")
	b.press(`.menu a[href="/drafts"]`)
	b.eventually(`location.pathname === '/drafts'`)
}

func TestTheLayoutHoldsStill(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.member("augusta-ada-king-noel"))
	b.size(320, 800)
	for _, path := range []string{"/", "/?page=2", "/posts/" + w.long.ID + "/comments", "/posts/" + w.long.ID + "/comments?page=3"} {
		b.Open(path)
		if got := b.eval(`(() => {
			const middle = e => { const r = e.getBoundingClientRect(); return r.left + r.width / 2 };
			return Math.abs(middle(document.querySelector('.pager span.muted')) - middle(document.querySelector('.pager'))) < 1;
		})()`); got != "true" {
			t.Errorf("%s: the number of the page is not in the centre", path)
		}
		if got := b.eval(`document.querySelector('header.site').clientHeight < 3 * 44`); got != "true" || !b.fits() {
			t.Errorf("%s: the header takes more than two rows, or the page does not fit", path)
		}
	}

	w.ada.comments(w.quiet, "- one\n\n- two\n\n  more\n\n- three\n\nEnd.", "- مرحبا\n- Hello\n  - Inner\n\n> مرحبا", "### Three\n\n#### Four\n\n##### Five\n\n###### Six")
	b.Open(w.quiet.Path())
	if got := b.eval(`(() => {
		const p = [...document.querySelectorAll('#Page-comments li li p')].map(p => p.getBoundingClientRect());
		return p.slice(1).map((r, i) => Math.round(r.top - p[i].bottom)).join();
	})()`); got != "11,11,11" && got != "10,10,10" {
		t.Errorf("the gaps of a loose list are %s", got)
	}
	if got := b.eval(`(() => {
		const style = selector => getComputedStyle(document.querySelector('#Page-comments ' + selector));
		return [style('ul:has(ul)').direction, style('ul:has(ul) > li:last-child').textAlign, style('ul ul').direction,
			style('ul ul > li').textAlign, style('blockquote').borderRightWidth];
	})()`); got != "rtl,right,ltr,left,3px" {
		t.Errorf("an Arabic list, with an English item and list in it, and an Arabic quotation have %s", got)
	}
}

func TestHeadingsInATextCanBeToldApart(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	const headings = "# One\n\n## Two\n\n### Three\n\n#### Four\n\n##### Five\n\nText"
	p, err := domain.NewPost(w.ada.user, "Headings", headings, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_ = w.data.store.Posts.Create(t.Context(), p)
	w.ben.comments(p, headings)
	b := newTab(t, ctx, serve(t, w.handler))
	b.Open(p.Path())
	for box, levels := range map[string]string{".post .prose": "h2,h3,h4,h5,h6", ".comment .prose": "h3,h4,h5,h6"} {
		looks := `(() => {
			const looks = [...document.querySelector('` + box + `').querySelectorAll('` + levels + `')].map(e => {
				const s = getComputedStyle(e);
				return [s.fontSize, s.fontFamily, s.color].join();
			});
			return new Map(looks.map(l => [l, true])).size;
		})()`
		if got, want := b.eval(looks), b.eval(`'`+levels+`'.split(',').length`); got != want {
			t.Errorf("%s: %s looks for %s levels of headings", box, got, want)
		}
	}
}
