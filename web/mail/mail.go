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
	"sync"
	"time"

	"inkfeed/domain"
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
	From   string
	Outbox string // the path of a folder
	// Keys are those from which keys are derived to encrypt mails that wait. The first encrypts.
	Keys   [][]byte
	Logger *slog.Logger
}

// Mailer makes deliveries of mails, and carries them to the mail server or to the operator's folder. It is safe for
// concurrent use.
type Mailer struct {
	server  *server // nil: no server is configured
	outbox  outbox
	from    *mail.Address
	sealer  *seal.Sealer
	logger  *slog.Logger
	writers map[domain.DeliveryKind]Writer
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
	return m, nil
}

// Sends reports whether a mail server is configured. Otherwise all mails go to the operator's
// outbox.
func (m *Mailer) Sends() bool { return m.server != nil }

// Seal returns a new urgent delivery about an account, which may not be known yet. It expires after a time. The payload
// is encrypted. The writer of the kind makes the mail when it is sent; domain.DeliverMail has a domain.Mail as payload.
func (m *Mailer) Seal(kind domain.DeliveryKind, userID string, lasting time.Duration, payload any) domain.Delivery {
	text, err := json.Marshal(payload)
	if err != nil {
		panic("mail: " + err.Error()) // payloads are structs of texts
	}
	now := domain.Timestamp(time.Now())
	d := domain.Delivery{ID: domain.NewID(), Destination: domain.UrgentMail, Kind: kind, UserID: userID, Created: now,
		Expires: now.Add(lasting), Remember: true}
	d.Sealed = m.sealer.Seal(d.ID, string(kind), text)
	return d
}

// WriteBy sets the writer of a kind of deliveries. Call it before deliveries are sent.
func (m *Mailer) WriteBy(kind domain.DeliveryKind, w Writer) { m.writers[kind] = w }

// Mail returns the mail of a delivery. It returns NotFound if there is none to send, and a domain.DeliveryError if this
// server cannot make it. Another one may be able to, while the servers get another release or other keys.
func (m *Mailer) Mail(ctx context.Context, d domain.Delivery) (domain.Mail, error) {
	write := m.writers[d.Kind]
	if write == nil { // a later release stored it
		return domain.Mail{}, &domain.DeliveryError{Answer: "This release knows no deliveries of the kind " +
			string(d.Kind) + "."}
	}
	text, err := m.sealer.Open(d.ID, string(d.Kind), d.Sealed)
	if err != nil {
		return domain.Mail{}, &domain.DeliveryError{
			Answer: "INKFEED_SESSION_KEYS does not have the key with which it was encrypted."}
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

// Open implements delivery.Transport.
func (m *Mailer) Open(ctx context.Context, destination string) (delivery.Session, error) {
	if m.server == nil {
		return folderSession{m}, nil
	}
	lane := &m.bulk
	if destination == domain.UrgentMail {
		lane = &m.urgent
	}
	opened, err := m.server.open(ctx, m, lane)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// handOver writes the mail of a delivery and sends it with send, unless there is none to send.
func (m *Mailer) handOver(ctx context.Context, d domain.Delivery, send func(domain.Mail) error) error {
	if !time.Now().Before(d.Expires) {
		return &domain.DeliveryError{Fault: domain.Refused, Answer: "It expired before it could be sent."}
	}
	mail, err := m.Mail(ctx, d)
	if err != nil {
		return err
	}
	return send(mail)
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
