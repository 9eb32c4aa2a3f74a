package storm

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
	"inkfeed/web/cli/systemtest/harness"
)

// operations is what clients do, and how often.
var operations = []struct {
	weight int
	do     func(*client)
}{
	{6, (*client).publish},
	{6, (*client).edit},
	{6, (*client).draft},
	{2, (*client).unpublish},
	{20, (*client).comment},
	{8, (*client).reply},
	{8, (*client).bookmark},
	{24, (*client).like},
	{12, (*client).readPost},
	{8, (*client).browse},
	{12, (*client).readAsStranger},
	{4, (*client).rename},
	{6, (*client).deleteComment},
	{3, (*client).deletePost},
	{3, (*client).describe},
	{8, (*client).schedule},
	{4, (*client).moderatePost},
	{4, (*client).moderateComment},
	{3, (*client).publishLink},
	{3, (*client).approve},
	{1, (*client).suspend},
	{1, (*client).deleteAccount},
}

const stormPassword = "correct horse"

// How many accounts a client may have at most, one after another: signing up costs a
// processor, on purpose.
func (s *storm) accountsPerClient() int { return 3 + int(s.time/(10*time.Second)) }

func (c *client) signUp() {
	name := c.username()
	_, o, _ := c.write("sign up", "/signup", url.Values{"username": {name.typed}, "password": {stormPassword}})
	if o != done {
		return // with another name, next time
	}
	c.account = &account{client: c.number, name: newRegister(name.shown), names: []string{name.shown},
		display: newRegister(
			"",
		), deleted: newRegister(false), suspended: newRegister(false), trusted: newRegister(false),
		likes: make(map[*post]*register[bool]), kept: make(map[*post]*register[bool])}
	c.accounts = append(c.accounts, c.account)
	c.storm.did("sign-up")
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
	p := &post{token: c.token("post"), author: c.account, deleted: newRegister(false), hidden: newRegister(false),
		held: newRegister(false)}
	t := text{p.token + " is new", c.sentence(p.token), c.tags()}
	p.text, p.form, p.texts = newRegister(t), newRegister(t), []text{t}
	c.account.posts = append(c.account.posts, p)
	a, o, _ := c.insist("publish "+p.token, "/posts",
		url.Values{"title": {t.title}, "content": {t.content}, "tags": {typedTags(t.tags)}, "post": {domain.NewID()}})
	if o == done {
		p.id = strings.Split(a.location, "/")[2]
		c.least.wrote(a.from, p, 0)
		c.storm.history.add("post %s is %s", p.id, p.token)
		c.storm.publish(p)
		c.storm.did("publish")
	}
}

// own picks a post of the account that was acknowledged and is not scheduled.
func (c *client) own() *post {
	known := slices.DeleteFunc(slices.Clone(c.account.posts),
		func(p *post) bool { return p.id == "" || !p.due.at.IsZero() })
	if len(known) == 0 {
		return nil
	}
	return known[c.random.IntN(len(known))]
}

// missing returns the additional statuses that actions of others on a post may have.
func (c *client) missing(p *post) []int {
	if p.author == c.account && !p.mayBeUnseen() {
		return nil
	}
	return []int{http.StatusNotFound}
}

// missingPage returns the statuses that a post's page may have besides 200. The author also sees a held post.
func (c *client) missingPage(p *post) []int {
	if p.author == c.account && !p.mayBeGone() && !p.hidden.may(true) {
		return nil
	}
	return []int{http.StatusNotFound}
}

// edit publishes another text of a post, also of one that was not published yet, or was
// taken back.
func (c *client) edit() {
	p := c.own()
	if p == nil || p.gone() || !p.hidden.settled() {
		return
	}
	form, ok := c.form(p)
	if !ok {
		return
	}
	t := text{fmt.Sprintf("%s %s", p.token, c.token("edit")), c.sentence(p.token), c.tags()}
	p.firstOnly = false
	c.readAround(p, "")
	p.texts = append(p.texts, t)
	switch a, o := c.submit(p, form, "publish", t); o {
	case done:
		c.least.wrote(a.from, p, len(p.texts)-1)
		p.text.acknowledge(t) // an earlier edit that still arrives meets another revision
		p.hidden.acknowledge(false)
		c.readAround(p, "")
		c.storm.did("edit")
	case unknownOutcome:
		p.text.suspect(t, 0)
		p.hidden.suspect(false, landingUnanswered)
	}
}

func (c *client) comment() {
	if p := c.storm.anyPost(c.random); p != nil {
		c.say(p, "comment on "+p.token, url.Values{}, c.missing(p)...)
	}
}

// reply answers what somebody said, who may have deleted it since.
func (c *client) reply() {
	if to := c.storm.anyComment(c.random); to != nil {
		c.say(to.post, "reply to "+to.id, url.Values{"parent": {to.id}}, append(c.missing(to.post), http.StatusConflict)...)
	}
}

// say writes a comment on a post.
func (c *client) say(p *post, what string, form url.Values, expected ...int) {
	token := c.token("comment")
	m := &comment{post: p, author: c.account, content: c.sentence(token), there: newRegister(false),
		held: newRegister(false)}
	after := c.around(p, "/comments")
	sent := c.storm.marks.sends(p, m, mark{kind: commentMark, by: c.account, word: token}, true)
	form.Set("content", m.content)
	form.Set("attempt", domain.NewID())
	a, o, landing := c.insist(what, p.path()+"/comments", form, expected...)
	switch o {
	case done:
		// Where it stands or, when that could not be told, its own address.
		m.id = a.location[strings.LastIndexAny(a.location, "-/")+1:]
		m.there.acknowledge(true)
		m.there.landing = time.Now().Add(landing)
		c.storm.marks.hears(sent, a.from) // also when an earlier attempt has made it: it tries to write
		after(a)
		c.storm.heard(m)
		c.storm.did("comment")
	case unknownOutcome:
		m.there.suspect(true, landing)
	}
	c.account.comments = append(c.account.comments, m)
}

// bookmark keeps a post or, if the account may keep it already, takes that back.
func (c *client) bookmark() {
	p := c.storm.anyPost(c.random)
	if mine := c.bookmarked(); len(mine) > 0 && c.random.IntN(3) == 0 {
		p = mine[c.random.IntN(len(mine))]
	}
	if p == nil {
		return
	}
	kept := c.account.kept[p]
	if kept == nil {
		r := newRegister(false)
		kept = &r
		c.account.kept[p] = kept
	}
	if !kept.settled() {
		return
	}
	to, what := !kept.may(true), "bookmark"
	if !to {
		what = "unbookmark"
	}
	_, o, within := c.take(what+" "+p.token, p.path()+"/"+what, p)
	switch o {
	case done:
		kept.acknowledge(to)
		c.storm.did(what)
	case unknownOutcome:
		kept.suspect(to, within)
	}
}

// bookmarked are the posts that the account may keep.
func (c *client) bookmarked() (all []*post) {
	for p, kept := range c.account.kept {
		if kept.may(true) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *post) int { return strings.Compare(a.id, b.id) }) // for whoever replays it
	return all
}

// take is write for what one does on a post. Who takes something back may do so on a post
// that was taken back itself, and is told only that there is none.
func (c *client) take(what, path string, p *post) (a answer, o outcome, within time.Duration) {
	a, o, within = c.write(what, path, nil, c.missing(p)...)
	if a.status == http.StatusNotFound {
		o = unknownOutcome
	}
	return a, o, within
}

// around reads a page of a post now and then as a stranger at each process, before a change,
// and with what it returns at the one that has acknowledged it: so there is something to drop.
func (c *client) around(p *post, page string) (after func(answer)) {
	if c.random.IntN(4) > 0 {
		return func(answer) {}
	}
	if c.random.IntN(2) == 0 {
		page = ""
	}
	c.readAround(p, page)
	return func(a answer) {
		if i := slices.IndexFunc(c.storm.processes, func(s *process) bool { return s.now.Load() == a.from }); i >= 0 {
			c.readAt(i, p, page)
		}
	}
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
	after := c.around(p, "/likes")
	sent := c.storm.marks.sends(p, c.account, mark{kind: likeMark, by: c.account}, to)
	a, o, within := c.take(what+" "+p.token, p.path()+"/"+what, p)
	switch o {
	case done:
		likes.acknowledge(to)
		c.storm.marks.hears(sent, a.from)
		after(a)
		c.storm.did(what)
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
	a := c.get("read "+p.token, p.path(), c.missingPage(p)...)
	if a.status == http.StatusMovedPermanently {
		a = c.get("read "+p.token, a.location, c.missingPage(p)...)
	}
	if a.status != http.StatusOK {
		return
	}
	about := []string{p.id, p.token}
	if shown := shownText(a.page); p.author == c.account && !p.text.may(shown) {
		c.storm.fail(about, "post %s shows %+v, not one of %+v", p.token, shown, p.text.possible)
	}
	if p.author == c.account && (p.gone() || p.hidden.is(true)) {
		c.storm.fail(about, "post %s was deleted or taken back, and is shown", p.token)
	}
	pressed, signedIn := a.page.Find("#Page-like-button").Attr("aria-pressed")
	if likes := c.account.likes[p]; likes != nil && signedIn && !likes.may(pressed == "true") {
		c.storm.fail(about, "post %s is shown to client %d with liked %s, not one of %v", p.token, c.number, pressed, likes.possible)
	}
	pressed, signedIn = a.page.Find("#Page-bookmark-button").Attr("aria-pressed")
	if kept := c.account.kept[p]; kept != nil && signedIn && !kept.may(pressed == "true") {
		c.storm.fail(about, "post %s is shown to client %d with bookmarked %s, not one of %v", p.token, c.number, pressed, kept.possible)
	}
	if a.page.Find("#Page-more").Length() > 0 {
		return
	}
	for _, m := range c.account.comments {
		// A placeholder has its id, and not its text.
		if n := a.page.Find("#comment-" + m.id + " > .comment .prose").Length(); m.id != "" && m.post == p && (n == 0 && m.must() || n > 0 && m.gone()) {
			c.storm.fail(append(about, m.id), "comment %s of post %s is shown %d times, there: %v", m.id, p.token, n, m.there.possible)
		}
	}
}

// browse reads what others may be changing.
func (c *client) browse() {
	paths := []string{"/", "/?page=2", "/?page=5", "/new", "/settings", "/tags/sea", "/tags/" + url.PathEscape("😀"),
		"/tags/" + url.PathEscape("düne"), "/feed.atom", "/moderation",
		profilePath(contested[c.random.IntN(len(contested))].shown),
		profilePath(c.account.names[c.random.IntN(len(c.account.names))])}
	if p := c.storm.anyPost(c.random); p != nil {
		paths = append(paths, p.path()+"/likes", p.path()+"/comments", p.path()+"/comments?page=2")
	}
	c.get("browse", paths[c.random.IntN(len(paths))], http.StatusNotFound, http.StatusUnauthorized,
		http.StatusForbidden)
}

func (c *client) deleteComment() {
	known := slices.DeleteFunc(slices.Clone(c.account.comments), func(m *comment) bool {
		return m.id == "" || !m.there.may(true) || !m.there.settled()
	})
	if len(known) == 0 {
		return
	}
	m := known[c.random.IntN(len(known))]
	after, certain := c.around(m.post, "/comments"), m.there.is(true)
	sent := c.storm.marks.sends(m.post, m, mark{}, false)
	a, o, within := c.take("delete comment "+m.id, m.post.path()+"/comments/"+m.id+"/delete", m.post)
	switch o {
	case done:
		if !certain { // the server may have found it gone, and not have heard of it yet
			a.from = nil
		}
		c.storm.marks.hears(sent, a.from)
		after(a)
		m.there.acknowledge(false)
		c.storm.did("delete comment")
	case unknownOutcome:
		m.there.suspect(false, within)
	}
}

func (c *client) deletePost() {
	p := c.own()
	if p == nil || p.gone() || len(p.text.possible) == 0 { // there is nothing but a draft
		return
	}
	a, o, within := c.write("delete "+p.token, p.path()+"/delete", nil, c.missing(p)...)
	switch o {
	case done:
		p.deleted.acknowledge(true)
		c.least.wrote(a.from, p, never)
		c.storm.did("delete post")
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
	c.storm.marks.leaves(c.account)
	expected := []int{http.StatusUnauthorized}
	for c.storm.blowing() {
		a, o, _ := c.write("delete the account", "/settings/delete", url.Values{"password": {stormPassword}}, expected...)
		if o == done || a.status == http.StatusUnauthorized {
			c.account.deleted.acknowledge(true)
			c.storm.did("delete account")
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
		m := &comment{post: p, author: c.account, there: newRegister(false), held: newRegister(false),
			content: fmt.Sprintf("tab%dx%dx%d", c.number, t.random.Uint64(), n)}
		m.there.suspect(true, landingUnanswered)
		c.storm.marks.sends(p, m, mark{kind: commentMark, by: c.account, word: m.content}, true)
		c.storm.marks.sends(p, c.account, mark{kind: likeMark, by: c.account}, true)
		t.comments, t.liked = append(t.comments, m), append(t.liked, p)
		for path, form := range map[string]url.Values{"/comments": {"content": {m.content}}, "/like": nil} {
			a, id, err := c.sendTo(t.random.IntN(harness.StormProcesses), 30*time.Second, http.MethodPost, p.path()+path, form)
			c.storm.history.add("client %d, while its account is deleted: %s%s%s: %d (request %s) %v",
				c.number, p.path(), path, brief(form), a.status, id, err)
			if a.status == http.StatusUnauthorized {
				return
			}
		}
	}
}
