package changefeed

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// Processor reads a change feed for a projector. It shares the feed's ranges with the other instances of the same name.
type Processor[T any] struct {
	name      string
	feed      Feed[T]
	leases    Leases
	letters   DeadLetters
	projector Projector[T]
	options   Options
	lag       lagMemory

	mu          sync.Mutex
	supervisors map[feeds.Range]*supervisor[T]
	ended       loop.Signal // set when a supervisor has ended, to balance now
	woken       loop.Signal // set by Wake
	leaseLevel  slog.Level  // of new supervisors; used by Run only
}

// NewProcessor returns a processor. The name identifies the projection: the leases, and so the progress, are stored
// under it.
func NewProcessor[T any](name string, feed Feed[T], leases Leases, letters DeadLetters, projector Projector[T],
	o Options) *Processor[T] {
	o = o.withDefaults()
	o.Logger = o.Logger.With("processor", name)
	p := &Processor[T]{name: name, feed: feed, leases: leases, letters: letters, projector: projector, options: o,
		lag:         lagMemory{estimating: make(chan struct{}, 1)},
		supervisors: make(map[feeds.Range]*supervisor[T]), ended: loop.NewSignal(), woken: loop.NewSignal()}
	o.Activity.WakeOnUse(p)
	return p
}

// Run projects changes until the context ends. Then it finishes the current page or leaves it to the next owner,
// releases the leases and returns. It logs failures and tries again; they never end Run.
func (p *Processor[T]) Run(ctx context.Context) {
	p.options.Metrics.announce(p.name)
	defer p.options.Metrics.lag.watch(p.name, p.RecentLag)()
	defer p.handOver(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	failures := loop.NewFailureLog(p.options.Logger, "cannot balance the leases")
	for pause := loop.NewBackoff(); ; {
		wait := p.options.AcquireInterval
		if err := p.acquireMore(ctx, &running); err == nil {
			failures.Succeeded()
			pause, p.leaseLevel = loop.NewBackoff(), slog.LevelInfo
		} else if ctx.Err() == nil {
			failures.Failed(err)
			wait = min(wait, pause.NextBackOff())
		}
		select {
		case <-ctx.Done():
			return
		case <-p.ended:
		case <-time.After(wait):
			if p.mayRest() {
				p.rest(ctx, &running)
			}
		}
	}
}

// acquireMore brings the leases up to date and acquires those that this instance should own.
func (p *Processor[T]) acquireMore(ctx context.Context, running *sync.WaitGroup) error {
	answering, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	state, err := p.bootstrap(answering)
	if err != nil {
		return err
	}
	p.review(state)
	for _, lease := range p.wanted(state) {
		p.start(ctx, lease, state, running)
	}
	return nil
}

// review stops the supervisors whose leases are lost, and retires those whose leases are to be split.
func (p *Processor[T]) review(state leaseState) {
	stored := make(map[feeds.Range]feeds.Lease)
	for _, l := range state.leases {
		stored[l.Range] = l
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for r, s := range p.supervisors {
		if l, ok := stored[r]; !ok || s.lease.lostTo(l) {
			s.lose(errLeaseLost)
		} else if parts, ok := state.splits[r]; ok {
			s.retire(parts)
		}
	}
}

// wanted lists the leases to acquire now. These are the leases that balance chooses, and those that name this instance
// as owner without a supervisor, as after a restart. Leases that cannot start here yet count as this instance's own.
func (p *Processor[T]) wanted(state leaseState) []feeds.Lease {
	var wanted, rest []feeds.Lease
	for _, l := range state.leases {
		switch {
		case l.Container != "" && l.Container != state.container: // about to be deleted
		case !p.canStart(l.Range, state):
			l.Owner, l.Renewed = p.options.Instance, time.Now()
			rest = append(rest, l)
		case l.Owner == p.options.Instance:
			wanted = append(wanted, l)
			l.Renewed = time.Now()
			rest = append(rest, l)
		default:
			rest = append(rest, l)
		}
	}
	return append(wanted, balance(rest, p.options.Instance, time.Now(), p.options.Expiration)...)
}

// canStart reports whether a supervisor may start for a range. It may not while another supervisor of this process
// reads a part of the range, whatever the lease says: that supervisor may not know yet that its lease is lost. A lease
// that is to be split is not read, so supervisors of its parts do not prevent its start.
func (p *Processor[T]) canStart(r feeds.Range, state leaseState) bool {
	_, split := state.splits[r]
	p.mu.Lock()
	defer p.mu.Unlock()
	for other := range p.supervisors {
		if r == other || !split && r.Overlaps(other) {
			return false
		}
	}
	return true
}

func (p *Processor[T]) supervisor(r feeds.Range) *supervisor[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.supervisors[r]
}

func (p *Processor[T]) start(ctx context.Context, lease feeds.Lease, state leaseState, running *sync.WaitGroup) {
	if !p.canStart(lease.Range, state) {
		return // it overlaps a range that was just started
	}
	owned, err := acquire(ctx, p.leases, lease, p.options.Instance, state.container, p.options.Expiration)
	switch {
	case domain.Is(err, domain.Conflict), domain.Is(err, domain.NotFound):
		return // another instance was faster
	case err != nil:
		if ctx.Err() == nil {
			p.options.Logger.Warn("cannot acquire a lease", "range", RangeName(lease.Range), "error", err)
		}
		return
	}
	ctx, lose := context.WithCancelCause(ctx)
	s := newSupervisor(p, owned, lose)
	if parts, ok := state.splits[lease.Range]; ok {
		s.retire(parts) // before it reads anything
	}
	p.mu.Lock()
	p.supervisors[lease.Range] = s
	p.mu.Unlock()
	running.Go(func() {
		defer lose(nil)
		balance := s.run(ctx)
		p.mu.Lock()
		delete(p.supervisors, lease.Range)
		p.mu.Unlock()
		if balance {
			p.ended.Set()
		}
	})
}

// handOver releases the leases that still name this instance as owner after its supervisors have released theirs. These
// are children of a split for which no supervisor has started.
func (p *Processor[T]) handOver(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	leases, err := p.leases.List(ctx, p.name)
	if err != nil {
		p.options.Logger.Warn("cannot list the leases to release: they will expire", "error", err)
		return
	}
	for _, l := range leases {
		if l.Owner == p.options.Instance {
			l.Owner = ""
			if _, err := p.leases.Replace(ctx, l); err != nil && !domain.Is(err, domain.Conflict) {
				p.options.Logger.Warn("cannot release a lease: it will expire", "range", RangeName(l.Range), "error",
					err)
			}
		}
	}
}

// Wake makes the readers of this instance poll now instead of at the end of their interval. It never blocks.
func (p *Processor[T]) Wake() {
	p.woken.Set()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.supervisors {
		s.awake.Set()
	}
}

// RangeName returns the name of a feed range in logs and metrics.
func RangeName(r feeds.Range) string {
	return cmp.Or(r.MinInclusive, "00") + "-" + r.MaxExclusive // an empty bound is the lowest key
}
