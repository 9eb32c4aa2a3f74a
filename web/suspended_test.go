package web_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// suspends suspends a user behind the site's back: sessions are left.
func (s *site) suspends(v *visitor) {
	s.t.Helper()
	if _, err := s.data.store.Users.Suspend(s.t.Context(), v.user.ID, "Sold <pills>.", time.Now()); err != nil {
		s.t.Fatal(err)
	}
}

// Whoever is suspended gets no session, whatever is proved, and is told why once all is
// proved that a log-in takes.
func TestASuspendedUserIsLetInByNoWay(t *testing.T) {
	const reason = "Reason: Sold <pills>."
	s := newSite(t)
	quinn := s.staff("quinn", domain.RoleAdministrator)
	plain, ada := s.member("plain"), s.member("ada")
	ada.verifies("ada@example.org")
	key := ada.registers()
	a := ada.enrols()
	s.stranger().post("/reset", "account", "ada").want(200)
	link := s.mailed("ada@example.org").link(t)
	waiting := s.half("ada") // since before
	s.suspends(ada)
	s.suspends(plain)
	before := len(s.data.sessions())

	// refused is told why, and is nobody.
	refused := func(t *testing.T, v *visitor, a *answer) {
		t.Helper()
		a.want(403).has("main", reason)
		for name := range v.cookies {
			if name != "inkfeed_known" {
				t.Errorf("there is a cookie %s", name)
			}
		}
		v.get("/settings").want(303)
	}
	t.Run("not by a link for a new password that was mailed before", func(t *testing.T) {
		v := s.stranger()
		refused(t, v, v.get(link))
		refused(t, v, v.post(link, "password", newPassword))
		s.half("ada") // the password is the one before
	})
	t.Run("not by the password", func(t *testing.T) {
		v := s.stranger()
		v.post("/login", "username", "plain", "password", "wrong password").want(422).hasNo("main:contains('pills')")
		refused(t, v, v.post("/login", "username", "plain", "password", password))
	})
	t.Run("nor told by the password alone of an account that needs more", func(t *testing.T) {
		v := s.half("ada")
		v.get("/login/second").want(200).hasNo("main:contains('pills')")
		v.post("/login/second", "code", "000000").want(422).hasNo("main:contains('pills')")
	})
	t.Run("not by a code, nor a recovery code", func(t *testing.T) {
		for _, code := range []string{a.code(t, 0), a.codes[0]} {
			v := s.half("ada")
			refused(t, v, v.post("/login/second", "code", code))
			v.post("/login/second", "code", a.codes[1]).want(403).has("h1", "Log in") // that was the end of it
		}
	})
	t.Run("not by a log-in that was begun before", func(t *testing.T) {
		refused(t, waiting, waiting.post("/login/second", "code", a.codes[2]))
	})
	t.Run("not by a passkey, first or second", func(t *testing.T) {
		v := s.stranger()
		refused(t, v, v.post("/login", "passkey", key.answers(v.challenged("login"))))
		v = s.half("ada")
		refused(t, v, v.post("/login/second", "passkey", key.answers(v.challenged("second"))))
	})
	t.Run("nor by another link: the mail says why", func(t *testing.T) {
		for _, account := range []string{"ada", "ada@example.org"} {
			s.stranger().post("/reset", "account", account).want(200).hasNo("main:contains('pills')")
			m := s.mailed("ada@example.org")
			if !strings.Contains(m.text, reason) || linkPattern.MatchString(m.text) {
				t.Errorf("the mail says %s", m.text)
			}
			s.data.mail.mails = nil
		}
	})
	t.Run("not by a session from before", func(t *testing.T) {
		for _, v := range []*visitor{ada, plain} {
			v.get("/settings").want(303)
			v.post("/confirm", "password", password).want(303)
		}
	})
	if n := len(s.data.sessions()); n != before {
		t.Errorf("there are %d sessions, and were %d", n, before)
	}
	t.Run("until the account is restored", func(t *testing.T) {
		quinn.post("/admin/users/" + ada.user.ID + "/restore").want(303)
		s.in(key).get("/settings").want(200)
		v := s.half("ada")
		v.post("/login/second", "code", a.codes[3]).want(303)
		v.get("/settings").want(200)
		s.stranger().post("/reset", "account", "ada").want(200)
		s.stranger().post(s.mailed("ada@example.org").link(t), "password", newPassword).want(200)
	})
}

// The item of secrets is read once for a log-in, so that it costs no more than it has to.
func TestALogInReadsTheCredentialsOnce(t *testing.T) {
	s := newSite(t)
	s.member("ada")
	before := s.data.calls("Users.Credentials")
	s.stranger().post("/login", "username", "ada", "password", password).want(303)
	if n := s.data.calls("Users.Credentials") - before; n != 1 {
		t.Errorf("they are read %d times", n)
	}
}
