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

	"inkfeed/cosmos/costs"
	"inkfeed/web/cli/systemtest/harness"
)

// TestStormLosesNoAcknowledgedWrite checks that storage failures undo no acknowledged write, and that every copy
// becomes current.
func TestStormLosesNoAcknowledgedWrite(t *testing.T) {
	s := newStorm(t)
	s.run()
	s.check()
}

func TestStormWithKilledProcessLosesNoAcknowledgedWrite(t *testing.T) {
	harness.OnlyExhaustive(t)
	s := newStorm(t)
	random := rand.New(rand.NewPCG(s.seed, harness.StormClients))
	s.run(func() {
		// After the last kill the other process has time to take over before the storm ends. On a slow machine the
		// storm continues until two kills have happened.
		for s.remaining() > 2*killEvery || s.kills < 2 && s.running() {
			s.wait(killEvery/2 + time.Duration(random.Int64N(int64(killEvery))))
			s.processes[1].kill(t)
			s.kills++
			s.history.add("process 1 was killed")
			s.processes[1].start(t)
		}
	})
	if s.kills < 2 {
		t.Errorf("the process was killed only %d times", s.kills)
	}
	s.check()
}

// TestStormOnSplitPagesLosesNoAcknowledgedWrite uses an engine that ends pages of queries and change feeds at random
// places, as the service may.
func TestStormOnSplitPagesLosesNoAcknowledgedWrite(t *testing.T) {
	harness.OnlyExhaustive(t)
	s := newStorm(t, "--split-pages", fmt.Sprint(harness.ChaosSeed(t)|1))
	s.run()
	s.check()
}

// TestStormWithoutAKeyLosesNoAcknowledgedWrite runs everything with the tokens of an identity, and fails if a request
// concerns the control plane.
func TestStormWithoutAKeyLosesNoAcknowledgedWrite(t *testing.T) {
	harness.OnlyExhaustive(t)
	s := newStormOn(t, harness.WithoutKey(t, "--ranges", "3"))
	s.run()
	s.check()
}

// killEvery is the mean interval between two kills.
const killEvery = 1500 * time.Millisecond

func TestStormWithSplitFeedRangesLosesNoAcknowledgedWrite(t *testing.T) {
	harness.OnlyExhaustive(t)
	s := newStorm(t)
	s.run(func() {
		containers := []string{"posts", "users", "feed", "posts", "leases", "users"}
		pause := s.remaining() / time.Duration(len(containers)+1)
		for _, container := range containers {
			s.wait(pause)
			out := harness.RunCommand(t, s.env, "split", "--container", container)
			s.history.add("split of %s: %s", container, out)
			if strings.Count(out, container+" now has range") != 2 {
				t.Errorf("the command split does not print two new ranges: %s", out)
			}
		}
	})
	s.check()
}

// storm runs two processes on one engine and many clients of both. Each process is behind a proxy that fails a share
// of its storage calls.
type storm struct {
	t         *testing.T
	ctx       context.Context
	seed      uint64
	time      time.Duration
	end       time.Time
	env       map[string]string // connects to the engine without a proxy
	proxies   []*faultProxy
	processes []*process
	transport *http.Transport
	clients   []*client
	reactions *reactions
	follows   follows
	site      *siteIdentity
	host      *http.Cookie // session of the administrator, who only reads and moderates
	history   history
	requests  atomic.Int64
	failures  atomic.Int64
	disturbed atomic.Bool // all disturbances have ended
	kills     int         // how often a process was killed
	mails     *mailServer

	costsBefore map[costs.Span]costs.Figures // stored before the processes began

	mu           sync.Mutex
	posts        []*post        // acknowledged posts, oldest first
	comments     []*comment     // acknowledged comments, oldest first
	acknowledged map[string]int // number of acknowledged writes of each kind
}

// process is a server that tests kill and restart at another address.
type process struct {
	env     map[string]string
	now     atomic.Pointer[harness.Process]
	logs    harness.Logs
	stopped sync.Once
}

// newStorm starts an engine with additional flags, the processes and the clients.
func newStorm(t *testing.T, engineFlags ...string) *storm {
	t.Helper()
	return newStormOn(t, harness.OnEngine(t, append([]string{"--ranges", "3"}, engineFlags...)...))
}

// newStormOn starts the processes and the clients on the account of an environment.
func newStormOn(t *testing.T, env map[string]string) *storm {
	t.Helper()
	s := &storm{t: t, ctx: t.Context(), seed: harness.ChaosSeed(t), time: harness.ChaosTime(t),
		reactions: newReactions(), acknowledged: make(map[string]int),
		transport: &http.Transport{MaxIdleConnsPerHost: harness.StormClients}}
	t.Cleanup(s.transport.CloseIdleConnections)
	t.Cleanup(func() {
		if t.Failed() {
			s.history.save(t)
		}
	})
	s.env, s.site = env, newSiteIdentity()
	harness.RunCommand(t, s.env, "seed", "--users", "5") // fills the feed
	base, stop := harness.Serve(t, s.env, "--addr", "127.0.0.1:0")
	host := harness.NewVisitor(t, base)
	host.SignUp("host") // the first user becomes the administrator, who cannot delete the account
	s.host = sessionOf(t, host)
	stop()
	s.costsBefore = make(map[costs.Span]costs.Figures)
	for _, span := range costs.Spans() {
		s.costsBefore[span] = s.storedCosts(span)
	}
	s.startMailServer(t, s.env)
	delay := min(2*time.Second, s.time/10)
	for i := range harness.StormProcesses {
		// One process uses HTTP/2 for storage calls, and the other one HTTP/1.1.
		proxy := newFaultProxy(t, s.env["COSMOS_ENDPOINT"], i == 0, s.seed+uint64(i), delay,
			func(what string) { s.history.add("process %d writes: %s", i, what) })
		env := harness.With(s.env, "COSMOS_ENDPOINT", proxy.url)
		env["INKFEED_SCHEDULE_POLL"] = "200ms"
		env["INKFEED_IDLE_AFTER"] = (silence / 3).String()
		if i == 1 { // this process uses tokens, the other one the key
			env["COSMOS_KEY"] = ""
		}
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

// run lets the clients act and runs the disturbances, one after another, until the time is over.
func (s *storm) run(disturbances ...func()) {
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
		reading.Go(s.readShells)
		s.each((*client).run)
		reading.Wait()
	}()
	for _, disturb := range disturbances {
		disturb()
	}
	s.disturbed.Store(true)
	<-over
	for _, p := range s.proxies {
		p.stopFaults()
	}
	injected, passed := countFaults(s.proxies...)
	s.t.Logf("%d storage calls passed; injected faults: %v", passed, injected)
	if missing := missingFaults(s.proxies...); len(missing) > 0 {
		s.t.Errorf("these faults were never injected: %v", missing)
	}
	s.t.Logf("acknowledged: %v of %d requests", s.acknowledged, s.requests.Load())
	if missing := s.missingWrites(); len(missing) > 0 {
		s.t.Errorf("no write of these kinds was acknowledged: %v", missing)
	}
}

// each calls a function for all clients at once and waits for all calls.
func (s *storm) each(do func(*client)) {
	var group sync.WaitGroup
	for _, c := range s.clients {
		group.Go(func() { do(c) })
	}
	group.Wait()
}

func (s *storm) remaining() time.Duration { return time.Until(s.end) }

// running reports whether clients continue: there is time left and there are few failures. On a slow machine the storm
// continues until it is complete, at most for maxOvertime.
func (s *storm) running() bool {
	s.keepSilent()
	over := s.remaining()
	return s.failures.Load() < maxFailures && (over > 0 || over > -maxOvertime && !s.isComplete())
}

// During the last silence of each silenceEvery no client sends a request, so that the processes become idle: they
// release their leases, and hardly read.
const silence, silenceEvery = 1500 * time.Millisecond, 6 * time.Second

// keepSilent waits for the end of a silence.
func (s *storm) keepSilent() {
	if at := time.Since(s.history.begin) % silenceEvery; at > silenceEvery-silence {
		s.wait(silenceEvery - at)
	}
}

// maxOvertime limits how long a storm continues after its end on a slow machine.
const maxOvertime = 3 * time.Minute

// isComplete reports whether all disturbances have ended, each fault was injected, and the clients sent many requests
// and had a write of each kind acknowledged.
func (s *storm) isComplete() bool {
	return s.disturbed.Load() && s.requests.Load() > 40*harness.StormClients && len(missingFaults(s.proxies...)) == 0 &&
		len(s.missingWrites()) == 0
}

// record counts an acknowledged write.
func (s *storm) record(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acknowledged[kind]++
}

// missingWrites returns the kinds of writes that have not been acknowledged yet.
func (s *storm) missingWrites() (missing []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range []string{
		"sign-up", "rename", "display name", "delete account", "suspend", "restore account",
		"publish", "edit", "draft", "unpublish", "delete post",
		"schedule", "cancel schedule", "reschedule", "scheduled post published",
		"comment", "delete comment", "like", "unlike", "bookmark", "unbookmark", "mute", "unmute",
		"hide post", "restore post", "hide comment", "restore comment", "hold", "approve",
		"publish page", "unpublish page", "delete page", "site name", "site logo", "site picture read",
		"pin", "unpin", "change email", "follow", "unfollow", "read the personal feed",
		"page from a cache", "shell from a cache",
	} {
		if s.acknowledged[kind] == 0 {
			missing = append(missing, kind)
		}
	}
	return missing
}

// wait pauses between two disturbances.
func (s *storm) wait(d time.Duration) { <-time.After(d) }

func (s *storm) addPost(p *post) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts = append(s.posts, p)
}

func (s *storm) addComment(m *comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.comments = append(s.comments, m)
}

// randomComment returns one of the last comments, which may be deleted.
func (s *storm) randomComment(random *rand.Rand) *comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.comments)
	if n == 0 {
		return nil
	}
	return s.comments[n-1-random.IntN(min(n, 20))]
}

// randomPost returns a post, which may be deleted. Mostly it is one of the newest, so that many clients meet there.
func (s *storm) randomPost(random *rand.Rand) *post {
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

// maxFailures limits the number of reported failures.
const maxFailures = 10

// fail fails the test and prints the events that mention one of the words.
func (s *storm) fail(about []string, format string, args ...any) {
	if s.failures.Add(1) > maxFailures {
		return
	}
	s.t.Errorf("%s\nevents:\n%s", fmt.Sprintf(format, args...), s.history.about(about...))
}

// logged returns the log lines of all processes about a request.
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
	s.OpsAddress = strings.TrimPrefix(strings.TrimSuffix(harness.PrintedAddress.FindString(line), "/"), "http://")
	if s.OpsAddress == "" {
		t.Errorf("the server prints %q, want the address of its metrics: %v", line, err)
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

// stop stops the process for good with SIGTERM.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.stopped.Do(func() {
		if err := p.now.Load().Stop(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if t.Failed() {
			t.Logf("warnings in the log of the server:\n%s", p.logs.Warnings())
		}
	})
}
