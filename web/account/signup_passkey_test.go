package account_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// signsUp sends the form of a sign-up whose answer a new device has made.
func signsUp(v *webtest.Visitor, name string, more ...string) *webtest.Response {
	v.T.Helper()
	return v.Post("/signup", append([]string{"username", name, "password", "", "passkey", madeFor(v, name, more...)}, more...)...)
}

// madeFor is what a new device answers to who would sign up.
func madeFor(v *webtest.Visitor, name string, more ...string) string {
	v.T.Helper()
	return webtest.NewPasskeys(v.T).Create(v.PasskeyOptions("signup", append([]string{"username", name}, more...)...))
}

// A sign-up without a password passes by nothing that one with a password does not.
func TestSigningUpByPasskeyIsForWhomThePasswordIsFor(t *testing.T) {
	t.Run("not when nobody can sign up, before a device makes anything", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		made := madeFor(v, "ada") // while everybody could
		s.SetSettings(domain.Settings{Registration: domain.RegistrationClosed})
		if a := v.Post("/passkeys/challenge", "for", "signup", "username", "ada").Want(403); !strings.Contains(a.Body, "Sign-up is closed") {
			t.Errorf("the script is told %s", a.Body)
		}
		v.Post("/signup", "username", "ada", "passkey", made).Want(403)
		if s.User("ada").ID != "" || v.IsSignedIn() {
			t.Error("there is an account")
		}
	})
	t.Run("by invitation, as many as it is for", func(t *testing.T) {
		s := webtest.NewSite(t)
		quinn := s.SignUpAs("quinn", domain.RoleAdministrator).User
		v := s.Anonymous()
		early := madeFor(v, "ada") // before it took one
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
			if a := v.Post("/passkeys/challenge", "for", "signup", "username", "ada", "invitation", wrong).Want(422); !strings.Contains(a.Body, domain.ErrInvitation().(*domain.Error).Fields["invitation"]) {
				t.Errorf("the script is told %s", a.Body)
			}
			v.Post("/signup", "username", "ada", "passkey", early, "invitation", wrong).Want(422).HasFieldError("invitation", "")
		}
		// What fails for another reason takes no use.
		v.Post("/signup", "username", "ada", "passkey", "x", "invitation", invitation.Code).Want(422).Has("#passkey-error", "").Has(`#invitation[value="`+invitation.Code+`"]`, "")
		if used() != 0 {
			t.Errorf("%d uses are taken", used())
		}
		signsUp(v, "ada", "invitation", invitation.Code).WantRedirect(303, "/")
		if u := s.User("ada"); u.Role != domain.RoleReader || used() != 1 {
			t.Errorf("the role is %s, and %d uses are taken", u.Role, used())
		}
		late := s.Anonymous()
		late.Post("/passkeys/challenge", "for", "signup", "username", "ben", "invitation", invitation.Code).Want(422)
		if s.User("ben").ID != "" {
			t.Error("there is another account")
		}
	})
	t.Run("as often as is allowed from an address, and of everybody together", func(t *testing.T) {
		for limits, says := range map[string]string{"signup=2/1h": "from your network", "signups=2/1h": "many people"} {
			s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), limits)
			v := s.Anonymous().From("198.51.100.1")
			signsUp(v.WithoutSession(), "ada").Want(303)
			v.WithoutSession().Post("/signup", "username", "bob", "password", webtest.Password).Want(303) // one count for both ways
			signsUp(v.WithoutSession(), "eve").WantRetryAfter(time.Hour).Has(`[role="alert"]`, says)
			if s.User("eve").ID != "" {
				t.Error("there is an account")
			}
		}
	})
	t.Run("with no more challenges than are allowed from an address", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "passkey=2/1h")
		v := s.Anonymous().From("198.51.100.1")
		for range 2 {
			v.PasskeyOptions("signup", "username", "ada")
		}
		v.Post("/passkeys/challenge", "for", "signup", "username", "ada").Want(429)
	})
	t.Run("and for people: not faster than they are, nor with what they do not see", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewBotCheckSite(t, 2*time.Second)
			v := s.Anonymous()
			stamp := v.Get("/signup").Page().Find(`[name="stamp"]`).AttrOr("value", "")
			signsUp(v, "ada", "stamp", stamp).Want(422).Has(`[role="alert"]`, "try again.")
			time.Sleep(3 * time.Second)
			signsUp(v, "ada").Want(422).Has(`[role="alert"]`, "try again.")
			signsUp(v, "ada", "stamp", stamp, "homepage", "https://spam.example").Want(422).Has(`[role="alert"]`, "hidden field")
			if s.User("ada").ID != "" {
				t.Fatal("there is an account")
			}
			signsUp(v, "ada", "stamp", stamp).Want(303)
		})
	})
	t.Run("and one passkey makes one account", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		made := madeFor(v, "ada")
		v.Post("/signup", "username", "ada", "passkey", made).Want(303)
		s.Anonymous().Post("/signup", "username", "ben", "passkey", made).Want(422).Has("#passkey-error", "sent twice")
		if s.User("ben").ID != "" {
			t.Error("there is another account")
		}
	})
}
