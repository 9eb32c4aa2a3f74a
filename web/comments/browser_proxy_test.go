package comments_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"inkfeed/web/webtest"
)

// A proxy in front of Inkfeed answers itself while Inkfeed restarts, or when a request is too large for it.
func TestTheAnswerOfAProxyChangesNothingOnThePage(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	w.Ada.CreateComments(w.Quiet, "mine")
	var status atomic.Int32
	b := webtest.NewTab(t, ctx, webtest.Listen(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if s := int(status.Load()); s > 0 {
			http.Error(rw, http.StatusText(s), s)
			return
		}
		w.Handler.ServeHTTP(rw, r)
	})))
	b.SignInAs(w.Ada)
	b.OpenAndWait(w.Quiet.Path())
	rejected := func(t *testing.T, answer int, act func()) {
		t.Helper()
		status.Store(int32(answer))
		defer status.Store(0)
		act()
		b.WaitForText("#Page-notice", "Can't reach Inkfeed")
		b.Click("#Page-notice button")
		b.WaitUntil(`!document.querySelector('#Page-notice dialog[open]')`)
	}
	t.Run("a comment stays in its form, and can be sent again", func(t *testing.T) {
		b.SetValue("#Page-comment", "precious")
		for _, answer := range []int{http.StatusBadGateway, http.StatusRequestEntityTooLarge, http.StatusOK} {
			rejected(t, answer, func() { b.Click("#Page-comment-send") })
			b.WantValue(`document.querySelector('#Page-comment')?.value`, "precious")
		}
		b.Click("#Page-comment-send")
		b.WaitUntil(`document.querySelectorAll('#Page-comments article.comment').length === 2`)
	})
	t.Run("a comment that was not deleted stays", func(t *testing.T) {
		rejected(t, http.StatusBadGateway, func() { b.AnswerDialog(`form[action$="/delete"] button`, true) })
		b.WantValue(`document.querySelectorAll('#Page-comments article.comment').length`, "2")
	})
	b.WantQuietConsole("502", "413", "Autofocus")
}
