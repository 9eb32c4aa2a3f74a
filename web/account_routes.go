package web

import "github.com/labstack/echo/v4"

// accountStore is what signing up and logging in need of the storage.
type accountStore struct {
	Users       accountUsers
	Settings    settingsGetter
	Invitations invitationUser
	Audit       recorder
}

type accountUsers interface {
	userCreator
	credentialsKeeper
	accountFinder
	accountByEmail
	userByName
}

// registerAccount registers the pages for signing up and logging in.
func registerAccount(e *echo.Echo, s *site, store accountStore, factors *factors, mailed mailing, signupTrap trap, keys [][]byte) error {
	guard, err := newGuard(s.limiter, keys)
	if err != nil {
		return err
	}
	admission := admission{store.Settings, store.Invitations}
	signup{mailed, store.Users, factors.passwords, guard, factors, signupTrap, admission, store.Audit}.register(e)
	login{s, store.Users, factors.passwords, guard, factors}.register(e)
	loginSecond{s, store.Users, factors}.register(e)
	passkeyChallenge{s, factors, store.Users, admission}.register(e)
	confirm{s, factors}.register(e)
	logout{s}.register(e)
	reset{mailed, store.Users, factors.passwords}.register(e)
	return nil
}
