package storm

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// sitePage is a client's knowledge of a static page. Only this client lets the administrator change it.
type sitePage struct {
	id, path string
	title    register[string] // of the shown text, or "" if the page is not shown
	writes   []*pageWrite     // oldest first
	deleted  bool
	// shownBy has the servers that have shown the page, so they know its address.
	shownBy map[*harness.Process]bool
}

// pageWrite is a title that the client tried to give to a page, or "" for its removal.
type pageWrite struct {
	title        string
	acknowledged time.Time // zero if the outcome is unknown
}

// maxSitePages is the number of pages that a client may have at once, so that all clients together stay within
// domain.MaxPages.
const maxSitePages = domain.MaxPages / harness.StormClients

// changeSitePage adds a static page, or edits, unpublishes or deletes the newest one.
func (c *client) changeSitePage() {
	existing := slices.DeleteFunc(slices.Clone(c.sitePages), func(p *sitePage) bool { return p.deleted })
	usable := slices.DeleteFunc(slices.Clone(existing),
		func(p *sitePage) bool { return p.id == "" || !p.title.certain() || !p.title.settled() })
	if len(usable) == 0 {
		if len(existing) < maxSitePages {
			c.addSitePage()
		}
		return
	}
	p := usable[len(usable)-1]
	switch n := c.random.IntN(4); {
	case n == 0 && p.title.is(""), n > 1 || p.title.is(""):
		c.publishSitePage(p)
	case n == 0:
		c.removeSitePage(p, "unpublish page", "/posts/"+p.id+"/unpublish")
	default:
		c.removeSitePage(p, "delete page", "/admin/pages/"+p.id+"/delete")
	}
	for process := range harness.StormProcesses {
		c.readSitePage(process, p)
	}
}

// addSitePage adds the address of a static page, which is shown after its text is published.
func (c *client) addSitePage() {
	attempt := domain.NewID()
	p := &sitePage{path: "/" + c.token("page"), title: newRegister(""), shownBy: make(map[*harness.Process]bool)}
	c.sitePages = append(c.sitePages, p)
	_, o, _ := c.administrator().writeWithRetries("add page "+p.path, "/admin/pages",
		url.Values{"path": {p.path}, "attempt": {attempt}})
	if o == done {
		p.id = "p." + attempt
		c.storm.history.add("page %s is %s", p.id, p.path)
	}
}

// publishSitePage publishes a new text of a page.
func (c *client) publishSitePage(p *sitePage) {
	administrator := c.administrator()
	a := administrator.get("open the form of "+p.path, "/posts/"+p.id+"/edit", http.StatusNotFound)
	if a.status != http.StatusOK { // without an answer, or the server does not know the page yet
		return
	}
	title := "Page " + c.token("text")
	form := url.Values{"title": {title}, "content": {c.sentence(title)}, "do": {"publish"}}
	for _, name := range []string{"post", "revision", "version"} {
		form.Set(name, a.page.Find(`#editor input[name="`+name+`"]`).AttrOr("value", ""))
	}
	to := "/posts"
	if form.Get("revision") != "0" {
		to += "/" + p.id
	}
	w := &pageWrite{title: title}
	p.writes = append(p.writes, w)
	_, o, within := administrator.write("publish "+p.path, to, form, http.StatusConflict)
	c.recordSitePage(p, w, o, within, "publish page")
}

// removeSitePage unpublishes or deletes a page.
func (c *client) removeSitePage(p *sitePage, kind, path string) {
	w := &pageWrite{}
	p.writes = append(p.writes, w)
	_, o, within := c.administrator().write(kind+" "+p.path, path, nil, http.StatusConflict, http.StatusNotFound)
	c.recordSitePage(p, w, o, within, kind)
	p.deleted = kind == "delete page" && o == done
}

// recordSitePage records the outcome of a write.
func (c *client) recordSitePage(p *sitePage, w *pageWrite, o outcome, within time.Duration, kind string) {
	switch o {
	case done:
		w.acknowledged = time.Now()
		p.title.acknowledge(w.title)
		c.storm.record(kind)
	case unknownOutcome:
		p.title.suspect(w.title, within)
	}
}

// may reports whether a page that was requested at a time may show a title. It may show a text that another one
// replaced at most maxStaleness before.
func (p *sitePage) may(title string, asked time.Time) bool {
	since := 0
	for i, w := range p.writes {
		if !w.acknowledged.IsZero() && w.acknowledged.Add(maxStaleness).Before(asked) {
			since = i
		}
	}
	return p.title.may(title) || since == 0 && title == "" ||
		slices.ContainsFunc(p.writes[since:], func(w *pageWrite) bool { return w.title == title })
}

// readSitePage reads a static page anonymously at a process. A server that has not read the list of pages since the
// page was added does not know its address.
func (c *client) readSitePage(process int, p *sitePage) {
	anonymous := *c
	anonymous.http.Jar = nil
	asked := time.Now()
	a, id, err := anonymous.sendTo(process, 30*time.Second, http.MethodGet, p.path, nil)
	c.storm.history.add("client %d anonymously, process %d: GET %s: %d, cache %s (request %s) %v",
		c.number, process, p.path, a.status, a.cache, id, err)
	if err != nil || a.status != http.StatusOK && a.status != http.StatusNotFound {
		return
	}
	title := shownSitePage(a.status, a.page)
	if title == "" && !p.shownBy[a.from] {
		return
	}
	p.shownBy[a.from] = p.shownBy[a.from] || title != ""
	if !p.may(title, asked) {
		c.storm.fail([]string{p.path, p.id}, "page %s shows %q, now one of %q", p.path, title, p.title.possible)
	}
}

// shownSitePage returns the title on a static page, or "" if there is none.
func shownSitePage(status int, page *goquery.Document) string {
	if status != http.StatusOK {
		return ""
	}
	return harness.Text(page.Find("main h1"))
}

// pin pins a post of the account to the top of its author's page, or unpins it. An account never has more pinned posts
// than it may, so no pin replaces another one.
func (c *client) pin() {
	pinned := slices.DeleteFunc(slices.Clone(c.account.posts), func(p *post) bool { return !p.pinned.may(true) })
	p := c.ownPost()
	if len(pinned) > 0 && (len(pinned) == domain.MaxPins || c.random.IntN(3) == 0) {
		p = pinned[c.random.IntN(len(pinned))]
	}
	if p == nil || p.gone() || !p.pinned.settled() || p.hidden.is(true) || p.held.may(true) {
		return
	}
	pin, kind := !p.pinned.is(true), "unpin"
	if pin {
		kind = "pin"
	}
	if len(p.pinned.possible) == 0 { // the first attempt
		p.pinned = newRegister(false)
	}
	_, o, within := c.write(kind+" "+p.token, p.path()+"/"+kind, url.Values{"back": {"/"}},
		http.StatusNotFound, http.StatusConflict)
	switch o {
	case done:
		p.pinned.acknowledge(pin)
		c.storm.record(kind)
	case unknownOutcome:
		p.pinned.suspect(pin, within)
	}
	if a := c.account; a.deleted.is(false) && a.suspended.is(false) {
		for process := range harness.StormProcesses {
			c.readPins(process, p)
		}
	}
}

// readPins reads the page of the account and that of a post at a process. Both show authors their own pins, even those
// that they have just changed at the other process.
func (c *client) readPins(process int, p *post) {
	about := append([]string{p.token, p.path()}, c.account.names...)
	for _, path := range []string{profilePath(c.account.name.possible[0]), p.path()} {
		var a answer
		for path != "" { // a post has another canonical path
			var id string
			var err error
			a, id, err = c.sendTo(process, 30*time.Second, http.MethodGet, path, nil)
			c.storm.history.add("client %d, process %d: read the pins on %s: %d, cache %s (request %s) %v",
				c.number, process, path, a.status, a.cache, id, err)
			if err != nil {
				return
			}
			path = a.location
		}
		if a.status != http.StatusOK {
			continue
		}
		pinned, known := shownPin(a.page, p)
		if known && !p.pinned.may(pinned) {
			c.storm.fail(about, "process %d shows the author of %s that it is pinned: %t, now one of %v", process,
				p.token, pinned, p.pinned.possible)
		}
	}
}

// shownPin reports whether a page shows its author that a post is pinned. known reports whether it shows that at all: a
// list may not have the post yet, or not any more.
func shownPin(page *goquery.Document, p *post) (pinned, known bool) {
	titles := page.Find("main article h2 a, .folded li a").FilterFunction(func(_ int, link *goquery.Selection) bool {
		return firstWord(harness.Text(link)) == p.token
	})
	if titles.Length() > 0 {
		return titles.Closest(".pinned").Length() > 0, true
	}
	if page.Find(`form[action="`+p.path()+`/unpin"]`).Length() > 0 {
		return true, true
	}
	return false, page.Find(`form[action="`+p.path()+`/pin"]`).Length() > 0
}

// checkSiteContent checks that a server shows each static page and the identity of the site as they were last written.
// Soon after a change, it may not have read the list of pages and the settings again.
func (r *reader) checkSiteContent() {
	r.t.Helper()
	var front harness.Page
	harness.Eventually(r.t, "the server shows the identity of the site", func() bool {
		front = r.Get("/")
		return r.site.may(shownIdentity(front.Document))
	})
	for _, path := range shownPictures(front.Document) {
		if p := r.Get(path); p.Status != http.StatusOK {
			r.fail([]string{path}, "the picture %s of the site: status %d", path, p.Status)
		}
	}
	for _, c := range r.clients {
		for _, p := range c.sitePages {
			harness.Eventually(r.t, "the server shows the page "+p.path+" as it was last written", func() bool {
				page := r.Get(p.path)
				return p.title.may(shownSitePage(page.Status, page.Document))
			})
		}
	}
}

// checkPins checks that a user's page shows the visible pinned posts.
func (r *reader) checkPins(a *account, page harness.Page) {
	shown := make(map[string]bool)
	page.Find(".pinned h2 a").Each(func(_ int, link *goquery.Selection) {
		shown[firstWord(harness.Text(link))] = true
	})
	for _, p := range a.posts {
		there, about := shown[p.token], []string{p.token, p.path()}
		switch {
		case there && !p.pinned.may(true):
			r.fail(about, "%v shows post %s as pinned, which is not pinned", a.names, p.token)
		case !there && p.pinned.is(true) && !p.mayBeUnseen():
			r.fail(about, "%v does not show post %s as pinned", a.names, p.token)
		}
	}
}
