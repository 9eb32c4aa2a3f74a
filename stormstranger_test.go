package main

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// leastSeen is how new a post is at least that a server shows to strangers from now on, as a
// place among the post's texts. Servers that were killed are others afterwards.
type leastSeen map[*spawned]map[*post]int

// never is of a post that nobody is shown any more.
const never = math.MaxInt

// wrote notes what a server has acknowledged: its own cache has it at once.
func (l leastSeen) wrote(s *spawned, p *post, place int) {
	if l[s] == nil {
		l[s] = make(map[*post]int)
	}
	l[s][p] = place
}

// readAsStranger reads a post of the account as somebody whom no server knows, and so mostly
// from a cache. It may be older than what the other server has acknowledged, and never older
// than what this one has, or has shown from its cache before.
func (c *client) readAsStranger() {
	if p := c.own(); p != nil {
		c.readAt(c.random.IntN(stormProcesses), p)
	}
}

// readAround reads a post as a stranger at each process, before a change of it and again after
// that: so there is something to drop.
func (c *client) readAround(p *post) {
	for process := range stormProcesses {
		c.readAt(process, p)
	}
}

func (c *client) readAt(process int, p *post) {
	if len(p.texts) == 0 {
		return
	}
	stranger := *c
	stranger.http.Jar = nil
	server := c.storm.processes[process].now.Load()
	var a answer
	for path := p.path(); path != ""; path = a.location {
		var id string
		var err error
		a, id, err = stranger.sendTo(process, 30*time.Second, http.MethodGet, path, nil)
		c.storm.history.add("client %d as a stranger, process %d: GET %s: %d %s, cache %s (request %s) %v",
			c.number, process, path, a.status, a.location, a.cache, id, err)
		if err != nil || a.from != server || strings.Contains(a.cache, "bypass") {
			return
		}
	}
	if a.status != http.StatusOK {
		return
	}
	about := []string{p.id, p.token}
	shown := shownText(a.page)
	place := slices.IndexFunc(p.texts, func(t text) bool { return t == shown })
	least, known := c.least[server][p]
	switch {
	case place < 0:
		c.storm.fail(about, "post %s shows strangers %+v, which nobody published", p.token, shown)
	case known && place < least && (least < never || p.unseen()): // a later edit may show it again
		c.storm.fail(about, "post %s shows strangers %+v, after a newer one at the same server", p.token, shown)
	default:
		c.least.wrote(server, p, place)
	}
}

// checkCaches holds that when all is calm what the servers keep is what they would make anew,
// and that strangers are shown what the clients were told.
func (s *storm) checkCaches() {
	s.t.Helper()
	for i, p := range s.processes {
		server := p.now.Load()
		s.verifyPages(i) // of the storm; after it all changes were heard of
		r := &reader{storm: s, visitor: newVisitor(s.t, server.address)}
		r.visitor.http.Transport = s.transport
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
	out, err := start(s.t, nil, "verify", "--pages", s.processes[process].now.Load().inside, "--rate", "0")
	if err != nil {
		s.t.Errorf("verify --pages of process %d: %v\n%s", process, err, out)
		s.history.keep(s.t)
		return
	}
	s.t.Logf("process %d: %s", process, strings.TrimSpace(out))
}
