package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// authenticator is the virtual authenticator of a tab.
type authenticator struct {
	*webtest.Tab
	id webauthn.AuthenticatorID
}

func newAuthenticator(b *webtest.Tab) authenticator {
	b.T.Helper()
	webtest.Call(b, webauthn.Enable, webauthn.EnableParams{})
	return authenticator{b, webtest.Call(b, webauthn.AddVirtualAuthenticator,
		webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true,
			IsUserVerified: true, AutomaticPresenceSimulation: true}}).AuthenticatorID}
}

// knows sets whether the authenticator verifies its user. If not, it refuses every request.
func (a authenticator) knows(user bool) {
	a.T.Helper()
	webtest.Call(a.Tab, webauthn.SetUserVerified,
		webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: user})
}

// holds checks the number of passkeys in the authenticator.
func (a authenticator) holds(want int) {
	a.T.Helper()
	got := webtest.Call(a.Tab, webauthn.GetCredentials,
		webauthn.GetCredentialsParams{AuthenticatorID: a.id}).Credentials
	if len(got) != want {
		a.T.Errorf("the authenticator holds %d passkeys, want %d", len(got), want)
	}
}

// cancels checks that a cancelled prompt is explained beside the button, which gets the focus and works again.
func (a authenticator) cancels() {
	a.T.Helper()
	a.WaitVisible("#passkey")
	a.knows(false)
	a.Press("#passkey")
	a.WaitUntil(`document.querySelector("[data-message]").textContent.includes("Try again")`)
	a.WaitUntil(`!document.querySelector("#passkey").disabled && document.activeElement.id === "passkey"`)
	a.knows(true)
}

// uses waits for the button and presses it.
func (a authenticator) uses() {
	a.T.Helper()
	a.WaitVisible("#passkey")
	a.Press("#passkey")
}

// openAs waits for the page with that path, and for the name of the signed-in user on it.
func openAs(b *webtest.Tab, path, user string) {
	b.T.Helper()
	b.WaitUntil(`location.pathname === "` + path + `" && document.querySelector(".me")?.textContent === "@` + user +
		`"`)
}

// localhost returns the address of a new server by name, because passkeys do not work at IP addresses.
func localhost(t *testing.T, s *webtest.Site) string {
	t.Helper()
	return strings.Replace(webtest.Listen(t, s.Handler), "127.0.0.1", "localhost", 1)
}

func TestPasskeysWorkInABrowser(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.EnableAuthenticator() // a passkey replaces the code of the app
	b := webtest.NewTab(t, ctx, localhost(t, s))
	device := newAuthenticator(b)

	// The user registers a passkey beside the password.
	b.SignInAs(ada)
	b.Open("/settings/security/passkeys/new")
	device.cancels()
	device.holds(0)
	b.SetValue("#name", "This browser")
	device.uses()
	b.WaitVisible(".done")
	b.WaitUntil(`document.querySelector(".passkeys strong").textContent === "This browser"`)
	device.holds(1)

	// The device has a passkey already.
	b.Open("/settings/security/passkeys/new")
	device.uses()
	b.WaitUntil(`document.querySelector("[data-message]").textContent.includes("already has a passkey")`)
	device.holds(1)

	// The passkey logs in without a username.
	b.SignInAs(nil)
	b.Open("/login?next=/settings/security")
	device.cancels()
	device.uses()
	openAs(b, "/settings/security", "ada")

	// The passkey confirms the user's identity.
	halfAnHourLater(ada)
	b.Base = localhost(t, elsewhere(ada).Site) // a new server, which has not cached the confirmation
	b.Open("/settings/security/passkeys/new")
	openAs(b, "/confirm", "ada")
	device.cancels()
	device.uses()
	openAs(b, "/settings/security/passkeys/new", "ada")

	// The passkey is the second step of a log-in with the password.
	b.SignInAs(nil)
	b.Open("/login?next=/new")
	b.SetValue("#username", "ada")
	b.SetValue("#password", webtest.Password)
	b.Press("form.stack button:not([type=button])")
	b.WaitUntil(`location.pathname === "/login/second"`)
	device.cancels()
	device.uses()
	openAs(b, "/new", "ada")

	// A removed passkey no longer works.
	s.Data.SetCredentials(ada.User.ID, func(c *domain.Credentials) { c.Passkeys = nil })
	b.SignInAs(nil)
	b.Open("/login")
	device.uses()
	b.WaitVisible("#passkey-error")
	b.WantQuietConsole("422")
}

func TestSigningUpWithAPasskeyWorksInABrowser(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewSite(t)
	s.SignUp("ada")
	b := webtest.NewTab(t, ctx, localhost(t, s))
	device := newAuthenticator(b)
	b.Open("/signup")
	b.WaitVisible("#passkey")
	b.SetValue("#username", "ADA")
	device.uses()
	b.WaitUntil(`document.querySelector("[data-message]").textContent.includes("is taken")`)
	b.SetValue("#username", "ben")
	device.cancels()
	device.holds(0)
	device.uses()
	b.WaitUntil(`document.querySelector(".me")?.textContent === "@ben"`)
	device.holds(1)
	u, err := s.Data.Store.Users.ByName(t.Context(), "ben")
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Data.Store.Credentials.Get(t.Context(), u.ID)
	if err != nil || c.PasswordHash != "" || len(c.Passkeys) != 1 {
		t.Errorf("error %v, %d passkeys, has a password: %t", err, len(c.Passkeys), c.PasswordHash != "")
	}

	// The account's only passkey logs in and cannot be removed.
	b.SignInAs(nil)
	b.Open("/login?next=/settings/security")
	device.uses()
	openAs(b, "/settings/security", "ben")
	b.WaitUntil(`document.querySelectorAll(".passkeys li").length === 1 &&
		!document.querySelector(".passkeys .danger")`)
	b.WantQuietConsole("422") // Chromium reports the response for the taken username
}

// halfAnHourLater moves the last confirmation of the visitor's session half an hour into the past.
func halfAnHourLater(v *webtest.Visitor) *webtest.Visitor {
	for _, s := range v.Data.Sessions() {
		if s.UserID == v.User.ID {
			v.Data.Must(v.Data.Store.Sessions.Confirm(v.Data.Context(), s.UserID, s.ID,
				s.Confirmed.Add(-30*time.Minute)))
		}
	}
	return elsewhere(v)
}

// elsewhere returns the same browser at another server, whose caches are empty.
func elsewhere(v *webtest.Visitor) *webtest.Visitor {
	at := *v
	at.Site = webtest.NewSiteOn(v.T, v.Data, webtest.KeyOne)
	return &at
}
