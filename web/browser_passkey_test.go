package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"

	"inkfeed/domain"
)

// authenticator is Chromium's own, of one tab: it holds passkeys, and knows its user.
type authenticator struct {
	*tab
	id webauthn.AuthenticatorID
}

func newAuthenticator(b *tab) authenticator {
	b.t.Helper()
	call(b, webauthn.Enable, webauthn.EnableParams{})
	return authenticator{b, call(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
		AutomaticPresenceSimulation: true}}).AuthenticatorID}
}

// knows has the authenticator recognise its user, or nobody: then it refuses whatever it is
// asked.
func (a authenticator) knows(user bool) {
	a.t.Helper()
	call(a.tab, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: user})
}

func (a authenticator) holds(want int) {
	a.t.Helper()
	got := call(a.tab, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: a.id}).Credentials
	if len(got) != want {
		a.t.Errorf("the authenticator holds %d passkeys, want %d", len(got), want)
	}
}

// cancels wants that a refused prompt is explained beside the button, which works again and
// has the focus.
func (a authenticator) cancels() {
	a.t.Helper()
	a.sees("#passkey")
	a.knows(false)
	a.press("#passkey")
	a.eventually(`document.querySelector("[data-said]").textContent.includes("Try again")`)
	a.eventually(`!document.querySelector("#passkey").disabled && document.activeElement.id === "passkey"`)
	a.knows(true)
}

// uses presses the button once it is there.
func (a authenticator) uses() {
	a.t.Helper()
	a.sees("#passkey")
	a.press("#passkey")
}

// at wants the page of that address, and who is signed in there.
func openAs(b *tab, path, user string) {
	b.t.Helper()
	b.eventually(`location.pathname === "` + path + `" && document.querySelector(".me")?.textContent === "@` + user + `"`)
}

// localhost is the server by a name: at a bare number there are no passkeys.
func localhost(t *testing.T, s *site) string {
	t.Helper()
	return strings.Replace(serve(t, s.handler), "127.0.0.1", "localhost", 1)
}

func TestPasskeysInABrowser(t *testing.T) {
	ctx := browser(t)
	s := newSite(t)
	ada := s.member("ada")
	ada.enrols() // codes, which a passkey stands in for
	b := newTab(t, ctx, localhost(t, s))
	device := newAuthenticator(b)

	// One that is there beside the password.
	b.as(ada)
	b.Open("/settings/security/passkeys/new")
	device.cancels()
	device.holds(0)
	b.write("#name", "This browser")
	device.uses()
	b.sees(".done")
	b.eventually(`document.querySelector(".passkeys strong").textContent === "This browser"`)
	device.holds(1)

	// A second one on the same device is needless.
	b.Open("/settings/security/passkeys/new")
	device.uses()
	b.eventually(`document.querySelector("[data-said]").textContent.includes("already has a passkey")`)
	device.holds(1)

	// It logs in, without a username.
	b.as(nil)
	b.Open("/login?next=/settings/security")
	device.cancels()
	device.uses()
	openAs(b, "/settings/security", "ada")

	// It confirms.
	halfAnHourLater(ada)
	b.base = localhost(t, elsewhere(ada).site) // where nobody remembers that it was confirmed
	b.Open("/settings/security/passkeys/new")
	openAs(b, "/confirm", "ada")
	device.cancels()
	device.uses()
	openAs(b, "/settings/security/passkeys/new", "ada")

	// It is the second step of a log-in with the password.
	b.as(nil)
	b.Open("/login?next=/new")
	b.write("#username", "ada")
	b.write("#password", password)
	b.press("form.stack button:not([type=button])")
	b.eventually(`location.pathname === "/login/second"`)
	device.cancels()
	device.uses()
	openAs(b, "/new", "ada")

	// One that was removed opens nothing.
	s.data.setCredentials(ada.user.ID, func(c *domain.Credentials) { c.Passkeys = nil })
	b.as(nil)
	b.Open("/login")
	device.uses()
	b.sees("#passkey-error")
	b.quiet("422")
}

func TestSigningUpWithAPasskeyOnlyInABrowser(t *testing.T) {
	ctx := browser(t)
	s := newSite(t)
	s.member("ada")
	b := newTab(t, ctx, localhost(t, s))
	device := newAuthenticator(b)
	b.Open("/signup")
	b.sees("#passkey")
	b.write("#username", "ADA")
	device.uses()
	b.eventually(`document.querySelector("[data-said]").textContent.includes("is taken")`)
	b.write("#username", "ben")
	device.cancels()
	device.holds(0)
	device.uses()
	b.eventually(`document.querySelector(".me")?.textContent === "@ben"`)
	device.holds(1)
	u, err := s.data.store.Users.ByName(t.Context(), "ben")
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.data.store.Users.Credentials(t.Context(), u.ID)
	if err != nil || c.PasswordHash != "" || len(c.Passkeys) != 1 {
		t.Errorf("%v, %d passkeys, a password: %t", err, len(c.Passkeys), c.PasswordHash != "")
	}

	// It is the way back in, and the only one, which is not taken away.
	b.as(nil)
	b.Open("/login?next=/settings/security")
	device.uses()
	openAs(b, "/settings/security", "ben")
	b.eventually(`document.querySelectorAll(".passkeys li").length === 1 && !document.querySelector(".passkeys .danger")`)
	b.quiet("422") // the name that is taken, which Chromium reports
}
