package storm

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// shownForm is what stands in the form of a post.
func shownForm(page *goquery.Document) text {
	return text{page.Find(`#editor input[name="title"]`).AttrOr("value", ""),
		page.Find(`#editor textarea[name="content"]`).Text(), formTags(page)}
}

// form opens the form of a post, as its author does: it holds what was last saved of it.
func (c *client) form(p *post) (url.Values, bool) {
	a := c.get("open the form of "+p.token, p.path()+"/edit", append(c.missingPage(p), http.StatusUnauthorized)...)
	if a.status != http.StatusOK {
		return nil, false
	}
	if got := shownForm(a.page); !p.form.may(got) {
		c.storm.fail([]string{p.id, p.token}, "the form of %s has %+v, not one of %+v", p.token, got, p.form.possible)
	}
	sent := url.Values{}
	for _, name := range []string{"post", "revision", "version"} {
		sent.Set(name, a.page.Find(`#editor input[name="`+name+`"]`).AttrOr("value", ""))
	}
	return sent, true
}

// submit sends the form of a post with another text, to the address that the form names
// for one that was published and for one that was not.
func (c *client) submit(p *post, form url.Values, do string, t text) (a answer, o outcome) {
	form.Set("do", do)
	form.Set("title", t.title)
	form.Set("content", t.content)
	form.Set("tags", typedTags(t.tags))
	to := "/posts"
	if form.Get("revision") != "0" {
		to = p.path()
	}
	a, o, within := c.write(
		do+" "+p.token,
		to,
		form,
		append(c.missing(p), http.StatusConflict, http.StatusUnprocessableEntity)...)
	switch o {
	case done:
		p.form.acknowledge(t)
	case unknownOutcome:
		p.form.suspect(t, within)
	}
	return a, o
}

// draft begins a draft, or saves another text of one, or of a post.
func (c *client) draft() {
	if c.random.IntN(2) == 0 {
		c.beginDraft()
		return
	}
	p := c.own()
	if p == nil || p.gone() || !p.form.settled() {
		return
	}
	if form, ok := c.form(p); ok {
		c.submit(p, form, "save", text{fmt.Sprintf("%s %s", p.token, c.token("draft")), c.sentence(p.token), c.tags()})
	}
}

func (c *client) beginDraft() {
	p := &post{token: c.token("post"), author: c.account, deleted: newRegister(false), hidden: newRegister(true),
		held: newRegister(false)}
	t, id := text{p.token + " is begun", c.sentence(p.token), c.tags()}, domain.NewID()
	p.form = newRegister(t)
	c.account.posts = append(c.account.posts, p)
	_, o, _ := c.insist(
		"begin "+p.token,
		"/posts",
		url.Values{"title": {t.title}, "content": {t.content}, "tags": {typedTags(t.tags)},
			"post": {id}, "revision": {"0"}, "version": {"0"}, "do": {"save"}},
		http.StatusConflict,
	)
	if o == done {
		p.id = id
		c.storm.history.add("draft %s is %s", p.id, p.token)
		c.storm.publish(p) // others may come upon its address
		c.storm.did("draft")
	}
}

// unpublish takes a post back, which its author finds as a draft then.
func (c *client) unpublish() {
	p := c.own()
	if p == nil || p.gone() || p.hidden.may(true) || !p.hidden.settled() {
		return
	}
	p.firstOnly = false
	a, o, within := c.write("unpublish "+p.token, p.path()+"/unpublish", nil, append(c.missing(p), http.StatusConflict)...)
	switch o {
	case done:
		p.hidden.acknowledge(true)
		c.least.wrote(a.from, p, never)
		c.storm.did("unpublish")
	case unknownOutcome:
		p.hidden.suspect(true, within)
	}
}

// checkForms holds that an account finds in the form of each of its posts what was last
// saved of it, and all that is not published among its drafts.
func (r *reader) checkForms(a *account, author *harness.Visitor) {
	listed := make(map[string]int) // by the addresses of their forms
	for next := "/drafts"; next != ""; {
		page, err := author.Ask(http.MethodGet, next, "", nil)
		if err != nil {
			r.fail(a.names, "%s: %v", next, err)
			return
		}
		page.Find(".drafts-title a").Each(func(_ int, link *goquery.Selection) { listed[link.AttrOr("href", "")]++ })
		next = page.Find(`nav.pager a[rel="next"]`).AttrOr("href", "")
	}
	for _, p := range a.posts {
		if p.id == "" || p.deleted.may(true) {
			continue
		}
		about := []string{p.path(), p.token}
		page, err := author.Ask(http.MethodGet, p.path()+"/edit", "", nil)
		if err != nil || page.Status != http.StatusOK {
			r.fail(about, "the form of %s: status %d, %v", p.token, page.Status, err)
			continue
		}
		if got := shownForm(page.Document); !p.form.may(got) {
			r.fail(about, "the form of %s has %+v, not one of %+v", p.token, got, p.form.possible)
		}
		if revision := page.Find(`#editor input[name="revision"]`).AttrOr("value", ""); p.firstOnly && revision != "1" {
			r.fail(about, "%s published itself, and is of revision %s", p.token, revision)
		}
		if n := listed[p.path()+"/edit"]; p.hidden.is(true) && n != 1 {
			r.fail(about, "%s is listed %d times among the drafts: %v", p.token, n, listed)
		}
	}
}
