package mail

import (
	"context"
	"time"
)

// Hurry takes the pauses between attempts away.
func (m *Mailer) Hurry() { clear(m.pauses) }

// DrainFor sets how long waiting mails may take when the process ends.
func (m *Mailer) DrainFor(d time.Duration) { m.drainTime = d }

// What stays in an outbox.
const (
	MaxOutbox = maxOutbox
	OutboxAge = outboxAge
)

// Attempts is how often a mail is tried.
func (m *Mailer) Attempts() int { return 1 + len(m.pauses) }

// Queued is how many mails wait.
const Queued = queued

// Reach tells whether mails would get to the server.
func (m *Mailer) Reach(ctx context.Context) error { return m.server.reach(ctx) }
