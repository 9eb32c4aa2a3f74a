package mail_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"inkfeed/domain"
	"inkfeed/web/mail"
)

// logs is a log that a test can read during writes.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// post is a mail server. It answers the recipient of each mail with the next of its errors, and accepts the mail if
// there is none.
type post struct {
	mu      sync.Mutex
	answers []error
	asked   int
	senders []string // of the envelopes
	taken   chan string
}

func (p *post) NewSession(*smtp.Conn) (smtp.Session, error) { return &posting{p}, nil }

type posting struct{ *post }

func (p *posting) Reset() {}

func (p *posting) Logout() error { return nil }

func (p *posting) Mail(from string, _ *smtp.MailOptions) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.senders = append(p.senders, from)
	return nil
}

func (p *posting) Rcpt(string, *smtp.RcptOptions) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if len(p.answers) == 0 {
		return nil
	}
	err := p.answers[0]
	p.answers = p.answers[1:]
	return err
}

func (p *posting) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	p.taken <- string(b)
	return err
}

// posted starts a mail server and returns it with its address.
func posted(t *testing.T, answers ...error) (*post, string) {
	t.Helper()
	p := &post{answers: answers, taken: make(chan string, 10)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(p)
	server.ErrorLog = log{}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return p, "smtp://" + listener.Addr().String()
}

type log struct{}

func (log) Printf(string, ...any) {}

func (log) Println(...any) {}

// mailing returns a mailer with its log.
func mailing(t *testing.T, o mail.Options) (*mail.Mailer, *logs) {
	t.Helper()
	logged := &logs{}
	o.Keys = [][]byte{bytes.Repeat([]byte{1}, 32)}
	o.Logger = slog.New(slog.NewTextHandler(logged, nil))
	m, err := mail.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m, logged
}

// sealed returns the delivery of a mail.
func sealed(m *mail.Mailer, to, subject, text string) domain.Delivery {
	return m.Seal(domain.DeliverMail, "ada", time.Hour, domain.Mail{To: to, Subject: subject, Text: text})
}

// deliver hands over deliveries in one session. It returns the error of each, and how often each was recorded.
func deliver(t *testing.T, m *mail.Mailer, list ...domain.Delivery) (errs []error, recorded []int) {
	t.Helper()
	session, err := m.Open(t.Context(), domain.UrgentMail)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, d := range list {
		n := 0
		errs = append(errs, session.Deliver(t.Context(), d, func() { n++ }))
		recorded = append(recorded, n)
	}
	return errs, recorded
}

// send hands over a mail that must be accepted.
func send(t *testing.T, m *mail.Mailer, to, subject, text string) {
	t.Helper()
	if errs, recorded := deliver(t, m, sealed(m, to, subject, text)); errs[0] != nil || recorded[0] != 1 {
		t.Fatalf("error %v, recorded %d times", errs[0], recorded[0])
	}
}

const from = "The Blog <blog@example.org>"

func TestMailIsSent(t *testing.T) {
	p, address := posted(t)
	m, logged := mailing(t, mail.Options{SMTP: address, From: from})
	if !m.Sends() {
		t.Error("Sends is false")
	}
	link := "https://blog.example.org/reset/" + strings.Repeat("A", 60) + "?next=settings"
	d := sealed(m, "ada@example.com", "A new password", "Open this:\n\n"+link+"\n")
	if errs, recorded := deliver(t, m, d, d); errs[0] != nil || errs[1] != nil || !slices.Equal(recorded, []int{1, 1}) {
		t.Fatalf("errors %v, recorded %d", errs, recorded)
	}
	read, err := netmail.ReadMessage(strings.NewReader(<-p.taken))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(quotedprintable.NewReader(read.Body))
	h := read.Header
	if h.Get("To") != "<ada@example.com>" || h.Get("From") != `"The Blog" <blog@example.org>` ||
		h.Get("Subject") != "A new password" || h.Get("Content-Transfer-Encoding") != "quoted-printable" ||
		h.Get("Auto-Submitted") != "auto-generated" || h.Get("Date") == "" ||
		!strings.HasSuffix(h.Get("Message-ID"), "@example.org>") {
		t.Errorf("the headers are %v", h)
	}
	if !strings.Contains(string(body), link) {
		t.Errorf("the text is %q", body)
	}
	again, err := netmail.ReadMessage(strings.NewReader(<-p.taken))
	if err != nil || !reflect.DeepEqual(again.Header, h) {
		t.Errorf("a repeated delivery has the headers %v, error %v", again.Header, err)
	}
	if logged.String() != "" {
		t.Errorf("the log is %s", logged)
	}
}

func TestSealedMailsCanBeOpenedByTheirKeysOnly(t *testing.T) {
	_, address := posted(t)
	m, _ := mailing(t, mail.Options{SMTP: address, From: from})
	d := sealed(m, "ada@example.com", "Subject", "https://blog.example.org/reset/AAAA")
	if bytes.Contains(d.Sealed, []byte("ada@")) || bytes.Contains(d.Sealed, []byte("AAAA")) || !d.Remember ||
		d.UserID != "ada" || d.Destination != domain.UrgentMail || time.Until(d.Expires) > time.Hour {
		t.Errorf("the delivery is %+v", d)
	}
	if got, err := m.Mail(t.Context(), d); err != nil || got.To != "ada@example.com" {
		t.Errorf("opened: %+v, error %v", got, err)
	}
	for name, change := range map[string]func(*domain.Delivery){
		"another delivery": func(d *domain.Delivery) { d.ID = domain.NewID() },
		"another kind":     func(d *domain.Delivery) { d.Kind = domain.DeliverReset },
		"no text":          func(d *domain.Delivery) { d.Sealed = nil },
	} {
		t.Run(name, func(t *testing.T) {
			m.WriteBy(domain.DeliverReset, func(context.Context, domain.Delivery, []byte) (domain.Mail, error) {
				t.Error("it was opened")
				return domain.Mail{}, nil
			})
			other := d
			change(&other)
			errs, _ := deliver(t, m, other) // another server may have the key
			if e, ok := errors.AsType[*domain.DeliveryError](errs[0]); !ok || e.Fault != domain.RefusedForNow {
				t.Errorf("the error is %v", errs[0])
			}
		})
	}
}

func TestNothingIsSent(t *testing.T) {
	p, address := posted(t)
	m, _ := mailing(t, mail.Options{SMTP: address, From: from})
	m.WriteBy(domain.DeliverReset, func(context.Context, domain.Delivery, []byte) (domain.Mail, error) {
		return domain.Mail{}, domain.NewError(domain.NotFound, "There is no such user.")
	})
	t.Run("after a delivery has expired", func(t *testing.T) {
		expired := sealed(m, "ada@example.com", "Subject", "Text")
		expired.Expires = time.Now()
		errs, recorded := deliver(t, m, expired)
		if e, ok := errors.AsType[*domain.DeliveryError](errs[0]); !ok || e.Fault != domain.Refused ||
			recorded[0] != 0 || p.asked > 0 {
			t.Errorf("error %v, recorded %d times, %d attempts", errs[0], recorded[0], p.asked)
		}
	})
	t.Run("if its writer says that there is none", func(t *testing.T) {
		errs, recorded := deliver(t, m, m.Seal(domain.DeliverReset, "", time.Hour, "nobody"))
		if !domain.Is(errs[0], domain.NotFound) || recorded[0] != 0 || p.asked > 0 {
			t.Errorf("error %v, recorded %d times, %d attempts", errs[0], recorded[0], p.asked)
		}
	})
	t.Run("and nothing is recorded if its writer fails", func(t *testing.T) {
		failure := errors.New("the storage is down")
		m.WriteBy(domain.DeliverReset, func(context.Context, domain.Delivery, []byte) (domain.Mail, error) {
			return domain.Mail{}, failure
		})
		errs, recorded := deliver(t, m, m.Seal(domain.DeliverReset, "", time.Hour, "ada"))
		if !errors.Is(errs[0], failure) || recorded[0] != 0 {
			t.Errorf("error %v, recorded %d times", errs[0], recorded[0])
		}
	})
}

func TestTheStartLogsWhereMailsGo(t *testing.T) {
	_, address := posted(t)
	for name, one := range map[string]struct {
		o    mail.Options
		text string
	}{
		"without a server": {
			mail.Options{Outbox: "the/outbox"},
			"level=INFO msg=\"mails are saved for the operator: no mail server is configured\" folder=the/outbox",
		},
		"with a server that does not answer": {
			mail.Options{SMTP: "smtp://127.0.0.1:1", From: from, Outbox: "the/outbox"},
			"level=ERROR msg=\"the mail server cannot be used",
		},
		"but nothing with a working server": {mail.Options{SMTP: address, From: from}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, logged := mailing(t, one.o)
			m.Check(t.Context())
			if text := logged.String(); !strings.Contains(text, one.text) || one.text == "" && text != "" {
				t.Errorf("the log is %s", text)
			}
		})
	}
}

// Input never adds a header or a recipient.
func TestInputNeverAddsMailHeaders(t *testing.T) {
	folder := t.TempDir()
	m, _ := mailing(t, mail.Options{Outbox: folder})
	const evil = "x\r\nBcc: eve@example.org\r\nX-Forged: yes\r\n\r\nbody\nBcc: eve@example.org"
	for _, to := range []string{
		"ada@example.com\r\nBcc: eve@example.org", "ada@example.com, eve@example.org", "ada@example.com\nX-Forged: yes",
		"<ada@example.com>\r\n", "",
	} {
		deliver(t, m, sealed(m, to, "Subject", "Text"))
	}
	send(t, m, "ada@example.com", evil, evil)
	send(t, m, "ada@example.com", "Ünïcode "+evil, "Größe "+evil)
	send(t, m, "ada@example.com", strings.Repeat("long ", 500)+"\u2028\u0085x", evil)
	files, _ := filepath.Glob(filepath.Join(folder, "*.eml"))
	if len(files) < 3 {
		t.Errorf("the outbox has %d mails", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read, err := netmail.ReadMessage(bytes.NewReader(text))
		if err != nil {
			t.Errorf("parse a mail: %v: %s", err, text)
			continue
		}
		for name, values := range read.Header {
			if len(values) != 1 || name == "Bcc" || name == "Cc" || name == "X-Forged" ||
				strings.Contains(values[0], "\n") {
				t.Errorf("the header %s is %q", name, values)
			}
		}
		if to, err := read.Header.AddressList("To"); err != nil || len(to) != 1 || to[0].Address != "ada@example.com" {
			t.Errorf("the recipients are %v, error %v", to, err)
		}
		if kind := read.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain;") {
			t.Errorf("the content type is %s", kind)
		}
	}
}

func TestInvalidOptionsAreRefused(t *testing.T) {
	for _, o := range []mail.Options{
		{SMTP: "https://mail.example.org", From: from}, {SMTP: "mail.example.org:25", From: from},
		{SMTP: "smtp://", From: from},
		{SMTP: "smtp://mail.example.org:0", From: from}, {SMTP: "smtp://mail.example.org/x", From: from},
		{SMTP: "smtp://mail.example.org"}, {SMTP: "smtp://mail.example.org", From: "blog"},
		{SMTP: "smtp://user:secret@mail example.org", From: from}, {From: from},
	} {
		if err := mail.CheckOptions(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: the error is %v", o, err)
		}
	}
	for missing, o := range map[string]mail.Options{
		"INKFEED_MAIL_FROM is needed": {SMTP: "smtp://mail.example.org"},
		"INKFEED_SMTP_URL is needed":  {From: from},
	} {
		if err := mail.CheckOptions(o); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%+v: the error is %v", o, err)
		}
	}
	for _, address := range []string{
		"smtp://mail.example.org", "smtp://user:p%40ss@mail.example.org:2525", "smtps://mail.example.org/",
	} {
		if err := mail.CheckOptions(mail.Options{SMTP: address, From: from}); err != nil {
			t.Errorf("%s is refused: %v", address, err)
		}
	}
}

func TestPlainConnectionsAreForLoopbackOnly(t *testing.T) {
	p, address := posted(t)
	// The name resolves to this machine, but the mailer does not know that.
	named := strings.Replace(address, "127.0.0.1", "localhost.localdomain", 1)
	if _, err := net.LookupHost("localhost.localdomain"); err != nil {
		t.Skip("the name localhost.localdomain does not resolve")
	}
	m, _ := mailing(t, mail.Options{SMTP: named, From: from})
	if _, err := m.Open(t.Context(), domain.UrgentMail); err == nil || p.asked > 0 {
		t.Error("the mail server is used without encryption")
	}
}
