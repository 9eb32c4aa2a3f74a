package cosmos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

var capacitySeconds = flag.Int("capacity.seconds", 0, "how long BenchmarkCapacity drives each request; 0 leaves it out")

// rangeThroughput is what one physical partition serves at most, in RU a second. A
// container has as many as its throughput needs.
const rangeThroughput = 10_000

// setting is a container's throughput and the ranges that it is divided between.
type setting struct{ throughput, ranges int }

var settings = []setting{
	{400, 1}, {4_000, 1}, {40_000, 40_000 / rangeThroughput},
	{40_000, articleRanges}, // as many as the article's data fills
}

func (s setting) String() string {
	return fmt.Sprintf("%s RU a second, ranges: %d", thousands(s.throughput), s.ranges)
}

// load is what clients ask for, over and over.
type load struct {
	name string
	hot  func(namedModel) bool // whether all that is asked for is in one partition
	ask  func(context.Context, model, *blog) error
}

func always(namedModel) bool { return true }
func never(namedModel) bool  { return false }

// oneFeed tells the versions whose front page is one partition.
func oneFeed(v namedModel) bool { return v.name != "V1" && v.name != "V2" }

var loads = []load{
	{"front page (Q6)", oneFeed, func(ctx context.Context, m model, _ *blog) error { _, err := m.Q6(ctx); return err }},
	{"read any post (Q2)", never, func(ctx context.Context, m model, b *blog) error { _, err := m.Q2(ctx, b.anyPost()); return err }},
	{"write a post (C2)", never, func(ctx context.Context, m model, b *blog) error { return m.C2(ctx, b.newPost()) }},
	{"like any post (C4)", never, func(ctx context.Context, m model, b *blog) error {
		like := b.newLike()
		like.PostID = b.anyPost()
		return m.C4(ctx, like)
	}},
	{"like one post (C4)", always, func(ctx context.Context, m model, b *blog) error { return m.C4(ctx, b.newLike()) }},
}

func (b *blog) anyPost() string { return b.entries[b.random.Uint64()%uint64(len(b.entries))].ID }

// BenchmarkCapacity drives the engine, with its throughput enforced, by as many clients
// as spend it, for whole seconds, as budgets are, and counts what is answered. A client
// that is refused waits as long as it is told, as the SDK does by itself. What the budget
// pays for is a container's throughput by the charge of one request; V1 spends a little
// of that, for names, in another container.
func BenchmarkCapacity(b *testing.B) {
	if *capacitySeconds == 0 {
		b.Skip("it takes minutes: set -capacity.seconds, or run make capacity")
	}
	data := newBlog(*blogUsers, *wholeBlog)
	var document strings.Builder
	for _, s := range settings {
		dir := b.TempDir()
		s.prepare(b, dir, data)
		engine, err := embedded.Open(dir, embedded.Options{Ranges: s.ranges, Throughput: s.throughput})
		if err != nil {
			b.Fatal(err)
		}
		transport := &throttled{engine: engine}
		m := openModels(b, data, engine, s.ranges, transport)
		fmt.Fprintf(&document, "\n%s:\n\n| | V1 | V2 | V3 | site |\n| --- | ---: | ---: | ---: | ---: |\n", s)
		for _, l := range loads {
			if s.ranges == articleRanges && !l.hot(namedModel{name: "V3"}) {
				continue // the ranges make no difference to what is spread over them
			}
			fmt.Fprintf(&document, "| %s |", l.name)
			for _, v := range m.named() {
				if v.name == "site" && !strings.Contains(l.name, "Q6") {
					document.WriteString(" as V3 |")
					continue
				}
				var r rate
				b.Run(fmt.Sprintf("%d/%d/%s/%s", s.throughput, s.ranges, l.name, v.name), func(b *testing.B) {
					r = drive(b, s, l, v, m.blog, transport)
					b.ReportMetric(r.served, "op/s")
					b.ReportMetric(r.paid, "paid/s")
					b.ReportMetric(0, "ns/op")
				})
				fmt.Fprintf(&document, " %s |", r)
			}
			document.WriteByte('\n')
		}
		if err := engine.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if *update {
		checkSection(b, "capacity", strings.TrimPrefix(document.String(), "\n"))
	}
}

// prepare loads the data set before there is a limit.
func (s setting) prepare(b *testing.B, dir string, data *blog) {
	b.Helper()
	engine, err := embedded.Open(dir, embedded.Options{Ranges: s.ranges})
	if err != nil {
		b.Fatal(err)
	}
	openModels(b, data, engine, s.ranges, engine).load(b)
	if err := engine.Close(); err != nil {
		b.Fatal(err)
	}
}

// rate is how many a second were served, and how many the budget pays for.
type rate struct {
	served, paid float64
	machine      bool // no request was refused: the machine is the limit, not the budget
}

func (r rate) String() string {
	mark := ""
	if r.machine {
		mark = "†"
	}
	return fmt.Sprintf("%s%s (%s)", figure(r.served), mark, figure(r.paid))
}

func figure(f float64) string {
	if f < 10 {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return thousands(int(f + 0.5))
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

const (
	// maxClients is enough for writers to share their syncs.
	clientShare, maxClients = 16, 32
	// What takes seconds by itself is driven for longer, for the time of this many.
	fewest, longest = 8, 30
)

func drive(b *testing.B, s setting, l load, v namedModel, data *blog, transport *throttled) rate {
	ctx, usage := WithUsage(context.Background())
	if err := l.ask(ctx, v.model, data); err != nil {
		b.Fatal(err)
	}
	r := rate{paid: float64(s.throughput) / usage.Charge()}
	if l.hot(v) {
		r.paid /= float64(s.ranges)
	}
	// What is under way when a budget is spent is still served. So many clients spend it
	// well before the second is over, and little more than it.
	clients := min(max(int(r.paid/clientShare), 1), maxClients)
	seconds := max(*capacitySeconds, min(int(fewest/r.paid), longest))
	start := time.Now().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(start))
	ctx, cancel := context.WithDeadline(context.Background(), start.Add(time.Duration(seconds)*time.Second))
	defer cancel()
	refusedBefore := transport.refused.Load()
	var done atomic.Int64
	var group sync.WaitGroup
	for range clients {
		own := *data
		own.random = rand.NewChaCha8([32]byte(fmt.Appendf(nil, "%32d", data.random.Uint64())))
		group.Go(func() {
			for ctx.Err() == nil {
				switch err := l.ask(ctx, v.model, &own); {
				case err == nil:
					done.Add(1)
				case ctx.Err() == nil && !overloaded(err):
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	r.served, r.machine = float64(done.Load())/float64(seconds), transport.refused.Load() == refusedBefore
	return r
}

// overloaded tells whether a request was refused until the SDK gave up.
func overloaded(err error) bool {
	return statusOf(err) == http.StatusTooManyRequests || kindOf(err) == domain.Unavailable
}

// throttled counts the requests that the engine refuses.
type throttled struct {
	engine  policy.Transporter
	refused atomic.Int64
}

func (t *throttled) Do(r *http.Request) (*http.Response, error) {
	resp, err := t.engine.Do(r)
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		t.refused.Add(1)
	}
	return resp, err
}
