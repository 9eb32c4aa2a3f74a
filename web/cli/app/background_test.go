package app

import (
	"context"
	"iter"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/mail"
	"inkfeed/workers/schedule"
)

// slowDeletion is an account whose deletion is due, and is abandoned a second after the server has been stopped.
type slowDeletion struct{}

func (slowDeletion) Upcoming(context.Context, time.Time) iter.Seq2[domain.ScheduledItem, error] {
	return func(yield func(domain.ScheduledItem, error) bool) {
		yield(domain.ScheduledItem{UserID: "u", At: time.Now()}, nil)
	}
}

func (slowDeletion) Done(context.Context, domain.ScheduledItem) error { return nil }

func (slowDeletion) DeleteScheduled(ctx context.Context, _ domain.ScheduledItem) error {
	<-ctx.Done()
	time.Sleep(time.Second)
	return domain.NewError(domain.Forbidden, "You are the last administrator.")
}

func (slowDeletion) AbandonDeletion(context.Context, domain.ScheduledItem, locale.Stored) (bool, error) {
	return true, nil
}

func TestMailOfAnAbandonedDeletionIsSentAtTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outbox := t.TempDir()
		mailer, err := mail.New(mail.Options{Outbox: outbox, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		tell := func(context.Context, string, locale.Stored) {
			mailer.Enqueue(func(context.Context) { mailer.Send("ada@example.com", "Not deleted", "Text") })
		}
		b := &background{mailer: mailer,
			deleter: schedule.NewDeleter(slowDeletion{}, slowDeletion{}, tell, schedule.Options{})}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		b.deleteAndMail(ctx)
		if mails, err := os.ReadDir(outbox); err != nil || len(mails) != 1 {
			t.Errorf("the outbox has %v, error %v, want the mail", mails, err)
		}
	})
}
