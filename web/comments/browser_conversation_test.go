package comments_test

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// still turns animations off, so that positions can be compared.
func still(b *webtest.Tab) {
	b.T.Helper()
	webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
}

func TestConversationsStayOnThePage(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ada)
	still(b)
	b.Resize(1280, 900)
	b.OpenAndWait(w.Long.Path())
	b.Eval("window.same = true")
	to := w.Data.Comments(w.Long.ID)[2]
	item := "#comment-" + to.ID

	// The reply appears below its comment, the form disappears, and the scroll position stays.
	b.Press(item + ` a[href$="/reply"]`)
	b.WaitUntil(`document.activeElement.id === 'reply-` + to.ID + `'`)
	b.Do(chromedp.SendKeys(chromedp.CSS("#reply-"+to.ID), "An *answer*"))
	b.Do(chromedp.Focus(chromedp.CSS("#answer-" + to.ID + " button"))) // this scrolls to the button
	before := b.Eval(`document.querySelector('` + item + `').getBoundingClientRect().top`)
	b.Press("#answer-" + to.ID + " button")
	b.WaitUntil(`document.querySelector('#replies-` + to.ID + ` > li .prose em')?.textContent === 'answer'`)
	b.WaitUntil(`document.querySelector('#answer-` + to.ID + `').childElementCount === 0`)
	b.WaitUntil(`document.activeElement.matches('#replies-` + to.ID + ` > li')`)
	b.WaitUntil(`document.querySelector('#Page-comment-status').textContent === 'Reply published.'`)
	b.WantValue(`document.querySelector('#Page-comments-title').textContent`, "121 comments")
	b.WantValue(`document.querySelector('`+item+`').getBoundingClientRect().top`, before)

	// An answer to a reply begins with the username of its author, and its form follows the reply.
	b.Press("#replies-" + to.ID + ` a[href$="/reply"]`)
	b.WaitUntil(`document.activeElement.id === 'reply-` + to.ID + `'`)
	b.Do(chromedp.SendKeys(chromedp.CSS("#reply-"+to.ID), "and more"))
	b.WantValue(`document.querySelector('#reply-`+to.ID+`').value`, "@ada and more")
	b.Press("#answer-" + to.ID + " form a.action") // Cancel
	b.WaitUntil(`document.querySelector('#answer-` + to.ID + `').childElementCount === 0`)
	b.WaitUntil(`document.activeElement.id === 'comment-` + to.ID + `'`)

	// The reply is edited in place.
	reply := "#replies-" + to.ID + " > li"
	b.Press(reply + ` a[href$="/edit"]`)
	b.WaitUntil(`document.activeElement.matches('` + reply + ` textarea')`)
	b.Press(reply + " form a.action") // Cancel
	b.WaitUntil(`document.activeElement.matches('` + reply + ` > article')`)
	b.Press(reply + ` a[href$="/edit"]`)
	b.WaitUntil(`document.activeElement.matches('` + reply + ` textarea')`)
	b.SetValue(reply+" textarea", "A *better* answer")
	b.Press(reply + " form button")
	b.WaitUntil(`document.querySelector('` + reply + ` .prose em')?.textContent === 'better'`)
	b.WaitUntil(`document.activeElement.matches('` + reply + ` > article')`)
	b.WaitUntil(`document.querySelector('` + reply + ` .meta').innerText.includes('edited')`)

	// More neither repeats nor skips a comment, although a reply was added before.
	for _, shown := range []string{"100", "120"} {
		b.Press("#Page-more")
		b.WaitUntil(`document.querySelectorAll('#Page-comment-list > li').length === ` + shown)
	}
	b.WantValue(`document.querySelectorAll('[id^=comment-]:is(li)').length`, "121")
	b.WantValue(`new Set([...document.querySelectorAll('li[id^=comment-]')].map(li => li.id)).size`, "121")
	b.WantValue("window.same", "true")
	b.WantQuietConsole("Autofocus") // htmx moves the focus itself
}

func TestADeletedCommentWithRepliesBecomesAPlaceholder(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	comment := w.Ben.CreateComments(w.Quiet, "A secret")[0]
	first, second := w.Ben.Reply(comment, "first"), w.Ben.Reply(comment, "second")
	b := webtest.NewTab(t, ctx, webtest.Listen(t, w.Handler))
	b.SignInAs(w.Ben)
	b.OpenAndWait(w.Quiet.Path())
	b.Eval("window.same = true")
	remove := func(c domain.Comment) { b.AnswerDialog("#comment-"+c.ID+" > article form button", true) }

	remove(comment)
	b.WaitUntil(`document.querySelector('#comment-` + comment.ID + ` > article').innerText === 'Deleted comment'`)
	b.WaitUntil(`document.activeElement.matches('#comment-` + comment.ID + ` > article')`)
	b.WantValue(`document.querySelector('#Page-comments-title').textContent`, "2 comments")
	remove(first)
	b.WaitUntil(`!document.querySelector('#comment-` + first.ID + `')`)
	b.WaitUntil(`document.activeElement.id === 'comment-` + second.ID + `'`)
	remove(second)
	b.WaitUntil(`!document.querySelector('#comment-` + comment.ID + `')`)
	b.WaitUntil(`document.querySelector('#Page-no-comments')`)
	b.WaitUntil(`document.activeElement.id === 'Page-comments-title'`)
	b.WantValue("window.same", "true")
	b.WantQuietConsole("Autofocus")
}

// A visitor without JavaScript can reply, edit, delete, bookmark and like.
func TestConversationsWorkWithoutJavaScript(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	comment := w.Ben.CreateComments(w.Quiet, "A question")[0]
	b := webtest.NewTab(t, ctx, webtest.Listen(t, w.Handler))
	webtest.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.SignInAs(w.Ada)
	follow := func(selector string) {
		b.T.Helper()
		was := b.Eval("performance.timeOrigin")
		b.Press(selector)
		b.WaitUntil("performance.timeOrigin !== " + was + " && document.readyState === 'complete'")
	}
	b.Open(w.Quiet.Path())
	follow("#comment-" + comment.ID + ` a[href$="/reply"]`)
	b.WantValue(`document.querySelector('h1').textContent`, "Reply to @ben")
	b.SetValue("#reply-"+comment.ID, "An answer")
	follow("main form button")
	reply := "#replies-" + comment.ID + " > li"
	b.WantValue(`document.querySelector('`+reply+`:target .prose').innerText`, "An answer")

	follow(reply + ` a[href$="/edit"]`)
	b.SetValue("main textarea", "A better answer")
	follow("main form button")
	b.WantValue(`document.querySelector('`+reply+`:target .prose').innerText`, "A better answer")
	follow(reply + " .meta a.muted") // its permalink
	b.WantValue(`document.querySelector('`+reply+`:target .prose').innerText`, "A better answer")

	b.SignInAs(w.Ben)
	b.Open("/posts/" + w.Quiet.ID + "/comments/" + comment.ID + "/delete")
	follow("main form button.danger")
	b.WantValue(`document.querySelector('#comment-`+comment.ID+` > article').innerText`, "Deleted comment")
	b.WantValue(`document.querySelector('.done').innerText`, "Comment deleted.")

	follow("#Page-bookmark-button")
	b.WantValue(`document.querySelector('#Page-bookmark-button').ariaPressed`, "true")
	follow("#Page-like-button")
	b.WantValue(`document.querySelector('#Page-liked-by').innerText.replace(/\s+/g, " ")`, "1 like. See all names")
	follow("#Page-liked-by a")
	b.WantValue(`document.querySelector('.people').innerText.includes('@ben')`, "true")
	b.Open("/bookmarks")
	follow("#bookmarks li form button")
	b.WantValue(`document.querySelector('#bookmarks [role=status]').innerText.includes('Bookmark removed.')`, "true")
	follow("#bookmarks .undo button")
	b.WantValue(`document.querySelectorAll('#bookmarks li').length`, "1")
}
