package comments_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"inkfeed/web/webtest"
)

func TestReplyKeepsAReplyThatWasBegun(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	c := w.Ben.CreateComments(w.Quiet, "A question", "Another thread")
	b.SignInAs(w.Ada)
	b.OpenAndWait(w.Quiet.Path())
	first := `a[href="` + webtest.CommentPath(c[0], "/reply") + `"]`
	b.Click(first)
	b.WaitVisible("#reply-" + c[0].ID)
	t.Run("an untouched form makes way for a new one", func(t *testing.T) {
		b.Eval(`document.querySelector('textarea[id^=reply-]').before('old')`)
		b.Click(first)
		b.WaitUntil(`!document.querySelector('textarea[id^=reply-]').form.textContent.includes('old')`)
	})
	t.Run("a form with text stays and gets the focus", func(t *testing.T) {
		b.Type("#reply-"+c[0].ID, "precious")
		b.Click(first)
		b.WaitUntil(`document.activeElement.id === 'reply-` + c[0].ID + `'`)
		b.WantValue(`document.querySelectorAll('textarea[id^=reply-]').length`, "1")
		b.WantValue(`document.querySelector('textarea[id^=reply-]').value.endsWith('precious')`, "true")
	})
	t.Run("other threads have forms of their own", func(t *testing.T) {
		b.Click(`a[href="` + webtest.CommentPath(c[1], "/reply") + `"]`)
		b.WaitVisible("#reply-" + c[1].ID)
		b.WantValue(`document.querySelectorAll('textarea[id^=reply-]').length`, "2")
	})
	b.WantQuietConsole("Autofocus")
}

func TestACommentCannotBeChangedWhileItIsSent(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	held := make(chan struct{})
	var fails atomic.Bool
	b := webtest.NewTab(t, ctx, webtest.Listen(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/comments") {
			select {
			case <-held:
			case <-r.Context().Done():
			}
			if fails.Load() {
				http.Error(rw, "", http.StatusBadGateway)
				return
			}
		}
		w.Handler.ServeHTTP(rw, r)
	})))
	b.SignInAs(w.Ada)
	b.OpenAndWait(w.Quiet.Path())
	b.SetValue("#Page-comment", "precious")
	const locked = `document.querySelector('#Page-comment').readOnly`
	send := func(t *testing.T) {
		b.Click("#Page-comment-send")
		b.WaitUntil(locked)
		b.Type("#Page-comment", " and lost")
		b.WantValue(`document.querySelector('#Page-comment').value`, "precious")
		held <- struct{}{}
		b.WaitUntil("!" + locked)
	}
	t.Run("but after a failure", func(t *testing.T) {
		fails.Store(true)
		send(t)
		fails.Store(false)
		b.WantValue(`document.querySelector('#Page-comment').value`, "precious")
	})
	t.Run("and the next form is empty", func(t *testing.T) {
		send(t)
		b.WaitUntil(`document.querySelector('#Page-comment').value === ''`)
	})
	b.WantQuietConsole("Autofocus", "502")
}
