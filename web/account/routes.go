// Package account lets visitors sign up, log in, log out and reset their password.
package account

import (
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/botcheck"
)

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store        Store
	factors      *credential.Factors
	guard        *loginGuard
	admission    admission
	confirmation site.Confirmation
}

// Register registers the routes for signing up, logging in and resetting a password.
func Register(e *echo.Echo, s *site.Site, store Store, factors *credential.Factors, mailing credential.Mailing,
	checker botcheck.Checker, keys [][]byte) error {
	guard, err := newLoginGuard(s.Limiter, keys)
	if err != nil {
		return err
	}
	h := handler{s, store, factors, guard, admission{store.Settings, store.Invitations}, site.Confirmation{Site: s}}
	signup{h, mailing, checker, site.AuditRecorder{Log: store.Audit, Logger: s.Logger}}.register(e)
	welcome{h, mailing.Mailer}.register(e)
	login{h}.register(e)
	loginSecond{h}.register(e)
	passkeyChallenge{h}.register(e)
	confirm{h}.register(e)
	s.Identities = confirm{h}
	logout{s}.register(e)
	reset{h, mailing, new(atomic.Value)}.register(e)
	return nil
}
