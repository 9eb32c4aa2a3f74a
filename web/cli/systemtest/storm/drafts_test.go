package storm

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// shownForm returns the text in the form of a post.
func shownForm(page *goquery.Document) text {
	return text{page.Find(`#editor textarea[name="title"]`).Text(),
		page.Find(`#editor textarea[name="content"]`).Text(), formTags(page)}
}

// form opens the form of a post and checks that it shows the text that was saved last. It returns the hidden fields.
func (c *client) form(p *post) (url.Values, bool) {
	a := c.get("open the form of "+p.token, p.path()+"/edit",
		append(c.missingPageStatuses(p), http.StatusUnauthorized)...)
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

// submit sends the form of a post with another text. Like the form, it uses another address for a draft than for a
// published post.
func (c *client) submit(p *post, form url.Values, do string, t text) (a answer, o outcome) {
	form.Set("do", do)
	form.Set("title", t.title)
	form.Set("content", t.content)
	form.Set("tags", typedTags(t.tags))
	inSeries(t, form)
	to := "/posts"
	if form.Get("revision") != "0" {
		to = p.path()
	}
	a, o, within := c.write(do+" "+p.token, to, form,
		append(c.missingStatuses(p), http.StatusConflict, http.StatusUnprocessableEntity)...)
	switch o {
	case done:
		p.form.acknowledge(t)
	case unknownOutcome:
		p.form.suspect(t, within)
	}
	return a, o
}

// draft creates a draft, or saves another text of a draft or a published post.
func (c *client) draft() {
	if c.random.IntN(2) == 0 {
		c.beginDraft()
		return
	}
	p := c.ownPost()
	if p == nil || p.gone() || !p.form.settled() {
		return
	}
	if form, ok := c.form(p); ok {
		c.submit(p, form, "save",
			text{fmt.Sprintf("%s %s", p.token, c.token("draft")), c.sentence(p.token), c.tags()})
	}
}

func (c *client) beginDraft() {
	p := &post{token: c.token("post"), author: c.account, deleted: newRegister(false), hidden: newRegister(true),
		held: newRegister(false)}
	t, id := text{p.token + " is begun", c.sentence(p.token), c.tags()}, domain.NewID()
	p.form = newRegister(t)
	c.account.posts = append(c.account.posts, p)
	a, o, _ := c.writeWithRetries(
		"begin "+p.token,
		"/posts",
		inSeries(t, url.Values{"title": {t.title}, "content": {t.content}, "tags": {typedTags(t.tags)},
			"post": {id}, "revision": {"0"}, "version": {"0"}, "do": {"save"}}),
		http.StatusConflict,
	)
	if o == done {
		p.id = strings.Split(a.location, "/")[2] // the server issues another id than the form's
		c.storm.history.add("draft %s is %s", p.id, p.token)
		c.storm.addPost(p) // other clients may request its address
		c.storm.record("draft")
	}
}

// unpublish unpublishes a post, which becomes a draft.
func (c *client) unpublish() {
	p := c.ownPost()
	if p == nil || p.gone() || p.hidden.may(true) || !p.hidden.settled() {
		return
	}
	p.firstOnly = false
	a, o, within := c.write("unpublish "+p.token, p.path()+"/unpublish", nil,
		append(c.missingStatuses(p), http.StatusConflict)...)
	switch o {
	case done:
		p.hidden.acknowledge(true)
		c.minimum.recordWrite(a.from, p, notShown)
		c.storm.record("unpublish")
	case unknownOutcome:
		p.hidden.suspect(true, within)
	}
}

// checkForms checks that the form of each post of an account shows the text that was saved last, and that all
// unpublished posts are listed among the drafts.
func (r *reader) checkForms(a *account, author *harness.Visitor) {
	listed := make(map[string]int) // number of entries by the address of the form
	for next := "/drafts"; next != ""; {
		page, err := author.Ask(http.MethodGet, next, "", nil)
		if err != nil {
			r.fail(a.names, "%s: %v", next, err)
			return
		}
		page.Find(".drafts-title a").Each(func(_ int, link *goquery.Selection) {
			listed[link.AttrOr("href", "")]++
		})
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
		revision := page.Find(`#editor input[name="revision"]`).AttrOr("value", "")
		if p.firstOnly && revision != "1" {
			r.fail(about, "%s was published by its schedule and has revision %s, want 1", p.token, revision)
		}
		if n := listed[p.path()+"/edit"]; p.hidden.is(true) && n != 1 {
			r.fail(about, "%s is listed %d times among the drafts: %v", p.token, n, listed)
		}
	}
}
