package credential

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// Mailer makes deliveries of mails, which are sent in the background once they are stored.
type Mailer interface {
	// Sends reports whether a mail server is configured. Otherwise the operator gets all mails.
	Sends() bool
	// Seal returns a new delivery about an account, which may not be known yet. It expires after a time. The payload is
	// encrypted. That of domain.DeliverMail is a domain.Mail.
	Seal(kind domain.DeliveryKind, userID string, lasting time.Duration, payload any) domain.Delivery
	// SealIn returns a delivery with a payload, like Seal.
	SealIn(d domain.Delivery, payload any) domain.Delivery
	// WriteBy sets the writer of another kind of deliveries. It writes the mail from the payload, as JSON, when the
	// mail is sent, and returns NotFound if there is none to send.
	WriteBy(kind domain.DeliveryKind, w func(ctx context.Context, d domain.Delivery, payload []byte) (domain.Mail,
		error))
}

// Deliveries stores deliveries, which the mailer carries out in the background.
type Deliveries interface {
	Put(ctx context.Context, list ...domain.Delivery) error
}

// Mailing mails users links with secrets, and notices about changes of their account.
type Mailing struct {
	*site.Site
	Mailer     Mailer
	Deliveries Deliveries
	Secrets    Secrets
}

// How long the links in mails are valid.
const (
	// ResetTime is how long a link to reset a password is valid.
	ResetTime  = time.Hour
	verifyTime = 24 * time.Hour
)

// Purpose is the stored payload of a mailed secret.
type Purpose struct {
	// the address to verify
	Email   string `json:"email,omitempty"`
	Version int    `json:"version,omitempty"` // of the credentials
}

// IssueSecret stores a new secret for a user and returns it. Only its digest is stored.
func (m Mailing) IssueSecret(ctx context.Context, kind domain.SecretKind, userID string, p Purpose,
	lasting time.Duration) (string, error) {
	payload, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	secret := rand.Text()
	return secret, m.Secrets.Put(ctx, domain.Secret{Kind: kind, Digest: domain.SecretDigest(secret), UserID: userID,
		Payload: payload,
		Expires: domain.Timestamp(time.Now().Add(lasting))})
}

// PasswordLink returns the path of the page where the user of a newly created account chooses a
// password. The link works once, and only while the credentials have the given version.
func PasswordLink(ctx context.Context, secrets Secrets, userID string, version int,
	lasting time.Duration) (string, error) {
	secret, err := Mailing{Secrets: secrets}.IssueSecret(ctx, domain.SecretReset, userID, Purpose{Version: version},
		lasting)
	return "/reset/" + secret, err
}

// FindSecret returns a stored secret and its purpose. The secret stays valid.
func (m Mailing) FindSecret(ctx context.Context, kind domain.SecretKind, text string) (domain.Secret, Purpose, error) {
	var p Purpose
	secret, err := m.Secrets.Get(ctx, kind, domain.SecretDigest(text))
	if err == nil {
		if err = json.Unmarshal(secret.Payload, &p); err != nil {
			err = fmt.Errorf("decode the payload of a secret for %s: %w", kind, err)
		}
	}
	return secret, p, err
}

// Link returns the address of a page for a mail. If the site's address is not configured, it uses
// the request's host only if that is this machine, and otherwise returns the path alone: an
// attacker who requests the mail chooses the host in the request.
func (m Mailing) Link(c echo.Context, path string) string {
	if m.URL != "" {
		return m.URL + path
	}
	base := m.BaseURL(c)
	if u, err := url.Parse(base); err == nil && isLoopbackHost(u.Hostname()) {
		return base + path
	}
	return path
}

func isLoopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// AskToVerify mails a link that verifies a new address. Until the user follows the link, the
// account keeps its verified address.
func (m Mailing) AskToVerify(c echo.Context, stored Credentials, u domain.User, credentials domain.Credentials,
	email string) error {
	// Counted apart from reset mails, which anyone can request for any account.
	account := "verify|" + u.ID
	if err := m.Limiter.Allow(c.Request().Context(), ratelimit.Mail, account); err != nil {
		return err
	}
	// Other networks must not keep the owner of an address from verifying it.
	about := domain.EmailKey(email) + "|"
	if err := m.Limiter.AllowFrom(c.Request().Context(), ratelimit.MailAddress, about,
		remote.Of(c.Request())); err != nil {
		m.Limiter.Refund(c.Request().Context(), ratelimit.Mail, account)
		return err
	}
	defer site.Uninterrupt(c)()
	mail, err := m.verification(c, u, email)
	if err != nil {
		return err
	}
	if credentials.AwaitedEmail() == email {
		return m.Deliveries.Put(c.Request().Context(), mail)
	}
	if _, err = stored.Set(c.Request().Context(), credentials.WithAwaitedEmail(email), mail); err != nil {
		return err
	}
	// The user waits for this mail. If it cannot be stored at once, the users projector does that soon.
	_ = m.Deliveries.Put(c.Request().Context(), mail)
	return nil
}

// verification returns a mail with a link that verifies the address.
func (m Mailing) verification(c echo.Context, u domain.User, email string) (domain.Delivery, error) {
	secret, err := m.IssueSecret(c.Request().Context(), domain.SecretVerifyEmail, u.ID, Purpose{Email: email},
		verifyTime)
	if err != nil {
		return domain.Delivery{}, err
	}
	mail := Letter(m.MailContext(c, u), email, u, locale.M("Verify your email address"),
		locale.M("Someone, hopefully you, added this email address to your account on {site}. To verify it, open this "+
			"page within one day and press the button:", "site", m.Info().Title()),
		locale.Verbatim(m.Link(c, "/verify-email/"+secret)),
		locale.M("If this wasn't you, ignore this email. We won't use the address."))
	return m.Mailer.Seal(domain.DeliverMail, u.ID, verifyTime, mail), nil
}
