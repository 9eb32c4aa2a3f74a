package web_test

import (
	"context"
	"sync"
)

// mailbox is a mailer that collects the mails. It does at once what the site leaves for later, unless it holds.
type mailbox struct {
	mu    sync.Mutex
	away  bool // mail is not set up
	mails []sentMail
	hold  bool // later collects what is to be done
	later []func(context.Context)
}

type sentMail struct{ to, subject, text string }

func (m *mailbox) Sends() bool { return !m.away }

func (m *mailbox) Send(to, subject, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mails = append(m.mails, sentMail{to, subject, text})
}

func (m *mailbox) Enqueue(do func(context.Context)) {
	if m.hold {
		m.later = append(m.later, do)
		return
	}
	do(context.Background())
}
