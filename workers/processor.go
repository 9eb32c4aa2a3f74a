package workers

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"inkfeed/domain"
)

// Feed is a change feed in latest-version mode. Read returns at most about
// limit changes that follow a continuation; an empty one means the beginning.
type Feed[T any] interface {
	FeedRanges(ctx context.Context) ([]domain.FeedRange, error)
	Read(ctx context.Context, r domain.FeedRange, continuation string, limit int) (domain.ChangePage[T], error)
}

// Projector applies a page of changes. It must be idempotent: after a crash, or
// when a lease changes hands, pages come again. An error makes the same page
// come again after a pause; its range goes no further meanwhile.
type Projector[T any] interface {
	Project(ctx context.Context, changes []T) error
}

// Options tunes a processor. Zero values mean the defaults.
type Options struct {
	// Instance names this process among those that share the leases. A process
	// that starts under the name of one that died takes its leases at once.
	Instance        string
	AcquireInterval time.Duration     // how often leases are balanced: 13 s
	Expiration      time.Duration     // of a lease that is not renewed: 60 s
	RenewInterval   time.Duration     // 17 s
	PollInterval    time.Duration     // the wait after a drained feed: 1 s, less after Wake
	PageSize        int               // changes read at once: 500
	Metrics         *Metrics          // nil records nothing
	OnProjected     func(changes int) // told of each page after its projection; may be nil
	Logger          *slog.Logger      // nil discards
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.AcquireInterval, 13*time.Second)
	set(&o.Expiration, 60*time.Second)
	set(&o.RenewInterval, 17*time.Second)
	set(&o.PollInterval, time.Second)
	if o.PageSize == 0 {
		o.PageSize = 500
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil)
	}
	if o.OnProjected == nil {
		o.OnProjected = func(int) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Processor reads a change feed for a projector, sharing its ranges with the
// other instances of the same name.
type Processor[T any] struct {
	name      string
	feed      Feed[T]
	leases    Leases
	projector Projector[T]
	options   Options

	mu          sync.Mutex
	supervisors map[domain.FeedRange]*supervisor[T]
	ended       chan struct{} // a supervisor has ended: balance now
}

// NewProcessor makes a processor. The name identifies the projection: its
// leases, and so its progress, are kept under it.
func NewProcessor[T any](name string, feed Feed[T], leases Leases, projector Projector[T], o Options) *Processor[T] {
	o = o.withDefaults()
	o.Logger = o.Logger.With("processor", name)
	return &Processor[T]{name: name, feed: feed, leases: leases, projector: projector, options: o,
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

// CaughtUp reports whether no relevant change lies beyond the checkpoints of all
// feed ranges, whichever instance reads them. It reads what lies beyond them.
func (p *Processor[T]) CaughtUp(ctx context.Context) (bool, error) {
	leases, err := p.leases.List(ctx, p.name)
	if err != nil || len(leases) == 0 {
		return false, err
	}
	for _, l := range leases {
		for page := (domain.ChangePage[T]{Continuation: l.Continuation}); !page.Drained; {
			page, err = p.feed.Read(ctx, l.Range, page.Continuation, p.options.PageSize)
			if err != nil || len(page.Changes) > 0 {
				return false, err
			}
		}
	}
	return true, nil
}
