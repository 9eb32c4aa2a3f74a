package comments_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestDeletingACommentStaysOnThePage(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ben)
	b.Open(w.Long.Path())
	b.WaitUntil("document.readyState === 'complete'")
	b.Eval("window.same = true")
	made := w.Data.Comments(w.Long.ID)
	button := func(c domain.Comment) string { return "#comment-" + c.ID + " form button" }

	if asked := b.AnswerDialog(button(made[2]), false); !strings.Contains(asked, "cannot be undone") {
		t.Errorf("the dialog asks %q", asked)
	}
	b.WaitUntil(`document.activeElement.closest('#comment-` + made[2].ID + `')`)
	if n := w.Data.Calls("Posts.DeleteComment"); n != 0 {
		t.Error("dismissing the dialog deleted the comment")
	}

	b.AnswerDialog(button(made[2]), true)
	b.WaitUntil(`document.querySelector('#Page-comments-title').textContent === '119 comments'`)
	b.WaitUntil(`document.querySelector('#Page-comment-status').textContent === 'Comment deleted.'`)
	b.WaitUntil(`document.activeElement.id === 'comment-` + made[3].ID + `'`)
	if got := b.Eval(`[document.querySelector('#comment-` + made[2].ID +
		`'), document.querySelector('#Page-comment-list > li:last-child').id]`); got != ",comment-"+made[49].ID {
		t.Errorf("the deleted comment, and the id of the last: %s", got)
	}

	// More neither skips nor repeats a comment.
	for _, shown := range []string{"99", "119"} {
		b.Press("#Page-more")
		b.WaitUntil(`document.querySelectorAll('#Page-comment-list > li').length === ` + shown)
	}
	got := b.Eval(`new Set([...document.querySelectorAll('#Page-comment-list > li')].map(li => li.id)).size`)
	if got != "119" {
		t.Errorf("%s different comments are shown", got)
	}

	// The reader's own new comment, then the last comment of the post.
	b.SetValue("#Page-comment", "mine")
	b.Press("#Page-comment-send")
	b.WaitUntil(`document.querySelector('#Page-own-comments li')`)
	b.AnswerDialog("#Page-own-comments li form button", true)
	b.WaitUntil(`document.querySelectorAll('#Page-own-comments li').length === 0`)
	b.WaitUntil(`document.activeElement.id === 'Page-comments-title'`)
	if b.Eval(`document.querySelector('#Page-own-title').checkVisibility()`) != "false" {
		t.Error("the label of own comments is shown without comments")
	}
	b.AnswerDialog(button(made[119]), true)
	b.WaitUntil(`document.activeElement.id === 'comment-` + made[118].ID + `'`)
	b.WaitUntil(`document.querySelector('#Page-comments-title').textContent === '118 comments'`)

	if b.Eval("window.same") != "true" {
		t.Error("the page was reloaded")
	}

	// On the separate page of comments, the first comment of the next page moves up.
	b.Open("/posts/" + w.Long.ID + "/comments")
	b.WaitUntil("document.readyState === 'complete'")
	b.AnswerDialog(button(made[0]), true)
	b.WaitUntil(`document.querySelector('#Page-comment-list > li:last-child').id === 'comment-` + made[51].ID + `'`)
	b.WaitUntil(`document.querySelector('#Page-comments-title').textContent === '117 comments'`)
	got = b.Eval(`[document.querySelectorAll('#Page-comment-list > li').length,
		document.querySelectorAll('.pager').length, location.pathname]`)
	if got != "50,1,/posts/"+w.Long.ID+"/comments" {
		t.Errorf("the number of comments, the number of pagers, and the path: %s", got)
	}
	b.WantQuietConsole("Autofocus") // htmx moves the focus itself
}

func TestACommentStaysWhenDeletingFails(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ben)
	c := w.Ben.CreateComments(w.Quiet, "the only one")[0]
	b.Open(w.Quiet.Path())
	b.WaitUntil("document.readyState === 'complete'")
	w.Data.Fail("Posts.DeleteComment")
	b.AnswerDialog("#comment-"+c.ID+" form button", true)
	b.WaitVisible("#Page-notice dialog")
	if b.Eval(`document.querySelector('#comment-`+c.ID+`') !== null`) != "true" {
		t.Error("the comment disappeared")
	}
	b.Press("#Page-notice button")
	w.Data.Recover("Posts.DeleteComment")
	b.AnswerDialog("#comment-"+c.ID+" form button", true)
	b.WaitVisible("#Page-no-comments")
	b.WantQuietConsole("503") // Chromium reports every such status
}

func TestDeletingWorksByKeyboard(t *testing.T) {
	ctx := webtest.Browser(t)
	for name, scripts := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			w := webtest.NewWorld(t)
			b := webtest.NewTab(t, ctx, webtest.Listen(t, w.Handler))
			webtest.Call(b, emulation.SetScriptExecutionDisabled,
				emulation.SetScriptExecutionDisabledParams{Value: !scripts})
			b.SignInAs(w.Ben)
			c := w.Ben.CreateComments(w.Quiet, "mine")[0]
			if !scripts {
				b.Open(w.Quiet.Path())
				b.Press("#comment-" + c.ID + " form button")
				b.WaitUntil(`location.pathname.endsWith('/delete') &&
					document.querySelector('h1').textContent === 'Delete your comment?'`)
				b.Press("main button.danger")
				b.WaitUntil(`location.hash === '#Page-comments' && document.querySelector('.done') &&
					document.querySelector('#Page-no-comments')`)
			}

			b.Open(w.Quiet.Path())
			b.Press(".post .text-actions summary")
			b.Press(`.post a[href$="/delete"]`)
			b.WaitUntil(`document.querySelector('h1').textContent === 'Move your post to the trash?'`)
			b.Press("main button.danger")
			b.WaitUntil(`location.pathname === '/@ben' &&
				document.querySelector('.done')?.textContent.includes('Moved to the trash')`)

			b.Open("/settings")
			b.Press(`main a[href="/settings/delete"]`)
			b.WaitUntil(`document.querySelector('#password')`)
			b.SetValue("#password", "wrong password")
			b.Press("main button.danger")
			b.WaitUntil(`document.activeElement.id === 'password' && document.querySelector('#password-error')`)
			b.SetValue("#password", webtest.Password)
			b.Press("#password") // Enter in the field submits the form
			b.WaitUntil(`location.pathname === '/goodbye' && document.querySelector('header a[href="/login"]')`)
			b.Open("/settings")
			b.WaitUntil(`location.pathname === '/login'`)
			b.WantQuietConsole("422", "Clear-Site-Data")
		})
	}
}

// contrast is a function that returns the contrast ratio of an element's text to its background, by WCAG 2.
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

func TestDestructiveButtonsAreDistinctAndLegible(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	b.SignInAs(w.Ben)
	w.Ben.CreateComments(w.Quiet, "mine")
	for _, scheme := range []string{"light", "dark"} {
		webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		for path, pair := range map[string][2]string{ // a destructive control, and another one
			w.Quiet.Path():                     {".post .text-actions a.danger", ".post .text-actions a:not(.danger)"},
			w.Quiet.Path() + "?":               {".comment button", "header .link"},
			"/posts/" + w.Quiet.ID + "/delete": {"main button.danger", ".actions a"},
			"/settings":                        {"main .button", "main button"},
			"/settings/delete":                 {"main button.danger", ".actions a"},
		} {
			b.Open(path)
			if b.Eval(contrast+`('`+pair[0]+`') >= 4.5`) != "true" {
				t.Errorf("%s, %s: the contrast of %s is %s", path, scheme, pair[0], b.Eval(contrast+`('`+pair[0]+`')`))
			}
			color := func(selector string) string {
				return b.Eval(`(s => s.color + s.backgroundColor)(getComputedStyle(document.querySelector('` +
					selector + `')))`)
			}
			if color(pair[0]) == color(pair[1]) {
				t.Errorf("%s, %s: %s looks like %s", path, scheme, pair[0], pair[1])
			}
		}
	}
}
