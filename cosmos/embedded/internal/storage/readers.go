package storage

import (
	"context"
	"sync"
)

// readers are the connections for reading. The one that came back last is lent first: it has
// read what is read most, and those that are needed at the busiest moments only, which are
// opened when they first are, take no memory before that.
type readers struct {
	Places chan struct{} // one for each connection that is lent

	all sync.Mutex // held by who takes all: two that have some each would wait for ever

	mu   sync.Mutex
	idle []*Conn // the latest at the end
}

func newReaders(most int) *readers { return &readers{Places: make(chan struct{}, most)} }

// most is how many can be lent at a time.
func (r *readers) Most() int { return cap(r.Places) }

// take waits for a connection while ctx lasts. It is nil when one more is to be opened. A
// connection that is free is given whatever the context says.
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

// give takes back what take gave, or a connection that was opened in its place.
func (r *readers) Give(c *Conn) {
	if c != nil {
		r.mu.Lock()
		r.idle = append(r.idle, c)
		r.mu.Unlock()
	}
	<-r.Places
}

// takeAll waits for the reads under way and lets none begin until all is given back.
func (r *readers) TakeAll() []*Conn {
	r.all.Lock()
	defer r.all.Unlock()
	conns := make([]*Conn, r.Most())
	for i := range conns {
		conns[i], _ = r.take(context.Background()) // which does not end
	}
	return conns
}
