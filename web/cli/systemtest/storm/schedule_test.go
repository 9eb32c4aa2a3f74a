package storm

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// scheduled is the state of a post that is scheduled to be published. Until then its author only
// reschedules or cancels it.
type scheduled struct {
	at   time.Time // zero: it is not scheduled
	sure bool      // that time is the only possible one
}

// soon returns a time within the next seconds, in whole seconds as in a form.
func (c *client) soon() time.Time {
	return time.Now().UTC().Add(time.Duration(2000+c.random.IntN(2500)) * time.Millisecond).Truncate(time.Second)
}

// atTime sets the time of publication in a form.
func atTime(form url.Values, at time.Time) url.Values {
	form.Set("publishDate", at.Format("2006-01-02T15:04:05"))
	form.Set("zone", "UTC")
	return form
}

// schedule schedules a new post, or checks a post that was scheduled.
func (c *client) schedule() {
	due := slices.DeleteFunc(slices.Clone(c.account.posts), func(p *post) bool { return p.due.at.IsZero() })
	if len(due) > 0 && c.random.IntN(2) == 0 {
		c.lookFor(due[c.random.IntN(len(due))])
		return
	}
	p := &post{token: c.token("post"), author: c.account, deleted: newRegister(false), hidden: newRegister(true),
		held: newRegister(false)}
	t := text{p.token + " is scheduled", c.sentence(p.token), c.tags()}
	at, id := c.soon(), domain.NewID()
	c.account.posts = append(c.account.posts, p)
	form := atTime(url.Values{"title": {t.title}, "content": {t.content}, "tags": {typedTags(t.tags)}, "post": {id},
		"revision": {"0"}, "version": {"0"}, "do": {"schedule"}}, at)
	a, o, _ := c.writeWithRetries("schedule "+p.token, "/posts", form,
		http.StatusConflict, http.StatusUnprocessableEntity)
	if a.status == http.StatusUnprocessableEntity { // the time has passed, and this attempt saved nothing
		o = unknownOutcome
	}
	p.form, p.text, p.texts = newRegister(t), newRegister(t), []text{t}
	p.hidden.suspect(false, 0)
	if o != done {
		return // the outcome is unknown, and the post is not used any more
	}
	p.id, p.due = strings.Split(a.location, "/")[2], scheduled{at, true}
	c.storm.history.add("scheduled post %s is %s, for %s", p.id, p.token, at)
	c.storm.addPost(p)
	c.storm.record("schedule")
	if c.random.IntN(2) == 0 {
		c.changeSchedule(p)
	}
}

// lookFor checks whether a scheduled post has been published.
func (c *client) lookFor(p *post) {
	a := c.get("look for "+p.token, p.path(), http.StatusNotFound)
	if a.status == http.StatusOK || a.status == http.StatusMovedPermanently {
		c.published(p)
	}
}

// changeSchedule gives a scheduled post another time, or cancels it.
func (c *client) changeSchedule(p *post) {
	form, ok := c.form(p)
	if !ok || form.Get("revision") != "0" {
		return
	}
	t := p.text.possible[0]
	if c.random.IntN(2) == 0 {
		c.reschedule(p, form, t)
		return
	}
	switch _, o := c.submit(p, form, "unschedule", t); o {
	case done:
		p.due, p.text = scheduled{}, register[text]{}
		p.hidden.acknowledge(true)
		c.storm.record("cancel schedule")
	case unknownOutcome:
		p.due.sure = false
	}
}

func (c *client) reschedule(p *post, form url.Values, t text) {
	at := c.soon()
	switch _, o := c.submit(p, atTime(form, at), "schedule", t); o {
	case done:
		p.due = scheduled{at, true}
		c.storm.record("reschedule")
	case unknownOutcome:
		p.due.sure = false
	}
}

// published records that a scheduled post has been published.
func (c *client) published(p *post) {
	p.due, p.firstOnly = scheduled{}, true
	p.hidden.acknowledge(false)
	c.storm.record("scheduled post published")
}

// awaitScheduled checks that, after all failures have ended, each scheduled post of an existing
// account is published at its time.
func (s *storm) awaitScheduled() {
	s.t.Helper()
	for _, c := range s.clients {
		for _, a := range c.accounts {
			for _, p := range a.posts {
				if p.due.at.IsZero() || !p.due.sure || !a.deleted.is(false) || !a.suspended.untouched() {
					continue
				}
				reader := harness.NewVisitor(s.t, s.processes[0].now.Load().Address)
				harness.Eventually(s.t, "post "+p.token+" is published at "+p.due.at.String(), func() bool {
					found, err := reader.Ask(http.MethodGet, p.path(), "", nil)
					return err == nil && found.Status == http.StatusOK
				})
				c.published(p)
			}
		}
	}
}
