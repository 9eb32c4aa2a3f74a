package account_test

import (
	"testing"

	"inkfeed/web/webtest"
)

// The second step of a log-in with the old password fails after the password was changed.
func TestAChangedPasswordEndsLogInsBetweenTheirSteps(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	a := ada.EnableAuthenticator()
	v, other := s.HalfSignedIn("ada"), s.HalfSignedIn("ada")
	ada.Post("/settings/password", "current", webtest.Password, "password", "another one entirely").Want(303)
	v.Post("/login/second", "code", a.Codes[0]).Want(403).Has("main", "Please log in again.")
	other.Post("/login/second", "code", a.Codes[0]).Want(403)
}
