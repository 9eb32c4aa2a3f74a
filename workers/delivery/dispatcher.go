package delivery

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// Store stores deliveries and their destinations.
type Store interface {
	// Due lists the destinations with deliveries that are due before a time, in the order in which they are delivered.
	Due(ctx context.Context, before time.Time) ([]domain.Destination, error)
	Destination(ctx context.Context, name string) (domain.Destination, error)
	// Claim and Release report false if the destination has changed since it was read, and Renew if it has another
	// owner.
	Claim(ctx context.Context, d domain.Destination, owner string) (bool, error)
	Renew(ctx context.Context, name, owner string) (bool, error)
	Release(ctx context.Context, d domain.Destination) (bool, error)
	// Waiting lists the first deliveries that wait: fresh ones first, then those whose next attempt comes first.
	Waiting(ctx context.Context, destination string, limit int) ([]domain.Delivery, error)
	// Refresh makes later calls of Waiting complete: without it they may not know what other processes have stored or
	// done until now.
	Refresh(ctx context.Context, destination string) error
	Done(ctx context.Context, d domain.Delivery) error
	Retry(ctx context.Context, d domain.Delivery) error
	Drop(ctx context.Context, d domain.Delivery) error
}

// Transport carries deliveries to their receivers.
type Transport interface {
	Route(destination string) Route
	// Open connects to the receiver of a destination. Its errors are failures of the receiver.
	Open(ctx context.Context, destination string) (Session, error)
}

// Route says what a destination shares with others.
type Route struct {
	Host  string // shares pauses
	Lane  string // a part of the host that shares a limit
	Limit int    // the number of destinations in the lane that are delivered to at the same time
}

// Session is a connection to a receiver.
type Session interface {
	// Deliver hands over a delivery. As soon as the receiver has accepted it, Deliver calls done, which records that.
	// It returns NotFound if there is nothing to deliver, and ErrMore if it has delivered a part. See
	// domain.DeliveryError for its other errors.
	Deliver(ctx context.Context, d domain.Delivery, done func()) error
	Close()
}

// Options tunes a Dispatcher. Zero values mean the defaults.
type Options struct {
	// Interval is the time between two looks for deliveries that other instances stored or left: 30 s. What this
	// instance stores wakes the dispatcher.
	Interval time.Duration
	// Lease is the time after which an owner that does not renew its ownership has lost it: 15 s.
	Lease time.Duration
	// Rest returns how long to rest after a delivery that took some time, unless it was urgent. Nil: not at all.
	Rest func(took time.Duration) time.Duration
	// Activity makes the interval at least loop.IdleInterval while the instance is idle. Nil: it never does.
	Activity *loop.Activity
	Metrics  *Metrics     // nil records nothing
	Logger   *slog.Logger // nil discards
}

// Dispatcher delivers what is due. Every instance of the program runs one.
type Dispatcher struct {
	store     Store
	transport Transport
	options   Options
	owner     string
	woken     loop.Signal
	working   sync.WaitGroup

	mu      sync.Mutex
	hosts   map[string]*host
	running map[string]bool     // destinations that this dispatcher delivers to
	seen    map[string]sighting // of destinations that others own
}

// New returns a dispatcher.
func New(store Store, transport Transport, o Options) *Dispatcher {
	if o.Interval == 0 {
		o.Interval = 30 * time.Second
	}
	if o.Lease == 0 {
		o.Lease = 15 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Rest == nil {
		o.Rest = func(time.Duration) time.Duration { return 0 }
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil)
	}
	d := &Dispatcher{store: store, transport: transport, options: o, owner: rand.Text(), woken: loop.NewSignal(),
		hosts: make(map[string]*host), running: make(map[string]bool), seen: make(map[string]sighting)}
	o.Activity.WakeOnUse(d)
	return d
}

// Wake makes the dispatcher look for deliveries now. It never blocks.
func (d *Dispatcher) Wake() { d.woken.Set() }

// Run delivers what comes due, until the context ends. Then the attempts under way may continue for graceTime.
func (d *Dispatcher) Run(ctx context.Context) {
	failures := loop.NewFailureLog(d.options.Logger, "cannot list due deliveries")
	pause := loop.NewBackoff()
	for ctx.Err() == nil {
		wait, err := d.turn(ctx)
		if err != nil && ctx.Err() == nil {
			failures.Failed(err)
			wait = pause.NextBackOff()
		} else if err == nil {
			failures.Succeeded()
			pause.Reset()
		}
		select {
		case <-ctx.Done():
		case <-d.woken:
		case <-time.After(wait):
		}
	}
	d.working.Wait()
}

// Drain delivers what is due now and returns when it is done.
func (d *Dispatcher) Drain(ctx context.Context) error {
	for {
		wait, err := d.turn(ctx)
		if err != nil {
			return err
		}
		d.mu.Lock()
		idle := len(d.running) == 0
		d.mu.Unlock()
		d.working.Wait()
		if idle && wait > 0 {
			return nil
		}
	}
}

// turn begins to deliver to the destinations that are due. It returns the time until the next turn at the latest.
func (d *Dispatcher) turn(ctx context.Context) (wait time.Duration, err error) {
	wait = d.options.Activity.Interval(d.options.Interval)
	asking, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	due, err := d.store.Due(asking, time.Now().Add(wait))
	if err != nil {
		return 0, err
	}
	d.options.Metrics.backlog(due, time.Now())
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(due)
	for _, one := range due {
		if d.running[one.Name] {
			continue // it wakes the dispatcher when it ends
		}
		ready := d.ready(one)
		if ready.IsZero() {
			continue // as above, for another destination of the host
		}
		if until := time.Until(ready); until > 0 {
			wait = min(wait, until)
			continue
		}
		d.begin(ctx, one)
	}
	return wait, nil
}

// begin delivers to a destination in the background.
func (d *Dispatcher) begin(ctx context.Context, one domain.Destination) {
	route := d.transport.Route(one.Name)
	h := d.hosts[route.Host]
	h.lanes[route.Lane]++
	d.running[one.Name] = true
	d.working.Go(func() {
		d.deliverTo(ctx, one, h)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.running, one.Name)
		h.lanes[route.Lane]--
		d.Wake()
	})
}
