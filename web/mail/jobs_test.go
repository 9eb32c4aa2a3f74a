package mail_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web/mail"
)

func TestAHangingServerDelaysNoJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, logged := transmitting(t, func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		})
		running(t, m)
		for range 2 * mail.Queued { // the mails beyond the queue are in the outbox
			m.Send("ada@example.com", "Early", "Text")
		}
		synctest.Wait()
		m.Enqueue(func(context.Context) { m.Send("ben@example.com", "Reset your password", "Text") })
		synctest.Wait()
		if text := logged.String(); !strings.Contains(text, `mail="Reset your password" file=`) {
			t.Error("the mail of the job is not in the outbox")
		}
	})
}

func TestJobsAreDoneWhenTheProcessEnds(t *testing.T) {
	// prepare starts a job that takes some time, ends the process, and returns the log and the error of the job.
	prepare := func(t *testing.T, takes time.Duration) (text string, result error) {
		m, logged := transmitting(t, func(context.Context, string) error { return nil })
		stop := running(t, m)
		m.Enqueue(func(ctx context.Context) {
			select {
			case <-time.After(takes):
				m.Send("ada@example.com", "Reset your password", "Text")
			case <-ctx.Done():
				result = ctx.Err()
			}
		})
		synctest.Wait()
		stop()
		return logged.String(), result
	}
	t.Run("a running job continues, and its mail is sent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if text, err := prepare(t, time.Second); err != nil ||
				!strings.Contains(text, `"a mail was sent" mail="Reset your password"`) {
				t.Errorf("error %v; the log is %s", err, text)
			}
		})
	})
	t.Run("a job that takes too long is cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			if _, err := prepare(t, time.Hour); err == nil || time.Since(start) > 5*time.Second {
				t.Errorf("error %v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("a queued job is run, and its mail is sent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, logged := transmitting(t, func(context.Context, string) error { return nil })
			m.Enqueue(func(context.Context) { m.Send("ada@example.com", "Reset your password", "Text") })
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			m.Run(ended)
			if text := logged.String(); !strings.Contains(text, "a mail was sent") {
				t.Errorf("the log is %s", text)
			}
		})
	})
}
