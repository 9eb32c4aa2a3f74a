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

// minimumTexts is the oldest text of each post that a server may still show to anonymous visitors, as an index of the
// post's texts. A server that was restarted is another one.
type minimumTexts map[*harness.Process]map[*post]int

// notShown is the minimum of a post that is deleted or hidden, so that no text may be shown.
const notShown = math.MaxInt

// recordWrite records that a server has acknowledged a text. This server must show it at once, and others within
// maxStaleness. A server that has acknowledged the removal of a post may only show a later text.
func (l minimumTexts) recordWrite(s *harness.Process, p *post, place int) {
	p.acknowledged = append(p.acknowledged, acknowledgedText{place, time.Now()})
	for _, minimum := range l {
		if minimum[p] == notShown {
			minimum[p] = place
		}
	}
	l.recordRead(s, p, place)
}

// acknowledgedText is an acknowledged text of a post, or the acknowledged removal of the post.
type acknowledgedText struct {
	place int
	at    time.Time
}

// shows reports whether a write made a post visible, or changed its text.
func shows(t acknowledgedText) bool { return t.place < notShown }

// recordRead records that a server has shown a text.
func (l minimumTexts) recordRead(s *harness.Process, p *post, place int) {
	if l[s] == nil {
		l[s] = make(map[*post]int)
	}
	l[s][p] = place
}

// readAnonymously reads a post as an anonymous visitor, mostly from a cache. The page may be older than a write that
// the other server acknowledged within maxStaleness. It is never older than a write that the same server acknowledged,
// or than a page that the same server has shown.
func (c *client) readAnonymously() {
	p := c.ownPost()
	if c.random.IntN(2) == 0 {
		p = c.storm.randomPost(c.random)
	}
	if p != nil {
		c.readAt(c.random.IntN(harness.StormProcesses), p, c.randomPage())
	}
}

// readAtEachProcess reads a page of a post anonymously at each process. Clients do this before a change, so that the
// caches hold an entry to invalidate, and again after it.
func (c *client) readAtEachProcess(p *post, page string) {
	for process := range harness.StormProcesses {
		c.readAt(process, p, page)
	}
}

// randomPage returns one of the pages of a post, as a suffix of its path.
func (c *client) randomPage() string {
	return []string{"", "", "/comments", "/likes"}[c.random.IntN(4)]
}

// readAt reads a page of a post anonymously at a process and checks it.
func (c *client) readAt(process int, p *post, page string) {
	if p.author == c.account && len(p.texts) == 0 {
		return
	}
	anonymous := *c
	anonymous.http.Jar = nil
	l := pageRead{server: c.storm.processes[process].now.Load(), asked: time.Now()}
	var a answer
	for path := p.path() + page; path != ""; path = a.location {
		var id string
		var err error
		a, id, err = anonymous.sendTo(process, 30*time.Second, http.MethodGet, path, nil)
		c.storm.history.add("client %d anonymously, process %d: GET %s: %d %s, cache %s (request %s) %v",
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
		c.storm.record("page from a cache")
	}
	if p.author == c.account && page == "" {
		c.textProblem(p, a, l)
	}
	c.checkReactions(p, page, a, l)
}

// textProblem checks that a server shows a text of the account's post that is not older than the minimum.
func (c *client) textProblem(p *post, a answer, l pageRead) {
	about := []string{p.id, p.token}
	shown := shownText(a.page)
	place := slices.IndexFunc(p.texts, func(t text) bool { return t == shown })
	least, known := c.minimum[l.server][p]
	for i, told := range slices.Backward(p.acknowledged) {
		if told.at.Add(maxStaleness).Before(l.asked) { // every server must show this text, or a later one
			if !slices.ContainsFunc(p.acknowledged[i+1:], shows) || told.place < notShown {
				least, known = max(least, told.place), true
			}
			break
		}
	}
	switch {
	case place < 0:
		c.storm.fail(about, "post %s shows anonymous visitors %+v, which no client published", p.token, shown)
	case known && place < least && (least < notShown || p.unseen()): // a later edit may show the post again
		c.storm.fail(about, "post %s shows anonymous visitors %+v, which is older than the minimum of the server",
			p.token, shown)
	default:
		c.minimum.recordRead(l.server, p, place)
	}
}

// readCount is the number of comments or likes on a page.
type readCount struct {
	pageRead
	count int
}

// countKey identifies a count that a client reads several times.
type countKey struct {
	server *harness.Process
	post   *post
	kind   reactionKind
}

// checkReactions checks that a page shows and counts the current comments and likes, or those of at most maxStaleness
// ago. Writes that the same server acknowledged take effect at once. A count may only fall because of removals.
func (c *client) checkReactions(p *post, page string, a answer, l pageRead) {
	about := []string{p.id, p.token}
	lines := map[string]map[reactionKind]string{
		"":          {commentReaction: "#Page-comments-title", likeReaction: ".liked-by"},
		"/comments": {commentReaction: "h1"},
		"/likes":    {likeReaction: "h1"},
	}[page]
	for kind, line := range lines {
		n, ok := shownCount(harness.Text(a.page.Find(line)), string(kind))
		if !ok {
			c.storm.fail(about, "post %s%s does not show the number of %ss: %s", p.token, page, kind,
				harness.Text(a.page.Find(line)))
			continue
		}
		key := countKey{l.server, p, kind}
		var earlier *pageRead
		last, again := c.counts[key]
		if again {
			earlier = &last.pageRead
		}
		e := c.storm.reactions.expected(p, kind, l, earlier)
		switch {
		case n < e.least || n > e.most:
			c.storm.fail(about, "post %s shows anonymous visitors %d %ss, want %d to %d", p.token, n, kind, e.least,
				e.most)
		case again && n < last.count-e.fewer:
			c.storm.fail(about,
				"post %s shows anonymous visitors %d %ss after %d at the same server, of which %d may be removed",
				p.token, n, kind, last.count, e.fewer)
		}
		c.counts[key] = readCount{l, n}
		if kind == commentReaction {
			c.checkComments(p, a, e)
		}
	}
}

// checkComments checks that a page shows the comments that must be there and no removed comment.
func (c *client) checkComments(p *post, a answer, e expected) {
	shown := make(map[string]bool)
	a.page.Find("#Page-comment-list .comment .prose").Each(func(_ int, text *goquery.Selection) {
		word, _, _ := strings.Cut(harness.Text(text), " ")
		shown[word] = true
	})
	all := a.page.Find("#Page-more").Length() == 0 && a.page.Find("nav.pager").Length() == 0
	for _, word := range e.present {
		if all && !shown[word] {
			c.storm.fail([]string{p.id, p.token, word}, "post %s does not show anonymous visitors comment %s", p.token,
				word)
		}
	}
	for _, word := range e.absent {
		if shown[word] {
			c.storm.fail([]string{p.id, p.token, word},
				"post %s shows anonymous visitors comment %s, which was deleted", p.token, word)
		}
	}
}

// shownCount parses a line such as "1,234 likes" or "No likes yet".
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

// checkCaches checks, after the storm, that the cached pages of each server equal newly rendered pages, and that they
// show anonymous visitors all acknowledged texts.
func (s *storm) checkCaches() {
	s.t.Helper()
	for i, p := range s.processes {
		server := p.now.Load()
		s.verifyPages(i) // cached during the storm; afterwards the server has read all changes
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
		r.checkSiteContent()
		s.verifyPages(i)
	}
}

// verifyPages compares the cached pages of a process with newly rendered ones.
func (s *storm) verifyPages(process int) {
	s.t.Helper()
	out, err := harness.Try(s.t, nil, "verify", "--pages", s.processes[process].now.Load().OpsAddress, "--rate", "0")
	if err != nil {
		s.t.Errorf("verify --pages of process %d: %v\n%s", process, err, out)
		return
	}
	s.t.Logf("process %d: %s", process, strings.TrimSpace(out))
}
