package changefeed

import (
	"context"
	"errors"
	"sync"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// Reasons for a supervisor to stop.
var (
	errLeaseLost    = errors.New("another instance owns the lease")
	errLeaseExpired = errors.New("the lease could not be renewed before it expired")
)

// ownedLease is a lease that this instance has acquired. Owner and Epoch together identify the acquisition. So an
// instance that lost a lease and acquired it again does not mistake the new acquisition for the old one.
type ownedLease struct {
	leases     Leases
	expiration time.Duration
	writing    sync.Mutex // allows one write at a time, because each needs the etag of the one before

	mu    sync.Mutex // guards the fields below; never held during a request
	lease feeds.Lease
	// position is the continuation up to which all changes are projected. Every write of the lease stores it.
	position string
	fence    *time.Timer
}

// acquire makes this instance the owner of a lease, provided that the lease has not changed since it was listed.
// Conflict means that another instance was faster.
func acquire(ctx context.Context, leases Leases, listed feeds.Lease, instance, container string,
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
		// This instance may own the lease all the same: its write may have succeeded although the answer was lost.
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

// outliving returns a context that ends up to releaseTimeout after ctx. It is for writes that make this instance the
// owner of a lease. The storage may carry out a write that was cancelled on its way. It must not do so after the
// instance has listed the leases that it has to release.
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

// writeTimeout returns how long to wait for the answer to a write of a lease. It allows a renewal to be repeated before
// the lease expires.
func writeTimeout(expiration time.Duration) time.Duration { return expiration / 3 }

func sameOwner(a, b feeds.Lease) bool {
	return a.Owner == b.Owner && a.Epoch == b.Epoch && a.Container == b.Container
}

// current returns the lease as it was last written.
func (h *ownedLease) current() feeds.Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lease
}

// reached returns the continuation up to which all changes are projected.
func (h *ownedLease) reached() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.position
}

// pass records that all changes up to a continuation are projected. The next write of the lease stores the
// continuation.
func (h *ownedLease) pass(continuation string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.position = continuation
}

// checkpoint records that all changes up to a continuation are projected, and writes the lease now.
func (h *ownedLease) checkpoint(ctx context.Context, continuation string) error {
	h.pass(continuation)
	return h.renew(ctx)
}

// renew writes the lease with the present time. The error errLeaseLost is final; after others the caller may try again.
func (h *ownedLease) renew(ctx context.Context) error {
	return h.write(ctx, h.current().Owner)
}

// release clears the owner of the lease, so that other instances need not wait until it expires.
func (h *ownedLease) release(ctx context.Context) error { return h.write(ctx, "") }

func (h *ownedLease) write(ctx context.Context, owner string) error {
	return h.whileOwned(ctx, func(ctx context.Context, l feeds.Lease) error {
		l.Owner, l.Continuation, l.Renewed = owner, h.reached(), time.Now()
		stored, err := h.leases.Replace(ctx, l)
		if err == nil {
			h.written(stored)
		}
		return err
	})
}

// remove deletes the lease if this instance still owns it.
func (h *ownedLease) remove(ctx context.Context) error {
	return h.whileOwned(ctx, h.leases.Delete)
}

// conflictAttempts is the maximum number of attempts at a write that meets conflicts.
const conflictAttempts = 5

// whileOwned makes a call that is conditional on the lease's etag. After a conflict it reads the lease and tries again
// if this instance still owns it. That happens if the answer to one of its own writes was lost: only the etag has
// changed.
func (h *ownedLease) whileOwned(ctx context.Context, call func(context.Context, feeds.Lease) error) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, writeTimeout(h.expiration))
	defer cancel()
	for attempt := 1; ; attempt++ {
		owned := h.current()
		err := call(ctx, owned)
		if domain.Is(err, domain.NotFound) {
			return errLeaseLost
		}
		if !domain.Is(err, domain.Conflict) {
			return err
		}
		stored, err := h.leases.Read(ctx, owned.Processor, owned.Range)
		switch {
		case domain.Is(err, domain.NotFound):
			return errLeaseLost
		case err != nil:
			return err
		case !sameOwner(stored, owned) || attempt == conflictAttempts:
			return errLeaseLost
		}
		h.mu.Lock()
		h.lease.ETag = stored.ETag
		h.mu.Unlock()
	}
}

// lostTo reports whether a listed lease shows that this instance has lost it. A listing that is older than the
// acquisition shows nothing.
func (h *ownedLease) lostTo(listed feeds.Lease) bool {
	owned := h.current()
	return listed.Epoch >= owned.Epoch && !sameOwner(listed, owned)
}

// written records a successful write, and postpones the expiration that guard watches.
func (h *ownedLease) written(stored feeds.Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease = stored
	if h.fence != nil {
		h.fence.Reset(h.expiration - time.Since(stored.Renewed))
	}
}

// guard calls expired when the lease has not been written for Expiration, unless the returned function is called first.
// Other instances may have taken the lease by then. The owner cannot know, so it stops.
func (h *ownedLease) guard(expired func()) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fence = time.AfterFunc(h.expiration-time.Since(h.lease.Renewed), expired)
	return func() { h.fence.Stop() }
}

// overdue reports whether the lease has expired by the wall clock. The timer of guard does not run while a machine is
// suspended.
func (h *ownedLease) overdue() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Round(0).Sub(h.lease.Renewed.Round(0)) >= h.expiration
}
