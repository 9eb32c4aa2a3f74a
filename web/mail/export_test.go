package mail

import (
	"context"
	"crypto/x509"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Transmit replaces the mail server by a function that gets the subject of each mail.
func (m *Mailer) Transmit(send func(ctx context.Context, subject string) error) {
	m.server = transmission(send)
}

type transmission func(ctx context.Context, subject string) error

func (transmission) check(context.Context) error { return nil }

func (t transmission) send(ctx context.Context, m *gomail.Msg) error {
	return t(ctx, m.GetGenHeader(gomail.HeaderSubject)[0])
}

// Hurry removes the delays between attempts.
func (m *Mailer) Hurry() { clear(m.retryDelays) }

// RetryAfter sets the delays between attempts.
func (m *Mailer) RetryAfter(d time.Duration) { m.retryDelays = []time.Duration{d, d, d} }

// Trust makes the mailer trust a certificate.
func (m *Mailer) Trust(c *x509.Certificate) {
	m.server.(*server).tls.RootCAs = x509.NewCertPool()
	m.server.(*server).tls.RootCAs.AddCert(c)
}

// DrainFor sets the time limit for sending the queued mails when the process ends.
func (m *Mailer) DrainFor(d time.Duration) { m.drainTime = d }

// Limits of an outbox.
const (
	MaxOutbox = maxOutbox
	OutboxAge = maxOutboxAge
)

// Attempts returns how often sending a mail is attempted.
func (m *Mailer) Attempts() int { return 1 + len(m.retryDelays) }

// Queued is the capacity of the queue.
const Queued = maxQueued

// Reach checks that the server accepts mails.
func (m *Mailer) Reach(ctx context.Context) error { return m.server.check(ctx) }
