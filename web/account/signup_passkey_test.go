package account_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// signsUp submits a sign-up with a passkey of a new device.
func signsUp(v *webtest.Visitor, name string, more ...string) *webtest.Response {
	v.T.Helper()
	return v.Post("/signup",
		append([]string{"username", name, "password", "", "passkey", madeFor(v, name, more...)}, more...)...)
}

// madeFor returns the answer of a new device to the challenge for a sign-up.
func madeFor(v *webtest.Visitor, name string, more ...string) string {
	v.T.Helper()
	return webtest.NewPasskeys(v.T).Create(v.PasskeyOptions("signup", append([]string{"username", name}, more...)...))
}

// A sign-up with a passkey passes the same checks as one with a password.
func TestSigningUpWithAPasskeyHasTheSameConditions(t *testing.T) {
	t.Run("refuses the challenge while registration is closed", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		made := madeFor(v, "ada") // while registration is open
		s.SetSettings(domain.Settings{Registration: domain.RegistrationClosed})
		a := v.Post("/passkeys/challenge", "for", "signup", "username", "ada").Want(403)
		if !strings.Contains(a.Body, "Sign-up is closed") {
			t.Errorf("the response is %s", a.Body)
		}
		v.Post("/signup", "username", "ada", "passkey", made).Want(403)
		if s.User("ada").ID != "" || v.IsSignedIn() {
			t.Error("the account was created")
		}
	})
	t.Run("requires an invitation with uses left", func(t *testing.T) {
		s := webtest.NewSite(t)
		quinn := s.SignUpAs("quinn", domain.RoleAdministrator).User
		v := s.Anonymous()
		early := madeFor(v, "ada") // before invitations were required
		s.SetSettings(domain.Settings{Registration: domain.RegistrationByCode, NewRole: domain.RoleReader})
		invitation, err := domain.NewInvitation(quinn, 1, 7, "", time.Now())
		if err == nil {
			err = s.Data.Store.Invitations.Create(t.Context(), invitation)
		}
		if err != nil {
			t.Fatal(err)
		}
		used := func() int { return s.Data.NewestInvitation().Uses }
		for _, wrong := range []string{"", "nonsense", domain.NewID()} {
			a := v.Post("/passkeys/challenge", "for", "signup", "username", "ada", "invitation", wrong).Want(422)
			if !strings.Contains(a.Body, domain.ErrInvitation().(*domain.Error).Fields["invitation"].String()) {
				t.Errorf("the response is %s", a.Body)
			}
			v.Post("/signup", "username", "ada", "passkey", early, "invitation", wrong).Want(422).
				HasFieldError("invitation", "")
		}
		// A form that fails for another reason does not use the invitation.
		v.Post("/signup", "username", "ada", "passkey", "x", "invitation", invitation.Code).Want(422).
			Has("#passkey-error", "").Has(`#invitation[value="`+invitation.Code+`"]`, "")
		if used() != 0 {
			t.Errorf("the invitation was used %d times", used())
		}
		signsUp(v, "ada", "invitation", invitation.Code).
			WantRedirect(303, "/welcome?invitation="+invitation.Code)
		if u := s.User("ada"); u.Role != domain.RoleReader || used() != 1 {
			t.Errorf("the role is %s, and the invitation was used %d times", u.Role, used())
		}
		late := s.Anonymous()
		late.Post("/passkeys/challenge", "for", "signup", "username", "ben", "invitation", invitation.Code).Want(422)
		if s.User("ben").ID != "" {
			t.Error("a second account was created")
		}
	})
	t.Run("refuses the challenge for a username that cannot be had", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Suspend(s.SignUp("ada"))
		s.SignUp("hall")
		for name, reason := range map[string]string{"ada": "taken", "HALL": "taken", "hal1": "looks"} {
			a := s.Anonymous().Post("/passkeys/challenge", "for", "signup", "username", name).Want(422)
			if !strings.Contains(a.Body, reason) {
				t.Errorf("the response for %s is %s", name, a.Body)
			}
		}
	})
	t.Run("counts against the limits for sign-ups", func(t *testing.T) {
		for limits, message := range map[string]string{
			"signup=2/1h":  "from your network",
			"signups=2/1h": "many people",
		} {
			s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), limits)
			v := s.Anonymous().From("198.51.100.1")
			signsUp(v.WithoutSession(), "ada").Want(303)
			// both ways share one count
			v.WithoutSession().Post("/signup", "username", "bob", "password", webtest.Password).Want(303)
			signsUp(v.WithoutSession(), "eve").WantRetryAfter(time.Hour).Has(`[role="alert"]`, message)
			if s.User("eve").ID != "" {
				t.Error("the account was created")
			}
		}
	})
	t.Run("marks the browser as known, as a log-in with a passkey does", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		signsUp(v, "ada").Want(303)
		later := s.LogInWithPasskey(s.SignUp("ben").RegisterPasskey())
		for name, browser := range map[string]*webtest.Visitor{"sign-up": v, "log-in": later} {
			if browser.Cookies["inkfeed_known"] == "" {
				t.Errorf("the browser is unknown after the %s", name)
			}
		}
	})
	t.Run("counts challenges per address", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "passkey=2/1h")
		v := s.Anonymous().From("198.51.100.1")
		for range 2 {
			v.PasskeyOptions("signup", "username", "ada")
		}
		v.Post("/passkeys/challenge", "for", "signup", "username", "ada").Want(429)
	})
	t.Run("passes the bot check", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewBotCheckSite(t, 2*time.Second)
			v := s.Anonymous()
			stamp := v.Get("/signup").Page().Find(`[name="stamp"]`).AttrOr("value", "")
			signsUp(v.WithoutSession(), "quick", "stamp", v.Get("/signup").Value("stamp")).Want(303)
			if !s.User("quick").Hasty {
				t.Error("the haste was not noticed")
			}
			time.Sleep(3 * time.Second)
			signsUp(v, "ada").Want(422).Has(`[role="alert"]`, "try again.")
			signsUp(v, "ada", "stamp", stamp, "homepage", "https://spam.example").Want(422).
				Has(`[role="alert"]`, "hidden field")
			if s.User("ada").ID != "" {
				t.Fatal("the account was created")
			}
			signsUp(v, "ada", "stamp", stamp).Want(303)
			if s.User("ada").Hasty {
				t.Error("the account is in haste")
			}
		})
	})
	t.Run("accepts each answer of a device once", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		made := madeFor(v, "ada")
		v.Post("/signup", "username", "ada", "passkey", made).Want(303)
		s.Anonymous().Post("/signup", "username", "ben", "passkey", made).Want(422).Has("#passkey-error", "sent twice")
		if s.User("ben").ID != "" {
			t.Error("a second account was created")
		}
	})
}
