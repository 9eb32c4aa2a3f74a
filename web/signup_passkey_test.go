package web_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

// signsUp sends the form of a sign-up whose answer a new device has made.
func signsUp(v *visitor, name string, more ...string) *answer {
	v.t.Helper()
	return v.post("/signup", append([]string{"username", name, "password", "", "passkey", madeFor(v, name, more...)}, more...)...)
}

// madeFor is what a new device answers to who would sign up.
func madeFor(v *visitor, name string, more ...string) string {
	v.t.Helper()
	return newDevice(v.t).makes(v.challenged("signup", append([]string{"username", name}, more...)...))
}

// A sign-up without a password passes by nothing that one with a password does not.
func TestSigningUpByPasskeyIsForWhomThePasswordIsFor(t *testing.T) {
	t.Run("not when nobody can sign up, before a device makes anything", func(t *testing.T) {
		s := newSite(t)
		v := s.stranger()
		made := madeFor(v, "ada") // while everybody could
		s.set(domain.Settings{Registration: domain.RegistrationClosed})
		if a := v.post("/passkeys/challenge", "for", "signup", "username", "ada").want(403); !strings.Contains(a.body, "Sign-up is closed") {
			t.Errorf("the script is told %s", a.body)
		}
		v.post("/signup", "username", "ada", "passkey", made).want(403)
		if s.user("ada").ID != "" || v.signedIn() {
			t.Error("there is an account")
		}
	})
	t.Run("by invitation, as many as it is for", func(t *testing.T) {
		s := newSite(t)
		quinn := s.staff("quinn", domain.RoleAdministrator).user
		v := s.stranger()
		early := madeFor(v, "ada") // before it took one
		s.set(domain.Settings{Registration: domain.RegistrationByCode, NewRole: domain.RoleReader})
		invitation, err := domain.NewInvitation(quinn, 1, 7, "", time.Now())
		if err == nil {
			err = s.data.store.Invitations.Create(t.Context(), invitation)
		}
		if err != nil {
			t.Fatal(err)
		}
		used := func() int { return s.data.invitation().Uses }
		for _, wrong := range []string{"", "nonsense", domain.NewID()} {
			if a := v.post("/passkeys/challenge", "for", "signup", "username", "ada", "invitation", wrong).want(422); !strings.Contains(a.body, domain.ErrInvitation().(*domain.Error).Fields["invitation"]) {
				t.Errorf("the script is told %s", a.body)
			}
			v.post("/signup", "username", "ada", "passkey", early, "invitation", wrong).want(422).complains("invitation", "")
		}
		// What fails for another reason takes no use.
		v.post("/signup", "username", "ada", "passkey", "x", "invitation", invitation.Code).want(422).has("#passkey-error", "").has(`#invitation[value="`+invitation.Code+`"]`, "")
		if used() != 0 {
			t.Errorf("%d uses are taken", used())
		}
		signsUp(v, "ada", "invitation", invitation.Code).wantRedirect(303, "/")
		if u := s.user("ada"); u.Role != domain.RoleReader || used() != 1 {
			t.Errorf("the role is %s, and %d uses are taken", u.Role, used())
		}
		late := s.stranger()
		late.post("/passkeys/challenge", "for", "signup", "username", "ben", "invitation", invitation.Code).want(422)
		if s.user("ben").ID != "" {
			t.Error("there is another account")
		}
	})
	t.Run("as often as is allowed from an address, and of everybody together", func(t *testing.T) {
		for limits, says := range map[string]string{"signup=2/1h": "from your network", "signups=2/1h": "many people"} {
			s := limited(t, newDatabase(t), newCounters(), limits)
			v := s.stranger().from("198.51.100.1")
			signsUp(v.forgotten(), "ada").want(303)
			v.forgotten().post("/signup", "username", "bob", "password", password).want(303) // one count for both ways
			signsUp(v.forgotten(), "eve").wantWait(time.Hour).has(`[role="alert"]`, says)
			if s.user("eve").ID != "" {
				t.Error("there is an account")
			}
		}
	})
	t.Run("with no more challenges than are allowed from an address", func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), "passkey=2/1h")
		v := s.stranger().from("198.51.100.1")
		for range 2 {
			v.challenged("signup", "username", "ada")
		}
		v.post("/passkeys/challenge", "for", "signup", "username", "ada").want(429)
	})
	t.Run("and for people: not faster than they are, nor with what they do not see", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := careful(t, 2*time.Second)
			v := s.stranger()
			stamp := v.get("/signup").page().Find(`[name="stamp"]`).AttrOr("value", "")
			signsUp(v, "ada", "stamp", stamp).want(422).has(`[role="alert"]`, "try again.")
			time.Sleep(3 * time.Second)
			signsUp(v, "ada").want(422).has(`[role="alert"]`, "try again.")
			signsUp(v, "ada", "stamp", stamp, "homepage", "https://spam.example").want(422).has(`[role="alert"]`, "hidden field")
			if s.user("ada").ID != "" {
				t.Fatal("there is an account")
			}
			signsUp(v, "ada", "stamp", stamp).want(303)
		})
	})
	t.Run("and one passkey makes one account", func(t *testing.T) {
		s := newSite(t)
		v := s.stranger()
		made := madeFor(v, "ada")
		v.post("/signup", "username", "ada", "passkey", made).want(303)
		s.stranger().post("/signup", "username", "ben", "passkey", made).want(422).has("#passkey-error", "sent twice")
		if s.user("ben").ID != "" {
			t.Error("there is another account")
		}
	})
}
