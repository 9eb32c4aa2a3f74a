package web_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"inkfeed/domain"
)

// press gives an element the focus and presses the Enter key.
func (b *tab) press(selector string) {
	b.t.Helper()
	b.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent("\r"))
}

// answer presses what asks before it acts, and gives the answer. It returns what
// was asked.
func (b *tab) answer(selector string, yes bool) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	asked := make(chan string, 1)
	dialogs := chromedp.Events(ctx, page.JavascriptDialogOpening)
	go func() {
		defer close(asked)
		for dialog, err := range dialogs {
			if err != nil {
				return
			}
			asked <- dialog.Message
			_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: yes})
			return
		}
	}()
	b.press(selector)
	return <-asked
}

func TestDeletingACommentWithoutLeavingThePage(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ben)
	b.Open(w.long.Path())
	b.eventually("document.readyState === 'complete'")
	b.eval("window.same = true")
	made := w.data.comments(w.long.ID)
	button := func(c domain.Comment) string { return "#comment-" + c.ID + " form button" }

	if asked := b.answer(button(made[2]), false); !strings.Contains(asked, "cannot be undone") {
		t.Errorf("it asks %q", asked)
	}
	b.eventually(`document.activeElement.closest('#comment-` + made[2].ID + `')`)
	if n := w.data.calls("Posts.DeleteComment"); n != 0 {
		t.Error("No deletes it")
	}

	b.answer(button(made[2]), true)
	b.eventually(`document.querySelector('#Page-comments-title').textContent === '119 comments'`)
	b.eventually(`document.querySelector('#Page-comment-status').textContent === 'Comment deleted.'`)
	b.eventually(`document.activeElement.id === 'comment-` + made[3].ID + `'`)
	if got := b.eval(`[document.querySelector('#comment-` + made[2].ID + `'), document.querySelector('#Page-comment-list > li:last-child').id]`); got != ",comment-"+made[49].ID {
		t.Errorf("left, and last: %s", got)
	}

	// Reading on misses none and repeats none.
	for _, shown := range []string{"99", "119"} {
		b.press("#Page-more")
		b.eventually(`document.querySelectorAll('#Page-comment-list > li').length === ` + shown)
	}
	if got := b.eval(`new Set([...document.querySelectorAll('#Page-comment-list > li')].map(li => li.id)).size`); got != "119" {
		t.Errorf("%s different comments are shown", got)
	}

	// One's own, just added, and the last of all.
	b.write("#Page-comment", "mine")
	b.press("#Page-comment-send")
	b.eventually(`document.querySelector('#Page-own-comments li')`)
	b.answer("#Page-own-comments li form button", true)
	b.eventually(`document.querySelectorAll('#Page-own-comments li').length === 0`)
	b.eventually(`document.activeElement.id === 'Page-comments-title'`)
	if b.eval(`document.querySelector('#Page-own-title').checkVisibility()`) != "false" {
		t.Error("there is a label and nothing below it")
	}
	b.answer(button(made[119]), true)
	b.eventually(`document.activeElement.id === 'comment-` + made[118].ID + `'`)
	b.eventually(`document.querySelector('#Page-comments-title').textContent === '118 comments'`)

	if b.eval("window.same") != "true" {
		t.Error("the page was loaded anew")
	}

	// On a page of comments of its own, which the next moves up to.
	b.Open("/posts/" + w.long.ID + "/comments")
	b.eventually("document.readyState === 'complete'")
	b.answer(button(made[0]), true)
	b.eventually(`document.querySelector('#Page-comment-list > li:last-child').id === 'comment-` + made[51].ID + `'`)
	b.eventually(`document.querySelector('#Page-comments-title').textContent === '117 comments'`)
	if got := b.eval(`[document.querySelectorAll('#Page-comment-list > li').length, document.querySelectorAll('.pager').length, location.pathname]`); got != "50,1,/posts/"+w.long.ID+"/comments" {
		t.Errorf("comments, ways on, and address: %s", got)
	}
	b.quiet("Autofocus") // htmx moves the focus itself
}

func TestACommentThatCannotBeDeletedStays(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ben)
	c := w.ben.comments(w.quiet, "the only one")[0]
	b.Open(w.quiet.Path())
	b.eventually("document.readyState === 'complete'")
	w.data.fail("Posts.DeleteComment")
	b.answer("#comment-"+c.ID+" form button", true)
	b.sees("#Page-notice dialog")
	if b.eval(`document.querySelector('#comment-`+c.ID+`') !== null`) != "true" {
		t.Error("the comment is gone")
	}
	b.press("#Page-notice button")
	w.data.recover("Posts.DeleteComment")
	b.answer("#comment-"+c.ID+" form button", true)
	b.sees("#Page-no-comments")
	b.quiet("503") // Chromium reports every such status
}

func TestDeletingByKeyboard(t *testing.T) {
	ctx := browser(t)
	for name, scripts := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := newTab(t, ctx, serve(t, w.handler))
			call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts})
			b.as(w.ben)
			c := w.ben.comments(w.quiet, "mine")[0]
			if !scripts {
				b.Open(w.quiet.Path())
				b.press("#comment-" + c.ID + " form button")
				b.eventually(`location.pathname.endsWith('/delete') && document.querySelector('h1').textContent === 'Delete your comment?'`)
				b.press("main button.danger")
				b.eventually(`location.hash === '#Page-comments' && document.querySelector('.done') && document.querySelector('#Page-no-comments')`)
			}

			b.Open(w.quiet.Path())
			b.press(`.post a[href$="/delete"]`)
			b.eventually(`document.querySelector('h1').textContent === 'Delete your post?'`)
			b.press("main button.danger")
			b.eventually(`location.pathname === '/@ben' && document.querySelector('.done')?.textContent.startsWith('Post deleted.')`)

			b.Open("/settings")
			b.press(`main a[href="/settings/delete"]`)
			b.eventually(`document.querySelector('#password')`)
			b.write("#password", "wrong password")
			b.press("main button.danger")
			b.eventually(`document.activeElement.id === 'password' && document.querySelector('#password-error')`)
			b.write("#password", password)
			b.press("#password") // Enter in the field sends the form
			b.eventually(`location.pathname === '/goodbye' && document.querySelector('header a[href="/login"]')`)
			b.Open("/settings")
			b.eventually(`location.pathname === '/login'`)
			b.quiet("422", "Clear-Site-Data")
		})
	}
}

// contrast is that of an element's text with what is behind it, by WCAG 2.
const contrast = `(selector => {
	const channels = color => color.match(/[\d.]+/g).map(Number);
	const luminance = color => channels(color).slice(0, 3).map(c => c / 255)
		.map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const element = document.querySelector(selector);
	let behind = element;
	while (channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
	const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map(luminance);
	return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})`

func TestWhatDeletesLooksItAndCanBeRead(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	b := newTab(t, ctx, serve(t, w.handler))
	b.as(w.ben)
	w.ben.comments(w.quiet, "mine")
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		for path, pair := range map[string][2]string{ // what deletes, and what does not
			w.quiet.Path():                     {".post .danger", ".post .action:not(.danger)"},
			w.quiet.Path() + "?":               {".comment button", "header .link"},
			"/posts/" + w.quiet.ID + "/delete": {"main button.danger", ".actions a"},
			"/settings":                        {"main .button", "main button"},
			"/settings/delete":                 {"main button.danger", ".actions a"},
		} {
			b.Open(path)
			if b.eval(contrast+`('`+pair[0]+`') >= 4.5`) != "true" {
				t.Errorf("%s, %s: the contrast of %s is %s", path, scheme, pair[0], b.eval(contrast+`('`+pair[0]+`')`))
			}
			color := func(selector string) string {
				return b.eval(`(s => s.color + s.backgroundColor)(getComputedStyle(document.querySelector('` + selector + `')))`)
			}
			if color(pair[0]) == color(pair[1]) {
				t.Errorf("%s, %s: %s looks like %s", path, scheme, pair[0], pair[1])
			}
		}
	}
}
