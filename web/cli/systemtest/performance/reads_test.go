package performance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

const (
	pairs     = 15                     // pairs of rounds, one of Inkfeed and one of the bare handler
	pairRound = 150 * time.Millisecond // enough for some thousand answers
)

// connections are the measured numbers of concurrent connections.
var connections = []int{1, 32, 256}

// cached returns the pages that anonymous visitors request most.
func (p samplePages) cached() []struct{ name, path string } {
	return []struct{ name, path string }{
		{"front", "/"},
		{"post", p.posts[0]},
		{"author", p.authors[0]},
		{"tag page", p.tags[0]},
		{"Atom feed", "/feed.atom"},
	}
}

// comparison compares Inkfeed with the bare handler.
type comparison struct {
	throughput, tail float64 // medians of the ratios
	bare, ours       float64 // medians of requests per second
}

func measureCached(t *testing.T, p *performance) finding {
	server := p.many.serve(t)
	return compared(t, server, p.many.pages().cached(), nil, http.StatusOK, 0.9, 1.5)
}

func measureUnmodified(t *testing.T, p *performance) finding {
	server := p.many.serve(t)
	return compared(t, server, p.many.pages().cached(), nil, http.StatusNotModified, 0.95, 0)
}

func measureMember(t *testing.T, p *performance) finding {
	server := p.many.serve(t)
	cookie := cookies(t, server.Address, p.many.pages().username)
	return compared(t, server, p.many.pages().cached()[:1], []string{cookie}, http.StatusOK, 0.7, 0)
}

func measureMemberPages(t *testing.T, p *performance) finding {
	server := p.many.serve(t)
	cookie := cookies(t, server.Address, p.many.pages().username)
	return compared(t, server, p.many.pages().cached()[1:4], []string{cookie}, http.StatusOK, 0.4, 0)
}

// measureRecentWriter measures a member's pages in the seconds after a write. The member likes the post, or takes that
// back, before each round.
func measureRecentWriter(t *testing.T, p *performance) finding {
	server, pages := p.many.serve(t), p.many.pages()
	member := logIn(t, server.Address, pages.username)
	harness.Eventually(t, "pages are cached", func() bool {
		return strings.Contains(ask(t, server.Address, "/", http.Header{}).Header.Get("Cache-Status"), "hit")
	})
	id := strings.Split(pages.posts[0], "/")[2]
	var details table
	details.row("page", "bare, pages/s", "Inkfeed, pages/s", "ratio")
	details.row("---", "---:", "---:", "---:")
	f, worst, best := finding{holds: true}, 0.0, 0.0
	for _, page := range pages.cached()[:4] {
		reference := bare(t, capture(t, server.Address, page.path, headerOf([]string{cookieHeader(member, true)})))
		ours, theirs := dialAll(t, server.Address, 32), dialAll(t, reference.Address, 32)
		var ratios, perSecond, barePerSecond []float64
		for i := range pairs {
			member.Post("/posts/" + id + []string{"/like", "/unlike"}[i%2])
			asked := always(request(page.path, cookieHeader(member, true)))
			a, b := hammer(t, ours, pairRound, asked), hammer(t, theirs, pairRound, asked)
			if a.other(http.StatusOK) > 0 {
				t.Fatalf("the statuses are %v, want only 200", a.statuses)
			}
			ratios = append(ratios, a.perSecond()/b.perSecond())
			perSecond, barePerSecond = append(perSecond, a.perSecond()), append(barePerSecond, b.perSecond())
		}
		ratio := median(ratios)
		details.row(page.name, fmt.Sprintf("%.0f", median(barePerSecond)), fmt.Sprintf("%.0f", median(perSecond)),
			fmt.Sprintf("%.2f", ratio))
		f.holds = f.holds && ratio >= 0.2
		if worst == 0 || ratio < worst {
			worst = ratio
		}
		best = max(best, ratio)
	}
	f.measured, f.details = fmt.Sprintf("%.2f to %.2f", worst, best), details.String()
	return f
}

// compared measures pages beside a handler that answers the same from memory. The finding holds if the ratio of the
// throughputs is at least least and, unless mostTail is 0, the ratio of the latencies is at most mostTail.
func compared(t *testing.T, server *served, pages []struct{ name, path string }, headers []string, status int,
	least, mostTail float64) finding {
	t.Helper()
	// The server caches pages when its tailers have read the change feeds to their ends.
	harness.Eventually(t, "pages are cached", func() bool {
		return strings.Contains(ask(t, server.Address, "/", headerOf(headers)).Header.Get("Cache-Status"), "hit")
	})
	var details table
	details.row("page", "connections", "bare, pages/s", "Inkfeed, pages/s", "ratio", "99th percentile, ratio")
	details.row("---", "---:", "---:", "---:", "---:", "---:")
	f := finding{holds: true}
	worst, best, worstTail := 0.0, 0.0, 0.0
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			asking := headers
			got := capture(t, server.Address, page.path, headerOf(headers))
			if status == http.StatusNotModified {
				if got.Header.Get("ETag") == "" {
					details.row(page.name, "", "", "", "no ETag", "")
					f.holds = false
					return
				}
				asking = append(asking, "If-None-Match: "+got.Header.Get("ETag"))
			}
			got = capture(t, server.Address, page.path, headerOf(asking))
			if got.Status != status {
				t.Fatalf("the status of %s is %d, want %d", page.path, got.Status, status)
			}
			reference := bare(t, got)
			asked := request(page.path, asking...)
			for _, n := range connections {
				c := compare(t, dialAll(t, server.Address, n), dialAll(t, reference.Address, n), asked, status)
				details.row(page.name, fmt.Sprint(n), fmt.Sprintf("%.0f", c.bare), fmt.Sprintf("%.0f", c.ours),
					fmt.Sprintf("%.2f", c.throughput), fmt.Sprintf("%.2f", c.tail))
				if c.throughput < least || mostTail > 0 && c.tail > mostTail {
					f.holds = false
				}
				if worst == 0 || c.throughput < worst {
					worst = c.throughput
				}
				best, worstTail = max(best, c.throughput), max(worstTail, c.tail)
			}
			server.profile(t, func(length time.Duration) {
				hammer(t, dialAll(t, server.Address, 32), length, always(asked))
			})
		})
	}
	f.measured = fmt.Sprintf("%.2f to %.2f; 99th percentile at most %.2f times", worst, best, worstTail)
	f.details = details.String()
	return f
}

// compare measures Inkfeed and the bare handler alternately. Each is the first of every other pair.
func compare(t *testing.T, ours, bare []*wire, asked []byte, status int) comparison {
	t.Helper()
	var ratios, tails, perSecond, barePerSecond []float64
	hammer(t, ours, pairRound, always(asked)) // the first rounds allocate memory and do not count
	hammer(t, bare, pairRound, always(asked))
	for i := range pairs {
		var a, b load
		if i%2 == 0 {
			a, b = hammer(t, ours, pairRound, always(asked)), hammer(t, bare, pairRound, always(asked))
		} else {
			b, a = hammer(t, bare, pairRound, always(asked)), hammer(t, ours, pairRound, always(asked))
		}
		if a.other(status) > 0 || b.other(status) > 0 {
			t.Fatalf("the statuses are %v and %v, want only %d", a.statuses, b.statuses, status)
		}
		ratios = append(ratios, a.perSecond()/b.perSecond())
		tails = append(tails, float64(a.quantile(0.99))/float64(b.quantile(0.99)))
		perSecond, barePerSecond = append(perSecond, a.perSecond()), append(barePerSecond, b.perSecond())
	}
	return comparison{throughput: median(ratios), tail: median(tails),
		ours: median(perSecond), bare: median(barePerSecond)}
}

// headerOf parses lines of a header.
func headerOf(lines []string) http.Header {
	h := make(http.Header)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}
