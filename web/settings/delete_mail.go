package settings

import (
	"context"
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/credential"
	"inkfeed/web/site"
)

// mailVerified mails the user at the verified address, if there is one.
func (h settingsDelete) mailVerified(c echo.Context, u domain.User, subject locale.Message,
	paragraphs ...locale.Message) {
	ctx := c.Request().Context()
	credentials, err := h.store.Credentials.Get(ctx, u.ID)
	if err != nil {
		h.Logger.WarnContext(ctx, "cannot send a mail about the deletion of an account", "user", u.ID, "error", err,
			"request_id", site.RequestID(c))
		return
	}
	if credentials.EmailVerified {
		credential.Write(h.MailContext(c, u), h.Mailer, credentials.Email, u, subject, paragraphs...)
	}
}

// mailTime is a time in a mail, which does not know the reader's time zone.
func (h settingsDelete) mailTime(c echo.Context, u domain.User, t time.Time) string {
	ctx := h.MailContext(c, u)
	return locale.T(ctx, "{date} at {time} UTC", "date", locale.Date(ctx, t.UTC()), "time", locale.Clock(ctx, t.UTC()))
}

func (h settingsDelete) mailScheduled(c echo.Context, u domain.User) {
	h.Logger.InfoContext(c.Request().Context(), "the deletion of an account was scheduled", "user", u.ID, "at",
		u.ScheduledDeletion, "request_id", site.RequestID(c))
	h.mailVerified(c, u, locale.M("Your account will be deleted"),
		locale.M("You asked us to delete your account on {site}. We will delete it, with everything you wrote, on "+
			"{time}. Until then nothing changes.", "site", h.Info().Title(), "time",
			h.mailTime(c, u, u.ScheduledDeletion)),
		locale.M(`If you change your mind, log in and press "Keep my account", which is on every page:`),
		locale.Verbatim(h.Link(c, site.DeletePage)),
		locale.M("If this wasn't you, someone else has access to your account. Keep the account, and reset your "+
			"password now:"),
		locale.Verbatim(h.Link(c, "/reset")))
}

func (h settingsDelete) mailCancelled(c echo.Context, u domain.User) {
	h.Logger.InfoContext(c.Request().Context(), "the deletion of an account was cancelled", "user", u.ID, "request_id",
		site.RequestID(c))
	h.mailVerified(c, u, locale.M("Your account will not be deleted"),
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
	Logger    *slog.Logger
}

// Mail sends the mail in the background. It sends none if the user was deleted or has no verified
// address.
func (k AbandonedDeletionMailer) Mail(_ context.Context, userID string, problem locale.Stored) {
	k.Mailer.Enqueue(func(ctx context.Context) {
		u, err := k.Users.Account(ctx, userID)
		var credentials domain.Credentials
		if err == nil {
			credentials, err = k.Credentials.Get(ctx, userID)
		}
		if err != nil && !domain.Is(err, domain.NotFound) {
			k.Logger.WarnContext(ctx, "cannot send a mail about the deletion of an account",
				"user", userID, "error", err)
		}
		if err != nil || !credentials.EmailVerified {
			return
		}
		info := k.Current.Current().Info
		ctx = locale.With(ctx, k.Languages.Choose(u.Language, nil, info.Language))
		credential.Write(ctx, k.Mailer, credentials.Email, u, locale.M("Your account was not deleted"),
			locale.M("We couldn't delete your account on {site} as scheduled:", "site", info.Title()),
			problem.Message(),
			locale.M("The account stays as it is. To delete it, ask us again:"),
			locale.Verbatim(k.URL+site.DeletePage))
	})
}
