package storm

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/web/cli/systemtest/harness"
)

// leastSeen is how new a post is at least that a server shows to strangers from now on, as a
// place among the post's texts. Servers that were killed are others afterwards.
type leastSeen map[*harness.Process]map[*post]int

// never is of a post that nobody is shown any more.
const never = math.MaxInt

// wrote notes what a server has acknowledged: its own cache has it at once, others' soon.
func (l leastSeen) wrote(s *harness.Process, p *post, place int) {
	p.told = append(p.told, toldText{place, time.Now()})
	l.saw(s, p, place)
}

// toldText is that an author was told of a text of a post, or that there is none any more.
type toldText struct {
	place int
	at    time.Time
}

// saw notes what a server has shown.
func (l leastSeen) saw(s *harness.Process, p *post, place int) {
	if l[s] == nil {
		l[s] = make(map[*post]int)
	}
	l[s][p] = place
}

// readAsStranger reads a post as somebody whom no server knows, and so mostly from a cache. It
// may be older than what the other server has acknowledged, for a moment, and never older than
// what this one has, or has shown from its cache before.
func (c *client) readAsStranger() {
	p := c.own()
	if c.random.IntN(2) == 0 {
		p = c.storm.anyPost(c.random)
	}
	if p != nil {
		c.readAt(c.random.IntN(harness.StormProcesses), p, c.anyPage())
	}
}

// readAround reads a page of a post as a stranger at each process, before a change of it and
// again after that: so there is something to drop.
func (c *client) readAround(p *post, page string) {
	for process := range harness.StormProcesses {
		c.readAt(process, p, page)
	}
}

// anyPage is one of the pages of a post.
func (c *client) anyPage() string { return []string{"", "", "/comments", "/likes"}[c.random.IntN(4)] }

func (c *client) readAt(process int, p *post, page string) {
	if p.author == c.account && len(p.texts) == 0 {
		return
	}
	stranger := *c
	stranger.http.Jar = nil
	l := look{server: c.storm.processes[process].now.Load(), asked: time.Now()}
	var a answer
	for path := p.path() + page; path != ""; path = a.location {
		var id string
		var err error
		a, id, err = stranger.sendTo(process, 30*time.Second, http.MethodGet, path, nil)
		c.storm.history.add("client %d as a stranger, process %d: GET %s: %d %s, cache %s (request %s) %v",
			c.number, process, path, a.status, a.location, a.cache, id, err)
		if err != nil || a.from != l.server || strings.Contains(a.cache, "bypass") {
			return
		}
	}
	l.answered = time.Now()
	if a.status != http.StatusOK {
		return
	}
	if strings.HasPrefix(a.cache, "Inkfeed; hit") {
		c.storm.did("page from a cache")
	}
	if p.author == c.account && page == "" {
		c.checkText(p, a, l)
	}
	c.checkMarks(p, page, a, l)
}

// checkText holds that a post of the account is shown as it is, or was a moment ago.
func (c *client) checkText(p *post, a answer, l look) {
	about := []string{p.id, p.token}
	shown := shownText(a.page)
	place := slices.IndexFunc(p.texts, func(t text) bool { return t == shown })
	least, known := c.least[l.server][p]
	for _, told := range slices.Backward(p.told) {
		if told.at.Add(heardWithin).Before(l.asked) { // by every server
			least, known = max(least, told.place), true
			break
		}
	}
	switch {
	case place < 0:
		c.storm.fail(about, "post %s shows strangers %+v, which nobody published", p.token, shown)
	case known && place < least && (least < never || p.unseen()): // a later edit may show it again
		c.storm.fail(about, "post %s shows strangers %+v, after a newer one at the same server", p.token, shown)
	default:
		c.least.saw(l.server, p, place)
	}
}

// counted is what a look has found of a post.
type counted struct {
	look
	count int
}

// countedAt is what a client has counted last as a stranger.
type countedAt struct {
	server *harness.Process
	post   *post
	kind   markKind
}

// checkMarks holds that comments and likes are shown and counted as they are, or were a moment
// ago: what this server has acknowledged is there, what it has taken back is not, and nothing
// that was seen is gone but what was taken back.
func (c *client) checkMarks(p *post, page string, a answer, l look) {
	about := []string{p.id, p.token}
	lines := map[string]map[markKind]string{"": {commentMark: "#Page-comments-title", likeMark: ".liked-by"},
		"/comments": {commentMark: "h1"}, "/likes": {likeMark: "h1"}}[page]
	for kind, line := range lines {
		n, ok := shownCount(harness.Text(a.page.Find(line)), string(kind))
		if !ok {
			c.storm.fail(about, "post %s%s does not say how many %ss: %s", p.token, page, kind, harness.Text(a.page.Find(line)))
			continue
		}
		key := countedAt{l.server, p, kind}
		var earlier *look
		last, again := c.counted[key]
		if again {
			earlier = &last.look
		}
		e := c.storm.marks.expected(p, kind, l, earlier)
		switch {
		case n < e.least || n > e.most:
			c.storm.fail(about, "post %s shows strangers %d %ss, should be %d to %d", p.token, n, kind, e.least, e.most)
		case again && n < last.count-e.fewer:
			c.storm.fail(about, "post %s shows strangers %d %ss after %d at the same server, of which %d may be gone",
				p.token, n, kind, last.count, e.fewer)
		}
		c.counted[key] = counted{l, n}
		if kind == commentMark {
			c.checkComments(p, a, e)
		}
	}
}

// checkComments holds that the comments on a page are those that should be there.
func (c *client) checkComments(p *post, a answer, e expected) {
	shown := make(map[string]bool)
	a.page.Find("#Page-comment-list .comment .prose").Each(func(_ int, text *goquery.Selection) {
		word, _, _ := strings.Cut(harness.Text(text), " ")
		shown[word] = true
	})
	all := a.page.Find("#Page-more").Length() == 0 && a.page.Find("nav.pager").Length() == 0
	for _, word := range e.present {
		if all && !shown[word] {
			c.storm.fail([]string{p.id, p.token, word}, "post %s does not show strangers comment %s", p.token, word)
		}
	}
	for _, word := range e.absent {
		if shown[word] {
			c.storm.fail([]string{p.id, p.token, word}, "post %s shows strangers comment %s, which was deleted", p.token, word)
		}
	}
}

// shownCount reads "1,234 likes", or "No likes yet".
func shownCount(line, what string) (n int, ok bool) {
	first, rest, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(rest, what) {
		return 0, false
	}
	if first == "No" {
		return 0, true
	}
	n, err := strconv.Atoi(strings.ReplaceAll(first, ",", ""))
	return n, err == nil
}

// checkCaches holds that when all is calm what the servers keep is what they would make anew,
// and that strangers are shown what the clients were told.
func (s *storm) checkCaches() {
	s.t.Helper()
	for i, p := range s.processes {
		server := p.now.Load()
		s.verifyPages(i) // of the storm; after it all changes were heard of
		r := &reader{storm: s, visitor: harness.NewVisitor(s.t, server.Address)}
		r.visitor.HTTP.Transport = s.transport
		var group sync.WaitGroup
		posts := make(chan *post)
		for range 4 {
			group.Go(func() {
				for p := range posts {
					r.seesPost(p)
				}
			})
		}
		for _, p := range s.posts {
			posts <- p
		}
		close(posts)
		group.Wait()
		s.verifyPages(i)
	}
}

func (s *storm) verifyPages(process int) {
	s.t.Helper()
	out, err := harness.Try(s.t, nil, "verify", "--pages", s.processes[process].now.Load().OpsAddress, "--rate", "0")
	if err != nil {
		s.t.Errorf("verify --pages of process %d: %v\n%s", process, err, out)
		s.history.keep(s.t)
		return
	}
	s.t.Logf("process %d: %s", process, strings.TrimSpace(out))
}
