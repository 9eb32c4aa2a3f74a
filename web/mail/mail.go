// Package mail sends mails by SMTP in the background. Mails that cannot be sent, and all mails if
// no server is configured, are saved in a folder for the operator. Callers neither wait for a mail
// nor learn its outcome.
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

	gomail "github.com/wneessen/go-mail"
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
	Logger *slog.Logger
}

const (
	maxQueued   = 200              // limit of each: queued mails, queued jobs, mails that wait for another attempt
	workers     = 4                // mails in transmission at a time, and running jobs
	attemptTime = 20 * time.Second // time limit of each phase of an attempt
)

// Mailer sends mails in the background while Run runs. It is safe for concurrent use.
type Mailer struct {
	server      transport // nil: no server is configured
	outbox      outbox
	from        *mail.Address
	logger      *slog.Logger
	queue       chan queuedMail
	jobs        chan func(context.Context) // apart from mails, so that a slow server does not delay them
	retryDelays []time.Duration            // before each further attempt
	waiting     sync.WaitGroup             // mails that wait for another attempt
	places      chan struct{}              // has an element for each of them

	drainTime time.Duration // time limit for sending the queued mails when the process ends
}

// transport transmits mails. isRefused recognises errors that a further attempt cannot mend.
type transport interface {
	check(ctx context.Context) error // check connects without sending a mail.
	send(ctx context.Context, m *gomail.Msg) error
}

// New checks the options and returns a Mailer.
func New(o Options) (*Mailer, error) {
	m := &Mailer{outbox: outbox{o.Outbox}, logger: o.Logger, queue: make(chan queuedMail, maxQueued),
		jobs: make(chan func(context.Context), maxQueued), places: make(chan struct{}, maxQueued),
		drainTime:   2 * time.Second,
		retryDelays: []time.Duration{2 * time.Second, 10 * time.Second, time.Minute}}
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

// Send queues a mail with a plain text. It does not wait and returns no error. The log tells the
// outcome: it names the mail by its subject, without its address or text.
func (m *Mailer) Send(to, subject, text string) {
	msg, err := m.compose(to, subject, text)
	if err != nil {
		m.logger.Error("a mail could not be written", "mail", subject, "error", scrub(err))
		return
	}
	m.enqueue(queuedMail{msg: msg, kind: subject})
}

// queuedMail is a mail with its subject, by which the log names it.
type queuedMail struct {
	msg     *gomail.Msg
	kind    string
	retries int // attempts after the first
}

func (m *Mailer) enqueue(one queuedMail) {
	select {
	case m.queue <- one:
	default:
		m.saveToOutbox(one, errors.New("the queue of mails is full"))
	}
}

// Enqueue runs a function in the background that may send a mail. So the response time of a request
// does not reveal whether a mail is sent. When the process stops, running functions may continue for
// drainTime, and queued ones share a further drainTime with the queued mails.
func (m *Mailer) Enqueue(do func(context.Context)) {
	select {
	case m.jobs <- do:
	default:
		m.logger.Error("a mail was not prepared: too many others are being prepared")
	}
}

func (m *Mailer) compose(to, subject, text string) (*gomail.Msg, error) {
	// Every server accepts this encoding. The outbox does without.
	msg := gomail.NewMsg(gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	if err := msg.FromFormat(m.from.Name, m.from.Address); err != nil {
		return nil, err
	}
	if err := msg.To(to); err != nil {
		return nil, err
	}
	_, host, _ := strings.Cut(m.from.Address, "@")
	msg.SetMessageIDWithValue(rand.Text() + "@" + host) // the default would reveal the name of this machine
	msg.SetDate()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.Subject(subject)
	msg.SetBodyString(gomail.TypeTextPlain, text)
	return msg, nil
}

// Run runs jobs and sends mails until the context ends. Jobs and attempts that have begun may continue for drainTime.
// Then Run makes a last attempt, within drainTime, to run the jobs and send the mails that are queued or wait.
func (m *Mailer) Run(ctx context.Context) {
	var working sync.WaitGroup
	working.Go(func() { m.checkServer(ctx) })
	for range workers {
		working.Go(func() {
			for ctx.Err() == nil {
				select {
				case one := <-m.queue:
					m.deliver(ctx, one)
				case <-ctx.Done():
				}
			}
		})
		working.Go(func() {
			for ctx.Err() == nil {
				select {
				case do := <-m.jobs:
					m.do(ctx, do)
				case <-ctx.Done():
				}
			}
		})
	}
	working.Wait()
	m.waiting.Wait() // the mails that wait for another attempt are in the queue then
	last, cancel := context.WithTimeout(context.WithValue(context.WithoutCancel(ctx), drainKey{}, true), m.drainTime)
	defer cancel()
	for range workers {
		working.Go(func() { m.drain(last) })
	}
	working.Wait()
}

// checkServer logs at start where mails go and whether the server is usable.
func (m *Mailer) checkServer(ctx context.Context) {
	if !m.Sends() {
		m.logger.Info("mails are saved for the operator: no mail server is configured", "folder", m.outbox.folder)
		return
	}
	trial, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	if err := m.server.check(trial); err != nil && ctx.Err() == nil {
		m.logger.Error("the mail server cannot be used: mails that it does not accept are saved for the operator",
			"folder", m.outbox.folder, "error", scrub(err))
	}
}

// drain runs the queued jobs, then sends the queued mails, which include those of the jobs. The context says that these
// are the last attempts.
func (m *Mailer) drain(ctx context.Context) {
	for {
		select {
		case do := <-m.jobs:
			do(ctx)
			continue
		default:
		}
		select {
		case one := <-m.queue:
			m.deliver(ctx, one)
		default:
			return
		}
	}
}

type drainKey struct{}

// deliver attempts to send a mail. After a temporary failure the mail waits for another attempt, unless the process
// ends.
func (m *Mailer) deliver(ctx context.Context, one queuedMail) {
	switch {
	case !m.Sends():
		m.saveToOutbox(one, nil)
		return
	case ctx.Value(drainKey{}) != nil:
		m.finish(one, m.server.send(ctx, one.msg))
		return
	}
	err := m.attempt(ctx, one.msg)
	if err == nil || isRefused(err) || ctx.Err() != nil || one.retries == len(m.retryDelays) ||
		!m.retryLater(ctx, one) {
		m.finish(one, err)
		return
	}
	m.logger.Warn("a mail could not be sent yet", "mail", one.kind, "error", scrub(err))
}

// retryLater queues a mail again after a delay, or when the process ends. The worker is free in the
// meantime. It reports false if too many mails wait.
func (m *Mailer) retryLater(ctx context.Context, one queuedMail) bool {
	select {
	case m.places <- struct{}{}:
	default:
		return false
	}
	pause := m.retryDelays[one.retries]
	one.retries++
	m.waiting.Go(func() {
		defer func() { <-m.places }()
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		m.enqueue(one)
	})
	return true
}

// attempt sends a mail once.
func (m *Mailer) attempt(ctx context.Context, msg *gomail.Msg) error {
	ctx, cancel := m.lasting(ctx) // the server limits the time of each phase
	defer cancel()
	return m.server.send(ctx, msg)
}

// do runs a job.
func (m *Mailer) do(ctx context.Context, job func(context.Context)) {
	ctx, cancel := m.lasting(ctx)
	defer cancel()
	job(ctx)
}

// lasting returns a context that ends drainTime after the given one.
func (m *Mailer) lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(m.drainTime, cancel) })
	return lasting, func() { stop(); cancel() }
}

// finish logs that a mail was sent, or saves it in the outbox after an error.
func (m *Mailer) finish(one queuedMail, err error) {
	if err != nil {
		m.saveToOutbox(one, err)
		return
	}
	m.logger.Info("a mail was sent", "mail", one.kind)
}

var addressPattern = regexp.MustCompile(`[^\s<>"'(),;]+@[^\s<>"'(),;]+`)

// scrub replaces email addresses in the text of an error, since servers repeat them.
func scrub(err error) string { return addressPattern.ReplaceAllString(err.Error(), "[address]") }
