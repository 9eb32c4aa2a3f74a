package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"inkfeed/domain"
)

// operations is what clients do, and how often.
var operations = []struct {
	weight int
	do     func(*client)
}{
	{6, (*client).publish},
	{6, (*client).edit},
	{24, (*client).comment},
	{24, (*client).like},
	{12, (*client).readPost},
	{8, (*client).browse},
	{4, (*client).rename},
	{6, (*client).deleteComment},
	{3, (*client).deletePost},
	{1, (*client).deleteAccount},
}

const stormPassword = "correct horse"

// How many accounts a client may have at most, one after another: signing up costs a
// processor, on purpose.
func (s *storm) accountsPerClient() int { return 3 + int(s.time/(10*time.Second)) }

// contested are names that any client may want.
var contested = []string{"ada", "bob", "carol", "dora"}

func (c *client) signUp() {
	name := c.token("user")
	_, o, _ := c.write("sign up", "/signup", url.Values{"username": {name}, "password": {stormPassword}})
	if o != done {
		return // with another name, next time
	}
	c.account = &account{client: c.number, name: newRegister(name), names: []string{name},
		deleted: newRegister(false), likes: make(map[*post]*register[bool])}
	c.accounts = append(c.accounts, c.account)
}

// sentence is a text whose first word is the token.
func (c *client) sentence(token string) string {
	words := []string{token}
	for range c.random.IntN(60) {
		words = append(words, []string{"sea", "wind", "gull", "sand", "Düne", "grass", "月"}[c.random.IntN(7)])
	}
	return strings.Join(words, " ")
}

func (c *client) publish() {
	p := &post{token: c.token("post"), author: c.account, deleted: newRegister(false)}
	t := text{p.token + " is new", c.sentence(p.token)}
	p.text = newRegister(t)
	c.account.posts = append(c.account.posts, p)
	a, o, _ := c.insist("publish "+p.token, "/posts",
		url.Values{"title": {t.title}, "content": {t.content}, "attempt": {domain.NewID()}})
	if o == done {
		p.id = strings.Split(a.location, "/")[2]
		c.storm.history.add("post %s is %s", p.id, p.token)
		c.storm.publish(p)
	}
}

// own picks a post of the account that it was told of.
func (c *client) own() *post {
	known := slices.DeleteFunc(slices.Clone(c.account.posts), func(p *post) bool { return p.id == "" })
	if len(known) == 0 {
		return nil
	}
	return known[c.random.IntN(len(known))]
}

// missing is the status that a post's page may have beside 200.
func (c *client) missing(p *post) []int {
	if p.author == c.account && !p.mayBeGone() {
		return nil
	}
	return []int{http.StatusNotFound}
}

func (c *client) edit() {
	p := c.own()
	if p == nil || p.gone() {
		return
	}
	form := c.get("open the form of "+p.token, p.path()+"/edit", append(c.missing(p), http.StatusUnauthorized)...)
	if form.status != http.StatusOK {
		return
	}
	revision, _ := form.page.Find(`input[name="revision"]`).Attr("value")
	t := text{fmt.Sprintf("%s %s", p.token, c.token("edit")), c.sentence(p.token)}
	_, o, within := c.write("edit "+p.token, p.path(), url.Values{"title": {t.title}, "content": {t.content},
		"revision": {revision}}, append(c.missing(p), http.StatusConflict)...)
	switch o {
	case done:
		p.text.acknowledge(t) // an earlier edit that still arrives meets another revision
	case unknownOutcome:
		p.text.suspect(t, within)
	}
}

func (c *client) comment() {
	p := c.storm.anyPost(c.random)
	if p == nil {
		return
	}
	m := &comment{post: p, author: c.account, content: c.sentence(c.token("comment")), there: newRegister(false)}
	a, o, landing := c.insist("comment on "+p.token, p.path()+"/comments",
		url.Values{"content": {m.content}, "attempt": {domain.NewID()}}, c.missing(p)...)
	switch o {
	case done:
		_, m.id, _ = strings.Cut(a.location, "#comment-")
		m.there.acknowledge(true)
		m.there.landing = time.Now().Add(landing)
	case unknownOutcome:
		m.there.suspect(true, landing)
	}
	c.account.comments = append(c.account.comments, m)
}

// like likes or, if the account may like the post already, takes the like back.
func (c *client) like() {
	p := c.storm.anyPost(c.random)
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
	_, o, within := c.write(what+" "+p.token, p.path()+"/"+what, nil, c.missing(p)...)
	switch o {
	case done:
		likes.acknowledge(to)
	case unknownOutcome:
		likes.suspect(to, within)
	}
}

// readPost sees in a post's page what the account wrote there.
func (c *client) readPost() {
	p := c.storm.anyPost(c.random)
	if c.random.IntN(2) == 0 {
		p = c.own()
	}
	if p == nil {
		return
	}
	a := c.get("read "+p.token, p.path(), c.missing(p)...)
	if a.status == http.StatusMovedPermanently {
		a = c.get("read "+p.token, a.location, c.missing(p)...)
	}
	if a.status != http.StatusOK {
		return
	}
	about := []string{p.id, p.token}
	if shown := shownText(a.page); p.author == c.account && !p.text.may(shown) {
		c.storm.fail(about, "post %s shows %+v, not one of %+v", p.token, shown, p.text.possible)
	}
	if p.author == c.account && p.gone() {
		c.storm.fail(about, "post %s was deleted and is shown", p.token)
	}
	pressed, signedIn := a.page.Find("#like-button").Attr("aria-pressed")
	if likes := c.account.likes[p]; likes != nil && signedIn && !likes.may(pressed == "true") {
		c.storm.fail(about, "post %s is shown to client %d with liked %s, not one of %v", p.token, c.number, pressed, likes.possible)
	}
	if a.page.Find("#more").Length() > 0 {
		return
	}
	for _, m := range c.account.comments {
		if n := a.page.Find("#comment-" + m.id).Length(); m.id != "" && m.post == p && (n == 0 && m.must() || n > 0 && m.gone()) {
			c.storm.fail(append(about, m.id), "comment %s of post %s is shown %d times, there: %v", m.id, p.token, n, m.there.possible)
		}
	}
}

// browse reads what others may be changing.
func (c *client) browse() {
	paths := []string{"/", "/?page=2", "/?page=5", "/new", "/settings", "/@" + contested[c.random.IntN(len(contested))],
		"/@" + c.account.names[c.random.IntN(len(c.account.names))]}
	if p := c.storm.anyPost(c.random); p != nil {
		paths = append(paths, p.path()+"/likes", p.path()+"/comments", p.path()+"/comments?page=2")
	}
	c.get("browse", paths[c.random.IntN(len(paths))], http.StatusNotFound, http.StatusUnauthorized)
}

func (c *client) rename() {
	if !c.account.name.settled() {
		return
	}
	name := c.token("name")
	if c.random.IntN(4) == 0 {
		name = contested[c.random.IntN(len(contested))]
	}
	_, o, within := c.write("rename", "/settings/username", url.Values{"username": {name}},
		http.StatusConflict, http.StatusUnprocessableEntity)
	switch o {
	case done:
		c.account.name.acknowledge(name)
		c.account.names = append(c.account.names, name)
	case unknownOutcome:
		c.account.name.suspect(name, within)
	}
}

func (c *client) deleteComment() {
	known := slices.DeleteFunc(slices.Clone(c.account.comments), func(m *comment) bool {
		return m.id == "" || !m.there.may(true) || !m.there.settled()
	})
	if len(known) == 0 {
		return
	}
	m := known[c.random.IntN(len(known))]
	_, o, within := c.write("delete comment "+m.id, m.post.path()+"/comments/"+m.id+"/delete", nil, c.missing(m.post)...)
	switch o {
	case done:
		m.there.acknowledge(false)
	case unknownOutcome:
		m.there.suspect(false, within)
	}
}

func (c *client) deletePost() {
	p := c.own()
	if p == nil || p.gone() {
		return
	}
	_, o, within := c.write("delete "+p.token, p.path()+"/delete", nil, c.missing(p)...)
	switch o {
	case done:
		p.deleted.acknowledge(true)
	case unknownOutcome:
		p.deleted.suspect(true, within)
	}
}

// deleteAccount deletes the account while, in other tabs of the same browser, it goes
// on writing until it cannot: of that nothing may stay.
func (c *client) deleteAccount() {
	if len(c.accounts) >= c.storm.accountsPerClient() {
		return
	}
	var tabs sync.WaitGroup
	over := make(chan struct{})
	written := make([]tab, c.random.IntN(3))
	for i := range written {
		written[i] = tab{c, rand.New(rand.NewPCG(c.random.Uint64(), 0)), nil, nil}
		tabs.Go(func() { written[i].write(over) })
	}
	c.account.deleted.suspect(true, landingUnanswered)
	expected := []int{http.StatusUnauthorized}
	for c.storm.blowing() {
		a, o, _ := c.write("delete the account", "/settings/delete", url.Values{"password": {stormPassword}}, expected...)
		if o == done || a.status == http.StatusUnauthorized {
			c.account.deleted.acknowledge(true)
			break
		}
		// An earlier attempt may take the password away while another one checks it.
		expected = append(expected, http.StatusUnprocessableEntity)
	}
	close(over)
	tabs.Wait()
	for _, t := range written {
		c.account.comments = append(c.account.comments, t.comments...)
		for _, p := range t.liked {
			if likes := c.account.likes[p]; likes != nil {
				likes.suspect(true, landingUnanswered)
			} else {
				likes := newRegister(false)
				likes.suspect(true, landingUnanswered)
				c.account.likes[p] = &likes
			}
		}
	}
	c.account = nil
}

// tab is another window of a client's browser, for what happens beside.
type tab struct {
	client   *client
	random   *rand.Rand
	comments []*comment
	liked    []*post
}

// write comments and likes until it is over, or the account cannot any more.
func (t *tab) write(over <-chan struct{}) {
	c := t.client
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		default:
		}
		p := c.storm.anyPost(t.random)
		if p == nil {
			return
		}
		m := &comment{post: p, author: c.account, there: newRegister(false),
			content: fmt.Sprintf("tab%dx%dx%d", c.number, t.random.Uint64(), n)}
		m.there.suspect(true, landingUnanswered)
		t.comments, t.liked = append(t.comments, m), append(t.liked, p)
		for path, form := range map[string]url.Values{"/comments": {"content": {m.content}}, "/like": nil} {
			a, id, err := c.sendTo(t.random.IntN(stormProcesses), 30*time.Second, http.MethodPost, p.path()+path, form)
			c.storm.history.add("client %d, while its account is deleted: %s%s%s: %d (request %s) %v",
				c.number, p.path(), path, brief(form), a.status, id, err)
			if a.status == http.StatusUnauthorized {
				return
			}
		}
	}
}
