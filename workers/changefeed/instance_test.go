package changefeed

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/changefeed/feedtest"
)

// start runs a processor. The returned function stops it and waits until Run has returned.
func start(t *testing.T, p *Processor[int]) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.Run(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// cluster is the world of one or more instances: a feed, the stores that they share and what they project.
type cluster struct {
	feed    *feedtest.Feed
	leases  *fakeLeases
	letters *fakeLetters
	seen    *collector
}

// newCluster returns a cluster whose feed has a number of ranges.
func newCluster(ranges int) *cluster {
	return &cluster{feedtest.New(ranges), newFakeLeases(), &fakeLetters{}, &collector{reject: map[int]error{}}}
}

// processor returns a processor that is connected to the stores directly.
func (c *cluster) processor(o Options) *Processor[int] {
	return NewProcessor("p", c.feed, c.leases, c.letters, c.seen, o)
}

// counts returns the number of reads of the feed and of writes of leases.
func (c *cluster) counts() (reads, writes int) {
	c.feed.Mu.Lock()
	defer c.feed.Mu.Unlock()
	c.leases.mu.Lock()
	defer c.leases.mu.Unlock()
	return c.feed.Reads, c.leases.writes
}

// instance is a process that runs a processor beside others.
type instance struct {
	*Processor[int]
	link *link
	stop func() // gracefully
}

// kill stops the instance as a crash does: nothing that it does afterwards has an effect.
func (i *instance) kill() {
	i.link.fail(errDead)
	i.stop()
}

var errDead = errors.New("the process is dead")

// launch starts an instance.
func (c *cluster) launch(t *testing.T, name string, o Options) *instance {
	t.Helper()
	return c.launchSkewed(t, name, 0, o)
}

// launchSkewed starts an instance on a machine whose clock is ahead.
func (c *cluster) launchSkewed(t *testing.T, name string, skew time.Duration, o Options) *instance {
	t.Helper()
	l := &link{store: c.leases, skew: skew}
	o.Instance = name
	projector := projectorFunc(func(ctx context.Context, changes []int) error {
		if err := l.err(); err != nil {
			return err
		}
		return c.seen.Project(ctx, changes)
	})
	p := NewProcessor("p", c.feed, l, c.letters, projector, o)
	return &instance{p, l, start(t, p)}
}

type projectorFunc func(ctx context.Context, changes []int) error

func (f projectorFunc) Project(ctx context.Context, changes []int) error { return f(ctx, changes) }

// link is the connection of one instance to the leases.
type link struct {
	store *fakeLeases

	skew  time.Duration // how far the instance's clock is ahead
	mu    sync.Mutex
	down  error // returned by every call while it is set
	calls []string
	// fault, if set, receives the number of each call, from 1, and its name. It decides how the call fails: on the way
	// there, or on the way back, after it has had its effect.
	fault func(call int, name string) (there, back error)
}

func (l *link) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = err
}

func (l *link) setFault(fault func(call int, name string) (there, back error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls, l.fault = nil, fault
}

func (l *link) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

// through makes a call, unless the link fails on the way.
func through[T any](l *link, name string, call func() (T, error)) (T, error) {
	var none T
	l.mu.Lock()
	there, back := l.down, error(nil)
	l.calls = append(l.calls, name)
	if there == nil && l.fault != nil {
		there, back = l.fault(len(l.calls), name)
	}
	l.mu.Unlock()
	if there != nil {
		return none, there
	}
	value, err := call()
	if err == nil && back != nil {
		return none, back
	}
	return value, err
}

func (l *link) Create(ctx context.Context, lease feeds.Lease) error {
	_, err := through(l, "create", func() (any, error) { return nil, l.store.Create(ctx, lease) })
	return err
}

func (l *link) List(ctx context.Context, processor string) ([]feeds.Lease, error) {
	return through(l, "list", func() ([]feeds.Lease, error) {
		list, err := l.store.List(ctx, processor)
		for i := range list {
			list[i] = l.seen(list[i])
		}
		return list, err
	})
}

// seen converts the time of a lease to the instance's own clock. In a test all instances read the same clock.
func (l *link) seen(lease feeds.Lease) feeds.Lease {
	lease.Renewed = lease.Renewed.Add(-l.skew)
	return lease
}

func (l *link) Read(ctx context.Context, processor string, r feeds.Range) (feeds.Lease, error) {
	return through(l, "read", func() (feeds.Lease, error) {
		lease, err := l.store.Read(ctx, processor, r)
		return l.seen(lease), err
	})
}

func (l *link) Replace(ctx context.Context, lease feeds.Lease) (feeds.Lease, error) {
	return through(l, "replace", func() (feeds.Lease, error) {
		lease.Renewed = lease.Renewed.Add(l.skew)
		stored, err := l.store.Replace(ctx, lease)
		return l.seen(stored), err
	})
}

func (l *link) Delete(ctx context.Context, lease feeds.Lease) error {
	_, err := through(l, "delete", func() (any, error) { return nil, l.store.Delete(ctx, lease) })
	return err
}
