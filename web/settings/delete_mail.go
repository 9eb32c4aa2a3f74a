package settings

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/credential"
	"inkfeed/web/site"
)

// mailVerified returns a mail to the user at the verified address, if there is one.
func mailVerified(ctx context.Context, stored credential.Credentials, mailer credential.Mailer, u domain.User,
	subject locale.Message, paragraphs ...locale.Message) ([]domain.Delivery, error) {
	credentials, err := stored.Get(ctx, u.ID)
	if domain.Is(err, domain.NotFound) || err == nil && !credentials.EmailVerified {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []domain.Delivery{mailer.Seal(domain.DeliverMail, u.ID, credential.NoticeTime,
		credential.Letter(ctx, credentials.Email, u, subject, paragraphs...))}, nil
}

// mailTime is a time in a mail, which does not know the reader's time zone.
func (h settingsDelete) mailTime(c echo.Context, u domain.User, t time.Time) string {
	ctx := h.MailContext(c, u)
	return locale.T(ctx, "{date} at {time} UTC", "date", locale.Date(ctx, t.UTC()), "time", locale.Clock(ctx, t.UTC()))
}

func (h settingsDelete) mailScheduled(c echo.Context, u domain.User, at time.Time) ([]domain.Delivery, error) {
	return mailVerified(h.MailContext(c, u), h.store.Credentials, h.Mailer, u,
		locale.M("Your account will be deleted"),
		locale.M("You asked us to delete your account on {site}. We will delete it, with everything you wrote, on "+
			"{time}. Until then nothing changes.", "site", h.Info().Title(), "time", h.mailTime(c, u, at)),
		locale.M(`If you change your mind, log in and press "Keep my account", which is on every page:`),
		locale.Verbatim(h.Link(c, site.DeletePage)),
		locale.M("If this wasn't you, someone else has access to your account. Keep the account, and reset your "+
			"password now:"),
		locale.Verbatim(h.Link(c, "/reset")))
}

func (h settingsDelete) mailCancelled(c echo.Context, u domain.User) ([]domain.Delivery, error) {
	if u.ScheduledDeletion.IsZero() {
		return nil, nil
	}
	return mailVerified(h.MailContext(c, u), h.store.Credentials, h.Mailer, u,
		locale.M("Your account will not be deleted"),
		locale.M("Your account on {site} was scheduled for deletion on {time}. You have cancelled that, so we will "+
			"keep the account.", "site", h.Info().Title(), "time", h.mailTime(c, u, u.ScheduledDeletion)),
		locale.M("If this wasn't you, someone else has access to your account. Reset your password now:"),
		locale.Verbatim(h.Link(c, "/reset")))
}

// AbandonedDeletionMailer tells users by mail that their accounts could not be deleted as
// scheduled. Pages tell them as well.
type AbandonedDeletionMailer struct {
	Users       site.Users
	Credentials credential.Credentials
	Mailer      credential.Mailer
	URL         string // see web.Config
	Current     site.CurrentSettings
	// Languages are those of the interface.
	Languages *locale.Set
}

// Mail returns the mail, unless the user was deleted or has no verified address.
func (k AbandonedDeletionMailer) Mail(ctx context.Context, userID string,
	problem locale.Stored) ([]domain.Delivery, error) {
	u, err := k.Users.Account(ctx, userID)
	if domain.Is(err, domain.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info := k.Current.Current().Info
	ctx = locale.With(ctx, k.Languages.Choose(u.Language, nil, info.Language))
	return mailVerified(ctx, k.Credentials, k.Mailer, u, locale.M("Your account was not deleted"),
		locale.M("We couldn't delete your account on {site} as scheduled:", "site", info.Title()),
		problem.Message(),
		locale.M("The account stays as it is. To delete it, ask us again:"),
		locale.Verbatim(k.URL+site.DeletePage))
}
