package account

import (
	"cmp"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// loginGuard limits guesses of passwords without letting an attacker lock a user out. A cookie
// identifies the browsers in which an account has logged in before, and these are counted
// separately ("device cookies" of OWASP).
type loginGuard struct {
	limiter *ratelimit.Limiter
	keys    [][]byte
}

func newLoginGuard(l *ratelimit.Limiter, secrets [][]byte) (*loginGuard, error) {
	g := &loginGuard{limiter: l}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, "inkfeed known browser: HMAC-SHA256", 32)
		if err != nil {
			return nil, fmt.Errorf("derive the key of known browsers: %w", err)
		}
		g.keys = append(g.keys, key)
	}
	return g, nil
}

// countedAttempt is a counted attempt.
type countedAttempt struct {
	rule ratelimit.Rule
	key  string
	from remote.Client // by whose address it is counted, too; the zero client: by the key alone
}

// admit counts an attempt to log in. It does not depend on whether the user exists. The caller must
// call settle with the outcome of the attempt, nil if the password was right. known reports that the browser is known
// to the account.
func (g *loginGuard) admit(c echo.Context, username string) (known bool, settle func(error), err error) {
	r := c.Request()
	account, from, anyone := names.NameKey(username), remote.Of(r), remote.Client{}
	attempts := []countedAttempt{
		// In this order, so that an attempt that the first rule stops does not count for the
		// others.
		{ratelimit.Login, account + "|", from},
		{ratelimit.LoginAddress, "", from},
		{ratelimit.LoginAccount, account, anyone},
	}
	browser, known := g.knownBrowser(r, account)
	if known {
		attempts = []countedAttempt{{ratelimit.LoginKnown, account, anyone},
			{ratelimit.Login, "browser " + browser, anyone}}
	} else if err := cmp.Or(g.limiter.CheckUnits(domain.User{}, from),
		g.limiter.CheckNetworks(ratelimit.LoginAddress, "", from)); err != nil {
		return known, nil, err // before anything is counted in the storage
	}
	for _, one := range attempts {
		if err := g.limiter.AllowFrom(r.Context(), one.rule, one.key, one.from); err != nil {
			return known, nil, err
		}
	}
	return known, func(err error) {
		for _, one := range attempts {
			g.limiter.SettleFrom(r.Context(), one.rule, one.key, one.from, err)
		}
		if err == nil {
			g.remember(c, account)
		}
	}, nil
}

const (
	knownCookie = "inkfeed_known"
	knownTime   = 365 * 24 * time.Hour
	knownPath   = "/login" // the only page that reads it
)

// remember sets the cookie that identifies the browser as known to the account.
func (g *loginGuard) remember(c echo.Context, account string) {
	browser, ok := g.knownBrowser(c.Request(), account)
	if !ok {
		browser = rand.Text()
	}
	c.SetCookie(&http.Cookie{Name: knownCookie, Value: browser + "." + signed(g.keys[0], account, browser),
		Path:   knownPath,
		MaxAge: int(knownTime / time.Second), HttpOnly: true, Secure: remote.TLS(c.Request()),
		SameSite: http.SameSiteLaxMode})
}

// knownBrowser returns the identifier of the browser if the account has logged in there.
func (g *loginGuard) knownBrowser(r *http.Request, account string) (browser string, ok bool) {
	cookie, err := r.Cookie(knownCookie)
	if err != nil {
		return "", false
	}
	browser, signature, _ := strings.Cut(cookie.Value, ".")
	for _, key := range g.keys {
		if hmac.Equal([]byte(signature), []byte(signed(key, account, browser))) {
			return browser, true
		}
	}
	return "", false
}

func signed(key []byte, account, browser string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(account + "\x00" + browser))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
