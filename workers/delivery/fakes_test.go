package delivery_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/delivery"
)

// store stores deliveries and destinations in memory.
type store struct {
	mu           sync.Mutex
	destinations map[string]domain.Destination
	deliveries   map[string]domain.Delivery
	dropped      map[string]domain.Delivery
	etags        int
	put          int
	lagging      bool                // Waiting does not know what was stored since the last call of Refresh
	unseen       map[string][]string // what it does not know, by destination
	down         bool                // all calls fail
	losing       bool                // the first answer to Release for a destination is lost
	lost         map[string]bool     // whether it was
	hanging      bool                // Waiting gets no answer
	cut          string              // calls of this owner fail, as those of a process that has lost its network
	latency      time.Duration       // of each call
	wake         []func()            // called by put, as the process that stores a delivery does
	claims       int
}

func newStore() *store {
	return &store{destinations: make(map[string]domain.Destination), deliveries: make(map[string]domain.Delivery),
		dropped: make(map[string]domain.Delivery), unseen: make(map[string][]string),
		lost: make(map[string]bool)}
}

var errDown = errors.New("the storage is down")

func (s *store) call() (func(), error) {
	s.mu.Lock()
	latency := s.latency
	s.mu.Unlock()
	time.Sleep(latency)
	s.mu.Lock()
	if s.down {
		s.mu.Unlock()
		return nil, errDown
	}
	return s.mu.Unlock, nil
}

// add stores fresh deliveries for a destination.
func (s *store) add(destination string, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.put++
		if s.lagging {
			s.unseen[destination] = append(s.unseen[destination], id)
		}
		s.deliveries[id] = domain.Delivery{ID: id, Destination: destination, Kind: domain.DeliverMail,
			Created: time.Now().Add(time.Duration(s.put)), Next: time.Now().Add(time.Duration(s.put)),
			Expires: time.Now().Add(24 * time.Hour)}
	}
	d := s.destinations[destination]
	d.Name = destination
	if d.Due.IsZero() || !d.Fresh {
		d.Due, d.Fresh = time.Now(), true
	}
	s.keep(d)
	for _, wake := range s.wake {
		wake()
	}
}

func (s *store) keep(d domain.Destination) {
	s.etags++
	d.ETag = fmt.Sprint(s.etags)
	s.destinations[d.Name] = d
}

func (s *store) Due(_ context.Context, before time.Time) ([]domain.Destination, error) {
	unlock, err := s.call()
	if err != nil {
		return nil, err
	}
	defer unlock()
	var due []domain.Destination
	for _, d := range s.destinations {
		if !d.Due.IsZero() && (d.Fresh || d.Due.Before(before)) {
			due = append(due, d)
		}
	}
	slices.SortFunc(due, func(a, b domain.Destination) int {
		if a.Fresh != b.Fresh {
			return map[bool]int{true: -1, false: 1}[a.Fresh]
		}
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Name, b.Name))
	})
	return due, nil
}

func (s *store) Destination(_ context.Context, name string) (domain.Destination, error) {
	unlock, err := s.call()
	if err != nil {
		return domain.Destination{}, err
	}
	defer unlock()
	return s.destinations[name], nil
}

func (s *store) Claim(_ context.Context, d domain.Destination, owner string) (bool, error) {
	unlock, err := s.call()
	if err != nil {
		return false, err
	}
	defer unlock()
	now := s.destinations[d.Name]
	if now.ETag != d.ETag {
		return false, nil
	}
	s.claims++
	now.Owner, now.Renewals = owner, now.Renewals+1
	s.keep(now)
	return true, nil
}

func (s *store) Renew(_ context.Context, name, owner string) (bool, error) {
	unlock, err := s.call()
	if err != nil {
		return false, err
	}
	defer unlock()
	now := s.destinations[name]
	if now.Owner != owner {
		return false, nil
	}
	if s.cut == owner {
		return false, errDown
	}
	now.Renewals++
	s.keep(now)
	return true, nil
}

func (s *store) Release(_ context.Context, d domain.Destination) (bool, error) {
	unlock, err := s.call()
	if err != nil {
		return false, err
	}
	defer unlock()
	if s.destinations[d.Name].ETag != d.ETag {
		return false, nil
	}
	d.Owner = ""
	s.keep(d)
	if s.losing && !s.lost[d.Name] { // the answer is lost, and the repeated request finds another etag
		s.lost[d.Name] = true
		return false, nil
	}
	return true, nil
}

func (s *store) Waiting(ctx context.Context, destination string, limit int) ([]domain.Delivery, error) {
	hanging := false
	if s.with(func() { hanging = s.hanging }); hanging {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	unlock, err := s.call()
	if err != nil {
		return nil, err
	}
	defer unlock()
	list := slices.DeleteFunc(slices.Collect(maps.Values(s.deliveries)), func(d domain.Delivery) bool {
		return d.Destination != destination || slices.Contains(s.unseen[destination], d.ID)
	})
	slices.SortFunc(list, func(a, b domain.Delivery) int {
		if a.Fresh() != b.Fresh() {
			return map[bool]int{true: -1, false: 1}[a.Fresh()]
		}
		return cmp.Or(a.Next.Compare(b.Next), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(limit, len(list))], nil
}

func (s *store) Refresh(_ context.Context, destination string) error {
	unlock, err := s.call()
	if err != nil {
		return err
	}
	defer unlock()
	delete(s.unseen, destination)
	return nil
}

func (s *store) Done(_ context.Context, d domain.Delivery) error {
	unlock, err := s.call()
	if err != nil {
		return err
	}
	defer unlock()
	delete(s.deliveries, d.ID)
	return nil
}

func (s *store) Retry(_ context.Context, d domain.Delivery) error {
	unlock, err := s.call()
	if err != nil {
		return err
	}
	defer unlock()
	s.deliveries[d.ID] = d
	return nil
}

func (s *store) Drop(_ context.Context, d domain.Delivery) error {
	unlock, err := s.call()
	if err != nil {
		return err
	}
	defer unlock()
	delete(s.deliveries, d.ID)
	s.dropped[d.ID] = d
	return nil
}

func (s *store) setDown(down bool) { s.with(func() { s.down = down }) }

// with reads or changes the store while no call does.
func (s *store) with(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *store) delivery(id string) (d domain.Delivery) {
	s.with(func() { d = s.deliveries[id] })
	return d
}

func (s *store) droppedOne(id string) (d domain.Delivery) {
	s.with(func() { d = s.dropped[id] })
	return d
}

func (s *store) all() (list []domain.Delivery) {
	s.with(func() { list = slices.Collect(maps.Values(s.deliveries)) })
	return list
}

func (s *store) destination(name string) (d domain.Destination) {
	s.with(func() { d = s.destinations[name] })
	return d
}

// network is a transport to receivers that behave as told. A destination is "host/part".
type network struct {
	mu       sync.Mutex
	limit    int
	answers  map[string]func(ctx context.Context, d domain.Delivery) error // by host; nil accepts
	dead     map[string]error                                              // by host: its error of Open
	received []receipt
	opened   map[string]int
	sessions int // now
	most     int // sessions at a time
}

type receipt struct {
	id string
	at time.Time
}

func newNetwork() *network {
	return &network{limit: 1, answers: make(map[string]func(context.Context, domain.Delivery) error),
		dead: make(map[string]error), opened: make(map[string]int)}
}

func hostOf(destination string) string {
	host, _, _ := strings.Cut(destination, "/")
	return host
}

func (n *network) Route(destination string) (route delivery.Route) {
	host := hostOf(destination)
	n.with(func() { route = delivery.Route{Host: host, Lane: host, Limit: n.limit} })
	return route
}

func (n *network) Open(_ context.Context, destination string) (delivery.Session, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opened[hostOf(destination)]++
	if err := n.dead[hostOf(destination)]; err != nil {
		return nil, err
	}
	n.sessions++
	n.most = max(n.most, n.sessions)
	return n, nil
}

func (n *network) Close() { n.with(func() { n.sessions-- }) }

// with reads or changes the network while no call does.
func (n *network) with(do func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	do()
}

func (n *network) set(host string, answer func(context.Context, domain.Delivery) error) {
	n.with(func() { n.answers[host] = answer })
}

func (n *network) kill(host string, err error) { n.with(func() { n.dead[host] = err }) }

func (n *network) openedTo(host string) (times int) {
	n.with(func() { times = n.opened[host] })
	return times
}

func (n *network) Deliver(ctx context.Context, d domain.Delivery, done func()) error {
	n.mu.Lock()
	answer := n.answers[hostOf(d.Destination)]
	n.mu.Unlock()
	if answer != nil {
		if err := answer(ctx, d); err != nil {
			return err
		}
	}
	n.mu.Lock()
	n.received = append(n.received, receipt{d.ID, time.Now()})
	n.mu.Unlock()
	done()
	return nil
}

// ids returns the deliveries that were received, in order.
func (n *network) ids() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var ids []string
	for _, r := range n.received {
		ids = append(ids, r.id)
	}
	return ids
}

// world is a store, a network and dispatchers that run in a bubble.
type world struct {
	*testing.T
	store   *store
	network *network
	options delivery.Options
	stops   []context.CancelFunc
	running []*sync.WaitGroup
}

// bubble runs a test with a fake clock, in which a number of dispatchers run.
func bubble(t *testing.T, dispatchers int, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, store: newStore(), network: newNetwork()}
		for range dispatchers {
			w.start()
		}
		test(w)
		for i := range w.stops {
			w.stop(i)
		}
	})
}

// start starts another dispatcher.
func (w *world) start() {
	d := delivery.New(w.store, w.network, w.options)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { d.Run(ctx) })
	w.store.mu.Lock()
	w.store.wake = append(w.store.wake, d.Wake)
	w.store.mu.Unlock()
	w.stops, w.running = append(w.stops, stop), append(w.running, &running)
}

// stop stops a dispatcher and returns how long that took.
func (w *world) stop(i int) time.Duration {
	begin := time.Now()
	w.stops[i]()
	w.running[i].Wait()
	return time.Since(begin)
}

// after lets time pass.
func (w *world) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// received fails unless these deliveries were received, in this order.
func (w *world) received(want ...string) {
	w.Helper()
	if got := w.network.ids(); !slices.Equal(got, want) {
		w.Errorf("received %q, want %q", got, want)
	}
}
