package storm

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// check stops the processes, waits until every copy is current and compares what a reader sees with what was
// acknowledged to the clients.
func (s *storm) check() {
	s.t.Helper()
	s.awaitScheduled()
	s.awaitMails()
	s.awaitFanOut()
	s.checkCaches()
	for _, p := range s.processes {
		p.stop(s.t)
	}
	s.checkCosts()
	s.verify()
	base, stop := harness.Serve(s.t, s.env, "--addr", "127.0.0.1:0")
	defer stop()
	r := &reader{storm: s, visitor: harness.NewVisitor(s.t, base)}
	r.visitor.HTTP.Transport = s.transport
	for _, c := range s.clients {
		r.accounts = append(r.accounts, c.accounts...)
	}
	for _, a := range r.accounts {
		r.checkName(a)
	}
	var group sync.WaitGroup
	todo := make(chan func())
	for range 4 {
		group.Go(func() {
			for do := range todo {
				do()
			}
		})
	}
	for _, a := range r.accounts {
		todo <- func() { r.checkList(a) }
		todo <- func() { r.checkAccount(a) }
	}
	todo <- r.checkTags
	for _, p := range s.posts {
		todo <- func() { r.checkPost(p) }
	}
	close(todo)
	group.Wait()
	if r.inFeeds.Load() == 0 {
		r.fail(nil, "no personal feed has a post")
	}
	r.checkFreedNames()
	r.checkSiteContent()
}

var idPattern = regexp.MustCompile(`\b[a-z2-9]{26}\b`)

// verify waits until every copy is current and checks the stored data. For each post with a violation it prints the
// stored post and the events about it.
func (s *storm) verify() {
	s.t.Helper()
	out, err := harness.Try(s.t, harness.With(s.env, "COSMOS_ENDPOINT", s.proxies[0].url), "verify", "--wait")
	if err == nil {
		return
	}
	s.t.Errorf("verify: %v\n%s", err, out)
	store, closeStore := harness.OpenStore(s.t, s.env)
	defer closeStore()
	front, err := harness.AllPages(func(n int) (domain.ListPage[domain.Summary], error) {
		return store.Feed.FrontPage(s.t.Context(), n)
	})
	s.t.Logf("the feed has %d posts (%v)", len(front), err)
	for _, id := range slices.Compact(idPattern.FindAllString(out, maxFailures)) {
		post, err := store.Posts.Latest(s.t.Context(), id)
		place := slices.IndexFunc(front, func(p domain.Summary) bool { return p.PostID == id })
		s.t.Logf("post %s, place %d in the feed: %+v (%v)\nevents:\n%s", id, place, post, err, s.history.about(id))
	}
}

// reader checks the site after the storm.
type reader struct {
	*storm
	visitor  *harness.Visitor
	accounts []*account
	inFeeds  atomic.Int64 // number of posts on pages of personal feeds
}

// Get reads a page. If there is no answer, it reports a failure and returns an empty page.
func (r *reader) Get(path string) harness.Page {
	p, err := r.visitor.Ask(http.MethodGet, path, "", nil)
	if err != nil {
		r.fail([]string{path}, "%s: %v", path, err)
		return harness.Page{Document: &goquery.Document{Selection: &goquery.Selection{}}, URL: &url.URL{}}
	}
	return p
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// checkList checks that a user's page lists each visible post once, with its current title.
func (r *reader) checkList(a *account) {
	if a.deleted.is(true) || !a.suspended.is(false) {
		return
	}
	listed := make(map[string][]string) // titles by the token, which is the first word
	pinned := make(map[string]string)
	for next := profilePath(a.names[0]); next != ""; {
		p := r.Get(next)
		if !strings.Contains(next, "?") {
			r.checkPins(a, p)
		}
		p.Find("main article h2 a, .folded li a").Each(func(_ int, link *goquery.Selection) {
			token := firstWord(harness.Text(link))
			// The first page shows a pinned post only above the others. Its usual place may be on a later page.
			if above := link.Closest(".pinned").Length() > 0; above {
				pinned[token] = harness.Text(link)
				return
			}
			listed[token] = append(listed[token], harness.Text(link))
		})
		next = p.Find(`nav.pager a[rel="next"]`).AttrOr("href", "")
	}
	for token, title := range pinned {
		if len(listed[token]) == 0 {
			listed[token] = []string{title}
		}
	}
	for _, p := range a.posts {
		titles := listed[p.token]
		delete(listed, p.token)
		about := []string{p.token, p.path()}
		switch {
		case len(titles) > 1:
			r.fail(about, "%v lists post %s %d times", a.names, p.token, len(titles))
		case len(titles) == 0 && p.id != "" && !p.mayBeUnseen():
			r.fail(about, "%v does not list post %s", a.names, p.token)
		case len(titles) == 1 && p.unseen():
			r.fail(about, "%v lists post %s, which was deleted, unpublished or hidden", a.names, p.token)
		case len(titles) == 1 &&
			!slices.ContainsFunc(p.text.possible, func(t text) bool { return t.title == titles[0] }):
			r.fail(about, "%v lists post %s as %q, not one of %+v", a.names, p.token, titles[0], p.text.possible)
		}
	}
	for token := range listed {
		r.fail([]string{token}, "%v lists %s, which no client published", a.names, token)
	}
}

// checkPost checks that a post, its comments and its likes are shown as they were last written.
func (r *reader) checkPost(p *post) {
	shown, ok := r.seesPost(p)
	if !ok {
		return
	}
	r.checkAuthor("post "+p.token, shown.Find(`a[rel="author"]`), p.author)
	r.checkComments(p)
	r.checkLikes(p)
}

// seesPost checks that a post's page shows the current text, or that a hidden or deleted post has no page. It reports
// whether there is a page.
func (r *reader) seesPost(p *post) (shown harness.Page, ok bool) {
	about := []string{p.path(), p.token}
	shown = r.Get(p.path())
	switch {
	case p.unseen() && shown.Status != http.StatusNotFound:
		r.fail(about, "post %s was deleted, unpublished or hidden, and its page has status %d", p.token, shown.Status)
		return shown, false
	case shown.Status == http.StatusNotFound && p.mayBeUnseen():
		return shown, false
	case shown.Status != http.StatusOK:
		r.fail(about, "post %s: status %d", p.token, shown.Status)
		return shown, false
	}
	if got := shownText(shown.Document); !p.text.may(got) {
		r.fail(about, "post %s shows %+v, not one of %+v", p.token, got, p.text.possible)
	}
	return shown, true
}

// shownText returns the text on a post's page.
func shownText(page *goquery.Document) text {
	return text{harness.Text(page.Find("article.post h1")), harness.Text(page.Find("article.post .prose")),
		shownTags(page)}
}

// checkComments checks that a post shows each visible comment once, with its text and author, and no other.
func (r *reader) checkComments(p *post) {
	type shownComment struct {
		by      *goquery.Selection
		content string
	}
	shown := make(map[string][]shownComment) // comments by the token, which is the first word
	for next := p.path() + "/comments"; next != ""; {
		page := r.Get(next)
		// A placeholder has no prose.
		page.Find("#Page-comment-list .comment:has(.prose)").Each(func(_ int, item *goquery.Selection) {
			c := shownComment{item.Find(`a[href^="/@"]`).First(), harness.Text(item.Find(".prose"))}
			token, _, _ := strings.Cut(c.content, " ")
			shown[token] = append(shown[token], c)
		})
		next = page.Find(`nav.pager a[rel="next"]`).AttrOr("href", "")
	}
	for _, a := range r.accounts {
		for _, m := range a.comments {
			if m.post != p {
				continue
			}
			token, _, _ := strings.Cut(m.content, " ")
			got := shown[token]
			delete(shown, token)
			about := []string{token, m.id}
			switch {
			case len(got) > 1:
				r.fail(about, "comment %s on post %s is shown %d times", token, p.token, len(got))
			case len(got) == 0 && m.seen():
				r.fail(about, "comment %s on post %s is not shown", token, p.token)
			case len(got) == 1 && m.unseen():
				r.fail(about, "comment %s on post %s is shown, although it was deleted, hidden or refused", token,
					p.token)
			case len(got) == 1 && got[0].content != m.content:
				r.fail(append(about, a.names...), "comment %s on post %s is shown as %q, want %q",
					token, p.token, got[0].content, m.content)
			case len(got) == 1:
				r.checkAuthor("comment "+token, got[0].by, a)
			}
		}
	}
	for token := range shown {
		r.fail([]string{token}, "post %s shows comment %s, which no client wrote", p.token, token)
	}
}

// checkAccount checks that an account can log in, and its private pages.
func (r *reader) checkAccount(a *account) {
	if !a.deleted.is(false) || !a.suspended.is(false) {
		if a.deleted.is(false) && a.suspended.is(true) {
			r.checkSuspended(a)
		}
		return
	}
	name := a.name.possible[0]
	reader := harness.NewVisitor(r.t, r.visitor.Base)
	if p := reader.TryLogIn(name, stormPassword); p.Status != http.StatusOK || p.URL.Path != "/" {
		r.fail(a.names, "%s cannot log in: status %d at %s", name, p.Status, p.URL)
		return
	}
	r.checkBookmarks(a, name, reader)
	r.checkFollowing(a, name, reader)
	r.checkForms(a, reader)
}

// checkBookmarks checks that the list of bookmarks has each bookmarked post once, and no other post.
func (r *reader) checkBookmarks(a *account, name string, reader *harness.Visitor) {
	shown := make(map[string]int)
	for next := "/bookmarks"; next != ""; {
		page, err := reader.Ask(http.MethodGet, next, "", nil)
		if err != nil {
			r.fail(a.names, "%s: %v", next, err)
			return
		}
		page.Find("#bookmarks h2 a").Each(func(_ int, link *goquery.Selection) {
			shown[strings.Split(link.AttrOr("href", "///"), "/")[2]]++
		})
		next = page.Find(`nav.pager a[rel="next"]`).AttrOr("href", "")
	}
	for p, bookmarked := range a.bookmarks {
		n := shown[p.id]
		delete(shown, p.id)
		switch {
		case n > 1, n == 1 && p.gone(), !p.mayBeUnseen() && !bookmarked.may(n == 1):
			r.fail(append(a.names, p.path()), "the bookmarks of %s have post %s %d times, bookmarked: %v, deleted: %v",
				name, p.token, n, bookmarked.possible, p.deleted.possible)
		}
	}
	for id := range shown {
		r.fail([]string{id, name}, "the bookmarks of %s have post %s, which was not bookmarked", name, id)
	}
}

// checkLikes checks that a post shows one like of each account that likes it, with the account's names, and no other.
func (r *reader) checkLikes(p *post) {
	shown, display := make(map[string]int), make(map[string]string)
	for next := p.path() + "/likes"; next != ""; {
		page := r.Get(next)
		page.Find("ul.people li > a").Each(func(_ int, link *goquery.Selection) {
			shown[linkedName(link)]++
			display[linkedName(link)] = shownName(link)
		})
		next = page.Find(`nav.pager a[rel="next"]`).AttrOr("href", "")
	}
	for _, a := range r.accounts {
		likes := a.likes[p]
		if likes == nil || a.deleted.is(true) || a.suspended.is(true) {
			continue
		}
		name := a.name.possible[0]
		n := shown[name]
		delete(shown, name)
		if n == 1 && !a.display.may(display[name]) {
			r.fail(append(a.names, p.path()), "post %s shows a like of %s with the display name %q, not one of %q",
				p.token, name, display[name], a.display.possible)
		}
		if n > 1 || !likes.may(n == 1) && a.suspended.is(false) {
			r.fail(append(a.names, p.path()), "post %s shows %d likes of %s, likes: %v", p.token, n, name,
				likes.possible)
		}
	}
	for name := range shown {
		r.fail([]string{name, p.path()}, "post %s shows a like of %s, who does not like it, is deleted or is suspended",
			p.token, name)
	}
}

// freedNames is the number of deleted accounts whose names are used again. It is small because signing up costs
// processor time on purpose.
const freedNames = 3

// checkFreedNames checks that names of deleted accounts can be used again.
func (r *reader) checkFreedNames() {
	left := freedNames
	for _, a := range r.accounts {
		if !a.deleted.is(true) || left == 0 {
			continue
		}
		left--
		someone := harness.NewVisitor(r.t, r.visitor.Base)
		to := someone.TryForm("/signup", url.Values{"username": {a.names[0]}, "password": {stormPassword}})
		if to != "/welcome" {
			r.fail(a.names, "the name %s of a deleted account is not free", a.names[0])
		}
	}
}
