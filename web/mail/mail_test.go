package mail_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"inkfeed/web/mail"
)

// logs is a log that a test can read during writes.
type logs struct {
	mu      sync.Mutex
	b       bytes.Buffer
	written chan struct{} // closed by the next write, if a test waits for it
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written != nil {
		close(l.written)
		l.written = nil
	}
	return l.b.Write(p)
}

// await waits until the log contains a text. A minute only keeps a test from hanging.
func (l *logs) await(t *testing.T, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		l.mu.Lock()
		if strings.Contains(l.b.String(), text) {
			l.mu.Unlock()
			return
		}
		if l.written == nil {
			l.written = make(chan struct{})
		}
		written := l.written
		l.mu.Unlock()
		select {
		case <-written:
		case <-ctx.Done():
			t.Fatalf("the log never has %q: %s", text, l)
		}
	}
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
	taken   chan string
}

func (p *post) NewSession(*smtp.Conn) (smtp.Session, error) { return &posting{p}, nil }

type posting struct{ *post }

func (p *posting) Reset() {}

func (p *posting) Logout() error { return nil }

func (p *posting) Mail(string, *smtp.MailOptions) error { return nil }

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

// mailing starts a mailer. The function stop ends it and waits for that.
func mailing(t *testing.T, o mail.Options) (m *mail.Mailer, stop func(), logged *logs) {
	t.Helper()
	logged = &logs{}
	o.Logger = slog.New(slog.NewTextHandler(logged, nil))
	m, err := mail.New(o)
	if err != nil {
		t.Fatal(err)
	}
	m.Hurry()
	return m, running(t, m), logged
}

// running runs a mailer. The function stop ends it and waits for that.
func running(t *testing.T, m *mail.Mailer) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { m.Run(ctx) })
	stop = func() { cancel(); run.Wait() }
	t.Cleanup(stop)
	return stop
}

// transmitting returns a mailer with a function in place of a mail server. It does not run yet.
func transmitting(t *testing.T, send func(ctx context.Context, subject string) error) (*mail.Mailer, *logs) {
	t.Helper()
	logged := &logs{}
	m, err := mail.New(mail.Options{Outbox: t.TempDir(), Logger: slog.New(slog.NewTextHandler(logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	m.Transmit(send)
	return m, logged
}

const from = "The Blog <blog@example.org>"

func TestMailsAreSent(t *testing.T) {
	p, address := posted(t)
	m, stop, logged := mailing(t, mail.Options{SMTP: address, From: from})
	if !m.Sends() {
		t.Error("Sends is false")
	}
	link := "https://blog.example.org/reset/" + strings.Repeat("A", 60) + "?next=settings"
	m.Send("ada@example.com", "A new password", "Open this:\n\n"+link+"\n")
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
	stop()
	if text := logged.String(); strings.Contains(text, "ada@") || strings.Contains(text, "AAAA") ||
		!strings.Contains(text, "a mail was sent") {
		t.Errorf("the log is %s", text)
	}
}

func TestTemporaryFailuresAreRetried(t *testing.T) {
	busy := &smtp.SMTPError{Code: 451, Message: "ask again, ada@example.com"}
	p, address := posted(t, busy, busy)
	m, stop, logged := mailing(t, mail.Options{SMTP: address, From: from})
	m.Send("ada@example.com", "Subject", "Text")
	<-p.taken
	stop()
	if p.asked != 3 || strings.Contains(logged.String(), "ada@") {
		t.Errorf("%d attempts; the log is %s", p.asked, logged)
	}
}

func TestRefusedMailsAreNotRetried(t *testing.T) {
	p, address := posted(t, &smtp.SMTPError{Code: 550, Message: "nobody is ada@example.com"})
	m, stop, logged := mailing(t, mail.Options{SMTP: address, From: from, Outbox: t.TempDir()})
	m.Send("ada@example.com", "Subject", "Text")
	m.Send("ben@example.com", "Subject", "Text")
	<-p.taken
	stop()
	if p.asked != 2 || !strings.Contains(logged.String(), "could not be sent") ||
		strings.Contains(logged.String(), "ada@") {
		t.Errorf("%d attempts; the log is %s", p.asked, logged)
	}
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
	} {
		t.Run(name, func(t *testing.T) {
			_, _, logged := mailing(t, one.o)
			logged.await(t, one.text)
		})
	}
	t.Run("but nothing with a working server", func(t *testing.T) {
		m, stop, logged := mailing(t, mail.Options{SMTP: address, From: from})
		if err := m.Reach(t.Context()); err != nil {
			t.Error(err)
		}
		stop()
		if logged.String() != "" {
			t.Errorf("the log is %s", logged)
		}
	})
}

func TestQueuedMailsAreSentWhenTheProcessEnds(t *testing.T) {
	p, address := posted(t)
	m, err := mail.New(mail.Options{SMTP: address, From: from, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	m.DrainFor(time.Minute)
	m.Send("ada@example.com", "Subject", "Text")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m.Run(ended)
	select {
	case <-p.taken:
	default:
		t.Error("the mail was not sent")
	}
}

// Input never adds a header or a recipient.
func TestInputNeverAddsMailHeaders(t *testing.T) {
	folder := t.TempDir()
	m, stop, _ := mailing(t, mail.Options{Outbox: folder})
	const evil = "x\r\nBcc: eve@example.org\r\nX-Forged: yes\r\n\r\nbody\nBcc: eve@example.org"
	for _, to := range []string{
		"ada@example.com\r\nBcc: eve@example.org", "ada@example.com, eve@example.org", "ada@example.com\nX-Forged: yes",
		"<ada@example.com>\r\n", "",
	} {
		m.Send(to, "Subject", "Text")
	}
	m.Send("ada@example.com", evil, evil)
	m.Send("ada@example.com", "Ünïcode "+evil, "Größe "+evil)
	m.Send("ada@example.com", strings.Repeat("long ", 500)+"\u2028\u0085x", evil)
	stop()
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
		if _, err := mail.New(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: the error is %v", o, err)
		}
	}
	for missing, o := range map[string]mail.Options{
		"INKFEED_MAIL_FROM is needed": {SMTP: "smtp://mail.example.org"},
		"INKFEED_SMTP_URL is needed":  {From: from},
	} {
		if _, err := mail.New(o); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%+v: the error is %v", o, err)
		}
	}
	for _, address := range []string{
		"smtp://mail.example.org", "smtp://user:p%40ss@mail.example.org:2525", "smtps://mail.example.org/",
	} {
		if m, err := mail.New(mail.Options{SMTP: address, From: from}); err != nil || !m.Sends() {
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
	m, stop, logged := mailing(t, mail.Options{SMTP: named, From: from, Outbox: t.TempDir()})
	m.Send("ada@example.com", "Subject", "Text")
	logged.await(t, "a mail could not be sent and")
	stop()
	if len(p.taken) != 0 {
		t.Error("the mail was sent without encryption")
	}
}
