package workers

import (
	"context"
	"sync"
	"time"

	"inkfeed/domain"
)

// Processor reads a change feed for a projector, sharing its ranges with the
// other instances of the same name.
type Processor[T any] struct {
	name      string
	feed      Feed[T]
	leases    Leases
	letters   DeadLetters
	projector Projector[T]
	options   Options

	mu          sync.Mutex
	supervisors map[domain.FeedRange]*supervisor[T]
	ended       chan struct{} // a supervisor has ended: balance now
}

// NewProcessor makes a processor. The name identifies the projection: its
// leases, and so its progress, are kept under it.
func NewProcessor[T any](name string, feed Feed[T], leases Leases, letters DeadLetters, projector Projector[T], o Options) *Processor[T] {
	o = o.withDefaults()
	o.Logger = o.Logger.With("processor", name)
	return &Processor[T]{name: name, feed: feed, leases: leases, letters: letters, projector: projector, options: o,
		supervisors: make(map[domain.FeedRange]*supervisor[T]), ended: make(chan struct{}, 1)}
}

// Run works until the context ends, then finishes the page at hand or leaves it
// for later, releases the leases and returns. Failures are logged and tried
// again; they never end Run.
func (p *Processor[T]) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for pause := newBackoff(); ; {
		err := p.bootstrap(ctx)
		if err == nil {
			break
		}
		if ctx.Err() == nil {
			p.options.Logger.Error("cannot make leases", "error", err)
		}
		if !pause.wait(ctx) {
			return
		}
	}
	for {
		for _, lease := range p.wanted(ctx) {
			p.start(ctx, lease, &running)
		}
		select {
		case <-ctx.Done():
			return
		case <-p.ended:
		case <-time.After(p.options.AcquireInterval):
		}
	}
}

// wanted lists the leases to acquire now: those that balance chooses, and those
// this instance owns on paper only, because it lost track or was restarted.
func (p *Processor[T]) wanted(ctx context.Context) []domain.Lease {
	leases, err := p.leases.List(ctx, p.name)
	if err != nil {
		if ctx.Err() == nil {
			p.options.Logger.Warn("cannot list leases", "error", err)
		}
		return nil
	}
	var wanted []domain.Lease
	for _, l := range leases {
		if l.Owner == p.options.Instance && !p.supervises(l.Range) {
			wanted = append(wanted, l)
		}
	}
	for _, l := range balance(leases, p.options.Instance, time.Now(), p.options.Expiration) {
		if l.Owner != p.options.Instance {
			wanted = append(wanted, l)
		}
	}
	return wanted
}

func (p *Processor[T]) supervises(r domain.FeedRange) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.supervisors[r] != nil
}

func (p *Processor[T]) start(ctx context.Context, lease domain.Lease, running *sync.WaitGroup) {
	s, err := acquire(ctx, p, lease)
	switch {
	case domain.Is(err, domain.Conflict):
		return // another instance was faster
	case err != nil:
		if ctx.Err() == nil {
			p.options.Logger.Warn("cannot acquire a lease", "range", lease.Range, "error", err)
		}
		return
	}
	p.mu.Lock()
	p.supervisors[lease.Range] = s
	p.mu.Unlock()
	running.Go(func() {
		s.run(ctx)
		p.mu.Lock()
		delete(p.supervisors, lease.Range)
		p.mu.Unlock()
		select {
		case p.ended <- struct{}{}:
		default:
		}
	})
}

// Wake makes the readers of this instance poll now instead of at the end of
// their interval. It never blocks.
func (p *Processor[T]) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.supervisors {
		s.wake()
	}
}
