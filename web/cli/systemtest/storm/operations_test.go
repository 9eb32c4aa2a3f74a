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

// operations lists the operations of clients and how often they choose each.
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
	{10, (*client).follow},
	{3, (*client).followTag},
	{1, (*client).block},
	{6, (*client).readFollowing},
	{4, (*client).mute},
	{4, (*client).readNotifications},
	{24, (*client).like},
	{12, (*client).readPost},
	{8, (*client).browse},
	{12, (*client).readAnonymously},
	{4, (*client).rename},
	{6, (*client).deleteComment},
	{3, (*client).deletePost},
	{3, (*client).changeDisplayName},
	{3, (*client).changeEmail},
	{8, (*client).schedule},
	{4, (*client).moderatePost},
	{4, (*client).moderateComment},
	{3, (*client).publishLink},
	{3, (*client).approve},
	{6, (*client).changeSitePage},
	{6, (*client).pin},
	{2, (*client).changeSite},
	{3, (*client).readSite},
	{1, (*client).suspend},
	{1, (*client).deleteAccount},
}

const stormPassword = "correct horse"

// accountsPerClient returns how many accounts a client may have, one after another. The number is small because signing
// up costs processor time on purpose.
func (s *storm) accountsPerClient() int { return 3 + int(s.time/(10*time.Second)) }

func (c *client) signUp() {
	name := c.username()
	_, o, _ := c.write("sign up", "/signup", url.Values{"username": {name.typed}, "password": {stormPassword}})
	if o != done {
		return // the next attempt uses another name
	}
	c.account = &account{client: c.number, name: newRegister(name.shown), names: []string{name.shown},
		display: newRegister(""), deleted: newRegister(false), suspended: newRegister(false),
		trusted: newRegister(false),
		likes:   make(map[*post]*register[bool]), bookmarks: make(map[*post]*register[bool]),
		follows: make(map[*account]*followed)}
	c.accounts = append(c.accounts, c.account)
	c.storm.record("sign-up")
}

// sentence returns a text whose first word is the token.
func (c *client) sentence(token string) string {
	words := []string{token}
	for range c.random.IntN(60) {
		words = append(words, []string{"sea", "wind", "gull", "sand", "Düne", "grass", "月"}[c.random.IntN(7)])
	}
	return strings.Join(words, " ")
}

// inSeries adds a series to the form of a text, or none. The text determines it, so that a form which is sent again is
// equal. Two of the spellings are one series.
func inSeries(t text, form url.Values) url.Values {
	form.Set("series", []string{"", "The sea", "the sea!", "Düne 月"}[len(t.content)%4])
	form.Set("seriesPart", "")
	if form.Get("series") != "" {
		form.Set("seriesPart", []string{"", "1", "2", "10"}[len(t.content)/4%4])
	}
	return form
}

func (c *client) publish() {
	p := &post{token: c.token("post"), author: c.account, deleted: newRegister(false), hidden: newRegister(false),
		held: newRegister(false)}
	t := text{p.token + " is new", c.sentence(p.token), c.tags()}
	p.text, p.form, p.texts = newRegister(t), newRegister(t), []text{t}
	c.account.posts = append(c.account.posts, p)
	begun := time.Now()
	a, o, _ := c.writeWithRetries("publish "+p.token, "/posts", inSeries(t,
		url.Values{"title": {t.title}, "content": {t.content}, "tags": {typedTags(t.tags)}, "post": {domain.NewID()}}))
	if o == done {
		p.id, p.published = strings.Split(a.location, "/")[2], begun
		c.minimum.recordWrite(a.from, p, 0)
		c.storm.history.add("post %s is %s", p.id, p.token)
		c.storm.addPost(p)
		c.storm.record("publish")
	}
}

// ownPost returns an acknowledged post of the account that is not scheduled, or nil.
func (c *client) ownPost() *post {
	known := slices.DeleteFunc(slices.Clone(c.account.posts),
		func(p *post) bool { return p.id == "" || !p.due.at.IsZero() })
	if len(known) == 0 {
		return nil
	}
	return known[c.random.IntN(len(known))]
}

// missingStatuses returns the statuses that the server may also answer because the post is missing or hidden. After a
// suspension has ended, the workers show the account's posts again with a delay.
func (c *client) missingStatuses(p *post) []int {
	if p.author == c.account && !p.mayBeUnseen() && c.account.suspended.untouched() {
		return nil
	}
	return []int{http.StatusNotFound}
}

// missingPageStatuses returns the statuses that a post's page may have besides 200. The author also sees a held post.
func (c *client) missingPageStatuses(p *post) []int {
	if p.author == c.account && !p.mayBeGone() && !p.hidden.may(true) {
		return nil
	}
	return []int{http.StatusNotFound}
}

// edit publishes another text of a post, which may be a draft or unpublished.
func (c *client) edit() {
	p := c.ownPost()
	if p == nil || p.gone() || !p.hidden.settled() {
		return
	}
	form, ok := c.form(p)
	if !ok {
		return
	}
	t := text{fmt.Sprintf("%s %s", p.token, c.token("edit")), c.sentence(p.token), c.tags()}
	p.firstOnly = false
	c.readAtEachProcess(p, "")
	p.texts = append(p.texts, t)
	switch a, o := c.submit(p, form, "publish", t); o {
	case done:
		c.minimum.recordWrite(a.from, p, len(p.texts)-1)
		p.text.acknowledge(t) // an earlier edit that still arrives conflicts with the new revision
		p.hidden.acknowledge(false)
		if p.review { // the new text has no link, which ends the review
			p.review = false
			p.held.acknowledge(false)
		}
		c.readAtEachProcess(p, "")
		c.storm.record("edit")
	case unknownOutcome:
		p.text.suspect(t, 0)
		p.hidden.suspect(false, landingUnanswered)
		if p.review {
			p.held.suspect(false, landingUnanswered)
		}
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
	after, certain := c.readBeforeAndAfter(m.post, "/comments"), m.there.is(true)
	sent := c.storm.reactions.recordSent(m.post, m, reaction{}, false)
	a, o, within := c.writeOnPost("delete comment "+m.id, m.post.path()+"/comments/"+m.id+"/delete", m.post)
	switch o {
	case done:
		if !certain { // the comment may have been gone already, and this server's cache may not know it yet
			a.from = nil
		}
		c.storm.reactions.recordAcknowledged(sent, a.from)
		after(a)
		m.there.acknowledge(false)
		c.storm.record("delete comment")
	case unknownOutcome:
		m.there.suspect(false, within)
	}
}

func (c *client) deletePost() {
	p := c.ownPost()
	if p == nil || p.gone() || len(p.text.possible) == 0 { // the post exists only as a draft
		return
	}
	a, o, within := c.write("delete "+p.token, p.path()+"/erase", nil, c.missingStatuses(p)...)
	switch o {
	case done:
		p.deleted.acknowledge(true)
		c.minimum.recordWrite(a.from, p, notShown)
		c.storm.record("delete post")
	case unknownOutcome:
		p.deleted.suspect(true, within)
	}
}

// deleteAccount deletes the account while other tabs of the same browser continue to write. Nothing that they write may
// remain.
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
	c.storm.reactions.recordRemoval(c.account)
	expected := []int{http.StatusUnauthorized}
	for c.storm.running() {
		a, o, _ := c.write("delete the account", "/settings/delete", url.Values{"password": {stormPassword}},
			expected...)
		if o == done || a.status == http.StatusUnauthorized {
			c.account.deleted.acknowledge(true)
			c.storm.record("delete account")
			break
		}
		// An earlier attempt may delete the password while this one checks it.
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

// tab is another tab of a client's browser, which writes concurrently.
type tab struct {
	client   *client
	random   *rand.Rand
	comments []*comment
	liked    []*post
}

// write comments on posts and likes them until the channel is closed or the account is signed out.
func (t *tab) write(over <-chan struct{}) {
	c := t.client
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		default:
		}
		p := c.storm.randomPost(t.random)
		if p == nil {
			return
		}
		m := &comment{post: p, author: c.account, there: newRegister(false), held: newRegister(false),
			content: fmt.Sprintf("tab%dx%dx%d", c.number, t.random.Uint64(), n)}
		m.there.suspect(true, landingUnanswered)
		c.storm.reactions.recordSent(p, m, reaction{kind: commentReaction, by: c.account, word: m.content}, true)
		c.storm.reactions.recordSent(p, c.account, reaction{kind: likeReaction, by: c.account}, true)
		t.comments, t.liked = append(t.comments, m), append(t.liked, p)
		for path, form := range map[string]url.Values{"/comments": {"content": {m.content}}, "/like": nil} {
			process := t.random.IntN(harness.StormProcesses)
			a, id, err := c.sendTo(process, 30*time.Second, http.MethodPost, p.path()+path, form)
			c.storm.history.add("client %d, during the deletion of its account: %s%s%s: %d (request %s) %v",
				c.number, p.path(), path, brief(form), a.status, id, err)
			if a.status == http.StatusUnauthorized {
				return
			}
		}
	}
}
