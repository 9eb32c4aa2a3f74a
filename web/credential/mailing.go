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
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// Mailer sends mails in the background. It says nothing of how that goes.
type Mailer interface {
	// Sends tells whether mails reach those they are for; otherwise the operator has them.
	Sends() bool
	// Send has a mail sent. The log has its subject, in which nothing is the user's own.
	Send(to, subject, text string)
	// Later has something done in the background that ends in a mail, or in none.
	Later(do func(context.Context))
}

// Mailing gives people secrets by mail.
type Mailing struct {
	*site.Site
	Mailer  Mailer
	Secrets Secrets
}

const (
	ResetTime  = time.Hour
	verifyTime = 24 * time.Hour
)

// Purpose is what a mailed secret was given for.
type Purpose struct {
	Email   string `json:"email,omitempty"`
	Version int    `json:"version,omitempty"` // of the credentials
}

// Issue makes a secret about a user and returns what is told to nobody else.
func (m Mailing) Issue(ctx context.Context, kind domain.SecretKind, userID string, p Purpose,
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

// PasswordLink returns the path of the page where the user of a newly created account chooses a password. The
// link works once, and only while the credentials have the given version.
func PasswordLink(ctx context.Context, secrets Secrets, userID string, version int,
	lasting time.Duration) (string, error) {
	secret, err := Mailing{Secrets: secrets}.Issue(ctx, domain.SecretReset, userID, Purpose{Version: version}, lasting)
	return "/reset/" + secret, err
}

// Find finds what a secret was given for, and leaves it.
func (m Mailing) Find(ctx context.Context, kind domain.SecretKind, text string) (domain.Secret, Purpose, error) {
	var p Purpose
	secret, err := m.Secrets.Get(ctx, kind, domain.SecretDigest(text))
	if err == nil {
		err = json.Unmarshal(secret.Payload, &p)
	}
	return secret, p, err
}

// Link is the address of a page, as a mail tells it. Who asks for a mail chooses what the
// request says of its host. So where the site's own address is not set, the link leads to
// this machine or says the path alone.
func (m Mailing) Link(c echo.Context, path string) string {
	if m.URL != "" {
		return m.URL + path
	}
	base := m.BaseURL(c)
	if u, err := url.Parse(base); err == nil && isThisMachine(u.Hostname()) {
		return base + path
	}
	return path
}

func isThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// AskToVerify mails a link to an address, which counts once that is followed. Until then a verified
// one stays in use.
func (m Mailing) AskToVerify(c echo.Context, users Users, u domain.User, credentials domain.Credentials,
	email string) error {
	if err := m.Limiter.Allow(c.Request().Context(), ratelimit.Mail, u.ID); err != nil {
		return err
	}
	if credentials.AwaitedEmail() != email {
		if _, err := users.SetCredentials(c.Request().Context(), credentials.WithAwaitedEmail(email)); err != nil {
			return err
		}
	}
	return m.sendVerification(c, u, email)
}

// sendVerification mails a link that proves an address to be the user's.
func (m Mailing) sendVerification(c echo.Context, u domain.User, email string) error {
	secret, err := m.Issue(c.Request().Context(), domain.SecretVerifyEmail, u.ID, Purpose{Email: email}, verifyTime)
	if err != nil {
		return err
	}
	m.Mailer.Send(email, "Verify your email address", fmt.Sprintf(`Hello %s,

Someone, hopefully you, added this email address to your Inkfeed account. To
verify it, open this page within one day and press the button:

%s

If this wasn't you, ignore this email. We won't use the address.
`, u.Username, m.Link(c, "/verify-email/"+secret)))
	return nil
}
