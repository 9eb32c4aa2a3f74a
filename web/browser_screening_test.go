package web_test

import (
	"testing"

	"inkfeed/domain"
)

func TestALinkThatWaitsIsApprovedInPlace(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	w.set(domain.Settings{})
	w.give(w.ben, domain.RoleModerator)
	base := serve(t, w.handler)
	author, moderator, reader := newTab(t, ctx, base), newTab(t, ctx, base), newTab(t, ctx, base)
	author.as(w.ada)
	moderator.as(w.ben)

	// Its author is told where it stands.
	author.ready(w.quiet.Path())
	author.write("#Page-comment", "Look at https://cats.example/")
	author.press("#Page-comment-send")
	author.eventually(`document.querySelector('#Page-comment-status').textContent.includes('in review: a moderator')`)
	author.eventually(`document.querySelector('#Page-own-comments .hold-notice')?.textContent.startsWith('In review')`)
	item := "#comment-" + w.data.comments(w.quiet.ID)[0].ID

	// Nobody else comes upon it.
	reader.ready(w.quiet.Path())
	reader.wants(`String(document.querySelector('`+item+`'))`, "null")
	reader.wants(`document.querySelector('#Page-comments-title').textContent.trim()`, "0 comments")

	// A moderator does, and approves it where it stands.
	moderator.ready(w.quiet.Path())
	moderator.eval("window.same = true")
	moderator.sees(item + " .hold-notice")
	moderator.press(item + " summary")
	moderator.press(item + ` button[value="approve"]`)
	moderator.eventually(`document.querySelector('` + item + ` .comment') && !document.querySelector('` + item + ` .hold-notice')`)
	moderator.eventually(`document.querySelector('#Page-comments-title').textContent.trim() === '1 comment'`)
	moderator.eventually(`document.activeElement.closest('` + item + `') !== null`)
	moderator.wants(`String(window.same)`, "true")

	reader.ready(w.quiet.Path())
	reader.sees(item + ` a[href="https://cats.example/"]`)
	for _, b := range []*tab{author, moderator, reader} {
		b.quiet("Autofocus") // htmx moves the focus itself
	}
}
