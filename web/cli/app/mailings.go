package app

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/domain/throttle"
	"inkfeed/web/mail"
	"inkfeed/web/mail/bounce"
	imports "inkfeed/web/mailings"
	"inkfeed/web/newsletter"
	"inkfeed/workers"
	"inkfeed/workers/mailing"
	"inkfeed/workers/projection"
)

// mailings is what mails posts and digests to subscribers.
type mailings struct {
	transport *mailing.Mailings
	digester  *mailing.Digester
	composer  *newsletter.Composer
	mails     *projection.Mails // nil: the site sends none
}

func newMailings(store *cosmos.Store, mailer *mail.Mailer, composer *newsletter.Composer,
	current *workers.SettingsWatcher, pace *throttle.Pace, logger *slog.Logger) mailings {
	m := mailings{composer: composer, digester: &mailing.Digester{Zones: store.Subscriptions,
		Deliveries: store.Deliveries, Logger: logger, Location: func(zone string) *time.Location {
			info := current.Current().Info
			info.TimeZone = cmp.Or(zone, info.TimeZone)
			return siteinfo.Zone(siteinfo.With(context.Background(), &info))
		}}}
	c := mailing.Config{Store: store.Subscriptions, Deliveries: store.Deliveries,
		Owner: store.EmailAddresses.Owner, Rows: imports.Rows(mailer.Payload, store.Users),
		Open: func(ctx context.Context) (mailing.Sender, error) { return mailer.OpenBulk(ctx) }, Seal: mailer.SealIn,
		// As many processors are occupied as in fan-out.
		Rest: func(took time.Duration) time.Duration { return 2 * pace.Rest(took) }}
	if composer.URL != "" && mailer.Sends() {
		composer.Register(mailer)
		mailer.OnRefused(bounce.Recorder{Subscribers: store.Subscriptions, Posts: store.Posts}.Take)
		c.Composer = newsletters{composer}
		m.mails = projection.NewMails(store)
		m.mails.SealNotice = func(d domain.Delivery, n domain.Notification) domain.Delivery {
			return mailer.SealIn(d, newsletter.Notice{UserID: n.UserID, Notification: n})
		}
	}
	m.transport = mailing.New(c)
	return m
}

// newsletters makes a composer that of mailings.
type newsletters struct{ *newsletter.Composer }

func (n newsletters) Post(ctx context.Context, postID string) (mailing.Issue, error) {
	issue, err := n.Composer.Post(ctx, postID)
	if err != nil {
		return nil, err
	}
	return issue, nil
}
