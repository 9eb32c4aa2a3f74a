package comments_test

import (
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

func TestLikesAndCommentsStayOnThePage(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open(w.Long.Path())
	b.WaitUntil("document.readyState === 'complete'")
	b.Eval("window.same = true")

	b.HoldLikeGuard()
	b.CountPOSTRequests()
	b.Click("#Page-like-button")
	b.WaitUntil(`document.querySelector('#Page-liked-by').innerText === 'Liked by you and @ben'`)
	b.WaitUntil(`document.activeElement.id === 'Page-like-button'`)
	b.Click("#Page-like-button") // the second half of a double click
	b.ReleaseLikeGuard()
	b.Click("#Page-like-button")
	b.WaitUntil(`document.querySelector('#Page-liked-by').innerText === 'Liked by @ben'`)
	if n := b.Eval("window.posts"); n != "2" {
		t.Errorf("a double click and a click posted %s forms, want 2", n)
	}

	b.SetValue("#Page-comment", "An answer of *mine*")
	b.Click("#Page-comment-send")
	b.WaitUntil(`document.querySelectorAll('#Page-own-comments li').length === 1`)
	b.WaitUntil(`document.querySelector('#Page-comment').value === ''`)
	b.WaitUntil(`document.activeElement.id === 'Page-comment-send'`)
	b.WaitUntil(`document.querySelector('#Page-comment-status').textContent === 'Comment published.'`)
	b.Type("#Page-comment", "Another answer")
	b.PressKey("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	b.WaitUntil(`document.querySelectorAll('#Page-own-comments li').length === 2`)
	b.WaitUntil(`document.activeElement.id === 'Page-comment' && document.activeElement.value === ''`)
	if got := b.Eval(`document.querySelector('#Page-comments-title').textContent`); got != "122 comments" {
		t.Errorf("the heading is %q, want 122 comments", got)
	}

	for _, more := range []struct{ shown, status string }{{"100", "50 more comments"}, {"122", "22 more comments"}} {
		first := b.Eval(`document.querySelector('#Page-comment-list > li:last-child').id`)
		b.Press("#Page-more")
		b.WaitUntil(`document.querySelectorAll('#Page-comment-list > li').length === ` + more.shown)
		b.WaitUntil(`document.querySelector('#Page-comment-status').textContent === '` + more.status + `'`)
		b.WaitUntil(`document.activeElement.previousElementSibling?.id === '` + first + `'`)
	}
	if got := b.Eval(`document.querySelectorAll('#Page-own-comments li, #Page-more').length`); got != "0" {
		t.Errorf("%s of the reader's own comments are listed twice, or More is still offered", got)
	}
	last := `document.querySelector('#Page-comment-list li:nth-last-child(2) em').textContent`
	if got := b.Eval(last); got != "mine" {
		t.Errorf("the emphasis in the last comment but one is %q", got)
	}
	if b.Eval("window.same") != "true" {
		t.Error("the page was reloaded")
	}
	b.WantQuietConsole("Autofocus") // htmx moves the focus itself
}

func TestFailedFormsKeepThePageAndTheText(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open(w.Quiet.Path())
	w.Data.Fail("Posts.AddComment")
	w.Data.Fail("Posts.Like")

	b.SetValue("#Page-comment", "precious")
	b.Click("#Page-comment-send")
	b.WaitVisible("#Page-comment-form .error-summary")
	if got := b.Eval(`document.querySelector('#Page-comment').value`); got != "precious" {
		t.Errorf("the form holds %q", got)
	}
	b.Click("#Page-like-button")
	b.WaitVisible("#Page-notice dialog")
	if b.Eval(`document.querySelector('#Page-like-button') !== null`) != "true" {
		t.Error("the like button disappeared")
	}
	b.Click("#Page-notice button")
	b.Do(chromedp.WaitNotVisible(chromedp.CSS("#Page-notice dialog")))

	w.Data.Recover("Posts.AddComment")
	b.SetValue("#Page-comment", " ")
	b.Click("#Page-comment-send")
	b.WaitVisible("#Page-comment-error")
	b.WaitUntil(`document.activeElement.id === 'Page-comment'`)

	// The session ends in another tab.
	b.SignInAs(nil)
	b.SetValue("#Page-comment", "still precious")
	b.Click("#Page-comment-send")
	b.WaitVisible(`#Page-comment-form .error-summary a[href="/login"]`)
	if got := b.Eval(`document.querySelector('#Page-comment').value`); got != "still precious" {
		t.Errorf("the form holds %q", got)
	}
	for _, button := range []string{"#Page-like-button", "#Page-bookmark-button"} {
		b.Click(button)
		b.WaitVisible(`#Page-notice a[href="/login"][target="_blank"]`)
		b.WantValue(`document.querySelector('#Page-comment').value`, "still precious")
		b.Click("#Page-notice button")
		b.Do(chromedp.WaitNotVisible(chromedp.CSS("#Page-notice dialog")))
	}
	b.WantQuietConsole("503", "422", "401", // Chromium reports every such status
		"Autofocus") // htmx moves the focus itself
}

func TestAnUnreachableServerIsReported(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	server := httptest.NewServer(w.Handler)
	defer server.Close()
	b := webtest.NewTab(t, ctx, server.URL)
	b.SignInAs(w.Ada)
	b.Open(w.Quiet.Path())
	b.WaitUntil("document.readyState === 'complete'")
	b.SetValue("#Page-comment", "precious")
	server.Close()

	for _, action := range []string{"#Page-comment-send", "#Page-like-button"} {
		b.Click(action)
		b.WaitVisible("#Page-notice dialog")
		if got := b.Eval(`document.querySelector('#Page-notice').innerText`); got == "" ||
			b.Eval(`document.querySelector('#Page-notice').innerText.includes("Can't reach Inkfeed")`) != "true" {
			t.Errorf("%s: the notice is %q", action, got)
		}
		b.Click("#Page-notice button")
		b.Do(chromedp.WaitNotVisible(chromedp.CSS("#Page-notice dialog")))
	}
	if got := b.Eval(`document.querySelector('#Page-comment').value`); got != "precious" {
		t.Errorf("the form holds %q", got)
	}
	b.WantQuietConsole("ERR_CONNECTION_REFUSED", "Failed to fetch")
}

func TestBackShowsTheCurrentPage(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open(w.Quiet.Path())
	b.WaitUntil("document.readyState === 'complete'")
	b.SetValue("#Page-comment", "mine")
	b.Click("#Page-comment-send")
	b.WaitUntil(`document.querySelector('#Page-own-comments li')`)
	b.Open("/")
	b.Do(chromedp.NavigateBack())
	b.WaitUntil(`document.querySelector('#Page-comments li')?.textContent.includes('mine')`)

	b.Open("/@ada")
	b.WaitUntil(`document.querySelector('header .me')`)
	b.Click("header.site .menu summary")
	b.Click(`form[action="/logout"] button`)
	b.WaitUntil(`location.pathname === '/' && document.querySelector('header a[href="/login"]')`)
	b.Do(chromedp.NavigateBack())
	b.WaitUntil(`location.pathname === '/@ada' && document.querySelector('header a[href^="/login"]')`)
	if b.Eval(`document.querySelector('header .me') === null`) != "true" {
		t.Error("Back shows the signed-in page after signing out")
	}
}

func TestAResizedCommentBoxViolatesNoPolicy(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	b.Open(w.Quiet.Path())
	b.WaitUntil("document.readyState === 'complete'")
	b.SetValue("#Page-comment", "mine")
	b.Eval(`document.querySelector('#Page-comment').style.height = '300px'`) // as dragging its corner does
	b.Click("#Page-comment-send")
	b.WaitUntil(`document.querySelector('#Page-own-comments li')`)
	b.WantQuietConsole()
}

func TestOwnCommentIsLabelledWhenShownApart(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	label := func() string { return b.Eval(`document.querySelector('#Page-own-title').checkVisibility()`) }
	for path, apart := range map[string]string{
		"/posts/" + w.Long.ID + "/comments": "true", w.Long.Path(): "true", w.Quiet.Path(): "false",
	} {
		b.Open(path)
		b.WaitUntil("document.readyState === 'complete'")
		if label() != "false" {
			t.Errorf("%s: the label of own comments is shown without comments", path)
		}
		b.SetValue("#Page-comment", "mine")
		b.Click("#Page-comment-send")
		b.WaitUntil(`document.querySelector('#Page-own-comments li')`)
		if label() != apart {
			t.Errorf("%s: the label is shown: %s", path, label())
		}
	}
}
