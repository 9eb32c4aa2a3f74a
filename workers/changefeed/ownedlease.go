package changefeed

import (
	"context"
	"errors"
	"sync"
	"time"

	"inkfeed/domain"
)

// Why a supervisor stops.
var (
	errLeaseLost    = errors.New("the lease is another's")
	errLeaseExpired = errors.New("the lease could not be renewed before it expired")
)

// holding is a lease that this instance has acquired. Owner and Epoch together say
// whose the stored lease is: an owner who lost it and acquired it again is another
// one, also within a process.
type ownedLease struct {
	leases     Leases
	expiration time.Duration
	writing    sync.Mutex // a lease has one writer at a time: each write needs the last etag

	mu    sync.Mutex // guards what follows, and is held for moments only
	lease domain.Lease
	// position is the continuation up to which all is projected. Every write of the
	// lease stores it.
	position string
	fence    *time.Timer
}

// acquire makes a lease the instance's own, provided that it is still as it was
// listed. Conflict means that another instance was faster.
func acquire(ctx context.Context, leases Leases, listed domain.Lease, instance, container string,
	expiration time.Duration) (*ownedLease, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout(expiration))
	defer cancel()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx, cancel = outliving(ctx)
	defer cancel()
	mine := listed
	mine.Owner, mine.Container, mine.Epoch, mine.Renewed = instance, container, listed.Epoch+1, time.Now()
	stored, err := leases.Replace(ctx, mine)
	if domain.Is(err, domain.Conflict) {
		// It is ours all the same if this very write was made and its answer lost.
		if current, readErr := leases.Read(ctx, mine.Processor, mine.Range); readErr == nil &&
			sameOwner(current, mine) {
			stored, err = current, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &ownedLease{leases: leases, expiration: expiration, lease: stored, position: stored.Continuation}, nil
}

// outliving is a context that goes on for a while after ctx has ended: for a write that
// makes a lease this instance's. One that is cut off on its way may be carried out all
// the same, later than the instance looks for what it has to release.
func outliving(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-longer.Done():
		case <-time.After(releaseTimeout):
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}

// writeTimeout is how long to wait for the answer to a write of a lease: a renewal of
// which none comes is made anew before the lease expires.
func writeTimeout(expiration time.Duration) time.Duration { return expiration / 3 }

func sameOwner(a, b domain.Lease) bool {
	return a.Owner == b.Owner && a.Epoch == b.Epoch && a.Container == b.Container
}

// current is the lease as it was written last.
func (h *ownedLease) current() domain.Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lease
}

// reached is the continuation up to which all is projected.
func (h *ownedLease) reached() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.position
}

// pass takes note that all up to a continuation is projected. It is stored with the
// next write of the lease.
func (h *ownedLease) pass(continuation string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.position = continuation
}

// checkpoint is pass that stores it now.
func (h *ownedLease) checkpoint(ctx context.Context, continuation string) error {
	h.pass(continuation)
	return h.renew(ctx)
}

// renew writes the lease with the present time. errLeaseLost is final, other errors
// may pass.
func (h *ownedLease) renew(ctx context.Context) error {
	return h.write(ctx, h.current().Owner)
}

// release gives the lease up, so that others need not wait until it expires.
func (h *ownedLease) release(ctx context.Context) error { return h.write(ctx, "") }

func (h *ownedLease) write(ctx context.Context, owner string) error {
	return h.whileHeld(ctx, func(ctx context.Context, l domain.Lease) error {
		l.Owner, l.Continuation, l.Renewed = owner, h.reached(), time.Now()
		stored, err := h.leases.Replace(ctx, l)
		if err == nil {
			h.written(stored)
		}
		return err
	})
}

// remove deletes the lease.
func (h *ownedLease) remove(ctx context.Context) error {
	return h.whileHeld(ctx, h.leases.Delete)
}

// conflictAttempts bounds how often a lease is read again after a conflict.
const conflictAttempts = 5

// whileHeld makes a call that is conditional on the lease's etag. After a conflict
// it looks whose the lease is: a write of ours whose answer was lost, or that was
// cut off, has changed the etag and nothing else.
func (h *ownedLease) whileHeld(ctx context.Context, call func(context.Context, domain.Lease) error) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, writeTimeout(h.expiration))
	defer cancel()
	for attempt := 1; ; attempt++ {
		held := h.current()
		err := call(ctx, held)
		if domain.Is(err, domain.NotFound) {
			return errLeaseLost
		}
		if !domain.Is(err, domain.Conflict) {
			return err
		}
		stored, err := h.leases.Read(ctx, held.Processor, held.Range)
		switch {
		case domain.Is(err, domain.NotFound):
			return errLeaseLost
		case err != nil:
			return err
		case !sameOwner(stored, held) || attempt == conflictAttempts:
			return errLeaseLost
		}
		h.mu.Lock()
		h.lease.ETag = stored.ETag
		h.mu.Unlock()
	}
}

// lostTo reports whether a lease, as it was listed, is no longer this holding. A
// listing may be older than the holding: then it says nothing.
func (h *ownedLease) lostTo(listed domain.Lease) bool {
	held := h.current()
	return listed.Epoch >= held.Epoch && !sameOwner(listed, held)
}

// written notes a write that succeeded, and puts the fence off.
func (h *ownedLease) written(stored domain.Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease = stored
	if h.fence != nil {
		h.fence.Reset(h.expiration - time.Since(stored.Renewed))
	}
}

// guard calls expired, until it is told to stop, when the lease has not been written
// for as long as others wait before they take it. Whether they did cannot be known
// then, so the holder stops of its own accord.
func (h *ownedLease) guard(expired func()) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fence = time.AfterFunc(h.expiration-time.Since(h.lease.Renewed), expired)
	return func() { h.fence.Stop() }
}

// overdue is what guard watches, by the clock on the wall: a machine that was
// suspended has other clocks stand still.
func (h *ownedLease) overdue() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Round(0).Sub(h.lease.Renewed.Round(0)) >= h.expiration
}
