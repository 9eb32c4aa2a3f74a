package deliveries

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// Destinations lists all destinations, in no particular order.
func (s *Deliveries) Destinations(ctx context.Context) ([]domain.Destination, error) {
	rows, err := client.Query[destinationItem](listing.In(ctx), s.c, destinations, "SELECT * FROM c", nil)
	return client.Convert(rows, destinationItem.domain), client.Translate(err)
}

// Count counts the deliveries to a destination, with one request for each kind. It reads the index only.
func (s *Deliveries) Count(ctx context.Context, d domain.Destination) (n domain.DeliveryCounts, err error) {
	ctx = listing.In(ctx)
	n.Dropped, err = s.count(ctx, d.Name, sortDropped, sortNone)
	if err == nil && !d.Due.IsZero() {
		var other error
		n.Fresh, err = s.count(ctx, d.Name, sortFresh, sortRepeated)
		n.Repeated, other = s.count(ctx, d.Name, sortRepeated, sortDropped)
		err = cmp.Or(err, other)
	}
	return n, client.Translate(err)
}

func (s *Deliveries) count(ctx context.Context, destination, from, to string) (int, error) {
	return client.Count(ctx, s.c, destination,
		"SELECT VALUE COUNT(1) FROM c WHERE c.sortKey >= @from AND c.sortKey < @to",
		client.Parameters{"from": from, "to": to})
}

// List returns one page of the deliveries to a destination that have failed, without what was sealed: those that were
// dropped first, the latest first, and then those that wait for another attempt.
func (s *Deliveries) List(ctx context.Context, destination string, page int) (domain.ListPage[domain.Delivery], error) {
	rows, err := client.Query[deliveryItem](listing.In(ctx), s.c, destination,
		`SELECT c.id, c.destination, c.sortKey, c.kind, c.attempts, c.answer, c.creationDate, c.expirationDate FROM c
		 WHERE c.sortKey >= @from AND c.sortKey < @to ORDER BY c.sortKey DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.DeliveriesPerPage, client.Parameters{"from": sortRepeated, "to": sortNone}))
	return domain.Cut(client.Convert(rows, deliveryItem.domain), page, domain.DeliveriesPerPage), client.Translate(err)
}

// Repeat makes deliveries due now that wait or were dropped. It returns how many of them there still were, also with an
// error.
func (s *Deliveries) Repeat(ctx context.Context, destination string, ids []string) (repeated int, err error) {
	now := sortKey(sortRepeated, time.Now())
	repeated, err = s.decide(ctx, destination, ids, sortNone, now)
	if repeated > 0 {
		err = cmp.Or(err, client.Translate(s.makeDue(deciding.In(ctx), destination, now)))
	}
	return repeated, err
}

// GiveUp drops deliveries that wait. It returns how many of them there still were, also with an error.
func (s *Deliveries) GiveUp(ctx context.Context, destination string, ids []string) (dropped int, err error) {
	return s.decide(ctx, destination, ids, sortDropped, sortKey(sortDropped, time.Now()))
}

// decide changes the sort key of those deliveries whose sort key is below a bound. They still expire at the same time.
func (s *Deliveries) decide(ctx context.Context, destination string, ids []string, below, to string) (n int,
	err error) {
	ctx = deciding.In(ctx)
	for _, id := range ids {
		item, err := client.Read[deliveryItem](ctx, s.c, destination, id)
		if err == nil {
			var ops azcosmos.PatchOperations
			ops.SetCondition(fmt.Sprintf("from c where c.sortKey < '%s'", below))
			ops.AppendSet("/sortKey", to)
			ops.AppendSet("/ttl", ttl(time.Time(item.Expires)))
			err = s.c.Patch(ctx, destination, id, ops)
		}
		decided, err := changed(err)
		if err != nil {
			return n, err
		}
		if decided {
			n++
		}
	}
	return n, nil
}
