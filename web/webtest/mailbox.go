package webtest

import (
	"bytes"
	"context"
	"regexp"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web"
)

// mailbox is a credential.Mailer that collects the mails. It runs enqueued functions at once,
// unless Hold is set.
type mailbox struct {
	mu    sync.Mutex
	Away  bool // no mail server is configured
	Mails []sentMail
	Hold  bool // Enqueue collects the functions instead of running them
	Later []func(context.Context)
}

type sentMail struct{ To, Subject, Text string }

func (m *mailbox) Sends() bool { return !m.Away }

func (m *mailbox) Send(to, subject, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Mails = append(m.Mails, sentMail{to, subject, text})
}

func (m *mailbox) Enqueue(do func(context.Context)) {
	if m.Hold {
		m.Later = append(m.Later, do)
		return
	}
	do(context.Background())
}

// MailTo returns the last mail, which must be to this address.
func (s *Site) MailTo(to string) sentMail {
	s.T.Helper()
	if len(s.Data.Mail.Mails) == 0 {
		s.T.Fatal("no mail was sent")
	}
	last := s.Data.Mail.Mails[len(s.Data.Mail.Mails)-1]
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
