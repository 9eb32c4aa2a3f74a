// Package mail sends mails by SMTP, or saves them in a folder for the operator if no server is configured. It is the
// transport of deliveries to "mail:…": package workers/delivery decides when to send what, and stores it until then.
package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"strings"
	"sync"
	"time"

	"inkfeed/domain"
	"inkfeed/web/mail/bounce"
	"inkfeed/web/seal"
	"inkfeed/workers/delivery"
)

// Options configure a Mailer.
type Options struct {
	// SMTP is the server's address, "smtp://user:password@host:port" or, for implicit TLS, smtps.
	// If it is empty, all mails are saved in the Outbox.
	SMTP string
	// From is the sender's address, with or without a name. It is required with SMTP and not
	// allowed without.
	From string
	// Bounces is the address to which servers return mails of lists. The envelope address of each mail adds a tag, as
	// in bounces+tag@example.org. If it is empty, they return to From, and only the Message-ID names the receiver.
	Bounces string
	// DKIMKey is the path of a PEM file with the private key that signs mails, and DKIMSelector the name of its record
	// below _domainkey at the domain of From. If they are empty, mails are not signed here.
	DKIMKey, DKIMSelector string
	Outbox                string // the path of a folder
	// Keys are those from which keys are derived to encrypt mails that wait, and to sign the names of their receivers.
	// The first encrypts and signs.
	Keys   [][]byte
	Logger *slog.Logger
}

// Mailer makes deliveries of mails, and carries them to the mail server or to the operator's folder. It is safe for
// concurrent use.
type Mailer struct {
	server  *server // nil: no server is configured
	outbox  outbox
	from    *mail.Address
	bounces *mail.Address // nil: mails return to from
	dkim    *dkimKey      // nil: mails are not signed
	sealer  *seal.Sealer
	signer  *bounce.Signer
	logger  *slog.Logger
	writers map[domain.DeliveryKind]Writer
	refused func(ctx context.Context, r bounce.Report) error
	// Each lane hands over one mail at a time, from the end of its text until the acceptance is recorded. So at most
	// one mail of each lane is sent twice when the process is killed.
	urgent, bulk sync.Mutex
}

// Writer writes the mail of a delivery from what was sealed. It returns NotFound if there is none to send.
type Writer = func(ctx context.Context, d domain.Delivery, payload []byte) (domain.Mail, error)

// CheckOptions checks the options other than the keys.
func CheckOptions(o Options) error {
	_, err := newMailer(o)
	return err
}

// New checks the options and returns a Mailer.
func New(o Options) (*Mailer, error) {
	m, err := newMailer(o)
	if err == nil {
		m.sealer, err = seal.New("delivery", o.Keys)
	}
	if err == nil {
		m.signer, err = bounce.NewSigner(o.Keys)
	}
	return m, err
}

func newMailer(o Options) (*Mailer, error) {
	m := &Mailer{outbox: outbox{o.Outbox}, logger: o.Logger}
	m.writers = map[domain.DeliveryKind]Writer{domain.DeliverMail: complete}
	switch {
	case o.SMTP == "" && o.From != "":
		return nil, errors.New("INKFEED_MAIL_FROM is set, but no mail server: INKFEED_SMTP_URL is needed as well")
	case o.SMTP == "":
		o.From = "Inkfeed <inkfeed@localhost>"
	default:
		server, err := newServer(o.SMTP)
		if err != nil {
			return nil, fmt.Errorf("INKFEED_SMTP_URL: %w", err)
		}
		if o.From == "" {
			return nil, errors.New("INKFEED_SMTP_URL is set, but no sender: INKFEED_MAIL_FROM is needed as well")
		}
		m.server = server
	}
	var err error
	if m.from, err = mail.ParseAddress(o.From); err != nil {
		return nil, fmt.Errorf("INKFEED_MAIL_FROM: %q is not an email address", o.From)
	}
	if o.Bounces != "" {
		m.bounces, err = mail.ParseAddress(o.Bounces)
		if err != nil || strings.LastIndexByte(m.bounces.Address, '@') > 64-bounce.MaxTag {
			return nil, fmt.Errorf("INKFEED_BOUNCE_ADDRESS: %q is not an email address with at most %d characters "+
				"before the @", o.Bounces, 64-bounce.MaxTag)
		}
	}
	m.dkim, err = readDKIM(o.DKIMKey, o.DKIMSelector, hostOf(m.from))
	return m, err
}

// Sends reports whether a mail server is configured. Otherwise all mails go to the operator's
// outbox.
func (m *Mailer) Sends() bool { return m.server != nil }

// Seal returns a new urgent delivery about an account, which may not be known yet. It expires after a time. The payload
// is encrypted. The writer of the kind makes the mail when it is sent; domain.DeliverMail has a domain.Mail as payload.
func (m *Mailer) Seal(kind domain.DeliveryKind, userID string, lasting time.Duration, payload any) domain.Delivery {
	now := domain.Timestamp(time.Now())
	return m.SealIn(domain.Delivery{ID: domain.NewID(), Destination: domain.UrgentMail, Kind: kind, UserID: userID,
		Created: now, Expires: now.Add(lasting), Remember: true}, payload)
}

// SealIn returns a delivery with a payload: see Seal.
func (m *Mailer) SealIn(d domain.Delivery, payload any) domain.Delivery {
	text, err := json.Marshal(payload)
	if err != nil {
		panic("mail: " + err.Error()) // payloads are structs of texts
	}
	d.Sealed = m.sealer.Seal(d.ID, string(d.Kind), text)
	return d
}

// Payload opens what SealIn has sealed, for a transport of its own. Its errors are domain.DeliveryErrors.
func (m *Mailer) Payload(d domain.Delivery) ([]byte, error) {
	text, err := m.sealer.Open(d.ID, string(d.Kind), d.Sealed)
	if err != nil {
		return nil, &domain.DeliveryError{
			Answer: "INKFEED_SESSION_KEYS does not have the key with which it was encrypted."}
	}
	return text, nil
}

// WriteBy sets the writer of a kind of deliveries. Call it before deliveries are sent.
func (m *Mailer) WriteBy(kind domain.DeliveryKind, w Writer) { m.writers[kind] = w }

// OnRefused sets a function that records a mail to a subscriber that the server has refused for good. Call it before
// deliveries are sent.
func (m *Mailer) OnRefused(record func(ctx context.Context, r bounce.Report) error) {
	m.refused = record
}

// Mail returns the mail of a delivery. It returns NotFound if there is none to send, and a domain.DeliveryError if this
// server cannot make it. Another one may be able to, while the servers get another release or other keys.
func (m *Mailer) Mail(ctx context.Context, d domain.Delivery) (domain.Mail, error) {
	write := m.writers[d.Kind]
	if write == nil { // a later release stored it
		return domain.Mail{}, &domain.DeliveryError{Answer: "This release knows no deliveries of the kind " +
			string(d.Kind) + "."}
	}
	text, err := m.Payload(d)
	if err != nil {
		return domain.Mail{}, err
	}
	return write(ctx, d, text)
}

func complete(_ context.Context, _ domain.Delivery, payload []byte) (mail domain.Mail, err error) {
	err = json.Unmarshal(payload, &mail)
	return mail, err
}

func refusal(why string) error { return &domain.DeliveryError{Fault: domain.Refused, Answer: why} }

// maxSessions is the number of destinations that have mails in transmission at a time, besides urgent ones.
const maxSessions = 4

// Route implements delivery.Transport. All mails go through one host. Urgent ones have a lane of their own, so that
// they never wait for others.
func (m *Mailer) Route(destination string) delivery.Route {
	if destination == domain.UrgentMail {
		return delivery.Route{Host: "mail server", Lane: "urgent", Limit: 1}
	}
	return delivery.Route{Host: "mail server", Lane: "bulk", Limit: maxSessions}
}

// Sender hands over mails that others have stored. It is an alias, so that packages need not import this one.
type Sender = interface {
	// Send hands over one mail and calls done when it is accepted. Its errors are those of delivery.Session.
	Send(ctx context.Context, id string, created time.Time, mail domain.Mail, done func()) error
	Close()
}

// Open implements delivery.Transport.
func (m *Mailer) Open(ctx context.Context, destination string) (delivery.Session, error) {
	if destination == domain.UrgentMail {
		return m.open(ctx, &m.urgent)
	}
	return m.open(ctx, &m.bulk)
}

// OpenBulk opens a session for mails to subscribers. It shares the lane of all mails that are not urgent.
func (m *Mailer) OpenBulk(ctx context.Context) (Sender, error) { return m.open(ctx, &m.bulk) }

func (m *Mailer) open(ctx context.Context, lane *sync.Mutex) (interface {
	delivery.Session
	Sender
}, error) {
	if m.server == nil {
		return folderSession{m}, nil
	}
	opened, err := m.server.open(ctx, m, lane)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// Signer returns what recognises the receivers of returned mails.
func (m *Mailer) Signer() *bounce.Signer { return m.signer }

// handOver writes the mail of a delivery and sends it, unless there is none to send.
func (m *Mailer) handOver(ctx context.Context, to Sender, d domain.Delivery, done func()) error {
	if !time.Now().Before(d.Expires) {
		return &domain.DeliveryError{Fault: domain.Refused, Answer: "It expired before it could be sent."}
	}
	mail, err := m.Mail(ctx, d)
	if err != nil {
		return err
	}
	err = to.Send(ctx, d.ID, d.Created, mail, done)
	e, ok := errors.AsType[*domain.DeliveryError](err)
	if ok && e.Fault == domain.Refused && mail.Bulk != nil && m.refused != nil {
		report := bounce.Report{SubscriberID: mail.Bulk.Subscriber, PostID: mail.Bulk.PostID, Kind: bounce.Permanent}
		if err := m.refused(ctx, report); err != nil { // the delivery is tried again
			return err
		}
	}
	return err
}

// Check connects to the mail server without sending a mail, and logs where mails go.
func (m *Mailer) Check(ctx context.Context) {
	if !m.Sends() {
		m.logger.Info("mails are saved for the operator: no mail server is configured", "folder", m.outbox.folder)
		return
	}
	session, err := m.Open(ctx, domain.UrgentMail)
	if err == nil {
		session.Close()
	} else if ctx.Err() == nil {
		m.logger.Error("the mail server cannot be used: mails wait until it can", "error", err)
	}
}
