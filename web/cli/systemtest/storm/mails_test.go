package storm

import (
	"io"
	"net"
	netmail "net/mail"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"inkfeed/web/cli/systemtest/harness"
)

// mailServer is the mail server of the storm. It accepts every mail.
type mailServer struct {
	mu       sync.Mutex
	received map[string][]string // Message-IDs by the receiver
}

// startMailServer starts the mail server and lets the processes use it.
func (s *storm) startMailServer(t *testing.T, env map[string]string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.mails = &mailServer{received: make(map[string][]string)}
	server := smtp.NewServer(s.mails)
	server.ErrorLog = quiet{}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	env["INKFEED_SMTP_URL"], env["INKFEED_MAIL_FROM"] = "smtp://"+listener.Addr().String(), "storm@example.org"
	env["INKFEED_URL"] = "http://127.0.0.1"
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func (quiet) Println(...any) {}

func (m *mailServer) NewSession(*smtp.Conn) (smtp.Session, error) {
	return &mailSession{server: m}, nil
}

type mailSession struct {
	server *mailServer
	to     string
}

func (*mailSession) Reset() {}

func (*mailSession) Logout() error { return nil }

func (*mailSession) Mail(string, *smtp.MailOptions) error { return nil }

func (m *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	m.to = to
	return nil
}

func (m *mailSession) Data(r io.Reader) error {
	read, err := netmail.ReadMessage(r)
	if err == nil {
		_, err = io.Copy(io.Discard, read.Body)
	}
	if err == nil {
		m.server.mu.Lock()
		defer m.server.mu.Unlock()
		m.server.received[m.to] = append(m.server.received[m.to], read.Header.Get("Message-ID"))
	}
	return err
}

// changeEmail asks for the verification of another address.
func (c *client) changeEmail() {
	address := c.token("mail") + "@example.com"
	if _, o, _ := c.write("change email to "+address, "/settings/email", url.Values{"email": {address}}); o == done {
		c.account.addresses = append(c.account.addresses, address)
		c.storm.record("change email")
	}
}

// awaitMails checks that, after all failures have ended, each acknowledged request for a mail of an existing account
// has led to one. A mail may come twice if a process was killed.
func (s *storm) awaitMails() {
	s.t.Helper()
	received := func(address string) []string {
		s.mails.mu.Lock()
		defer s.mails.mu.Unlock()
		return slices.Clone(s.mails.received[address])
	}
	for _, c := range s.clients {
		for _, a := range c.accounts {
			if !a.deleted.is(false) {
				continue
			}
			for _, address := range a.addresses {
				harness.Eventually(s.t, "a mail to "+address, func() bool { return len(received(address)) > 0 })
			}
		}
	}
	total, repeated := 0, 0
	s.mails.mu.Lock()
	defer s.mails.mu.Unlock()
	for address, ids := range s.mails.received {
		total += len(ids)
		slices.Sort(ids)
		if n := len(ids) - len(slices.Compact(slices.Clone(ids))); n > 0 {
			repeated += n
			s.t.Logf("mails to %s were repeated: %q\nevents:\n%s", address, ids, s.history.about(address))
		}
	}
	s.t.Logf("%d mails were received, %d of them again", total, repeated)
	if repeated > s.kills {
		s.t.Errorf("%d mails were repeated after %d kills", repeated, s.kills)
	}
}
