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

// TestCapacity drives the engine with its throughput enforced, and counts what it serves.
//
// The time is simulated: it stands still while anything is done and moves on when all
// clients wait, as the SDK does by itself for as long as a refusal tells. So what is found
// is what the budget carries, on any machine; how this one would do is logged beside it.
func TestCapacity(t *testing.T) {
	if !*capacity {
		t.Skip("it takes minutes: set -capacity, or run make capacity")
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

// measure drives all loads, on an engine in simulated time, and writes a table.
func (s setting) measure(t *testing.T, dir string, data *blog, document *strings.Builder) {
	engine, err := embedded.Open(dir, embedded.Options{Ranges: s.ranges, Throughput: s.throughput, EnforceThroughput: true})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	m := openModels(t, data, engine, s.ranges)
	fmt.Fprintf(document, "%s:\n\n| | V1 | V2 | V3 | site |\n| --- | ---: | ---: | ---: | ---: |\n", s)
	for _, l := range loads {
		if s.ranges == articleRanges && !l.hot(namedModel{name: "V3"}) {
			continue // the ranges make no difference to what is spread over them
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

// prepare loads the data set before there is a limit.
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

// figure writes a number of requests a second.
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
	// A client that meets a range whose budget is spent waits, though others may have
	// some left. So there are more clients where there are more ranges; and not many more
	// than needed, for what is under way at the end does not count.
	clientShare, rangeClients, maxClients = 16, 16, 64
	// How many requests of each client, and of all, are enough to tell the rate of those
	// that take seconds.
	enoughEach, enough, longest = 8, 40, 200
)

// drive returns how many requests a second are served.
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
	// It ends before the next window, in which those who wait would go on at once.
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
	t.Logf("%s, %s of %s: %s a second; this machine does %s a second, the limit is %s", s, l.name, v.name,
		figure(served), figure(float64(done.Load())/took.Seconds()), limit)
	return served
}

// realTime is the time outside of a bubble of simulated time.
func realTime() time.Time {
	var at syscall.Timeval
	if err := syscall.Gettimeofday(&at); err != nil {
		panic(err)
	}
	return time.Unix(at.Unix())
}

// overloaded tells whether a request was refused until the SDK gave up.
func overloaded(err error) bool {
	return client.StatusOf(err) == http.StatusTooManyRequests || client.KindOf(err) == domain.Unavailable
}
