package moderation_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestAHeldLinkIsApprovedInPlace(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	w.SetSettings(domain.Settings{})
	w.SetRole(w.Ben, domain.RoleModerator)
	base := webtest.Listen(t, w.Handler)
	author, moderator := webtest.NewTab(t, ctx, base), webtest.NewTab(t, ctx, base)
	reader := webtest.NewTab(t, ctx, base)
	author.SignInAs(w.Ada)
	moderator.SignInAs(w.Ben)

	// The author's comment shows that it is in review.
	author.OpenAndWait(w.Quiet.Path())
	author.SetValue("#Page-comment", "Look at https://cats.example/")
	author.Press("#Page-comment-send")
	author.WaitUntil(`document.querySelector('#Page-comment-status').textContent.includes('in review: a moderator')`)
	author.WaitUntil(`document.querySelector('#Page-own-comments .hold-notice')?.textContent.startsWith('In review')`)
	item := "#comment-" + w.Data.Comments(w.Quiet.ID)[0].ID

	// Other readers do not see it.
	reader.OpenAndWait(w.Quiet.Path())
	reader.WantValue(`String(document.querySelector('`+item+`'))`, "null")
	reader.WantValue(`document.querySelector('#Page-comments-title').textContent.trim()`, "0 comments")

	// A moderator sees it and approves it in place.
	moderator.OpenAndWait(w.Quiet.Path())
	moderator.Eval("window.same = true")
	moderator.WaitVisible(item + " .hold-notice")
	moderator.Press(item + " summary")
	moderator.Press(item + ` button[value="approve"]`)
	moderator.WaitUntil(`document.querySelector('` + item + ` .comment') && !document.querySelector('` + item +
		` .hold-notice')`)
	moderator.WaitUntil(`document.querySelector('#Page-comments-title').textContent.trim() === '1 comment'`)
	moderator.WaitUntil(`document.activeElement.closest('` + item + `') !== null`)
	moderator.WantValue(`String(window.same)`, "true")

	reader.OpenAndWait(w.Quiet.Path())
	reader.WaitVisible(item + ` a[href="https://cats.example/"]`)
	for _, b := range []*webtest.Tab{author, moderator, reader} {
		b.WantQuietConsole("Autofocus") // htmx moves the focus itself
	}
}
