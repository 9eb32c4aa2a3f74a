package storm

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// Each client asks the administrator only for decisions about its own account and texts. So only
// one client at a time changes the state that a register describes.

// administrator is a client with the administrator's session and no account of its own.
func (c *client) administrator() *client {
	return &client{storm: c.storm, number: c.number, random: c.random,
		http: http.Client{Transport: withCookie{c.storm.host, c.storm.transport}, CheckRedirect: c.http.CheckRedirect}}
}

// decision returns the current form in which a moderator decides about a text.
func (c *client) decision(path, do string) (url.Values, bool) {
	a := c.get("look at "+path, path+"/moderate", http.StatusNotFound)
	if a.status != http.StatusOK || a.page.Find(`.decide button[value="`+do+`"]`).Length() == 0 {
		return nil, false
	}
	form := url.Values{"do": {do}}
	for _, name := range []string{"version", "text"} {
		form.Set(name, a.page.Find(`.decide input[name="`+name+`"]`).First().AttrOr("value", ""))
	}
	if do == "hide" {
		form.Set("why", "spam")
	}
	return form, true
}

// decide lets the administrator decide about a text, and repeats that while the outcome is
// unknown. Within the returned time an earlier attempt may still take effect.
func (c *client) decide(do, path string) (a answer, o outcome, landing time.Duration) {
	administrator := c.administrator()
	for range 3 {
		form, ok := administrator.decision(path, do)
		if !ok {
			return a, unknownOutcome, landing
		}
		var within time.Duration
		if a, o, within = administrator.write(do+" "+path, path+"/moderate", form,
			http.StatusConflict, http.StatusNotFound); o == done {
			return a, o, landing
		}
		landing = max(landing, within)
	}
	return a, unknownOutcome, landing // an earlier attempt may have succeeded, so that this one is refused
}

// moderatePost hides a post of the account, or restores a hidden one. It often restores a post right after hiding it.
func (c *client) moderatePost() {
	p := c.ownPost()
	hidden := func(p *post) bool { return p.id != "" && !p.review && p.held.is(true) }
	if i := slices.IndexFunc(c.account.posts, hidden); i >= 0 && c.random.IntN(2) == 0 {
		p = c.account.posts[i]
	}
	if p == nil || p.mayBeGone() || p.hidden.may(true) || p.review {
		return
	}
	for again := true; again && p.held.certain() && p.held.settled(); again = p.held.is(true) && c.random.IntN(2) == 0 {
		c.holdPost(p, p.held.is(false))
	}
}

// holdWord returns the value in a moderator's form for hiding a text or for restoring it.
func holdWord(hide bool) string {
	if hide {
		return "hide"
	}
	return "restore"
}

func (c *client) holdPost(p *post, hide bool) {
	c.readAtEachProcess(p, "")
	a, o, landing := c.decide(holdWord(hide), p.path())
	p.held.suspect(hide, landing)
	if o != done {
		return
	}
	p.held.acknowledge(hide)
	place := p.leastPlace()
	if hide {
		place = notShown
	}
	c.minimum.recordWrite(a.from, p, place)
	c.readAtEachProcess(p, "")
	c.storm.record(holdWord(hide) + " post")
}

// moderateComment hides a comment of the account, or restores a hidden one. It often restores a comment right after
// hiding it.
func (c *client) moderateComment() {
	known := slices.DeleteFunc(slices.Clone(c.account.comments), func(m *comment) bool {
		return m.id == "" || !m.there.is(true) || !m.there.settled()
	})
	if len(known) == 0 {
		return
	}
	m := known[c.random.IntN(len(known))]
	for again := true; again && m.held.certain() && m.held.settled(); again = m.held.is(true) && c.random.IntN(2) == 0 {
		c.holdComment(m, m.held.is(false))
	}
}

func (c *client) holdComment(m *comment, hide bool) {
	after := c.readBeforeAndAfter(m.post, "/comments")
	sent := c.storm.reactions.recordSent(m.post, m, reaction{}, !hide)
	a, o, landing := c.decide(holdWord(hide), m.post.path()+"/comments/"+m.id)
	m.held.suspect(hide, landing)
	if o != done {
		return
	}
	m.held.acknowledge(hide)
	c.storm.reactions.recordAcknowledged(sent, a.from)
	after(a)
	c.storm.record(holdWord(hide) + " comment")
}

// publishLink publishes a post with a link to another site, which waits for review if the account
// is new and no moderator has approved anything of it.
func (c *client) publishLink() {
	if !c.account.trusted.is(false) {
		return
	}
	p := &post{token: c.token("post"), author: c.account, deleted: newRegister(false), hidden: newRegister(false),
		held: newRegister(true), review: true}
	t := text{p.token + " links", p.token + " https://elsewhere.example/" + p.token, c.tags()}
	p.text, p.form, p.texts = newRegister(t), newRegister(t), []text{t}
	c.account.posts = append(c.account.posts, p)
	a, o, _ := c.writeWithRetries("publish with a link "+p.token, "/posts",
		url.Values{"title": {t.title}, "content": {t.content}, "tags": {typedTags(t.tags)}, "post": {domain.NewID()}})
	if o != done {
		return
	}
	p.id = strings.Split(a.location, "/")[2]
	c.storm.history.add("post %s is %s, which waits for review", p.id, p.token)
	c.storm.addPost(p)
	c.storm.record("hold")
	c.checkHiddenFromAnonymous(a.from, p.path(), p.token)
}

// approve lets the administrator approve a post that waits for review.
func (c *client) approve() {
	for _, p := range c.account.posts {
		if p.id == "" || !p.review || p.mayBeGone() || !p.hidden.is(false) || !p.held.is(true) {
			continue
		}
		a, o, landing := c.decide("approve", p.path())
		p.held.suspect(false, landing)
		c.account.trusted.suspect(true, landing)
		if o == done {
			p.review = false
			p.held.acknowledge(false)
			c.account.trusted.acknowledge(true)
			c.minimum.recordWrite(a.from, p, p.leastPlace())
			c.readAtEachProcess(p, "")
			c.storm.record("approve")
		}
		return
	}
}

// checkHiddenFromAnonymous checks that a server shows nothing at an address to anonymous visitors.
func (c *client) checkHiddenFromAnonymous(server *harness.Process, path, about string) {
	for process := range harness.StormProcesses {
		if c.storm.processes[process].now.Load() != server {
			continue
		}
		anonymous := *c
		anonymous.http.Jar = nil
		a, id, err := anonymous.sendTo(process, landingUnanswered, http.MethodGet, path, nil)
		c.storm.history.add("client %d anonymously, process %d: GET %s: %d, cache %s (request %s) %v",
			c.number, process, path, a.status, a.cache, id, err)
		if err == nil && a.from == server && a.status != http.StatusNotFound &&
			a.status != http.StatusServiceUnavailable {
			c.storm.fail([]string{path, about}, "anonymous visitors find %s (%s) with status %d, cache %s, request %s",
				path, about, a.status, a.cache, id)
		}
	}
}

// suspensionReason is the reason that a suspended user sees when logging in.
const suspensionReason = "The storm has come."

// suspend lets the administrator suspend the account and usually restore it. If the account stays
// suspended, the client continues with another one.
func (c *client) suspend() {
	if !c.account.suspended.untouched() || !c.account.name.settled() || len(c.account.name.possible) > 1 {
		return
	}
	restores := c.random.IntN(3) > 0
	if !restores && len(c.accounts) >= c.storm.accountsPerClient() {
		return
	}
	administrator, name := c.administrator(), c.account.name.possible[0]
	path, ok := administrator.accountForm(name, "/suspend")
	if !ok {
		return
	}
	c.storm.reactions.recordRemoval(c.account) // the workers later hide its comments and likes and show them again
	c.account.suspended.suspect(true, landingUnanswered)
	a, ok := administrator.writeUntilDone("suspend "+name, path, url.Values{"reason": {suspensionReason}})
	if !ok {
		c.account = nil
		return
	}
	c.account.suspended.acknowledge(true)
	c.storm.record("suspend")
	c.checkSuspendedAt(a, name)
	// If there was an earlier attempt, it may still suspend the account again after a restoration.
	if !restores || a.from == nil {
		c.account = nil
		return
	}
	c.account.suspended.suspect(false, landingUnanswered)
	restore := strings.TrimSuffix(path, "/suspend") + "/restore"
	if _, ok := administrator.writeUntilDone("restore "+name, restore, nil); !ok {
		c.account = nil
		return
	}
	c.account.suspended.acknowledge(false)
	c.logInAgain(name)
}

// checkSuspendedAt checks that the server that acknowledged a suspension shows anonymous visitors
// nothing of the account, and its user no page.
func (c *client) checkSuspendedAt(a answer, name string) {
	if a.from == nil {
		return // an earlier attempt may have succeeded, at either server
	}
	c.checkHiddenFromAnonymous(a.from, profilePath(name), name)
	for i, p := range c.account.posts {
		if p.id != "" && i >= len(c.account.posts)-3 {
			c.checkHiddenFromAnonymous(a.from, p.path(), p.token)
		}
	}
	for process := range harness.StormProcesses {
		if c.storm.processes[process].now.Load() != a.from {
			continue
		}
		own, id, err := c.sendTo(process, landingUnanswered, http.MethodGet, "/settings", nil)
		if err == nil && own.from == a.from && own.status == http.StatusOK {
			c.storm.fail([]string{name}, "%s is suspended and still logged in (request %s)", name, id)
		}
	}
}

// logInAgain logs in after a suspension, which has ended all sessions.
func (c *client) logInAgain(name string) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // fails only for wrong options, and there are none
	}
	c.http.Jar = jar
	for c.storm.running() {
		a := c.send("log in as "+name, http.MethodPost, "/login",
			url.Values{"username": {name}, "password": {stormPassword}})
		if a.status == http.StatusSeeOther {
			c.storm.record("restore account")
			return
		}
	}
	c.account = nil // the storm is over
}

// accountForm finds the address of a form about an account.
func (c *client) accountForm(name, suffix string) (path string, ok bool) {
	a := c.get("look at the account "+name, "/admin/users?name="+url.QueryEscape(name), http.StatusNotFound)
	if a.status != http.StatusOK {
		return "", false
	}
	a.page.Find("form").Each(func(_ int, form *goquery.Selection) {
		if action := form.AttrOr("action", ""); strings.HasSuffix(action, suffix) {
			path, ok = action, true
		}
	})
	return path, ok
}

// writeUntilDone sends a form until it succeeds. The answer names no server if an earlier attempt may
// have succeeded.
func (c *client) writeUntilDone(what, path string, form url.Values) (a answer, ok bool) {
	for tries := 0; c.storm.running(); tries++ {
		var o outcome
		a, o, _ = c.write(what, path, form, http.StatusConflict)
		if o == done || a.status == http.StatusConflict {
			if tries > 0 {
				a.from = nil
			}
			return a, true
		}
	}
	return answer{}, false
}

// checkSuspended checks that a suspended account cannot log in and is told the reason.
func (r *reader) checkSuspended(a *account) {
	someone := harness.NewVisitor(r.t, r.visitor.Base)
	p := someone.TryLogIn(a.name.possible[0], stormPassword)
	if p.URL.Path == "/" || !strings.Contains(p.Text(), suspensionReason) {
		r.fail(a.names, "%v is suspended, but a log-in leads to %s with status %d", a.names, p.URL, p.Status)
	}
}
