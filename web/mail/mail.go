// Package mail sends mails by SMTP. What could not be sent, and everything where no server is
// set up, is kept in a folder for the operator. Whoever asks for a mail neither waits for it
// nor learns what became of it.
package mail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
)

// Options say how mails are sent.
type Options struct {
	// SMTP is "smtp://user:password@host:port", or smtps for TLS from the first byte;
	// empty: all mails are kept in the folder Outbox.
	SMTP string
	// From is the sender, with or without a name. It is needed with SMTP, and only there.
	From   string
	Outbox string // a folder
	Logger *slog.Logger
}

const (
	queued      = 200              // mails that wait
	senders     = 4                // at a time
	attemptTime = 20 * time.Second // of one attempt
)

// Mailer sends mails in the background, from Run on.
type Mailer struct {
	server carrier // nil: there is none
	outbox outbox
	from   *mail.Address
	logger *slog.Logger
	queue  chan func(context.Context)
	pauses []time.Duration // before each further attempt

	drainTime time.Duration // time limit for sending waiting mails when the process ends
}

// carrier takes mails to those they are for. What cannot succeed later isRefused.
type carrier interface {
	reach(ctx context.Context) error // without a mail
	carry(ctx context.Context, m *gomail.Msg) error
}

// New checks the options.
func New(o Options) (*Mailer, error) {
	m := &Mailer{outbox: outbox{o.Outbox}, logger: o.Logger, queue: make(chan func(context.Context), queued),
		pauses: []time.Duration{2 * time.Second, 10 * time.Second, time.Minute}, drainTime: 2 * time.Second}
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
			return nil, errors.New("INKFEED_SMTP_URL is set, but not who mails are from: INKFEED_MAIL_FROM is needed " +
				"as well")
		}
		m.server = server
	}
	var err error
	if m.from, err = mail.ParseAddress(o.From); err != nil {
		return nil, fmt.Errorf("INKFEED_MAIL_FROM: %q is not an email address", o.From)
	}
	return m, nil
}

// Sends tells whether mails reach those they are for. Otherwise the operator has them.
func (m *Mailer) Sends() bool { return m.server != nil }

// Send has a plain text sent. It does not wait, and says nothing of how that goes: the log
// does, with the subject as the kind of mail it was, without the address or the text.
func (m *Mailer) Send(to, subject, text string) {
	msg, err := m.compose(to, subject, text)
	if err != nil {
		m.logger.Error("a mail could not be written", "mail", subject, "err", scrub(err))
		return
	}
	one := letter{msg, subject}
	if !m.offer(func(ctx context.Context) { m.deliver(ctx, one) }) {
		m.keep(one, errors.New("too many wait"))
	}
}

// letter is a mail, with what it is called in the log.
type letter struct {
	msg  *gomail.Msg
	kind string
}

// Later has something done in the background that ends in a mail, or in none: how long that
// takes tells nobody which. What it is given ends with the process.
func (m *Mailer) Later(do func(context.Context)) {
	if !m.offer(do) {
		m.logger.Error("a mail was not asked for: too many wait")
	}
}

func (m *Mailer) offer(do func(context.Context)) bool {
	select {
	case m.queue <- do:
		return true
	default:
		return false
	}
}

func (m *Mailer) compose(to, subject, text string) (*gomail.Msg, error) {
	encoding := gomail.NoEncoding // a link stays in one piece
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		encoding = gomail.EncodingQP
	}
	msg := gomail.NewMsg(gomail.WithEncoding(encoding), gomail.WithNoDefaultUserAgent())
	if err := msg.FromFormat(m.from.Name, m.from.Address); err != nil {
		return nil, err
	}
	if err := msg.To(to); err != nil {
		return nil, err
	}
	_, host, _ := strings.Cut(m.from.Address, "@")
	msg.SetMessageIDWithValue(rand.Text() + "@" + host) // the usual one names this machine
	msg.SetDate()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.Subject(subject)
	msg.SetBodyString(gomail.TypeTextPlain, text)
	return msg, nil
}

// Run sends until the context ends, and then what still waits, if that does not take long.
func (m *Mailer) Run(ctx context.Context) {
	var sending sync.WaitGroup
	sending.Go(func() { m.introduce(ctx) })
	for range senders {
		sending.Go(func() {
			for {
				select {
				case do := <-m.queue:
					do(ctx)
				case <-ctx.Done():
					m.drain(ctx)
					return
				}
			}
		})
	}
	sending.Wait()
}

// introduce says where mails go, and whether they get there, before somebody waits for one.
func (m *Mailer) introduce(ctx context.Context) {
	if !m.Sends() {
		m.logger.Info("mails are kept for the operator: no mail server is set up", "folder", m.outbox.folder)
		return
	}
	trial, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	if err := m.server.reach(trial); err != nil && ctx.Err() == nil {
		m.logger.Error("the mail server cannot be used: mails that it does not take are kept for the operator",
			"folder", m.outbox.folder, "err", scrub(err))
	}
}

func (m *Mailer) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithValue(context.WithoutCancel(ctx), drainKey{}, true), m.drainTime)
	defer cancel()
	for {
		select {
		case do := <-m.queue:
			do(ctx)
		default:
			return
		}
	}
}

type drainKey struct{}

// deliver tries several times. When the process ends meanwhile the last try is at once.
func (m *Mailer) deliver(ctx context.Context, one letter) {
	if !m.Sends() {
		m.keep(one, nil)
		return
	}
	if ctx.Value(drainKey{}) != nil {
		m.told(one, m.server.carry(ctx, one.msg))
		return
	}
	err := m.attempt(ctx, one.msg)
	for _, pause := range m.pauses {
		if err == nil || isRefused(err) {
			break
		}
		m.logger.Warn("a mail could not be sent yet", "mail", one.kind, "err", scrub(err))
		select {
		case <-time.After(pause):
			err = m.attempt(ctx, one.msg)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.drainTime)
			defer cancel()
			m.told(one, m.server.carry(last, one.msg))
			return
		}
	}
	m.told(one, err)
}

// attempt is not given up because the process ends, which waits for it.
func (m *Mailer) attempt(ctx context.Context, msg *gomail.Msg) error {
	attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(m.drainTime, cancel) })
	defer stop()
	return m.server.carry(attempt, msg)
}

func (m *Mailer) told(one letter, err error) {
	if err != nil {
		m.keep(one, err)
		return
	}
	m.logger.Info("a mail was sent", "mail", one.kind)
}

// keep puts a mail into the outbox, because there is no server or for what went wrong.
func (m *Mailer) keep(one letter, why error) {
	file, err := m.outbox.put(one.msg)
	if err != nil && file != "" {
		m.logger.Warn("the outbox could not be tidied", "err", scrub(err))
	}
	switch {
	case file == "":
		m.logger.Error("a mail is lost: it could not be kept in the outbox", "mail", one.kind, "err",
			scrub(errors.Join(why, err)))
	case why != nil:
		m.logger.Error("a mail could not be sent, and is in the outbox", "mail", one.kind, "file", file, "err",
			scrub(why))
	default:
		m.logger.Info("a mail is in the outbox: mail is not set up", "mail", one.kind, "file", file)
	}
}

var addressPattern = regexp.MustCompile(`[^\s<>"'(),;]+@[^\s<>"'(),;]+`)

// scrub takes addresses out of what servers say of them.
func scrub(err error) string { return addressPattern.ReplaceAllString(err.Error(), "[address]") }
