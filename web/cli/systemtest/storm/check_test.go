package storm

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

// check ends the processes, lets every copy come right and compares what a reader
// sees with what the clients were told.
func (s *storm) check() {
	s.t.Helper()
	s.awaitScheduled()
	s.checkCaches()
	for _, p := range s.processes {
		p.stop(s.t)
	}
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
	r.checkFreedNames()
}

var idPattern = regexp.MustCompile(`\b[a-z2-9]{26}\b`)

// verify lets every copy come right. Of each post with a violation it tells what the
// clients did with it and what there is of it.
func (s *storm) verify() {
	s.t.Helper()
	out, err := harness.Try(s.t, harness.With(s.env, "COSMOS_ENDPOINT", s.proxies[0].url), "verify", "--wait")
	if err == nil {
		return
	}
	s.t.Errorf("verify: %v\n%s", err, out)
	s.history.keep(s.t)
	store, err := cosmos.Open(s.t.Context(), cosmos.Options{Endpoint: s.env["COSMOS_ENDPOINT"], Key: s.env["COSMOS_KEY"],
		Database: "inkfeed", Transport: config.InsecureTransport(), Existing: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	front, err := harness.AllPages(func(n int) (domain.Page[domain.Summary], error) { return store.Feed.FrontPage(s.t.Context(), n) })
	s.t.Logf("the feed has %d posts (%v)", len(front), err)
	for _, id := range slices.Compact(idPattern.FindAllString(out, maxFailures)) {
		post, err := store.Posts.Latest(s.t.Context(), id)
		place := slices.IndexFunc(front, func(p domain.Summary) bool { return p.PostID == id })
		s.t.Logf("post %s, place %d in the feed: %+v (%v)\nwhat happened:\n%s", id, place, post, err, s.history.about(id))
	}
}

// reader sees the site after the storm.
type reader struct {
	*storm
	visitor  *harness.Visitor
	accounts []*account
}

// Get reads a page; without an answer that has no status.
func (r *reader) Get(path string) harness.Page {
	p, err := r.visitor.Ask(http.MethodGet, path, "", nil)
	if err != nil {
		r.fail([]string{path}, "%s: %v", path, err)
		return harness.Page{Document: &goquery.Document{Selection: &goquery.Selection{}}, URL: &url.URL{}}
	}
	return p
}

// checkList holds that a user's page lists each post once, under its present title.
func (r *reader) checkList(a *account) {
	if a.deleted.is(true) || !a.suspended.is(false) {
		return
	}
	listed := make(map[string][]string) // titles by their first word
	for next := profilePath(a.names[0]); next != ""; {
		p := r.Get(next)
		p.Find("article.summary h2 a").Each(func(_ int, link *goquery.Selection) {
			token, _, _ := strings.Cut(harness.Text(link), " ")
			listed[token] = append(listed[token], harness.Text(link))
		})
		next = p.Find(`nav.pager a[rel="next"]`).AttrOr("href", "")
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
			r.fail(about, "%v lists post %s, which was deleted or taken back", a.names, p.token)
		case len(titles) == 1 && !slices.ContainsFunc(p.text.possible, func(t text) bool { return t.title == titles[0] }):
			r.fail(about, "%v lists post %s as %q, not one of %+v", a.names, p.token, titles[0], p.text.possible)
		}
	}
	for token := range listed {
		r.fail([]string{token}, "%v lists %s, which nobody wrote", a.names, token)
	}
}

// checkPost holds that a post, its comments and its likes are as they were left.
func (r *reader) checkPost(p *post) {
	shown, ok := r.seesPost(p)
	if !ok {
		return
	}
	r.checkAuthor("post "+p.token, shown.Find(`a[rel="author"]`), p.author)
	r.checkComments(p)
	r.checkLikes(p)
}

// seesPost holds that a post's page shows what the post says, or that there is none.
func (r *reader) seesPost(p *post) (shown harness.Page, ok bool) {
	about := []string{p.path(), p.token}
	shown = r.Get(p.path())
	switch {
	case p.unseen() && shown.Status != http.StatusNotFound:
		r.fail(about, "post %s was deleted or taken back: status %d", p.token, shown.Status)
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

func shownText(page *goquery.Document) text {
	return text{harness.Text(page.Find("article.post h1")), harness.Text(page.Find("article.post .prose")), shownTags(page)}
}

func (r *reader) checkComments(p *post) {
	type shownComment struct {
		by      *goquery.Selection
		content string
	}
	shown := make(map[string][]shownComment) // by their first word
	for next := p.path() + "/comments"; next != ""; {
		page := r.Get(next)
		page.Find("#Page-comment-list .comment:has(.prose)").Each(func(_ int, item *goquery.Selection) { // no placeholders
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
				r.fail(about, "comment %s on post %s is shown, it was deleted or hidden, or never taken", token,
					p.token)
			case len(got) == 1 && got[0].content != m.content:
				r.fail(append(about, a.names...), "comment %s on post %s is shown as %q, it is %q",
					token, p.token, got[0].content, m.content)
			case len(got) == 1:
				r.checkAuthor("comment "+token, got[0].by, a)
			}
		}
	}
	for token := range shown {
		r.fail([]string{token}, "post %s shows comment %s, which nobody wrote", p.token, token)
	}
}

// checkAccount holds what an account finds that nobody else does.
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
	r.checkForms(a, reader)
}

// checkBookmarks holds that an account finds on its list what it keeps, each once.
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
	for p, kept := range a.kept {
		n := shown[p.id]
		delete(shown, p.id)
		switch {
		case n > 1, n == 1 && p.gone(), !p.mayBeUnseen() && !kept.may(n == 1):
			r.fail(append(a.names, p.path()), "%s finds post %s %d times on the list, bookmarked: %v, gone: %v",
				name, p.token, n, kept.possible, p.deleted.possible)
		}
	}
	for id := range shown {
		r.fail([]string{id, name}, "%s finds post %s on the list, and did not bookmark it", name, id)
	}
}

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
			r.fail(append(a.names, p.path()), "post %s shows a like of %s, called %q, not one of %q", p.token, name,
				display[name], a.display.possible)
		}
		if n > 1 || !likes.may(n == 1) && a.suspended.is(false) {
			r.fail(append(a.names, p.path()), "post %s shows %d likes of %s, likes: %v", p.token, n, name, likes.possible)
		}
	}
	for name := range shown {
		r.fail([]string{name, p.path()}, "post %s shows a like of %s, who gave none, is gone or is suspended", p.token,
			name)
	}
}

// freedNames is how many names of deleted accounts are taken again: each sign-up
// costs a processor.
const freedNames = 3

func (r *reader) checkFreedNames() {
	left := freedNames
	for _, a := range r.accounts {
		if !a.deleted.is(true) || left == 0 {
			continue
		}
		left--
		someone := harness.NewVisitor(r.t, r.visitor.Base)
		if to := someone.TryForm("/signup", url.Values{"username": {a.names[0]}, "password": {stormPassword}}); to != "/" {
			r.fail(a.names, "the name %s of a deleted account is not free", a.names[0])
		}
	}
}
