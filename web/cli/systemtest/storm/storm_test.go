package storm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// Whatever the service, the network and the machines do, what a visitor was told is
// done stays done, and every copy comes right.
func TestStorm(t *testing.T) {
	s := newStorm(t)
	s.blow()
	s.check()
}

func TestStormWhileAProcessIsKilledAgainAndAgain(t *testing.T) {
	harness.OnlyExhaustive(t)
	s := newStorm(t)
	random, kills := rand.New(rand.NewPCG(s.seed, harness.StormClients)), 0
	s.blow(func() {
		// The last one leaves the survivor time to take over before the storm ends, which
		// on a slow machine goes on for two.
		for s.remaining() > 2*killEvery || kills < 2 && s.blowing() {
			s.wait(killEvery/2 + time.Duration(random.Int64N(int64(killEvery))))
			s.processes[1].kill(t)
			kills++
			s.history.add("process 1 was killed")
			s.processes[1].start(t)
		}
	})
	if kills < 2 {
		t.Errorf("only %d kills", kills)
	}
	s.check()
}

// The engine ends the pages of queries and change feeds at random places, as the service may.
func TestStormOnSplitPages(t *testing.T) {
	harness.OnlyExhaustive(t)
	s := newStorm(t, "--split-pages", fmt.Sprint(harness.ChaosSeed(t)|1))
	s.blow()
	s.check()
}

const killEvery = 1500 * time.Millisecond

func TestStormWhileFeedRangesSplit(t *testing.T) {
	harness.OnlyExhaustive(t)
	s := newStorm(t)
	s.blow(func() {
		containers := []string{"posts", "users", "feed", "posts", "leases", "users"}
		pause := s.remaining() / time.Duration(len(containers)+1)
		for _, container := range containers {
			s.wait(pause)
			out := harness.RunCommand(t, s.env, "split", "--container", container)
			s.history.add("split of %s: %s", container, out)
			if strings.Count(out, container+" now has range") != 2 {
				t.Errorf("split says: %s", out)
			}
		}
	})
	s.check()
}

// storm is two processes on one engine, each behind a proxy that fails a share of
// its storage calls, and many clients of both.
type storm struct {
	t         *testing.T
	ctx       context.Context
	seed      uint64
	time      time.Duration
	end       time.Time
	env       map[string]string // of the engine, without a proxy
	proxies   []*faultProxy
	processes []*process
	transport *http.Transport
	clients   []*client
	marks     *marks
	host      *http.Cookie // of the session of somebody who only reads
	history   history
	requests  atomic.Int64
	failures  atomic.Int64
	disturbed atomic.Bool // by all that disturbs it

	mu           sync.Mutex
	posts        []*post        // that somebody was told of, in that order
	comments     []*comment     // as are these
	acknowledged map[string]int // how often each kind of write was
}

// process is a server that may be killed and started again, at another address.
type process struct {
	env     map[string]string
	now     atomic.Pointer[harness.Process]
	logs    harness.Logs
	stopped sync.Once
}

// newStorm starts the engine with these additional flags.
func newStorm(t *testing.T, engineFlags ...string) *storm {
	t.Helper()
	s := &storm{t: t, ctx: t.Context(), seed: harness.ChaosSeed(t), time: harness.ChaosTime(t),
		marks: newMarks(), acknowledged: make(map[string]int), transport: &http.Transport{MaxIdleConnsPerHost: harness.StormClients}}
	t.Cleanup(s.transport.CloseIdleConnections)
	s.env = harness.OnEngine(t, append([]string{"--ranges", "3"}, engineFlags...)...)
	harness.RunCommand(t, s.env, "seed", "--users", "5") // so that the feed is full
	base, stop := harness.Serve(t, s.env, "--addr", "127.0.0.1:0")
	host := harness.NewVisitor(t, base)
	host.SignUp("host") // who administers the site, and so alone may not leave
	s.host = sessionOf(t, host)
	stop()
	patience := min(2*time.Second, s.time/10)
	for i := range harness.StormProcesses {
		// One process speaks HTTP/2 with its account, the other one HTTP/1.1.
		proxy := newFaultProxy(t, s.env["COSMOS_ENDPOINT"], i == 0, s.seed+uint64(i), patience,
			func(what string) { s.history.add("process %d writes: %s", i, what) })
		env := harness.With(s.env, "COSMOS_ENDPOINT", proxy.url)
		env["INKFEED_SCHEDULE_POLL"] = "200ms"
		for name, value := range harness.QuickLeases {
			env[name] = value
		}
		p := &process{env: env}
		p.start(t)
		t.Cleanup(func() { p.stop(t) })
		s.proxies, s.processes = append(s.proxies, proxy), append(s.processes, p)
	}
	for i := range harness.StormClients {
		s.clients = append(s.clients, newClient(s, i))
	}
	return s
}

// blow lets the clients act until the time is over, and disturbances beside them.
func (s *storm) blow(disturbances ...func()) {
	s.history.begin = time.Now()
	s.each(func(c *client) {
		for c.account == nil && s.failures.Load() < maxFailures {
			c.signUp()
		}
	})
	s.end = time.Now().Add(s.time)
	over := make(chan struct{})
	s.disturbed.Store(len(disturbances) == 0)
	go func() {
		defer close(over)
		var reading sync.WaitGroup
		reading.Go(s.readFrames)
		s.each((*client).run)
		reading.Wait()
	}()
	for _, disturb := range disturbances {
		disturb()
	}
	s.disturbed.Store(true)
	<-over
	for _, p := range s.proxies {
		p.calm()
	}
	injected, passed := countFaults(s.proxies...)
	s.t.Logf("%d storage calls passed; failed on purpose: %v", passed, injected)
	if missing := missingFaults(s.proxies...); len(missing) > 0 {
		s.t.Errorf("no call was failed by %v", missing)
	}
	s.t.Logf("acknowledged: %v of %d requests", s.acknowledged, s.requests.Load())
	if missing := s.missingWrites(); len(missing) > 0 {
		s.t.Errorf("the storm made no %v", missing)
	}
}

func (s *storm) each(do func(*client)) {
	var group sync.WaitGroup
	for _, c := range s.clients {
		group.Go(func() { do(c) })
	}
	group.Wait()
}

func (s *storm) remaining() time.Duration { return time.Until(s.end) }

// blowing reports whether there is time left, and not too much went wrong already.
// On a slow machine the storm goes on until it was one.
func (s *storm) blowing() bool {
	over := s.remaining()
	return s.failures.Load() < maxFailures && (over > 0 || over > -slowStorm && !s.enough())
}

// slowStorm is the time after its end in which a storm on a slow machine may still reach what it has to.
const slowStorm = 3 * time.Minute

// enough tells whether all that disturbs it has, each fault came about, and the clients
// did a good deal, and something of each kind.
func (s *storm) enough() bool {
	return s.disturbed.Load() && s.requests.Load() > 40*harness.StormClients && len(missingFaults(s.proxies...)) == 0 &&
		len(s.missingWrites()) == 0
}

// did notes a write that was acknowledged.
func (s *storm) did(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acknowledged[kind]++
}

// missingWrites are the kinds of which none was acknowledged yet.
func (s *storm) missingWrites() (missing []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range []string{"sign-up", "rename", "publish", "edit", "draft", "unpublish", "comment", "like", "unlike",
		"bookmark", "unbookmark", "display name", "schedule", "cancel schedule", "reschedule", "scheduled post published",
		"hide post", "restore post", "hide comment", "restore comment", "hold", "approve", "suspend", "restore account", "delete comment", "delete post", "delete account", "page from a cache", "frame from a cache"} {
		if s.acknowledged[kind] == 0 {
			missing = append(missing, kind)
		}
	}
	return missing
}

// wait is the pace of what is done to the processes.
func (s *storm) wait(d time.Duration) { <-time.After(d) }

func (s *storm) publish(p *post) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts = append(s.posts, p)
}

func (s *storm) heard(m *comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.comments = append(s.comments, m)
}

// anyComment picks one of the last comments, which may be gone.
func (s *storm) anyComment(random *rand.Rand) *comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.comments)
	if n == 0 {
		return nil
	}
	return s.comments[n-1-random.IntN(min(n, 20))]
}

// anyPost picks a post that may be gone, mostly one that many pick.
func (s *storm) anyPost(random *rand.Rand) *post {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.posts)
	if n == 0 {
		return nil
	}
	if random.IntN(3) > 0 {
		return s.posts[n-1-random.IntN(min(n, 10))]
	}
	return s.posts[random.IntN(n)]
}

const maxFailures = 10

// fail fails the test, with what was done before to what the words name.
func (s *storm) fail(about []string, format string, args ...any) {
	if s.failures.Add(1) > maxFailures {
		return
	}
	s.t.Errorf("%s\nwhat happened:\n%s", fmt.Sprintf(format, args...), s.history.about(about...))
}

// logged is what the processes logged about a request.
func (s *storm) logged(request string) string {
	var found []string
	for i, p := range s.processes {
		for _, line := range strings.Split(p.logs.String(), "\n") {
			if request != "" && strings.Contains(line, request) {
				found = append(found, fmt.Sprintf("process %d: %s", i, line))
			}
		}
	}
	return strings.Join(found, "\n")
}

func (p *process) start(t *testing.T) {
	t.Helper()
	s := harness.Spawn(t, p.env, &p.logs, "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0")
	line, err := s.Stdout.ReadString('\n')
	if s.OpsAddress = strings.TrimPrefix(strings.TrimSuffix(harness.PrintedAddress.FindString(line), "/"), "http://"); s.OpsAddress == "" {
		t.Errorf("a server says %q, not where its operators look: %v", line, err)
	}
	p.now.Store(s)
}

// kill ends the process as if the machine had lost power.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.now.Load().Kill(); err != nil {
		t.Error(err)
	}
}

// stop ends the process for good, as its operator would.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.stopped.Do(func() {
		if err := p.now.Load().Stop(); err != nil {
			t.Errorf("a server ended with %v", err)
		}
		if t.Failed() {
			t.Logf("log of a server, as far as it warns:\n%s", p.logs.Warnings())
		}
	})
}
