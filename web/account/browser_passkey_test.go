package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// authenticator is Chromium's own, of one tab: it holds passkeys, and knows its user.
type authenticator struct {
	*webtest.Tab
	id webauthn.AuthenticatorID
}

func newAuthenticator(b *webtest.Tab) authenticator {
	b.T.Helper()
	webtest.Call(b, webauthn.Enable, webauthn.EnableParams{})
	return authenticator{b, webtest.Call(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
		AutomaticPresenceSimulation: true}}).AuthenticatorID}
}

// knows has the authenticator recognise its user, or nobody: then it refuses whatever it is
// asked.
func (a authenticator) knows(user bool) {
	a.T.Helper()
	webtest.Call(a.Tab, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: user})
}

func (a authenticator) holds(want int) {
	a.T.Helper()
	got := webtest.Call(a.Tab, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: a.id}).Credentials
	if len(got) != want {
		a.T.Errorf("the authenticator holds %d passkeys, want %d", len(got), want)
	}
}

// cancels wants that a refused prompt is explained beside the button, which works again and
// has the focus.
func (a authenticator) cancels() {
	a.T.Helper()
	a.WaitVisible("#passkey")
	a.knows(false)
	a.Press("#passkey")
	a.WaitUntil(`document.querySelector("[data-message]").textContent.includes("Try again")`)
	a.WaitUntil(`!document.querySelector("#passkey").disabled && document.activeElement.id === "passkey"`)
	a.knows(true)
}

// uses presses the button once it is there.
func (a authenticator) uses() {
	a.T.Helper()
	a.WaitVisible("#passkey")
	a.Press("#passkey")
}

// at wants the page of that address, and who is signed in there.
func openAs(b *webtest.Tab, path, user string) {
	b.T.Helper()
	b.WaitUntil(`location.pathname === "` + path + `" && document.querySelector(".me")?.textContent === "@` + user + `"`)
}

// localhost is the server by a name: at a bare number there are no passkeys.
func localhost(t *testing.T, s *webtest.Site) string {
	t.Helper()
	return strings.Replace(webtest.Listen(t, s.Handler), "127.0.0.1", "localhost", 1)
}

func TestPasskeysInABrowser(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.EnableAuthenticator() // codes, which a passkey stands in for
	b := webtest.NewTab(t, ctx, localhost(t, s))
	device := newAuthenticator(b)

	// One that is there beside the password.
	b.SignInAs(ada)
	b.Open("/settings/security/passkeys/new")
	device.cancels()
	device.holds(0)
	b.SetValue("#name", "This browser")
	device.uses()
	b.WaitVisible(".done")
	b.WaitUntil(`document.querySelector(".passkeys strong").textContent === "This browser"`)
	device.holds(1)

	// A second one on the same device is needless.
	b.Open("/settings/security/passkeys/new")
	device.uses()
	b.WaitUntil(`document.querySelector("[data-message]").textContent.includes("already has a passkey")`)
	device.holds(1)

	// It logs in, without a username.
	b.SignInAs(nil)
	b.Open("/login?next=/settings/security")
	device.cancels()
	device.uses()
	openAs(b, "/settings/security", "ada")

	// It confirms.
	halfAnHourLater(ada)
	b.Base = localhost(t, elsewhere(ada).Site) // where nobody remembers that it was confirmed
	b.Open("/settings/security/passkeys/new")
	openAs(b, "/confirm", "ada")
	device.cancels()
	device.uses()
	openAs(b, "/settings/security/passkeys/new", "ada")

	// It is the second step of a log-in with the password.
	b.SignInAs(nil)
	b.Open("/login?next=/new")
	b.SetValue("#username", "ada")
	b.SetValue("#password", webtest.Password)
	b.Press("form.stack button:not([type=button])")
	b.WaitUntil(`location.pathname === "/login/second"`)
	device.cancels()
	device.uses()
	openAs(b, "/new", "ada")

	// One that was removed opens nothing.
	s.Data.SetCredentials(ada.User.ID, func(c *domain.Credentials) { c.Passkeys = nil })
	b.SignInAs(nil)
	b.Open("/login")
	device.uses()
	b.WaitVisible("#passkey-error")
	b.WantQuietConsole("422")
}

func TestSigningUpWithAPasskeyOnlyInABrowser(t *testing.T) {
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
	c, err := s.Data.Store.Users.Credentials(t.Context(), u.ID)
	if err != nil || c.PasswordHash != "" || len(c.Passkeys) != 1 {
		t.Errorf("%v, %d passkeys, a password: %t", err, len(c.Passkeys), c.PasswordHash != "")
	}

	// It is the way back in, and the only one, which is not taken away.
	b.SignInAs(nil)
	b.Open("/login?next=/settings/security")
	device.uses()
	openAs(b, "/settings/security", "ben")
	b.WaitUntil(`document.querySelectorAll(".passkeys li").length === 1 && !document.querySelector(".passkeys .danger")`)
	b.WantQuietConsole("422") // the name that is taken, which Chromium reports
}

// halfAnHourLater is the same session, in which the user last proved to be one half an hour ago.
func halfAnHourLater(v *webtest.Visitor) *webtest.Visitor {
	for _, s := range v.Data.Sessions() {
		if s.UserID == v.User.ID {
			v.Data.Must(v.Data.Store.Sessions.Confirm(v.Data.Context(), s.UserID, s.ID, s.Confirmed.Add(-30*time.Minute)))
		}
	}
	return elsewhere(v)
}

// elsewhere is the same browser at another server, which remembers nothing.
func elsewhere(v *webtest.Visitor) *webtest.Visitor {
	at := *v
	at.Site = webtest.NewSiteOn(v.T, v.Data, webtest.KeyOne)
	return &at
}
