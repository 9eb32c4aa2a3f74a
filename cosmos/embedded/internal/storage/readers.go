package storage

import (
	"context"
	"sync"
)

// readers is the pool of connections for reading. It lends the connection that was returned last,
// because its cache is the warmest. Connections are opened on first use, so those that only peak
// load needs take no memory before.
type readers struct {
	Places chan struct{} // one token for each connection on loan

	all sync.Mutex // held by TakeAll: two concurrent calls would wait for each other

	mu   sync.Mutex
	idle []*Conn // last returned at the end
}

func newReaders(most int) *readers { return &readers{Places: make(chan struct{}, most)} }

// Most returns the maximum number of connections.
func (r *readers) Most() int { return cap(r.Places) }

// take waits for a connection until ctx ends. A nil connection means that the caller has to open
// another. A free connection is returned even if ctx has ended.
func (r *readers) take(ctx context.Context) (*Conn, error) {
	select {
	case r.Places <- struct{}{}:
	default:
		select {
		case r.Places <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.idle)
	if n == 0 {
		return nil, nil
	}
	c := r.idle[n-1]
	r.idle = r.idle[:n-1]
	return c, nil
}

// Give returns a connection to the pool, either one from take or one opened in its place.
func (r *readers) Give(c *Conn) {
	if c != nil {
		r.mu.Lock()
		r.idle = append(r.idle, c)
		r.mu.Unlock()
	}
	<-r.Places
}

// TakeAll waits for current reads and blocks new ones until all connections are given back. If ctx
// ends before the last read, TakeAll fails and new reads continue.
func (r *readers) TakeAll(ctx context.Context) ([]*Conn, error) {
	r.all.Lock()
	defer r.all.Unlock()
	conns := make([]*Conn, 0, r.Most())
	for range r.Most() {
		c, err := r.take(ctx)
		if err != nil {
			r.GiveAll(conns)
			return nil, err
		}
		conns = append(conns, c)
	}
	return conns, nil
}

// GiveAll returns the connections from TakeAll.
func (r *readers) GiveAll(conns []*Conn) {
	for _, c := range conns {
		r.Give(c)
	}
}
