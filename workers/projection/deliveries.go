package projection

import (
	"context"
	"fmt"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// Deliveries stores what is sent to receivers outside.
type Deliveries interface {
	// Put stores deliveries, unless they were stored before.
	Put(ctx context.Context, list ...domain.Delivery) error
	// Outgoing lists the deliveries that changes of users have stored, and that were created before a time.
	Outgoing(ctx context.Context, before time.Time) ([]domain.Delivery, error)
	// Rouse makes a destination due when the first delivery that waits there is.
	Rouse(ctx context.Context, destination string) error
	// DeleteOutgoing deletes the item with which a change of a user has stored a delivery.
	DeleteOutgoing(ctx context.Context, d domain.Delivery) error
}

// forwardingTime is the age of an outgoing delivery from which on ForwardLeft takes it.
const forwardingTime = time.Minute

// ForwardLeft forwards the deliveries that were left: an older release reads past them while it runs beside this one.
// ForwardLeft also rouses those of requests that died.
func (p *UsersProjector) ForwardLeft(ctx context.Context) error {
	left, err := p.Deliveries.Outgoing(ctx, time.Now().Add(-forwardingTime))
	if err != nil {
		return fmt.Errorf("list the deliveries that were left: %w", err)
	}
	if err := loop.InParallel(ctx, left, p.forward); err != nil {
		return err
	}
	return p.Deliveries.Rouse(ctx, domain.UrgentMail)
}

// forward stores a delivery where it is carried out, and deletes its outgoing item. A delivery stays stored until it
// expires, so that projecting it again repeats nothing. The storage deletes outgoing items that have expired.
func (p *UsersProjector) forward(ctx context.Context, d domain.Delivery) error {
	if !time.Now().Before(d.Expires) {
		return nil
	}
	if err := p.Deliveries.Put(ctx, d); err != nil {
		return fmt.Errorf("store a delivery: %w", err)
	}
	return p.Deliveries.DeleteOutgoing(ctx, d)
}
