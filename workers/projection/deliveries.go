package projection

import (
	"context"
	"fmt"
	"time"

	"inkfeed/domain"
)

// Deliveries stores what is sent to receivers outside.
type Deliveries interface {
	// Put stores deliveries, unless they were stored before.
	Put(ctx context.Context, list ...domain.Delivery) error
	// DeleteOutgoing deletes the item with which a change of a user has stored a delivery.
	DeleteOutgoing(ctx context.Context, d domain.Delivery) error
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
