package account

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/botcheck"
)

// Store is the storage that signing up and logging in use.
type Store struct {
	Users       Users
	Settings    settingsGetter
	Invitations InvitationUser
	Audit       site.AuditRecorder
}

type Users interface {
	userCreator
	credential.CredentialStore
	site.AccountFinder
	accountByEmail
	site.UserByName
}

// Register registers the routes for signing up, logging in and resetting a password.
func Register(e *echo.Echo, s *site.Site, store Store, factors *credential.Factors, mailed credential.Mailing,
	signupTrap botcheck.Checker, keys [][]byte) error {
	guard, err := newGuard(s.Limiter, keys)
	if err != nil {
		return err
	}
	admission := admission{store.Settings, store.Invitations}
	signup{mailed, store.Users, factors.Passwords, guard, factors, signupTrap, admission, store.Audit}.register(e)
	login{s, store.Users, factors.Passwords, guard, factors}.register(e)
	loginSecond{s, store.Users, factors}.register(e)
	passkeyChallenge{s, factors, store.Users, admission}.register(e)
	confirm{s, factors}.register(e)
	logout{s}.register(e)
	reset{mailed, store.Users, factors.Passwords}.register(e)
	return nil
}
