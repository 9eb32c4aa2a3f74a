package changefeed

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
)

// start runs a processor until the returned function is called, which returns
// after Run has.
func start(t *testing.T, p *Processor[int]) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.Run(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// instance is a process that runs a processor beside others.
type instance struct {
	*Processor[int]
	link *link
	stop func() // gracefully
}

// kill stops the instance as a crash does: nothing it does from now on has effect.
func (i *instance) kill() {
	i.link.fail(errDead)
	i.stop()
}

var errDead = errors.New("the process is dead")

func launch(t *testing.T, name string, feed *feedtest.Feed, leases *fakeLeases, seen *collector, o Options) *instance {
	t.Helper()
	return launchSkewed(t, name, 0, feed, leases, seen, o)
}

// launchSkewed is launch on a machine whose clock is ahead.
func launchSkewed(t *testing.T, name string, skew time.Duration, feed *feedtest.Feed, leases *fakeLeases, seen *collector, o Options) *instance {
	t.Helper()
	l := &link{store: leases, skew: skew}
	o.Instance = name
	projector := projectorFunc(func(ctx context.Context, changes []int) error {
		if err := l.err(); err != nil {
			return err
		}
		return seen.Project(ctx, changes)
	})
	p := NewProcessor("p", feed, l, &fakeLetters{}, projector, o)
	return &instance{p, l, start(t, p)}
}

type projectorFunc func(ctx context.Context, changes []int) error

func (f projectorFunc) Project(ctx context.Context, changes []int) error { return f(ctx, changes) }

// link is one instance's way to the leases.
type link struct {
	store *fakeLeases

	skew  time.Duration // how far the instance's clock is ahead
	mu    sync.Mutex
	down  error // of every call
	calls []string
	// fault, when set, sees each call with its number, from 1, and says how it fails:
	// on the way there, or on the way back when it has had its effect.
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

// through makes a call, unless it fails on the way.
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

func (l *link) Create(ctx context.Context, lease domain.Lease) error {
	_, err := through(l, "create", func() (any, error) { return nil, l.store.Create(ctx, lease) })
	return err
}

func (l *link) List(ctx context.Context, processor string) ([]domain.Lease, error) {
	return through(l, "list", func() ([]domain.Lease, error) {
		list, err := l.store.List(ctx, processor)
		for i := range list {
			list[i] = l.seen(list[i])
		}
		return list, err
	})
}

// seen turns the time on a lease into what it means beside the instance's own clock,
// which in a test is everybody's.
func (l *link) seen(lease domain.Lease) domain.Lease {
	lease.Renewed = lease.Renewed.Add(-l.skew)
	return lease
}

func (l *link) Read(ctx context.Context, processor string, r domain.FeedRange) (domain.Lease, error) {
	return through(l, "read", func() (domain.Lease, error) {
		lease, err := l.store.Read(ctx, processor, r)
		return l.seen(lease), err
	})
}

func (l *link) Replace(ctx context.Context, lease domain.Lease) (domain.Lease, error) {
	return through(l, "replace", func() (domain.Lease, error) {
		lease.Renewed = lease.Renewed.Add(l.skew)
		stored, err := l.store.Replace(ctx, lease)
		return l.seen(stored), err
	})
}

func (l *link) Delete(ctx context.Context, lease domain.Lease) error {
	_, err := through(l, "delete", func() (any, error) { return nil, l.store.Delete(ctx, lease) })
	return err
}
