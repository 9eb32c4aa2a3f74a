package settings

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/credential"
	"inkfeed/web/site"
)

// mailVerified mails the user at the verified address, if there is one.

// mailVerified mails the user at the verified address, if there is one.
func (h settingsDelete) mailVerified(c echo.Context, u domain.User, subject, text string) {
	ctx := c.Request().Context()
	credentials, err := h.store.Users.Credentials(ctx, u.ID)
	if err != nil {
		h.Logger.WarnContext(ctx, "cannot send a mail about the deletion of an account", "user", u.ID, "error", err,
			"request_id",
			site.RequestID(c))
		return
	}
	if credentials.EmailVerified {
		h.Mailer.Send(credentials.Email, subject, text)
	}
}

func formatMailTime(t time.Time) string { return t.UTC().Format("2 January 2006 at 15:04 UTC") }

func (h settingsDelete) mailScheduled(c echo.Context, u domain.User) {
	h.Logger.InfoContext(c.Request().Context(), "the deletion of an account was scheduled", "user", u.ID, "at",
		u.ScheduledDeletion,
		"request_id", site.RequestID(c))
	h.mailVerified(c, u, "Your account will be deleted", fmt.Sprintf(`Hello %s,

You asked us to delete your account on %s. We will delete it, with everything
you wrote, on %s. Until then nothing changes.

If you change your mind, log in and press "Keep my account", which is on every
page:

%s

If this wasn't you, someone else has access to your account. Keep the account,
and reset your password now:

%s
`, u.Username, h.Info().Title(), formatMailTime(u.ScheduledDeletion), h.Link(c, site.DeletePage),
		h.Link(c, "/reset")))
}

func (h settingsDelete) mailCancelled(c echo.Context, u domain.User) {
	h.Logger.InfoContext(c.Request().Context(), "the deletion of an account was cancelled", "user", u.ID, "request_id",
		site.RequestID(c))
	h.mailVerified(c, u, "Your account will not be deleted", fmt.Sprintf(`Hello %s,

Your account on %s was scheduled for deletion on %s. You have cancelled that,
so we will keep the account.

If this wasn't you, someone else has access to your account. Reset your password
now:

%s
`, u.Username, h.Info().Title(), formatMailTime(u.ScheduledDeletion), h.Link(c, "/reset")))
}

// AbandonedDeletionMailer tells users by mail that their accounts could not be deleted as
// scheduled. Pages tell them as well.
type AbandonedDeletionMailer struct {
	Users   Users
	Mailer  credential.Mailer
	URL     string // see web.Config
	Current site.CurrentSettings
	Logger  *slog.Logger
}

// Mail sends the mail in the background. It sends none if the user was deleted or has no verified
// address.
func (k AbandonedDeletionMailer) Mail(_ context.Context, userID string, problem locale.Stored) {
	k.Mailer.Enqueue(func(ctx context.Context) {
		u, err := k.Users.Account(ctx, userID)
		var credentials domain.Credentials
		if err == nil {
			credentials, err = k.Users.Credentials(ctx, userID)
		}
		if err != nil && !domain.Is(err, domain.NotFound) {
			k.Logger.WarnContext(ctx, "cannot send a mail about the deletion of an account",
				"user", userID, "error", err)
		}
		if err != nil || !credentials.EmailVerified {
			return
		}
		k.Mailer.Send(credentials.Email, "Your account was not deleted", fmt.Sprintf(`Hello %s,

We couldn't delete your account on %s as scheduled:

%s

The account stays as it is. To delete it, ask us again:

%s
`, u.Username, k.Current.Current().Info.Title(), problem.String(), k.URL+site.DeletePage))
	})
}
