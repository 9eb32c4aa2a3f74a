// Package mailing mails new posts and digests to their subscribers, and stores imported subscribers. It is the
// transport of deliveries to "mailings:…" and "imports:…": package workers/delivery owns them, repeats them and goes on
// with them after a crash. A Digester stores the deliveries of digests when these are due.
package mailing

import (
	"context"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/domain/subscription/contacts"
	"inkfeed/workers/delivery"
)

// Store stores subscribers, and what has become of mailings.
type Store interface {
	Get(ctx context.Context, id string) (subscription.Subscriber, error)
	Change(ctx context.Context, id string, change func(*subscription.Subscriber) error) (subscription.Subscriber, error)
	// Address returns the address of a subscriber, or an empty one if there is none to use.
	Address(ctx context.Context, sub subscription.Subscriber) (string, error)
	// ReceiversAfter and DigestedAfter list subscribers after a place, the earliest first. Refresh and RefreshZone make
	// later calls complete: without them they may not know what other processes have stored until now.
	ReceiversAfter(ctx context.Context, l subscription.List, f subscription.Frequency, after domain.Place, limit int) (
		[]subscription.Receiver, error)
	DigestedAfter(ctx context.Context, zone string, after domain.Place, limit int) ([]subscription.Receiver, error)
	Refresh(ctx context.Context, l subscription.List) error
	RefreshZone(ctx context.Context, zone string) error
	// BeginMailing stores a mailing, unless there is one of the post.
	BeginMailing(ctx context.Context, m subscription.Mailing) error
	Mailing(ctx context.Context, authorID, postID string) (subscription.Mailing, error)
	SetSent(ctx context.Context, authorID, postID string, sent int, done bool) error
	CountBounce(ctx context.Context, authorID, postID string) error
	ToldBetween(ctx context.Context, from, until time.Time) ([]subscription.Told, error)
}

// Deliveries stores deliveries, and how far they have come.
type Deliveries interface {
	delivery.Positions
	// Put stores deliveries, unless they were stored before.
	Put(ctx context.Context, list ...domain.Delivery) error
}

// Composer makes mails. All methods return NotFound if there is nothing to send.
type Composer interface {
	// Post prepares the mail of a post for its receivers.
	Post(ctx context.Context, postID string) (Issue, error)
	Digest(ctx context.Context, to subscription.Subscriber, address string, run subscription.DigestRun,
		posts []subscription.Told) (domain.Mail, error)
}

// Issue is the mail of a post.
type Issue interface {
	AuthorID() string
	Lists() []subscription.List
	// Mail writes the mail for a receiver, because of one of the lists.
	Mail(ctx context.Context, to subscription.Subscriber, address string, because subscription.List) (domain.Mail,
		error)
}

// Sender is a connection to the mail server.
type Sender interface {
	// Send hands over one mail and calls done when it is accepted. Its errors are domain.DeliveryErrors.
	Send(ctx context.Context, id string, created time.Time, mail domain.Mail, done func()) error
	Close()
}

// Row is an imported subscriber.
type Row = contacts.Row

// Config is what Mailings need.
type Config struct {
	Store      Store
	Deliveries Deliveries
	Composer   Composer // nil: the site sends no mails, and discards the deliveries that wait from a time when it did
	// Open connects to the mail server. Its errors are failures of the server.
	Open func(ctx context.Context) (Sender, error)
	// Owner returns the member with an address.
	Owner func(ctx context.Context, email string) (domain.User, error)
	// Rows opens a delivery of imported subscribers. It returns NotFound if their author does not exist any more.
	Rows func(ctx context.Context, d domain.Delivery) (authorID string, rows []Row, err error)
	// Seal returns a delivery with an encrypted payload.
	Seal func(d domain.Delivery, payload any) domain.Delivery
	// Rest returns how long to rest after work that took some time. Nil: not at all.
	Rest func(took time.Duration) time.Duration
}

// Mailings mails posts and digests to their subscribers, and stores imported subscribers.
type Mailings struct{ Config }

// New returns Mailings.
func New(c Config) *Mailings {
	if c.Rest == nil {
		c.Rest = func(time.Duration) time.Duration { return 0 }
	}
	return &Mailings{c}
}

// Limits of the destinations to which one process delivers at the same time.
const (
	maxMailings = 2 // of each kind
	maxImports  = 1
)

// Route implements delivery.Transport. Mailings share the pauses of other mails, and have lanes of their own.
func (m *Mailings) Route(destination string) delivery.Route {
	if strings.HasPrefix(destination, subscription.ImportsPrefix) {
		return delivery.Route{Host: "imports", Limit: maxImports}
	}
	lane := destination[:strings.LastIndexByte(destination, ':')]
	return delivery.Route{Host: "mail server", Lane: lane, Limit: maxMailings}
}

// Open implements delivery.Transport.
func (m *Mailings) Open(ctx context.Context, destination string) (delivery.Session, error) {
	if m.Composer == nil || strings.HasPrefix(destination, subscription.ImportsPrefix) {
		return &session{Mailings: m}, nil
	}
	sender, err := m.Config.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &session{m, sender}, nil
}

// session delivers with one connection to the mail server.
type session struct {
	*Mailings
	sender Sender // nil: it needs none
}

// Close implements delivery.Session.
func (s *session) Close() {
	if s.sender != nil {
		s.sender.Close()
	}
}

// errNothing is the error of what has nothing to send.
func errNothing() error { return &domain.Error{Kind: domain.NotFound} }

// Deliver implements delivery.Session.
func (s *session) Deliver(ctx context.Context, d domain.Delivery, done func()) error {
	if !time.Now().Before(d.Expires) {
		return &domain.DeliveryError{Fault: domain.Refused, Answer: "It expired before it was complete."}
	}
	var err error
	switch {
	case d.Kind == subscription.DeliverImport:
		err = s.importRows(ctx, d)
	case s.Composer == nil:
		err = errNothing()
	case d.Kind == subscription.DeliverMailing:
		err = s.mailPost(ctx, d)
	case d.Kind == subscription.DeliverDigests:
		err = s.mailDigests(ctx, d)
	default: // a later release stored it
		err = &domain.DeliveryError{Answer: "This release knows no deliveries of the kind " + string(d.Kind) + "."}
	}
	if err == nil {
		done()
	}
	return err
}
