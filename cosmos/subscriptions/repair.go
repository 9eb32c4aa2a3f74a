package subscriptions

import (
	"context"

	"inkfeed/cosmos/client"
)

var repairing = client.Writes("repair-subscriptions")

// Repair deletes copies that belong to no subscription. Completing all subscribers restores those that are missing.
func (s *Subscriptions) Repair(ctx context.Context) error {
	ctx = repairing.In(ctx)
	return client.Translate(client.Scan(ctx, s.users, receivers, nil, func(i copyItem) error {
		item, err := s.read(ctx, i.SubscriberID)
		if _, ok := copiesOf(item.Subscriber)[i.ref()]; err != nil || ok {
			return err
		}
		return client.UnlessGone(s.users.DeleteVersion(ctx, i.UserID, i.ID, i.ETag))
	}))
}
