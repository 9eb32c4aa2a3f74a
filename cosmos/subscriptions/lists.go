package subscriptions

import (
	"context"
	"fmt"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Operations on lists of subscribers.
var (
	walking = client.WritesOnly("receivers", 0).LowPriority()
	listing = client.Reads("subscribers")
)

// receiversPerPage is the number of receivers, or mailings, on a page.
const receiversPerPage = 50

// receivers is the condition of the subscribers in a partition.
const receivers = `SELECT * FROM c WHERE c.type = '` + schema.TypeReceiver + `'`

// ReceiversAfter returns at most limit subscribers of a list with a frequency that follow a place, the earliest first.
// The zero place is the beginning.
func (s *Subscriptions) ReceiversAfter(ctx context.Context, l subscription.List, f subscription.Frequency,
	after domain.Place, limit int) ([]subscription.Receiver, error) {
	return s.after(ctx, schema.ReceiversKey(l), ` AND c.listKey = @list AND c.frequency = @frequency`,
		client.Parameters{"list": l.Key(), "frequency": f}, after, func(id string) string {
			return schema.ReceiverID(id, l)
		}, limit)
}

// DigestedAfter returns at most limit subscribers with digests in a time zone that follow a place, the earliest first.
// The zero place is the beginning.
func (s *Subscriptions) DigestedAfter(ctx context.Context, zone string, after domain.Place, limit int) (
	[]subscription.Receiver, error) {
	return s.after(ctx, schema.DigestsKey(zone), "", client.Parameters{}, after,
		func(id string) string { return id }, limit)
}

func (s *Subscriptions) after(ctx context.Context, partition, where string, params client.Parameters,
	after domain.Place, copyID func(subscriberID string) string, limit int) ([]subscription.Receiver, error) {
	if at, id, ok := after.Split(); ok {
		where += " AND (c.creationDate > @date OR c.creationDate = @date AND c.id > @id)"
		params["date"], params["id"] = schema.Instant(at), copyID(id)
	}
	params["limit"] = limit
	rows, err := client.Query[copyItem](walking.In(ctx), s.users, partition, receivers+where+
		` ORDER BY c.type ASC, c.creationDate ASC, c.id ASC OFFSET 0 LIMIT @limit`, params)
	return client.Convert(rows, copyItem.domain), client.Translate(err)
}

// Refresh lets this process read all subscribers of a list that other processes have stored before. With session
// consistency a replica may lag behind; each write answers with a session token that covers those before it.
func (s *Subscriptions) Refresh(ctx context.Context, l subscription.List) error {
	return s.refresh(ctx, schema.ReceiversKey(l))
}

// RefreshZone is Refresh for the subscribers with digests in a time zone.
func (s *Subscriptions) RefreshZone(ctx context.Context, zone string) error {
	return s.refresh(ctx, schema.DigestsKey(zone))
}

func (s *Subscriptions) refresh(ctx context.Context, partition string) error {
	mark := copyItem{ID: schema.TypeMark, Type: schema.TypeMark, UserID: partition, TTL: int(time.Minute.Seconds())}
	return client.Translate(s.users.Upsert(walking.In(ctx), partition, mark))
}

// Page returns subscribers of the lists of an author who are at a place or after it, the latest first, and the place
// where the next page begins, which is empty on the last page. A subscriber to several lists comes several
// times.
func (s *Subscriptions) Page(ctx context.Context, authorID string, from domain.Place) (
	list []subscription.Receiver, next domain.Place, err error) {
	rows, next, err := page(ctx, s, schema.ReceiversKey(subscription.Author(authorID)), schema.TypeReceiver, from,
		func(i copyItem) domain.Place { return domain.PlaceOf(time.Time(i.CreationDate), i.ID) })
	return client.Convert(rows, copyItem.domain), next, err
}

// page returns the items of a type in a partition as Page does.
func page[T any](ctx context.Context, s *Subscriptions, partition, itemType string, from domain.Place,
	placeOf func(T) domain.Place) (rows []T, next domain.Place, err error) {
	where, params := "", client.Parameters{"type": itemType, "limit": receiversPerPage + 1}
	if at, id, ok := from.Split(); ok {
		where = " AND (c.creationDate < @date OR c.creationDate = @date AND c.id <= @id)"
		params["date"], params["id"] = schema.Instant(at), id
	}
	rows, err = client.Query[T](listing.In(ctx), s.users, partition, `SELECT * FROM c WHERE c.type = @type`+where+
		` ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET 0 LIMIT @limit`, params)
	if len(rows) > receiversPerPage {
		rows, next = rows[:receiversPerPage], placeOf(rows[receiversPerPage])
	}
	return rows, next, client.Translate(err)
}

// Count returns the number of subscriptions to the lists of an author. It stops at subscription.MaxCounted.
func (s *Subscriptions) Count(ctx context.Context, authorID string) (int, error) {
	rows, err := client.Query[int](listing.In(ctx), s.users, schema.ReceiversKey(subscription.Author(authorID)),
		fmt.Sprintf(`SELECT TOP %d VALUE 1 FROM c WHERE c.type = @type`, subscription.MaxCounted),
		client.Parameters{"type": schema.TypeReceiver})
	return len(rows), client.Translate(err)
}
