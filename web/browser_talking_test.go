package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"inkfeed/domain"
)

// ready opens a page and waits until htmx has it.
func (b *tab) ready(path string) {
	b.t.Helper()
	b.Open(path)
	b.eventually("document.readyState === 'complete'")
}

func (b *tab) wants(script, want string) {
	b.t.Helper()
	if got := b.eval(script); got != want {
		b.t.Errorf("%s is %q, want %q", script, got, want)
	}
}

// still lets nothing move by itself, so that where things are can be compared.
func still(b *tab) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
}

func TestAConversationWithoutLeavingThePage(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	still(b)
	b.size(1280, 900)
	b.ready(w.long.Path())
	b.eval("window.same = true")
	to := w.data.comments(w.long.ID)[2]
	item := "#comment-" + to.ID

	// A reply appears below its comment; the form is gone, and the reader is where he was.
	b.press(item + ` a[href$="/reply"]`)
	b.eventually(`document.activeElement.id === 'reply-` + to.ID + `'`)
	b.do(chromedp.SendKeys(chromedp.CSS("#reply-"+to.ID), "An *answer*"))
	b.do(chromedp.Focus(chromedp.CSS("#answer-" + to.ID + " button"))) // which scrolls to it
	before := b.eval(`document.querySelector('` + item + `').getBoundingClientRect().top`)
	b.press("#answer-" + to.ID + " button")
	b.eventually(`document.querySelector('#replies-` + to.ID + ` > li .prose em')?.textContent === 'answer'`)
	b.eventually(`document.querySelector('#answer-` + to.ID + `').childElementCount === 0`)
	b.eventually(`document.activeElement.matches('#replies-` + to.ID + ` > li')`)
	b.eventually(`document.querySelector('#Page-comment-status').textContent === 'Reply published.'`)
	b.wants(`document.querySelector('#Page-comments-title').textContent`, "121 comments")
	b.wants(`document.querySelector('`+item+`').getBoundingClientRect().top`, before)

	// An answer to the reply says whom it is for, and is written behind that.
	b.press("#replies-" + to.ID + ` a[href$="/reply"]`)
	b.eventually(`document.activeElement.id === 'reply-` + to.ID + `'`)
	b.do(chromedp.SendKeys(chromedp.CSS("#reply-"+to.ID), "and more"))
	b.wants(`document.querySelector('#reply-`+to.ID+`').value`, "@ada and more")
	b.press("#answer-" + to.ID + " form a.action") // Cancel
	b.eventually(`document.querySelector('#answer-` + to.ID + `').childElementCount === 0`)
	b.eventually(`document.activeElement.id === 'comment-` + to.ID + `'`)

	// It is changed in its place.
	reply := "#replies-" + to.ID + " > li"
	b.press(reply + ` a[href$="/edit"]`)
	b.eventually(`document.activeElement.matches('` + reply + ` textarea')`)
	b.press(reply + " form a.action") // Cancel
	b.eventually(`document.activeElement.matches('` + reply + ` > article')`)
	b.press(reply + ` a[href$="/edit"]`)
	b.eventually(`document.activeElement.matches('` + reply + ` textarea')`)
	b.write(reply+" textarea", "A *better* answer")
	b.press(reply + " form button")
	b.eventually(`document.querySelector('` + reply + ` .prose em')?.textContent === 'better'`)
	b.eventually(`document.activeElement.matches('` + reply + ` > article')`)
	b.eventually(`document.querySelector('` + reply + ` .meta').innerText.includes('edited')`)

	// Reading on repeats none and misses none, although a reply came before.
	for _, shown := range []string{"100", "120"} {
		b.press("#Page-more")
		b.eventually(`document.querySelectorAll('#Page-comment-list > li').length === ` + shown)
	}
	b.wants(`document.querySelectorAll('[id^=comment-]:is(li)').length`, "121")
	b.wants(`new Set([...document.querySelectorAll('li[id^=comment-]')].map(li => li.id)).size`, "121")
	b.wants("window.same", "true")
	b.quiet("Autofocus") // htmx moves the focus itself
}

func TestADeletedCommentHoldsItsRepliesInPlace(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	comment := w.ben.comments(w.quiet, "A secret")[0]
	first, second := w.ben.reply(comment, "first"), w.ben.reply(comment, "second")
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ben)
	b.ready(w.quiet.Path())
	b.eval("window.same = true")
	remove := func(c domain.Comment) { b.answer("#comment-"+c.ID+" > article form button", true) }

	remove(comment)
	b.eventually(`document.querySelector('#comment-` + comment.ID + ` > article').innerText === 'Deleted comment'`)
	b.eventually(`document.activeElement.matches('#comment-` + comment.ID + ` > article')`)
	b.wants(`document.querySelector('#Page-comments-title').textContent`, "2 comments")
	remove(first)
	b.eventually(`!document.querySelector('#comment-` + first.ID + `')`)
	b.eventually(`document.activeElement.id === 'comment-` + second.ID + `'`)
	remove(second)
	b.eventually(`!document.querySelector('#comment-` + comment.ID + `')`)
	b.eventually(`document.querySelector('#Page-no-comments')`)
	b.eventually(`document.activeElement.id === 'Page-comments-title'`)
	b.wants("window.same", "true")
	b.quiet("Autofocus")
}

func TestNamesOfThoseWhoLikeMoveNothing(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	for i, name := range []string{"augusta-ada-king-noel-countess", "charles-babbage-of-marylebone1", "mary-somerville-nee-fairfax-ab"} {
		_, _ = w.data.store.Posts.Like(t.Context(), domain.NewLike(w.member(name).user, w.long.ID, time.Now().Add(time.Duration(i)*time.Second)))
	}
	b := newTab(t, ctx, serve(t, w.handler))
	b.size(390, 844)
	b.ready(w.long.Path())
	b.wants(`document.querySelector('#Page-liked-by').innerText`, "4 likes")
	before := b.eval(`document.querySelector('#Page-comments').offsetTop`)
	b.eval(`document.querySelector('#Page-liked-by').scrollIntoView()`)
	b.eventually(`document.querySelector('#Page-liked-by').innerText.startsWith('Liked by @mary-somerville-nee-fairfax-ab, @charles-babbage-of-marylebone1 and 2 others')`)
	b.wants(`document.querySelector('#Page-comments').offsetTop`, before)
	if !b.fits() {
		t.Error("the page is wider than the window")
	}
	b.quiet()
}

func TestABookmarkIsOnTheListAtOnce(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ada)
	b.ready(w.arabic.Path())
	b.press("#Page-bookmark-button")
	b.eventually(`document.querySelector('#Page-bookmark-button').ariaPressed === 'true'`)
	b.eventually(`document.activeElement.id === 'Page-bookmark-button'`)
	b.ready("/bookmarks")
	b.eval("window.same = true")
	b.wants(`document.querySelector('#bookmarks h2').textContent`, w.arabic.Title)
	b.press("#bookmarks li form button")
	b.eventually(`document.querySelectorAll('#bookmarks li').length === 0`)
	b.eventually(`document.activeElement.matches('#bookmarks [role=status]')`)
	b.press("#bookmarks .undo button")
	b.eventually(`document.querySelectorAll('#bookmarks li').length === 1`)
	b.wants("window.same", "true")
	b.quiet("Autofocus")
}

// All of it is there for those whose browser runs no script.
func TestAConversationWithoutJavaScript(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	comment := w.ben.comments(w.quiet, "A question")[0]
	b := newTab(t, ctx, serve(t, w.handler))
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.as(w.ada)
	follow := func(selector string) {
		b.t.Helper()
		was := b.eval("performance.timeOrigin")
		b.press(selector)
		b.eventually("performance.timeOrigin !== " + was + " && document.readyState === 'complete'")
	}
	b.Open(w.quiet.Path())
	follow("#comment-" + comment.ID + ` a[href$="/reply"]`)
	b.wants(`document.querySelector('h1').textContent`, "Reply to @ben")
	b.write("#reply-"+comment.ID, "An answer")
	follow("main form button")
	reply := "#replies-" + comment.ID + " > li"
	b.wants(`document.querySelector('`+reply+`:target .prose').innerText`, "An answer")

	follow(reply + ` a[href$="/edit"]`)
	b.write("main textarea", "A better answer")
	follow("main form button")
	b.wants(`document.querySelector('`+reply+`:target .prose').innerText`, "A better answer")
	follow(reply + " .meta a.muted") // its address
	b.wants(`document.querySelector('`+reply+`:target .prose').innerText`, "A better answer")

	b.as(w.ben)
	b.Open("/posts/" + w.quiet.ID + "/comments/" + comment.ID + "/delete")
	follow("main form button.danger")
	b.wants(`document.querySelector('#comment-`+comment.ID+` > article').innerText`, "Deleted comment")
	b.wants(`document.querySelector('.done').innerText`, "Comment deleted.")

	follow("#Page-bookmark-button")
	b.wants(`document.querySelector('#Page-bookmark-button').ariaPressed`, "true")
	follow("#Page-like-button")
	b.wants(`document.querySelector('#Page-liked-by').innerText`, "1 like")
	follow("#Page-liked-by a")
	b.wants(`document.querySelector('.people').innerText.includes('@ben')`, "true")
	b.Open("/bookmarks")
	follow("#bookmarks li form button")
	b.wants(`document.querySelector('#bookmarks [role=status]').innerText.includes('Bookmark removed.')`, "true")
	follow("#bookmarks .undo button")
	b.wants(`document.querySelectorAll('#bookmarks li').length`, "1")
}

// TestTalkScreenshots is TestScreenshots for what readers say.
func TestTalkScreenshots(t *testing.T) {
	dir := os.Getenv("INKFEED_SCREENSHOTS")
	if dir == "" {
		t.Skip("INKFEED_SCREENSHOTS is not set")
	}
	ctx := browser(t)
	w := newWorld(t)
	cleo := w.member("cleo")
	p := w.ada.aPost("A post that people talk about", "It has little text, and that is all there is.")
	list := w.ben.comments(p, "A first comment, to which people reply.\n\nIt has two paragraphs.", "تعليق طويل بالعربية يكفي ليملأ أكثر من سطر واحد على شاشة الهاتف، ويتبعه رد.",
		"吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で。", strings.Repeat("long", 60), "A comment that goes.")
	cleo.reply(list[0], "A reply, with `code` and a [link](/).")
	mine := w.ada.reply(list[0], "> A quotation\n\nand an answer to it, that is somewhat longer than the one before so that it takes two lines or three.")
	w.ben.reply(list[0], "@ada Thank you.")
	cleo.reply(list[1], "رد قصير")
	w.ada.reply(list[4], "A reply that stays.")
	w.ben.post(deletePath(list[4])).want(303)
	edited := w.ada.comments(p, "A comment that was changed.")[0]
	w.ada.post(commentPath(edited, "/edit"), "content", "A comment that was changed, once.").want(303)
	for _, v := range []*visitor{w.ada, w.ben, cleo} {
		v.post("/posts/" + p.ID + "/like").want(303)
	}
	for _, post := range []domain.Post{w.quiet, w.long, w.arabic, p} {
		w.ada.post("/posts/" + post.ID + "/bookmark").want(303)
	}
	base := serve(t, w.handler)
	for _, mode := range []struct {
		name          string
		width, height int64
		phone         bool
		scheme        string
	}{
		{"phone-light", 390, 844, true, "light"},
		{"phone-dark", 390, 844, true, "dark"},
		{"desktop-light", 1280, 900, false, "light"},
		{"desktop-dark", 1280, 900, false, "dark"},
	} {
		b := newTab(t, ctx, base)
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: mode.width, Height: mode.height, DeviceScaleFactor: 1, Mobile: mode.phone})
		call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: mode.phone})
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: mode.scheme}}})
		b.as(w.ada)
		for name, path := range map[string]string{"thread": p.Path() + "#comment-" + list[1].ID, "reply": commentPath(list[0], "/reply"),
			"comment-edit": commentPath(mine, "/edit"), "bookmarks": "/bookmarks", "bookmarks-removed": "/bookmarks?removed=" + w.long.ID} {
			b.ready(path)
			if !b.fits() {
				t.Errorf("%s is wider than a %s", name, mode.name)
			}
			b.picture(filepath.Join(dir, mode.name+"-"+name+".png"), mode.width, mode.height)
		}
		b.ready(p.Path())
		b.press("#comment-" + list[0].ID + ` > article a[href$="/reply"]`)
		b.eventually(`document.activeElement.id === 'reply-` + list[0].ID + `'`)
		b.press("#comment-" + mine.ID + ` a[href$="/edit"]`)
		b.eventually(`document.activeElement.id === 'edit-` + mine.ID + `'`)
		b.picture(filepath.Join(dir, mode.name+"-thread-forms.png"), mode.width, mode.height)
	}
}
