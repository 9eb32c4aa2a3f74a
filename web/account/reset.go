package account

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/account"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// reset lets users who have lost their password choose a new one.
type reset struct {
	handler
	mailing credential.Mailing
	counted *atomic.Value // the id of the last delivery that was counted towards the limit of mails
}

func (h reset) register(e *echo.Echo) {
	site.Get(e, "/reset", h.show)
	e.POST("/reset", h.ask)
	site.Get(e, "/reset/:link", h.showPasswordForm)
	e.POST("/reset/:link", h.submit)
	h.mailing.Mailer.WriteBy(domain.DeliverReset, h.write)
}

func (h reset) show(c echo.Context) error {
	return h.form(c, http.StatusOK, view.ResetPage{})
}

// ask requests a link by mail. Its response and its duration do not reveal whether the account
// exists.
func (h reset) ask(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	account := strings.TrimSpace(sent.Get("account"))
	if account == "" {
		err = domain.FieldError("account", "Enter your username or email.")
	} else {
		err = h.Limiter.AllowFrom(c.Request().Context(), ratelimit.Reset, "", remote.Of(c.Request()))
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.ResetPage{Account: sent.Get("account")})
	}
	request := resetRequest{account[:min(len(account), maxAccount)], h.mailing.Link(c, "/reset/"),
		h.LanguageFor("", c.Request().Header["Accept-Language"]).Code()}
	defer site.Uninterrupt(c)()
	err = h.mailing.Deliveries.Put(c.Request().Context(),
		h.mailing.Mailer.Seal(domain.DeliverReset, "", credential.ResetTime, request))
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.ResetPage{Account: sent.Get("account")})
	}
	return h.form(c, http.StatusOK, view.ResetPage{Requested: true})
}

// maxAccount is more than the length of any username or address, in bytes. Of a longer text, only the beginning is
// stored, which names no account either.
const maxAccount = 4 * domain.MaxEmail

// resetRequest is the payload of a delivery of the kind domain.DeliverReset.
type resetRequest struct {
	Account  string `json:"account"`
	Link     string `json:"link"`     // without the secret at its end
	Language string `json:"language"` // of the request, whose sender is probably the user
}

// write writes the mail with a link if the account exists and has a verified address.
func (h reset) write(ctx context.Context, d domain.Delivery, payload []byte) (domain.Mail, error) {
	var request resetRequest
	if err := json.Unmarshal(payload, &request); err != nil {
		return domain.Mail{}, err
	}
	u, err := h.find(ctx, request.Account)
	if err != nil {
		return domain.Mail{}, err
	}
	credentials, err := h.store.Credentials.Get(ctx, u.ID)
	if err != nil {
		return domain.Mail{}, err
	}
	if !credentials.EmailVerified {
		return domain.Mail{}, errNoMail
	}
	// While the mail server fails, the first delivery is written again and again, and stays fresh.
	if d.Fresh() && h.counted.Swap(d.ID) != d.ID {
		err = h.Limiter.Allow(ctx, ratelimit.Mail, u.ID)
	}
	if domain.Is(err, domain.TooMany) {
		err = errNoMail
	}
	if err != nil {
		return domain.Mail{}, err
	}
	ctx = locale.With(ctx, h.LanguageFor(u.Language, []string{request.Language}))
	if err := h.CheckSuspended(ctx, u); err != nil { // only the user reads the mail
		return credential.Letter(ctx, credentials.Email, u, locale.M("Your account is suspended|mail"),
			locale.M("Someone, hopefully you, asked to reset the password of your account on {site}.", "site",
				h.Info().Title()),
			err.(*domain.Error).Message,
			locale.M("While the account is suspended, you can't log in or reset the password.")), nil
	}
	secret, err := h.mailing.IssueSecret(ctx, domain.SecretReset, u.ID,
		credential.Purpose{Version: credentials.Version},
		credential.ResetTime)
	if err != nil {
		return domain.Mail{}, err
	}
	return credential.Letter(ctx, credentials.Email, u, locale.M("Reset your password"),
		locale.M("Someone, hopefully you, asked to reset the password of your account on {site}. To choose a new "+
			"password, open this page within one hour:", "site", h.Info().Title()),
		locale.Verbatim(request.Link+secret),
		locale.M("If this wasn't you, ignore this email. Your password stays the same.")), nil
}

// errNoMail means that no mail is sent. Only the log of the mailer knows.
var errNoMail = &domain.Error{Kind: domain.NotFound}

func (h reset) find(ctx context.Context, account string) (domain.User, error) {
	if !strings.Contains(account, "@") {
		return h.store.Users.AccountByName(ctx, account)
	}
	if name, ok := strings.CutPrefix(account, "@"); ok { // a username as the site shows it
		return h.store.Users.AccountByName(ctx, name)
	}
	email, err := domain.CleanEmail(account)
	if err != nil {
		return domain.User{}, domain.NewError(domain.NotFound, "There is no such user.")
	}
	return h.store.EmailAddresses.Owner(ctx, email)
}

func (h reset) showPasswordForm(c echo.Context) error {
	if _, _, _, err := h.findLink(c); err != nil {
		return h.refuseLink(c, err)
	}
	return h.passwordForm(c, http.StatusOK, view.ResetPasswordPage{Secret: c.Param("link")})
}

// findLink returns the user and the secret of a link. A link is valid until the credentials change,
// so it works once. It fails if the user was suspended after the mail.
func (h reset) findLink(c echo.Context) (domain.User, domain.Secret, domain.Credentials, error) {
	ctx := c.Request().Context()
	secret, p, err := h.mailing.FindSecret(ctx, domain.SecretReset, c.Param("link"))
	if err != nil {
		return domain.User{}, secret, domain.Credentials{}, err
	}
	credentials, err := h.store.Credentials.Get(ctx, secret.UserID)
	if err == nil && credentials.Version != p.Version {
		err = domain.NewError(domain.NotFound, "This link was already used.")
	}
	var u domain.User
	if err == nil {
		u, err = h.store.Users.Account(ctx, secret.UserID)
	}
	if err == nil {
		err = h.CheckSuspended(ctx, u)
	}
	return u, secret, credentials, err
}

func (h reset) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	u, secret, credentials, err := h.findLink(c)
	if err != nil {
		return h.refuseLink(c, err)
	}
	if err = credential.CheckNewPassword(h.Site, c, sent.Get("password"),
		credential.PasswordNames(u, credentials)...); err == nil {
		credentials.PasswordHash, err = h.factors.Passwords.Hash(credential.Confirming(c, h.Limiter, u.ID),
			sent.Get("password"))
	}
	defer site.Uninterrupt(c)()
	ctx := c.Request().Context()
	if err == nil {
		_, err = h.store.Credentials.Set(ctx, credentials, h.mailing.ChangeNotice(c, u, credentials,
			locale.M("The password was reset with a link sent to this address."))...)
	}
	if domain.Is(err, domain.Conflict) || domain.Is(err, domain.NotFound) { // the credentials have changed
		return h.passwordForm(c, http.StatusNotFound, view.ResetPasswordPage{})
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.passwordForm, view.ResetPasswordPage{Secret: c.Param("link")})
	}
	if _, err := h.mailing.Secrets.Take(ctx, domain.SecretReset, secret.Digest); err != nil &&
		!domain.Is(err, domain.NotFound) {
		h.Logger.WarnContext(ctx, "cannot delete a used secret before it expires", "error", err)
	}
	h.mailing.LogChange(c, u, credential.LoginChanged)
	h.Sessions.DeleteOthers(ctx, u.ID, "")
	return h.RenderForm(c, http.StatusOK, view.ResetDone(h.FallbackLayout(c, site.T(c, "Password changed"))))
}

// refuseLink says that a link is no longer valid, if err is NotFound. It returns other errors.
func (h reset) refuseLink(c echo.Context, err error) error {
	if !domain.Is(err, domain.NotFound) {
		return err
	}
	return h.passwordForm(c, http.StatusNotFound, view.ResetPasswordPage{})
}

func (h reset) passwordForm(c echo.Context, status int, p view.ResetPasswordPage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Choose a new password"))
	return h.RenderForm(c, status, view.ResetPassword(p))
}

func (h reset) form(c echo.Context, status int, p view.ResetPage) error {
	p.LayoutData, p.MailWorks = h.FallbackLayout(c, site.T(c, "Forgot your password?")), h.mailing.Mailer.Sends()
	return h.RenderForm(c, status, view.Reset(p))
}
