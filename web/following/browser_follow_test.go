package following_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestBothButtonsOfAPostChangeAtOnce(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ben)
	b.OpenAndWait(w.Arabic.Path())
	b.Eval("window.same = true")
	b.Press("#Page-follow-byline-button")
	b.WaitUntil(`document.querySelectorAll('.follow-button.following').length === 2`)
	b.WaitUntil(`document.activeElement.id === 'Page-follow-byline-button'`)
	b.Press("#Page-follow-card-button")
	b.WaitUntil(`document.querySelectorAll('.follow-button:not(.following)').length === 2`)
	b.WantValue("window.same", "true")
	b.Open("/@ada")
	b.WaitUntil("document.readyState === 'complete'")
	b.Press("#Page-follow-author-button")
	b.WaitUntil(`document.querySelector('#Page-follow-counts').innerText.includes('1 follower')`)
	b.Open("/")
	b.Press(`.front-tabs button[value="following"]`)
	b.WaitUntil(`document.querySelector('.front-tabs [aria-current]')?.value === 'following'`)
	b.WantQuietConsole()
}

func TestAnAnonymousVisitorFollowsAfterTheLogInOfTheirBrowser(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.Open(w.Arabic.Path())
	b.Click("#Page-follow-card-button")
	b.WaitUntil(`location.pathname === '/login' && document.readyState === 'complete'`)
	b.WantValue(`document.querySelector('main').innerText.includes('You need an account to follow @ada.')`, "true")
	b.Type(`[name="username"]`, "ben")
	b.Type(`[name="password"]`, webtest.Password)
	b.Click(`main form button[type="submit"], main form button:not([type])`)
	b.WaitUntil(`document.querySelector('#Page-follow-card-button.following') !== null`)
	b.WantQuietConsole("401")
}
