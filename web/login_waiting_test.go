package web_test

import "testing"

// Whoever knew the old password, and waits for a code, does not come in by it.
func TestALoginThatWaitsEndsWithItsPassword(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	a := ada.enrols()
	v, other := s.half("ada"), s.half("ada")
	ada.post("/settings/password", "current", password, "password", "another one entirely").want(303)
	v.post("/login/second", "code", a.codes[0]).want(403).has("main", "Please log in again.")
	other.post("/login/second", "code", a.codes[0]).want(403)
}
