// Package subscriptions stores who gets mails, and what became of the mails. A subscriber is one item in a partition of
// its own, which has all subscriptions. The partitions of lists have a copy for each subscription, without the address:
// an index of those who may get a mail. Readers then read the subscriber, and believe that. See docs/data-model.md.
package subscriptions

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Operations on subscribers. No cached page shows them.
var (
	reading    = client.Reads("subscriber")
	changing   = client.WritesOnly("subscribe", 0)
	completing = client.WritesOnly("copy-subscriber", 0)
)

// Accounts reads accounts.
type Accounts interface {
	// People returns those of several users whose accounts are neither deleted, suspended nor about to be deleted.
	People(ctx context.Context, userIDs []string) (map[string]domain.User, error)
}

// Credentials reads the addresses of members.
type Credentials interface {
	Get(ctx context.Context, userID string) (domain.Credentials, error)
}

// Subscriptions stores subscribers, and the mailings and digests that they get.
type Subscriptions struct {
	users       *client.Container
	accounts    Accounts
	credentials Credentials
}

// New returns the subscriptions of a database.
func New(db *client.Database, accounts Accounts, credentials Credentials) *Subscriptions {
	return &Subscriptions{db.Container(schema.UsersContainer), accounts, credentials}
}

// subscriberItem is a subscriber. The partition is the id of the subscriber.
type subscriberItem struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	subscription.Subscriber
	// Outdated are the copies that are not up to date yet.
	Outdated []copyRef `json:"outdated,omitempty"`
	TTL      int       `json:"ttl,omitempty"`
	ETag     string    `json:"_etag,omitempty"`
}

// Decode decodes the item of a subscriber.
func Decode(body []byte) (*subscription.Subscriber, error) {
	var item subscriberItem
	err := client.Decode(body, &item)
	return &item.Subscriber, err
}

// read reads a subscriber. It returns an item without an ETag if there is none.
func (s *Subscriptions) read(ctx context.Context, id string) (subscriberItem, error) {
	item, err := client.Read[subscriberItem](ctx, s.users, id, schema.SubscriberID)
	if client.Missing(err) {
		return subscriberItem{ID: schema.SubscriberID, Type: schema.TypeSubscriber,
			Subscriber: subscription.Subscriber{ID: id}}, nil
	}
	return item, err
}

// Get reads a subscriber. It returns NotFound if there is none. It costs a point read.
func (s *Subscriptions) Get(ctx context.Context, id string) (subscription.Subscriber, error) {
	if !subscription.IsSubscriberID(id) {
		return subscription.Subscriber{}, &domain.Error{Kind: domain.NotFound}
	}
	item, err := client.Read[subscriberItem](reading.In(ctx), s.users, id, schema.SubscriberID)
	return item.Subscriber, client.Translate(err)
}

// Change changes a subscriber, brings its copies up to date, and returns it. The function is called with a subscriber
// that has nothing but the id if there is none yet, and again if another change comes first. If it changes nothing,
// nothing is written. A new subscriber that is a member needs an account: otherwise Change returns NotFound.
func (s *Subscriptions) Change(ctx context.Context, id string,
	change func(*subscription.Subscriber) error) (subscription.Subscriber, error) {
	if !subscription.IsSubscriberID(id) {
		return subscription.Subscriber{}, &domain.Error{Kind: domain.NotFound}
	}
	ctx = changing.In(ctx)
	item, err := client.RewriteReturning(ctx, func() (subscriberItem, error) {
		item, err := s.read(ctx, id)
		if err != nil {
			return item, client.Translate(err)
		}
		before := item.Subscriber
		item.Subscriptions = slices.Clone(before.Subscriptions)
		err = change(&item.Subscriber)
		if err != nil || equal(item.Subscriber, before) {
			item.Outdated = nil
			return item, err
		}
		item.Subscriber.ID, item.Version = id, schema.NextVersion(before.Version, time.Now())
		forget := item.Tidy(time.Now())
		item.markOutdated(before)
		return item, client.Lost(s.write(ctx, item, forget))
	})
	if err == nil && len(item.Outdated) > 0 {
		_ = s.complete(ctx, item.Subscriber) // what fails here, the users projector completes
	}
	return item.Subscriber, client.Translate(err)
}

// equal reports whether two subscribers are the same.
func equal(a, b subscription.Subscriber) bool {
	return string(client.Encode(a)) == string(client.Encode(b))
}

// write stores a subscriber that was read, unless it has changed since. It is forgotten at a time, if that is not zero.
func (s *Subscriptions) write(ctx context.Context, item subscriberItem, forget time.Time) error {
	id, etag := item.Subscriber.ID, item.ETag
	item.ETag, item.TTL = "", 0
	if !forget.IsZero() {
		item.TTL = schema.TTLUntil(forget)
		if len(item.Outdated) > 0 { // the projector may be late
			item.TTL = max(item.TTL, int(domain.MarkerTime.Seconds()))
		}
	}
	if etag != "" {
		return s.users.Replace(ctx, id, item.ID, etag, item)
	}
	return s.create(ctx, id, item)
}

// create creates an item in the partition of a subscriber or author. It returns NotFound if that is a member whose
// account has been deleted: the erasure deletes the items that it finds, and none may come after it.
func (s *Subscriptions) create(ctx context.Context, id string, item any) error {
	if !domain.IsUserID(id) {
		return s.users.Create(ctx, id, item)
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendIncrement("/steps", 1) // as cosmos.Users.Touch
	batch := s.users.Batch(id)
	batch.PatchItem(id, ops, nil)
	batch.CreateItem(client.Encode(item), nil)
	_, err := s.users.Execute(ctx, batch, false)
	if client.FailedAt(err, 0, http.StatusPreconditionFailed) || client.FailedAt(err, 0, http.StatusNotFound) {
		return schema.ErrNoUser()
	}
	return err
}

// Address returns the address of a subscriber: of a member, the verified one of the account. It is empty if there is
// none, or if the account is suspended or about to be deleted.
func (s *Subscriptions) Address(ctx context.Context, sub subscription.Subscriber) (string, error) {
	if !sub.IsMember() {
		return sub.Email, nil
	}
	people, err := s.accounts.People(ctx, []string{sub.ID})
	if _, ok := people[sub.ID]; err != nil || !ok {
		return "", err
	}
	c, err := s.credentials.Get(ctx, sub.ID)
	if domain.Is(err, domain.NotFound) || err == nil && !c.EmailVerified {
		return "", nil
	}
	return c.Email, err
}
