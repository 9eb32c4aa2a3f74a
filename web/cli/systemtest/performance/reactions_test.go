package performance

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

const (
	reactionConnections = 32
	reactionRound       = 4 * time.Second
	reactionPairs       = 15
	reactionsPerRound   = 40
)

// measureReactions measures likes and comments over HTTP: how long they take on one connection, beside the transaction
// that stores a like on an engine in this process, and how many are done a second on 32 connections.
func measureReactions(t *testing.T, p *performance) finding {
	server, posts := p.many.serve(t), p.many.pages().fed
	writers := signedUp(t, server.Address, reactionConnections)
	var details table
	details.row("what", "connections", "median", "99th percentile", "a second", "processor time each", "ratio",
		"copies behind, slowest")
	details.row("---", "---:", "---:", "---:", "---:", "---:", "---:", "---:")

	store, user := openStore(t, p.few.copy(t)), domain.User{ID: "u.performance", Username: "performance"}
	post := p.few.pages().fed[0].ID
	commit := func(n int) time.Duration {
		begin := time.Now()
		var err error
		if n%2 == 0 {
			_, err = store.Posts.Like(t.Context(), domain.NewLike(user, post, begin))
		} else {
			_, err = store.Posts.Unlike(t.Context(), post, user.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return time.Since(begin)
	}
	one := dialAll(t, server.Address, 1)
	like := func(of int) func(wire, n int) []byte {
		return func(wire, n int) []byte {
			at := posts[(wire+n/2)%of]
			return form(fmt.Sprintf("/posts/%s/%s", at.ID, []string{"like", "unlike"}[n%2]), writers[wire].cookie, "")
		}
	}
	var ratios, medians []float64
	for range reactionPairs {
		var commits []float64
		for n := range reactionsPerRound {
			commits = append(commits, commit(n).Seconds())
		}
		l := hammer(t, one, pairRound*2, like(1))
		if l.other(http.StatusSeeOther) > 0 {
			t.Fatalf("the statuses are %v, want only 303", l.statuses)
		}
		medians = append(medians, l.quantile(0.5).Seconds())
		ratios = append(ratios, l.quantile(0.5).Seconds()/median(commits))
	}
	ratio := median(ratios)
	details.row("like, beside the transaction", "1", milliseconds(time.Duration(median(medians)*float64(time.Second))),
		"", "", "", fmt.Sprintf("%.1f", ratio), "")
	comment := func(of int) func(wire, n int) []byte {
		return func(wire, n int) []byte {
			body := url.Values{"content": {fmt.Sprint("A thought, number ", n)}, "attempt": {domain.NewID()}}
			return form("/posts/"+posts[(wire+n)%of].ID+"/comments", writers[wire].cookie, body.Encode())
		}
	}
	wires, probe := dialAll(t, server.Address, reactionConnections), newProbe(t, server.Address)
	for _, load := range []struct {
		what string
		next func(wire, n int) []byte
	}{{"likes, one post", like(1)}, {"likes, 100 posts", like(100)}, {"comments, one post", comment(1)},
		{"comments, 100 posts", comment(100)}} {
		t.Run(strings.ReplaceAll(load.what, " ", "-"), func(t *testing.T) {
			before := processorTime(t, server.Cmd.Process.Pid)
			endProbe := probe.run(t)
			l := hammer(t, wires, reactionRound, load.next)
			spent := processorTime(t, server.Cmd.Process.Pid) - before
			behind := endProbe()
			if l.other(http.StatusSeeOther) > 0 {
				t.Fatalf("the statuses are %v, want only 303", l.statuses)
			}
			details.row(load.what, fmt.Sprint(reactionConnections), milliseconds(l.quantile(0.5)),
				milliseconds(l.quantile(0.99)), fmt.Sprintf("%.0f", l.perSecond()),
				milliseconds(spent/time.Duration(len(l.took))), "",
				fmt.Sprintf("%s of %d", milliseconds(behind.quantile(1)), len(behind.took)))
			server.profile(t, func(length time.Duration) { hammer(t, wires, length, load.next) })
		})
	}
	t.Run("one-connection", func(t *testing.T) {
		server.profile(t, func(length time.Duration) { hammer(t, one, length, like(1)) })
	})
	return finding{holds: ratio <= 2.5, measured: fmt.Sprintf("%.1f times", ratio), details: details.String()}
}

// probe likes a post of its own, again and again, and measures how long the front page shows the former count.
type probe struct {
	conn   *wire
	cookie string
	post   string // the post's address, without its slug
	liked  bool
}

// newProbe publishes the post.
func newProbe(t *testing.T, address string) *probe {
	author := harness.NewVisitor(t, address)
	author.SignUp("probe")
	path := author.Publish("A post to probe", "Text.").URL.Path
	_, cookie, _ := strings.Cut(cookieHeader(author, false), ": ")
	return &probe{dial(t, address), cookie, "/posts/" + strings.Split(path, "/")[2], false}
}

// run likes the post until end is called, which returns the times from the answer to each like to the first front page
// that counts it.
func (p *probe) run(t *testing.T) (end func() load) {
	t.Helper()
	var behind load
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			p.liked = !p.liked
			action, want := "/unlike", 0
			if p.liked {
				action, want = "/like", 1
			}
			status, err := p.conn.do(form(p.post+action, p.cookie, ""))
			if err != nil || status != http.StatusSeeOther {
				t.Errorf("%s%s: status %d, %v", p.post, action, status, err)
				return
			}
			written := time.Now()
			for p.count(t) != want {
				if time.Since(written) > 30*time.Second {
					t.Errorf("the front page does not count a like within 30 seconds")
					return
				}
				<-time.After(5 * time.Millisecond)
			}
			behind.took = append(behind.took, time.Since(written))
		}
	}()
	return func() load {
		close(stop)
		<-done
		return behind
	}
}

// count returns the number of likes that the front page shows, which leaves out zeros.
func (p *probe) count(t *testing.T) int {
	if status, err := p.conn.do(plainRequest("/")); err != nil || status != http.StatusOK {
		t.Errorf("the front page: status %d, %v", status, err)
	}
	for address, n := range countsIn(t, p.conn.body) {
		if strings.HasPrefix(address, p.post) && strings.HasSuffix(address, "/likes") {
			return n
		}
	}
	return 0
}

// form returns the bytes of a request that sends a form.
func form(path, cookie, body string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nContent-Length: %d\r\n", path, askedHost, cookie,
		len(body))
	for name, values := range harness.FormHeader() {
		fmt.Fprintf(&b, "%s: %s\r\n", name, values[0])
	}
	return []byte(b.String() + "\r\n" + body)
}

// openStore opens the store of a data folder in this process.
func openStore(t *testing.T, folder string) *cosmos.Store {
	t.Helper()
	c := config.New(harness.Environment(map[string]string{"INKFEED_DATA": folder}))
	store, closeStore, err := c.Open(t.Context(), cosmos.Options{Existing: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeStore)
	return store
}
