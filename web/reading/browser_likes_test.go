package reading_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestADoubleKeyPressLikesOnce(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open(w.Long.Path())
	b.WaitUntil("document.readyState === 'complete'")
	b.HoldLikeGuard()
	b.CountPOSTRequests()
	b.Press("#Page-like-button")
	b.WaitUntil(`document.querySelector('#Page-liked-by').innerText === 'Liked by you and @ben'`)
	b.PressKey(kb.Enter)
	b.ReleaseLikeGuard()
	b.PressKey(kb.Enter)
	b.WaitUntil(`document.querySelector('#Page-liked-by').innerText === 'Liked by @ben'`)
	if n := b.Eval("window.posts"); n != "2" {
		t.Errorf("a double press and a press sent %s forms, want 2", n)
	}
	b.WantQuietConsole()
}

func TestNamesOfLikersDoNotMoveThePage(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	for i, name := range []string{
		"augusta-ada-king-noel-countess", "charles-babbage-of-marylebone1", "mary-somerville-nee-fairfax-ab",
	} {
		_, _ = w.Data.Store.Posts.Like(t.Context(),
			domain.NewLike(w.SignUp(name).User, w.Long.ID, time.Now().Add(time.Duration(i)*time.Second)))
	}
	b := webtest.NewTab(t, ctx, webtest.Listen(t, w.Handler))
	b.Resize(390, 844)
	b.OpenAndWait(w.Long.Path())
	b.WantValue(`document.querySelector('#Page-liked-by').textContent.trim().replace(/\s+/g, " ")`,
		"4 likes. See all names")
	before := b.Eval(`document.querySelector('#Page-comments').offsetTop`)
	b.Eval(`document.querySelector('#Page-liked-by').scrollIntoView()`)
	b.WaitUntil(`document.querySelector('#Page-liked-by').innerText.startsWith('Liked by ' +
		'@mary-somerville-nee-fairfax-ab, @charles-babbage-of-marylebone1 and 2 others')`)
	b.WantValue(`document.querySelector('#Page-comments').offsetTop`, before)
	if !b.FitsWindow() {
		t.Error("the page is wider than the window")
	}
	b.WantQuietConsole()
}

func TestANewBookmarkIsListedAtOnce(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.OpenAndWait(w.Arabic.Path())
	b.Press("#Page-bookmark-button")
	b.WaitUntil(`document.querySelector('#Page-bookmark-button').ariaPressed === 'true'`)
	b.WaitUntil(`document.activeElement.id === 'Page-bookmark-button'`)
	b.OpenAndWait("/bookmarks")
	b.Eval("window.same = true")
	b.WantValue(`document.querySelector('#bookmarks h2').textContent`, w.Arabic.Title)
	b.Press("#bookmarks li form button")
	b.WaitUntil(`document.querySelectorAll('#bookmarks li').length === 0`)
	b.WaitUntil(`document.activeElement.matches('#bookmarks [role=status]')`)
	b.Press("#bookmarks .undo button")
	b.WaitUntil(`document.querySelectorAll('#bookmarks li').length === 1`)
	b.WantValue("window.same", "true")
	b.WantQuietConsole("Autofocus")
}

func TestALikeOfAnAnonymousVisitorIsCountedAfterTheLogIn(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.Resize(320, 700)
	p := w.Ada.CreatePost("A title", "Some text.")
	b.Open(p.Path())
	b.Click(`form[action$="/like"] button`)
	b.WaitUntil(`location.pathname === '/login' && document.readyState === 'complete'`)
	if reason := b.Eval(`document.querySelector('main').innerText`); !strings.Contains(reason, "like “A title”") {
		t.Errorf("the log-in page does not say why one is there:\n%s", reason)
	}
	b.Type(`[name="username"]`, "ben")
	b.Type(`[name="password"]`, webtest.Password)
	b.Click(`main form button[type="submit"], main form button:not([type])`)
	b.WaitUntil(`location.pathname === ` + strconv.Quote(p.Path()) + ` && document.querySelector('#Page-like-button')`)
	if got := w.Data.Post(p.ID).LikeCount; got != 1 {
		t.Errorf("%d likes after the log-in, want 1", got)
	}
	b.WaitUntil(`document.querySelector('#Page-liked-by').innerText === 'Liked by you'`)
	b.WantQuietConsole("401")
}
