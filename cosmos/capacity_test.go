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
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
)

var capacity = flag.Bool("capacity", false, "measure how many requests a second each version carries")

// rangeThroughput is the maximum throughput of a physical partition, in RU/s. A container has as many physical
// partitions as its throughput needs.
const rangeThroughput = 10_000

// setting is a container's throughput in RU/s and the number of feed ranges that share it.
type setting struct{ throughput, ranges int }

var settings = []setting{
	{400, 1}, {4_000, 1}, {40_000, 40_000 / rangeThroughput},
	{40_000, articleRanges}, // as many feed ranges as the article's data fills
}

func (s setting) String() string {
	return fmt.Sprintf("%s RU a second, ranges: %d", thousands(s.throughput), s.ranges)
}

// load is a request that clients repeat.
type load struct {
	name string
	hot  func(namedModel) bool // whether all requests are for one logical partition
	ask  func(context.Context, model, *blog) error
}

func always(namedModel) bool { return true }
func never(namedModel) bool  { return false }

// oneFeed reports whether the front page of a model is one logical partition.
func oneFeed(v namedModel) bool { return v.name != "V1" && v.name != "V2" }

var loads = []load{
	{"front page (Q6)", oneFeed, func(ctx context.Context, m model, _ *blog) error { _, err := m.Q6(ctx); return err }},
	{"read any post (Q2)", never, func(ctx context.Context, m model, b *blog) error {
		_,
			err := m.Q2(ctx, b.anyPost())
		return err
	}},
	{"write a post (C2)", never, func(ctx context.Context, m model, b *blog) error { return m.C2(ctx, b.newPost()) }},
	{"like any post (C4)", never, func(ctx context.Context, m model, b *blog) error {
		like := b.newLike()
		like.PostID = b.anyPost()
		return m.C4(ctx, like)
	}},
	{"like one post (C4)", always, func(ctx context.Context, m model, b *blog) error { return m.C4(ctx, b.newLike()) }},
}

func (b *blog) anyPost() string { return b.entries[b.random.Uint64()%uint64(len(b.entries))].ID }

// TestCapacity sends requests to an engine that enforces its throughput, and counts the requests that are served.
//
// Time is simulated. It stands still during work and advances when all clients wait, which the SDK does after a 429 for
// as long as the answer says. So the result depends on the throughput alone, not on the machine. The rate that this
// machine reaches is logged.
func TestCapacity(t *testing.T) {
	if !*capacity {
		t.Skip("measuring takes minutes: set -capacity or run make capacity")
	}
	data := newBlog(*blogUsers, *wholeBlog)
	var document strings.Builder
	for i, s := range settings {
		dir := t.TempDir()
		s.prepare(t, dir, data)
		if i > 0 {
			document.WriteByte('\n')
		}
		synctest.Test(t, func(t *testing.T) { s.measure(t, dir, data, &document) })
	}
	checkSection(t, costsDocument, "capacity", document.String())
}

// measure runs all loads on an engine in simulated time and writes a table of the results.
func (s setting) measure(t *testing.T, dir string, data *blog, document *strings.Builder) {
	engine, err := embedded.Open(dir, embedded.Options{Ranges: s.ranges, Throughput: s.throughput,
		EnforceThroughput: true})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	m := openModels(t, data, engine, s.ranges)
	fmt.Fprintf(document, "%s:\n\n| | V1 | V2 | V3 | site |\n| --- | ---: | ---: | ---: | ---: |\n", s)
	for _, l := range loads {
		if s.ranges == articleRanges && !l.hot(namedModel{name: "V3"}) {
			continue // more feed ranges do not change loads that are spread over all of them
		}
		fmt.Fprintf(document, "| %s |", l.name)
		for _, v := range m.named() {
			if v.name == "site" && !strings.Contains(l.name, "Q6") {
				document.WriteString(" as V3 |")
				continue
			}
			served := drive(t, s, l, v, m.blog)
			fmt.Fprintf(document, " %s |", figure(served))
		}
		document.WriteByte('\n')
	}
}

// prepare loads the data set without a limit of throughput.
func (s setting) prepare(t *testing.T, dir string, data *blog) {
	t.Helper()
	engine, err := embedded.Open(dir, embedded.Options{Ranges: s.ranges})
	if err != nil {
		t.Fatal(err)
	}
	openModels(t, data, engine, s.ranges).load(t)
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
}

// figure formats a number of requests a second.
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
	// A client that is refused by one feed range waits, although others may have throughput left. So more feed ranges
	// need more clients. Requests under way at the end are not counted, so there are not many more than needed.
	clientShare, rangeClients, maxClients = 16, 16, 64
	// The numbers of requests, of each client and of all, that suffice to measure the rate of slow requests, and the
	// longest measurement in seconds.
	enoughEach, enough, longest = 8, 40, 200
)

// drive sends a load to a model and returns the number of requests that are served in a second.
func drive(t *testing.T, s setting, l load, v namedModel, data *blog) float64 {
	t.Helper()
	ctx, usage := client.WithUsage(t.Context())
	if err := l.ask(ctx, v.model, data); err != nil {
		t.Fatal(err)
	}
	paid := float64(s.throughput) / usage.Charge()
	if l.hot(v) {
		paid /= float64(s.ranges)
	}
	clients := int(paid / clientShare)
	if !l.hot(v) {
		clients = max(clients, min(s.ranges, rangeClients))
	}
	clients = min(max(clients, 1), maxClients)
	seconds := min(max(int(float64(max(enough, enoughEach*clients))/paid), 1), longest)

	start := time.Now().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(start))
	// The measurement ends just before the next second, in which all waiting clients would continue at once.
	ctx, cancel := context.WithDeadline(t.Context(), start.Add(time.Duration(seconds)*time.Second-time.Millisecond))
	defer cancel()
	began := realTime()
	var done atomic.Int64
	var group sync.WaitGroup
	for range clients {
		own := *data
		own.random = rand.NewChaCha8([32]byte(fmt.Appendf(nil, "%32d", data.random.Uint64())))
		group.Go(func() {
			for ctx.Err() == nil {
				err := l.ask(ctx, v.model, &own)
				if err == nil {
					done.Add(1)
				} else if ctx.Err() == nil && !overloaded(err) {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	served := float64(done.Load()) / float64(seconds)
	took := realTime().Sub(began)
	limit := "the budget"
	if took > time.Duration(seconds)*time.Second {
		limit = "this machine"
	}
	t.Logf("%s, %s of %s: %s requests a second; this machine reaches %s a second; limited by %s", s, l.name, v.name,
		figure(served), figure(float64(done.Load())/took.Seconds()), limit)
	return served
}

// realTime returns the time of the system, also in a bubble of simulated time.
func realTime() time.Time {
	var at syscall.Timeval
	if err := syscall.Gettimeofday(&at); err != nil {
		panic(err)
	}
	return time.Unix(at.Unix())
}

// overloaded reports whether a request was refused until the SDK gave up.
func overloaded(err error) bool {
	return client.StatusOf(err) == http.StatusTooManyRequests || client.KindOf(err) == domain.Unavailable
}
