package deliveries

import (
	"context"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// outgoingPrefix begins the ids of outgoing items.
const outgoingPrefix = "outgoing."

// AddTo adds deliveries to a transactional batch on the partition of a user. So the change that causes them is stored
// with them or not at all. The users projector then hands them to Put, and calls DeleteOutgoing.
func AddTo(batch *azcosmos.TransactionalBatch, userID string, list ...domain.Delivery) {
	for _, d := range list {
		item := deliveryItemOf(d)
		item.ID, item.Type, item.UserID, item.SortKey = outgoingPrefix+d.ID, schema.TypeOutgoing, userID, ""
		batch.CreateItem(client.Encode(item), nil)
	}
}

// DecodeOutgoing decodes the item of a delivery that AddTo has stored.
func DecodeOutgoing(body []byte) (*domain.Delivery, error) {
	var item deliveryItem
	err := client.Decode(body, &item)
	d := item.outgoing()
	return &d, err
}

func (i deliveryItem) outgoing() domain.Delivery {
	i.ID = strings.TrimPrefix(i.ID, outgoingPrefix)
	return i.domain()
}

// Outgoing lists the deliveries that AddTo stored and that were created before a time.
func (s *Deliveries) Outgoing(ctx context.Context, before time.Time) (list []domain.Delivery, err error) {
	err = client.Scan(looking.In(ctx), s.users, "SELECT * FROM c WHERE c.type = @type AND c.creationDate < @before",
		client.Parameters{"type": schema.TypeOutgoing, "before": schema.Instant(before)}, func(i deliveryItem) error {
			list = append(list, i.outgoing())
			return nil
		})
	return list, client.Translate(err)
}

// Rouse makes a destination due when the first delivery that waits there is. A request that stores a delivery may die
// before it does that.
func (s *Deliveries) Rouse(ctx context.Context, name string) error {
	list, err := s.Waiting(ctx, name, 1)
	if err != nil || len(list) == 0 {
		return err
	}
	return client.Translate(s.makeDue(putting.In(ctx), name, waitingKey(list[0].Fresh(), list[0].Next)))
}

// DeleteOutgoing deletes the item of a delivery that AddTo has stored. Deleting it again is no error.
func (s *Deliveries) DeleteOutgoing(ctx context.Context, d domain.Delivery) error {
	return gone(s.users.Delete(forwarding.In(ctx), d.UserID, outgoingPrefix+d.ID))
}
