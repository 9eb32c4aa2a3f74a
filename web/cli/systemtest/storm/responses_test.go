package storm

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
)

func (c *client) comment() {
	if p := c.storm.randomPost(c.random); p != nil {
		c.postComment(p, "comment on "+p.token, url.Values{}, c.missingStatuses(p)...)
	}
}

// reply replies to a comment, which may be deleted by now.
func (c *client) reply() {
	if to := c.storm.randomComment(c.random); to != nil {
		c.postComment(to.post, "reply to "+to.id, url.Values{"parent": {to.id}},
			append(c.missingStatuses(to.post), http.StatusConflict)...)
	}
}

// postComment comments on a post.
func (c *client) postComment(p *post, what string, form url.Values, expected ...int) {
	token := c.token("comment")
	m := &comment{post: p, author: c.account, content: c.sentence(token), there: newRegister(false),
		held: newRegister(false)}
	after := c.readBeforeAndAfter(p, "/comments")
	sent := c.storm.reactions.recordSent(p, m, reaction{kind: commentReaction, by: c.account, word: token}, true)
	form.Set("content", m.content)
	form.Set("attempt", domain.NewID())
	a, o, landing := c.writeWithRetries(what, p.path()+"/comments", form, append(expected, http.StatusForbidden)...)
	if c.checkBlocked(what, a, p); a.status == http.StatusForbidden && landing > 0 {
		o = unknownOutcome // the block may have come after an earlier attempt
	}
	switch o {
	case done:
		// The redirect leads to the comment on its page or, if the server cannot find the page, to the comment's own.
		m.id = a.location[strings.LastIndexAny(a.location, "-/")+1:]
		m.there.acknowledge(true)
		m.there.landing = time.Now().Add(landing)
		// If an earlier attempt created the comment, this one tried to write too. So its server's cache is current.
		c.storm.reactions.recordAcknowledged(sent, a.from)
		after(a)
		c.storm.addComment(m)
		c.storm.record("comment")
	case unknownOutcome:
		m.there.suspect(true, landing)
	}
	c.account.comments = append(c.account.comments, m)
}

// bookmark bookmarks a post or, if the account may have bookmarked it already, removes the bookmark.
func (c *client) bookmark() {
	p := c.storm.randomPost(c.random)
	if mine := c.bookmarkedPosts(); len(mine) > 0 && c.random.IntN(3) == 0 {
		p = mine[c.random.IntN(len(mine))]
	}
	if p == nil {
		return
	}
	bookmarked := c.account.bookmarks[p]
	if bookmarked == nil {
		r := newRegister(false)
		bookmarked = &r
		c.account.bookmarks[p] = bookmarked
	}
	if !bookmarked.settled() {
		return
	}
	to, what := !bookmarked.may(true), "bookmark"
	if !to {
		what = "unbookmark"
	}
	_, o, within := c.writeOnPost(what+" "+p.token, p.path()+"/"+what, p)
	switch o {
	case done:
		bookmarked.acknowledge(to)
		c.storm.record(what)
	case unknownOutcome:
		bookmarked.suspect(to, within)
	}
}

// mute mutes or unmutes a post or an unused tag. Neither hides anything from the account's lists, but the account then
// has a shell of its own for the front page. Verify compares the counts.
func (c *client) mute() {
	p, path := c.storm.randomPost(c.random), "/tags/unused"
	if p != nil && c.random.IntN(2) == 0 {
		path = p.path()
	}
	what := []string{"mute", "unmute"}[c.random.IntN(2)]
	if _, o, _ := c.write(what+" "+path, path+"/"+what, nil, http.StatusNotFound); o == done {
		c.storm.record(what)
	}
}

// readNotifications reads the account's notifications, which also marks them as seen.
func (c *client) readNotifications() { c.get("read notifications", "/notifications") }

// bookmarkedPosts returns the posts that the account may have bookmarked.
func (c *client) bookmarkedPosts() (all []*post) {
	for p, bookmarked := range c.account.bookmarks {
		if bookmarked.may(true) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *post) int { return strings.Compare(a.id, b.id) }) // a seed replays the same choices
	return all
}

// writeOnPost is write for a reaction to a post. The outcome of 404 is unknown: a reaction can be removed from an
// unpublished post, and the answer is 404 all the same. So is that of 403, for a user whom the author has blocked.
func (c *client) writeOnPost(what, path string, p *post) (a answer, o outcome, within time.Duration) {
	a, o, within = c.write(what, path, nil, append(c.missingStatuses(p), http.StatusForbidden)...)
	c.checkBlocked(what, a, p)
	if a.status == http.StatusNotFound || a.status == http.StatusForbidden {
		o = unknownOutcome
	}
	return a, o, within
}

// readBeforeAndAfter reads a page of a post anonymously at each process before one change in four, so that caches hold
// an entry to invalidate. The returned function reads the page again at the process that acknowledged the change.
func (c *client) readBeforeAndAfter(p *post, page string) (after func(answer)) {
	if c.random.IntN(4) > 0 {
		return func(answer) {}
	}
	if c.random.IntN(2) == 0 {
		page = ""
	}
	c.readAtEachProcess(p, page)
	return func(a answer) {
		if i := slices.IndexFunc(c.storm.processes, func(s *process) bool { return s.now.Load() == a.from }); i >= 0 {
			c.readAt(i, p, page)
		}
	}
}

// like likes a post or, if the account may like it already, removes the like.
func (c *client) like() {
	p := c.storm.randomPost(c.random)
	if p == nil {
		return
	}
	likes := c.account.likes[p]
	if likes == nil {
		r := newRegister(false)
		likes = &r
		c.account.likes[p] = likes
	}
	if !likes.settled() {
		return
	}
	to, what := !likes.may(true), "like"
	if !to {
		what = "unlike"
	}
	after := c.readBeforeAndAfter(p, "/likes")
	sent := c.storm.reactions.recordSent(p, c.account, reaction{kind: likeReaction, by: c.account}, to)
	a, o, within := c.writeOnPost(what+" "+p.token, p.path()+"/"+what, p)
	switch o {
	case done:
		likes.acknowledge(to)
		c.storm.reactions.recordAcknowledged(sent, a.from)
		after(a)
		c.storm.record(what)
	case unknownOutcome:
		likes.suspect(to, within)
	}
}

// readPost checks that a post's page shows what the account wrote there.
func (c *client) readPost() {
	p := c.storm.randomPost(c.random)
	if c.random.IntN(2) == 0 {
		p = c.ownPost()
	}
	if p == nil {
		return
	}
	a := c.get("read "+p.token, p.path(), c.missingPageStatuses(p)...)
	if a.status == http.StatusMovedPermanently {
		a = c.get("read "+p.token, a.location, c.missingPageStatuses(p)...)
	}
	if a.status != http.StatusOK {
		return
	}
	about := []string{p.id, p.token}
	if shown := shownText(a.page); p.author == c.account && !p.text.may(shown) {
		c.storm.fail(about, "post %s shows %+v, not one of %+v", p.token, shown, p.text.possible)
	}
	if p.author == c.account && (p.gone() || p.hidden.is(true)) {
		c.storm.fail(about, "post %s is shown, although it was deleted or unpublished", p.token)
	}
	pressed, signedIn := a.page.Find("#Page-like-button").Attr("aria-pressed")
	if likes := c.account.likes[p]; likes != nil && signedIn && !likes.may(pressed == "true") {
		c.storm.fail(about, "post %s is shown to client %d with liked %s, not one of %v", p.token, c.number, pressed,
			likes.possible)
	}
	pressed, signedIn = a.page.Find("#Page-bookmark-button").Attr("aria-pressed")
	if bookmarked := c.account.bookmarks[p]; bookmarked != nil && signedIn && !bookmarked.may(pressed == "true") {
		c.storm.fail(about, "post %s is shown to client %d with bookmarked %s, not one of %v", p.token, c.number,
			pressed, bookmarked.possible)
	}
	if a.page.Find("#Page-more").Length() > 0 {
		return
	}
	for _, m := range c.account.comments {
		// A placeholder has the ID of the comment, but no text.
		n := a.page.Find("#comment-" + m.id + " > .comment .prose").Length()
		if m.id != "" && m.post == p && (n == 0 && m.exists() || n > 0 && m.gone()) {
			c.storm.fail(append(about, m.id), "comment %s of post %s is shown %d times, exists: %v", m.id, p.token, n,
				m.there.possible)
		}
	}
}

// browse reads a page that others may be changing.
func (c *client) browse() {
	paths := []string{"/", "/?page=2", "/?page=5", "/new", "/settings", "/tags/sea", "/tags/" + url.PathEscape("😀"),
		"/tags/" + url.PathEscape("düne"), "/feed.atom", "/moderation",
		profilePath(contested[c.random.IntN(len(contested))].shown),
		profilePath(c.account.names[c.random.IntN(len(c.account.names))])}
	if p := c.storm.randomPost(c.random); p != nil {
		paths = append(paths, p.path()+"/likes", p.path()+"/comments", p.path()+"/comments?page=2")
	}
	c.get("browse", paths[c.random.IntN(len(paths))], http.StatusNotFound, http.StatusUnauthorized,
		http.StatusForbidden)
}
