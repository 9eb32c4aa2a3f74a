package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// deliver writes a delivery about bob, one that waits in the transaction of its cause, and one that was made.
func deliver(ctx context.Context, w *world) error {
	c, err := w.Credentials.Get(ctx, w.bob.ID)
	if err != nil {
		return err
	}
	delivery := func(id string) domain.Delivery {
		now := time.Now()
		return domain.Delivery{ID: id, Destination: domain.UrgentMail, Kind: domain.DeliverMail, UserID: w.bob.ID,
			Sealed: []byte("sealed"), Created: now, Expires: now.Add(time.Hour), Remember: true}
	}
	if _, err = w.Credentials.Set(ctx, c, delivery("outgoing")); err != nil {
		return err
	}
	if err := w.Deliveries.Put(ctx, delivery("waiting"), delivery("made")); err != nil {
		return err
	}
	if err := w.Deliveries.Refresh(ctx, domain.UrgentMail); err != nil {
		return err
	}
	return w.Deliveries.Done(ctx, delivery("made"))
}

func brokenDeliveries() []brokenCase {
	now := time.Now().UTC().Format(schema.InstantLayout)
	// put writes an item that is sound without these properties.
	put := func(properties anyItem) worldStep {
		return func(ctx context.Context, w *world) error {
			item := anyItem{"id": "x", "type": "delivery", "destination": "mail:07", "sortKey": "0" + now, "ttl": 60}
			if properties["type"] == "destination" {
				item["destination"] = "destinations"
			}
			for name, value := range properties {
				item[name] = value
			}
			return w.putItem(ctx, w.Container(schema.DeliveriesContainer), item["destination"].(string), item)
		}
	}
	due := put(anyItem{"id": "mail:07", "type": "destination"})
	outgoing := func(id string, age time.Duration, ttl int) worldStep {
		return func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer), anyItem{"id": id, "type": "outgoing",
				"userId": w.ada.ID, "creationDate": schema.Instant(time.Now().Add(-age)), "ttl": ttl})
		}
	}
	return []brokenCase{
		{ruleTypes, "an unknown type in deliveries", `deliveries item x of mail:07: type "y"`,
			put(anyItem{"type": "y"})},
		{ruleIDs, "a delivery among the destinations", `deliveries item x of destinations: type "delivery"`,
			put(anyItem{"destination": "destinations"})},
		{ruleIDs, "an outgoing delivery with another id", "users item x", outgoing("x", 0, 60)},
		{ruleDeliveries, "an outgoing delivery that no projector has forwarded", "it waits since",
			outgoing("outgoing.x", 2*time.Hour, 60)},
		{ruleDeliveries, "an outgoing delivery without a time to live", "it has no time to live",
			outgoing("outgoing.x", 0, -1)},
		{ruleDeliveries, "a delivery without a time to live", "it has no time to live",
			after(due, put(anyItem{"ttl": -1}))},
		{ruleDeliveries, "a delivery with a malformed time of its next attempt", `its sort key is "0now"`,
			put(anyItem{"sortKey": "0now"})},
		{ruleDeliveries, "a delivery that was made and need not be remembered", `its sort key is "3"`,
			put(anyItem{"sortKey": "3"})},
		{ruleDeliveries, "a destination that was given up", "its sort key is",
			put(anyItem{"id": "mail:07", "type": "destination", "sortKey": "2" + now})},
		{ruleDeliveries, "a delivery that waits at no destination",
			"destination mail:07: deliveries wait, but it has no next attempt", put(nil)},
		{ruleDeliveries, "a delivery that waits at a destination without a next attempt",
			"destination mail:07: deliveries wait, but it has no next attempt",
			after(put(nil), put(anyItem{"id": "mail:07", "type": "destination", "sortKey": "3"}))},
		{ruleDeliveries, "a delivery about a deleted account", "there is no user",
			after(after(deleteAda, due), func(ctx context.Context, w *world) error {
				return put(anyItem{"userId": w.ada.ID})(ctx, w)
			})},
		{ruleDeliveries, "an outgoing delivery of a deleted account", "there is no user",
			after(deleteAda, outgoing("outgoing.x", 0, 60))},
	}
}
