package deliveries

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// Destinations lists all destinations by their names.
func (s *Deliveries) Destinations(ctx context.Context) ([]domain.Destination, error) {
	rows, err := client.Query[destinationItem](listing.In(ctx), s.c, destinations,
		"SELECT * FROM c", client.Parameters{})
	return domainOf(rows, destinationItem.domain), client.Translate(err)
}

// Count counts the deliveries to a destination.
func (s *Deliveries) Count(ctx context.Context, destination string) (domain.DeliveryCounts, error) {
	var n domain.DeliveryCounts
	for _, one := range []struct {
		count    *int
		from, to string
	}{{&n.Fresh, sortFresh, sortRepeated}, {&n.Repeated, sortRepeated, sortDropped},
		{&n.Dropped, sortDropped, sortNone}} {
		counts, err := client.Query[int](listing.In(ctx), s.c, destination,
			"SELECT VALUE COUNT(1) FROM c WHERE c.sortKey >= @from AND c.sortKey < @to",
			client.Parameters{"from": one.from, "to": one.to})
		if err != nil {
			return n, client.Translate(err)
		}
		for _, part := range counts {
			*one.count += part
		}
	}
	return n, nil
}

// List returns one page of the deliveries to a destination that have failed: those that are given up first, the latest
// first, and then those that wait for another attempt.
func (s *Deliveries) List(ctx context.Context, destination string, page int) (domain.ListPage[domain.Delivery], error) {
	rows, err := client.Query[deliveryItem](listing.In(ctx), s.c, destination,
		`SELECT * FROM c WHERE c.sortKey >= @from AND c.sortKey < @to ORDER BY c.sortKey DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.DeliveriesPerPage, client.Parameters{"from": sortRepeated, "to": sortNone}))
	return domain.Cut(domainOf(rows, deliveryItem.domain), page, domain.DeliveriesPerPage), client.Translate(err)
}

// Repeat makes a delivery due now, also one that was given up. It returns NotFound if there is none, or it is done.
func (s *Deliveries) Repeat(ctx context.Context, destination, id string) error {
	ctx = deciding.In(ctx)
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where c.sortKey < '" + sortNone + "'")
	ops.AppendSet("/sortKey", sortKey(sortRepeated, time.Now()))
	err := s.c.Patch(ctx, destination, id, ops)
	if err == nil {
		err = s.makeDue(ctx, destination)
	}
	return decided(err)
}

// Remove deletes a delivery before it is delivered. It returns NotFound if there is none, or it is done.
func (s *Deliveries) Remove(ctx context.Context, destination, id string) error {
	return decided(s.c.Delete(deciding.In(ctx), destination, id))
}

func decided(err error) error {
	if client.Missing(err) || client.ConditionFailed(err) {
		return domain.NewError(domain.NotFound, "This delivery is no longer waiting.")
	}
	return client.Translate(err)
}
