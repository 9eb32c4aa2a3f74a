package webtest

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"inkfeed/domain"
)

// IsSignedIn reports whether the visitor is signed in.
func (v *Visitor) IsSignedIn() bool {
	v.T.Helper()
	return v.Get("/").Want(200).Page().Find("header .me").Length() == 1
}

// AddPasskey stores a passkey for a user directly and returns the end of its address.
func (s *Site) AddPasskey(v *Visitor, p domain.Passkey) string {
	s.Data.SetCredentials(v.User.ID, func(c *domain.Credentials) { c.Passkeys = append(c.Passkeys, p) })
	return domain.SecretDigest(p.ID)[:24]
}

// Authenticator is an authenticator app.
type Authenticator struct {
	Secret string
	Codes  []string // for recovery
}

// Code returns the code of the time step this many steps from now. Each code is accepted once.
func (a *Authenticator) Code(t testing.TB, steps int) string {
	t.Helper()
	code, err := totp.GenerateCode(a.Secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// EnableAuthenticator sets up an app. The code of this time step can still be used. The set-up does not use the code of
// the step before, which may be too old when it arrives.
func (v *Visitor) EnableAuthenticator() *Authenticator {
	v.T.Helper()
	page := v.Get("/settings/security/totp").Want(200)
	a := &Authenticator{Secret: strings.ReplaceAll(page.Page().Find("code.secret").Text(), " ", "")}
	done := v.Post("/settings/security/totp", "secret", page.Value("secret"), "code", a.Code(v.T, 0)).Want(200)
	for _, code := range done.Page().Find(".codes code").EachIter() {
		a.Codes = append(a.Codes, code.Text())
	}
	if len(a.Codes) != 10 {
		v.T.Fatalf("%d recovery codes", len(a.Codes))
	}
	v.Data.ChangeItem("users", v.User.ID, "credentials", func(item map[string]any) {
		item["totpStep"] = item["totpStep"].(float64) - 1
	})
	return a
}

// HalfSignedIn returns a visitor who has entered the password and not yet the second factor.
func (s *Site) HalfSignedIn(name string) *Visitor {
	s.T.Helper()
	v := s.Anonymous()
	v.Post("/login", "username", name, "password", Password, "next", "/new").
		WantRedirect(303, "/login/second?next=%2Fnew")
	return v
}
