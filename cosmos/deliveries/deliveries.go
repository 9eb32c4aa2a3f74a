package deliveries

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Operations on deliveries.
var (
	putting    = client.WritesOnly("put-delivery", 0)
	forwarding = client.WritesOnly("delete-outgoing", 0)
	looking    = client.Reads("deliveries")
	claiming   = client.WritesOnly("claim-destination", 0)
	delivering = client.WritesOnly("deliver", 0)
	listing    = client.Reads("list-deliveries")
	deciding   = client.WritesOnly("decide-delivery", 0)
)

// Deliveries stores deliveries and their destinations.
type Deliveries struct {
	c, users *client.Container
	onDue    func()
}

// New returns the deliveries of a database.
func New(db *client.Database) *Deliveries {
	return &Deliveries{db.Container(schema.DeliveriesContainer), db.Container(schema.UsersContainer), func() {}}
}

// OnDue sets a function that is called after this process has made a destination due. Call it before deliveries are
// stored.
func (s *Deliveries) OnDue(f func()) { s.onDue = f }

// Put stores deliveries, and makes their destinations due. Storing one again changes nothing while its item exists. An
// error may leave some of them stored, so callers repeat the call, or tell the user that nothing is certain.
func (s *Deliveries) Put(ctx context.Context, list ...domain.Delivery) error {
	ctx = putting.In(ctx)
	due := make(map[string]bool)
	for _, d := range list {
		err := s.c.Create(ctx, d.Destination, deliveryItemOf(d))
		if err != nil && client.StatusOf(err) != http.StatusConflict {
			return client.Translate(err)
		}
		due[d.Destination] = true
	}
	// A destination follows its deliveries: a worker that sees it due finds them, and one that has seen no more
	// deliveries cannot release it, because its etag has changed.
	for name := range due {
		if err := s.makeDue(ctx, name, sortKey(sortFresh, time.Now())); err != nil {
			return client.Translate(err)
		}
	}
	return nil
}

// makeDue gives a destination a sort key, or only changes its etag if it has no greater one.
func (s *Deliveries) makeDue(ctx context.Context, name, key string) error {
	defer s.onDue()
	return client.Rewrite(ctx, func() error {
		// The conditions are evaluated where the item is written, because a replica may not know yet that the
		// destination was released. A destination is usually due already when many deliveries are stored.
		var touch azcosmos.PatchOperations
		touch.SetCondition(fmt.Sprintf("from c where c.sortKey <= '%s'", key))
		touch.AppendIncrement("/puts", 1)
		err := s.c.Patch(ctx, destinations, name, touch)
		if client.ConditionFailed(err) {
			var ops azcosmos.PatchOperations
			ops.SetCondition(fmt.Sprintf("from c where c.sortKey > '%s'", key))
			ops.AppendSet("/sortKey", key)
			ops.AppendIncrement("/puts", 1)
			err = s.c.Patch(ctx, destinations, name, ops)
		}
		if !client.Missing(err) {
			return client.AgainIf(client.ConditionFailed(err), err)
		}
		err = s.c.Create(ctx, destinations, destinationItem{ID: name, Type: schema.TypeDestination,
			Destination: destinations, SortKey: key, TTL: int(destinationTime.Seconds())})
		return client.AgainIf(client.StatusOf(err) == http.StatusConflict, err)
	})
}

// Due lists the destinations with deliveries that are due before a time: those with fresh ones first, then the one that
// has waited longest. Some may be paused, or have an owner.
func (s *Deliveries) Due(ctx context.Context, before time.Time) ([]domain.Destination, error) {
	rows, err := client.Query[destinationItem](looking.In(ctx), s.c, destinations,
		"SELECT * FROM c WHERE c.sortKey < @before ORDER BY c.sortKey ASC",
		client.Parameters{"before": sortKey(sortRepeated, before)})
	return client.Convert(rows, destinationItem.domain), client.Translate(err)
}

// Claim makes a worker the owner of a destination, if the destination is as it was read.
func (s *Deliveries) Claim(ctx context.Context, d domain.Destination, owner string) (claimed bool, err error) {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/owner", owner)
	ops.AppendIncrement("/renewals", 1)
	return changed(s.c.PatchVersion(claiming.In(ctx), destinations, d.Name, d.ETag, ops))
}

// Renew shows that the owner of a destination still works. It reports false if the destination has another owner.
func (s *Deliveries) Renew(ctx context.Context, name, owner string) (owned bool, err error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.owner = '%s'", owner))
	ops.AppendIncrement("/renewals", 1)
	return changed(s.c.Patch(claiming.In(ctx), destinations, name, ops))
}

// changed reports whether a conditional write was carried out.
func changed(err error) (bool, error) {
	if client.ConditionFailed(err) || client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}

// Destination reads a destination.
func (s *Deliveries) Destination(ctx context.Context, name string) (domain.Destination, error) {
	item, err := client.Read[destinationItem](looking.In(ctx), s.c, destinations, name)
	return item.domain(), client.Translate(err)
}

// Release gives up the ownership of a destination and stores its Due, Fresh, Failures, Answer and Paused. It reports
// false, and stores nothing, if the destination has changed since it was read: then there may be new deliveries.
func (s *Deliveries) Release(ctx context.Context, d domain.Destination) (released bool, err error) {
	next := sortNone
	if !d.Due.IsZero() {
		next = waitingKey(d.Fresh, d.Due)
	}
	var ops azcosmos.PatchOperations
	ops.AppendSet("/owner", "")
	ops.AppendSet("/sortKey", next)
	ops.AppendSet("/failures", d.Failures)
	ops.AppendSet("/answer", d.Answer)
	ops.AppendSet("/pausedDate", schema.Optional(d.Paused))
	return changed(s.c.PatchVersion(claiming.In(ctx), destinations, d.Name, d.ETag, ops))
}

// Waiting lists the first deliveries that wait at a destination, up to a limit: fresh ones first, then the one whose
// next attempt is due first. That may be in the future.
func (s *Deliveries) Waiting(ctx context.Context, destination string, limit int) ([]domain.Delivery, error) {
	rows, err := client.Query[deliveryItem](looking.In(ctx), s.c, destination,
		fmt.Sprintf("SELECT TOP %d * FROM c WHERE c.sortKey < @dropped ORDER BY c.sortKey ASC", limit),
		client.Parameters{"dropped": sortDropped})
	return client.Convert(rows, deliveryItem.domain), client.Translate(err)
}

// Refresh lets this process read all deliveries to a destination that were stored before, and none that were done. With
// session consistency a replica may lag behind the writes of other processes. Each write answers with a session token
// that covers those before it in the partition.
func (s *Deliveries) Refresh(ctx context.Context, destination string) error {
	return client.Translate(s.c.Upsert(claiming.In(ctx), destination, markItem{ID: schema.TypeMark,
		Type: schema.TypeMark, Destination: destination, TTL: int(destinationTime.Seconds())}))
}

// ifWaiting is the condition that a delivery is neither dropped nor done.
const ifWaiting = "from c where c.sortKey < '" + sortDropped + "'"

// Advance stores the Position of a delivery that is under way. It returns NotFound if an administrator has dropped it.
func (s *Deliveries) Advance(ctx context.Context, d domain.Delivery) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifWaiting)
	ops.AppendSet("/position", d.Position)
	ops.AppendSet("/ttl", ttl(d.Expires)) // which begins anew with each write
	err := s.c.Patch(delivering.In(ctx), d.Destination, d.ID, ops)
	if client.ConditionFailed(err) || client.Missing(err) {
		return &domain.Error{Kind: domain.NotFound}
	}
	return client.Translate(err)
}

// Done records that the receiver has accepted a delivery, also one that an administrator has dropped meanwhile.
func (s *Deliveries) Done(ctx context.Context, d domain.Delivery) error {
	if !d.Remember {
		return gone(s.c.Delete(delivering.In(ctx), d.Destination, d.ID))
	}
	return gone(s.c.Patch(delivering.In(ctx), d.Destination, d.ID, remembering(d.Expires)))
}

// remembering returns the change of an item that stays until its delivery has expired, without the contents.
func remembering(expires time.Time) (ops azcosmos.PatchOperations) {
	ops.AppendSet("/sortKey", sortNone)
	ops.AppendSet("/sealed", "")
	ops.AppendSet("/ttl", ttl(expires))
	return ops
}

// gone translates an error. It treats a missing item, and one that an administrator has dropped, as a success.
func gone(err error) error {
	if client.Missing(err) || client.ConditionFailed(err) {
		return nil
	}
	return client.Translate(err)
}

// Retry stores the Next, Attempts and Answer of a delivery that waits for another attempt.
func (s *Deliveries) Retry(ctx context.Context, d domain.Delivery) error {
	return s.attempted(delivering.In(ctx), d, sortKey(sortRepeated, d.Next))
}

// Drop stores the Dropped, Attempts and Answer of a delivery that is given up.
func (s *Deliveries) Drop(ctx context.Context, d domain.Delivery) error {
	return s.attempted(delivering.In(ctx), d, sortKey(sortDropped, d.Dropped))
}

func (s *Deliveries) attempted(ctx context.Context, d domain.Delivery, key string) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifWaiting)
	ops.AppendSet("/sortKey", key)
	ops.AppendSet("/attempts", d.Attempts)
	ops.AppendSet("/answer", d.Answer)
	ops.AppendSet("/ttl", ttl(d.Expires))
	if !time.Now().Before(d.Expires) { // it is of no use any more
		ops.AppendSet("/sealed", "")
	}
	return gone(s.c.Patch(ctx, d.Destination, d.ID, ops))
}

// Erase gives up the deliveries about an account, all of which are urgent mails. Their items stay as those of
// deliveries that were made, without their contents and the account, so that a projector that is late stores none of
// them again.
func (s *Deliveries) Erase(ctx context.Context, userID string) error {
	ctx = client.Erasing.In(ctx)
	rows, err := client.Query[deliveryItem](ctx, s.c, domain.UrgentMail,
		"SELECT c.id, c.expirationDate FROM c WHERE c.userId = @user", client.Parameters{"user": userID})
	for _, row := range rows {
		ops := remembering(time.Time(row.Expires))
		ops.AppendRemove("/userId")
		ops.AppendSet("/remember", true)
		ops.AppendSet("/answer", "")
		err = cmp.Or(err, gone(s.c.Patch(ctx, domain.UrgentMail, row.ID, ops)))
	}
	return client.Translate(err)
}
