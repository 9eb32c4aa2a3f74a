package projection

import (
	"context"
	"slices"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// MailStore stores subscribers by mail, and posts for their digests.
type MailStore interface {
	Get(ctx context.Context, id string) (subscription.Subscriber, error)
	// Address returns the address of a subscriber, or an empty one if there is none to use.
	Address(ctx context.Context, sub subscription.Subscriber) (string, error)
	// PutTold stores a post for digests. Repeating it changes nothing.
	PutTold(ctx context.Context, t subscription.Told) error
}

// Mails stores the deliveries of mails to those who have asked for them. A nil *Mails stores none.
type Mails struct {
	Subscriptions MailStore
	Deliveries    NewsDeliveries
	// SealNotice encrypts what the mail about a notification needs. Nil: there are no such mails.
	SealNotice func(d domain.Delivery, n domain.Notification) domain.Delivery
}

// NewMails returns Mails without notices, for a command that projects what a server has left. It does not know whether
// the site has a mail server. If it has none, the servers discard the deliveries.
func NewMails(store *cosmos.Store) *Mails {
	return &Mails{Subscriptions: store.Subscriptions, Deliveries: store.Deliveries}
}

// tell stores a new post for digests, and returns the delivery to those who get each post.
func (m *Mails) tell(ctx context.Context, post domain.Post, now time.Time) ([]domain.Delivery, error) {
	if m == nil {
		return nil, nil
	}
	told := subscription.Told{PostID: post.ID, AuthorID: post.AuthorID, At: domain.Timestamp(now)}
	for _, l := range subscription.ListsOf(post) {
		told.Lists = append(told.Lists, l.Key())
	}
	return []domain.Delivery{subscription.MailingDelivery(post.ID, now)}, m.Subscriptions.PutTold(ctx, told)
}

// noticeTime is how long the mail about a notification is tried. It is longer than the time in which the likes of a day
// are notified, which make one mail.
const noticeTime = 48 * time.Hour

// notify stores the mails about notifications of one user, if the user gets them at once. It costs a point read for
// others.
func (m *Mails) notify(ctx context.Context, list []domain.Notification) error {
	if m == nil || m.SealNotice == nil {
		return nil
	}
	sub, err := m.Subscriptions.Get(ctx, list[0].UserID)
	if domain.Is(err, domain.NotFound) {
		return nil
	}
	if err != nil || !sub.Gets(subscription.List{Kind: subscription.Notices}, subscription.Each) {
		return err
	}
	list = slices.DeleteFunc(slices.Clone(list), func(n domain.Notification) bool { return !sub.Kinds.Has(n.Kind) })
	if len(list) == 0 {
		return nil
	}
	address, err := m.Subscriptions.Address(ctx, sub)
	if err != nil || address == "" {
		return err
	}
	now := domain.Timestamp(time.Now())
	deliveries := make([]domain.Delivery, len(list))
	for i, n := range list {
		deliveries[i] = m.SealNotice(domain.Delivery{ID: n.UserID + "." + schema.NotificationID(n),
			Destination: domain.BulkMail(address), Kind: subscription.DeliverNotice, Created: now,
			Expires: now.Add(noticeTime), Remember: true}, n)
	}
	return m.Deliveries.Put(ctx, deliveries...)
}
