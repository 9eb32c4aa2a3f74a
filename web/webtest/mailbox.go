package webtest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/mail"
	"inkfeed/workers/delivery"
	projector "inkfeed/workers/projection"
)

// mailbox is a credential.Mailer and the transport of its deliveries. It collects the mails.
type mailbox struct {
	*mail.Mailer
	Away bool // no mail server is configured
	mu   sync.Mutex
	sent []sentMail
}

type sentMail struct{ domain.Mail }

func newMailbox(t testing.TB) *mailbox {
	t.Helper()
	mailer, err := mail.New(mail.Options{Keys: [][]byte{KeyOne}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return &mailbox{Mailer: mailer}
}

func (m *mailbox) Sends() bool { return !m.Away }

// Open implements delivery.Transport.
func (m *mailbox) Open(context.Context, string) (delivery.Session, error) { return m, nil }

// Close implements delivery.Session.
func (m *mailbox) Close() {}

// Deliver implements delivery.Session.
func (m *mailbox) Deliver(ctx context.Context, d domain.Delivery, done func()) error {
	text, err := m.Mail(ctx, d)
	if err == nil {
		m.mu.Lock()
		m.sent = append(m.sent, sentMail{text})
		m.mu.Unlock()
	} else if !domain.Is(err, domain.NotFound) {
		return err
	}
	done()
	return nil
}

// Mails carries out the deliveries that are due, and returns the mails so far.
func (d *Database) Mails() []sentMail {
	d.T.Helper()
	d.CatchUp()
	dispatcher := delivery.New(d.Store.Deliveries, d.transports(d.Mail), delivery.Options{})
	d.Must(dispatcher.Drain(WithoutFaults(context.Background())))
	d.Mail.mu.Lock()
	defer d.Mail.mu.Unlock()
	return slices.Clone(d.Mail.sent)
}

// ForwardMails projects the deliveries that changes of accounts have caused, and nothing else. It is for tests that
// stop the projection.
func (d *Database) ForwardMails(ctx context.Context) (err error) {
	d.T.Helper()
	users := projector.Users(d.Store, slog.New(slog.DiscardHandler))
	for _, item := range d.Items("users", "outgoing") {
		change, readErr := d.Store.Users.Changes().Item(d.Context(), feeds.ItemRef{
			PartitionKey: item["userId"].(string), ID: item["id"].(string)})
		d.Must(readErr)
		err = errors.Join(err, users.Project(ctx, []feeds.UserChange{change.Value}))
	}
	return err
}

// ForgetMails empties the list of Mails.
func (d *Database) ForgetMails() {
	d.T.Helper()
	d.Mails()
	d.Mail.sent = nil
}

// MailTo returns the last mail, which must be to this address.
func (s *Site) MailTo(to string) sentMail {
	s.T.Helper()
	mails := s.Data.Mails()
	if len(mails) == 0 {
		s.T.Fatal("no mail was sent")
	}
	last := mails[len(mails)-1]
	if last.To != to {
		s.T.Fatalf("the last mail is to %s, want %s", last.To, to)
	}
	return last
}

// LinkPattern matches a link in a mail.
var LinkPattern = regexp.MustCompile(`(?m)^\S*(/(?:reset|verify-email)/\S+)$`)

// Link returns the path of the only link in a mail.
func (m sentMail) Link(t testing.TB) string {
	t.Helper()
	found := LinkPattern.FindStringSubmatch(m.Text)
	if found == nil {
		t.Fatalf("there is no link in %q", m.Text)
	}
	return found[1]
}

// VerifyEmail gives a visitor a verified address through the pages.
func (v *Visitor) VerifyEmail(email string) {
	v.T.Helper()
	v.Post("/settings/email", "email", email).WantRedirect(303, "/settings/email?asked=yes")
	v.Post(v.MailTo(email).Link(v.T)).Want(200)
}

// NewPassword is a password for tests that change one.
const NewPassword = "battery staple horse"

// DeletionGrace is the grace period of NewSiteWithGrace.
const DeletionGrace = 14 * 24 * time.Hour

// NewSiteWithGrace returns a site on which accounts are deleted after DeletionGrace.
func NewSiteWithGrace(t *testing.T, change ...func(*web.Config)) *Site {
	t.Helper()
	data, log := NewDatabase(t), &bytes.Buffer{}
	c := Config(data, log, KeyOne)
	c.DeletionGrace = DeletionGrace
	for _, each := range change {
		each(&c)
	}
	s := &Site{T: t, Data: data, Log: log}
	s.Restart(c)
	return s
}

// SetVerifiedEmail gives a member a verified address.
func (v *Visitor) SetVerifiedEmail(email string) {
	v.Data.SetCredentials(v.User.ID, func(c *domain.Credentials) { c.Email, c.EmailVerified = email, true })
}
