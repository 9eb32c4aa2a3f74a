package account_test

import (
	"maps"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// A suspended user gets no session. The response tells the reason only after all steps of the log-in.
func TestSuspendedUsersCannotLogIn(t *testing.T) {
	const reason = "Reason: Sold <pills>."
	s := webtest.NewSite(t)
	quinn := s.SignUpAs("quinn", domain.RoleAdministrator)
	plain, ada := s.SignUp("plain"), s.SignUp("ada")
	ada.VerifyEmail("ada@example.org")
	key := ada.RegisterPasskey()
	a := ada.EnableAuthenticator()
	s.Anonymous().Post("/reset", "account", "ada").Want(200)
	link := s.MailTo("ada@example.org").Link(t)
	waiting := s.HalfSignedIn("ada") // since before the suspension
	s.Suspend(ada)
	s.Suspend(plain)
	before := len(s.Data.Sessions())

	// refused checks that the response tells the reason and that the visitor has no session.
	refused := func(t *testing.T, v *webtest.Visitor, a *webtest.Response) {
		t.Helper()
		a.Want(403).Has("main", reason)
		for name := range v.Cookies {
			if name != "inkfeed_known" {
				t.Errorf("the browser has the cookie %s", name)
			}
		}
		v.Get("/settings").Want(303)
	}
	t.Run("with a reset link from before the suspension", func(t *testing.T) {
		v := s.Anonymous()
		refused(t, v, v.Get(link))
		refused(t, v, v.Post(link, "password", webtest.NewPassword))
		s.HalfSignedIn("ada") // the password is still the former one
	})
	t.Run("with the password", func(t *testing.T) {
		v := s.Anonymous()
		v.Post("/login", "username", "plain", "password", "wrong password").Want(422).HasNo("main:contains('pills')")
		refused(t, v, v.Post("/login", "username", "plain", "password", webtest.Password))
	})
	t.Run("and learn no reason from the password if a second step is needed", func(t *testing.T) {
		v := s.HalfSignedIn("ada")
		v.Get("/login/second").Want(200).HasNo("main:contains('pills')")
		v.Post("/login/second", "code", "000000").Want(422).HasNo("main:contains('pills')")
	})
	t.Run("with a code of the app or a recovery code", func(t *testing.T) {
		for _, code := range []string{a.Code(t, 0), a.Codes[0]} {
			v := s.HalfSignedIn("ada")
			refused(t, v, v.Post("/login/second", "code", code))
			v.Post("/login/second", "code", a.Codes[1]).Want(403).Has("h1", "Log in") // the log-in has ended
		}
	})
	t.Run("with a log-in from before the suspension", func(t *testing.T) {
		refused(t, waiting, waiting.Post("/login/second", "code", a.Codes[2]))
	})
	t.Run("with a passkey, as the first or the second step", func(t *testing.T) {
		v := s.Anonymous()
		refused(t, v, v.Post("/login", "passkey", key.Sign(v.PasskeyOptions("login"))))
		v = s.HalfSignedIn("ada")
		refused(t, v, v.Post("/login/second", "passkey", key.Sign(v.PasskeyOptions("second"))))
	})
	t.Run("with a new reset link: the mail tells the reason instead", func(t *testing.T) {
		for _, account := range []string{"ada", "ada@example.org"} {
			s.Anonymous().Post("/reset", "account", account).Want(200).HasNo("main:contains('pills')")
			m := s.MailTo("ada@example.org")
			text := strings.Join(strings.Fields(m.Text), " ") // lines are broken anywhere
			if !strings.Contains(text, reason) || webtest.LinkPattern.MatchString(m.Text) {
				t.Errorf("the mail is %s", m.Text)
			}
			s.Data.ForgetMails()
		}
	})
	t.Run("with a session from before the suspension", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{ada, plain} {
			v.HTMX().Get("/settings").Want(403).Has("dialog", reason)
			v.Post("/confirm", "password", webtest.Password).Want(403).Has("main", reason)
			v.Get("/").Want(403).Has("main", "contact an administrator of this site (@quinn). "+reason)
			v.Get("/").Want(200).Has("header", "Log in") // the session's cookie is gone
			v.Get("/settings").Want(303)
			v.Post("/confirm", "password", webtest.Password).Want(303)
		}
	})
	if n := len(s.Data.Sessions()); n != before {
		t.Errorf("%d sessions, want %d", n, before)
	}
	t.Run("until the account is restored", func(t *testing.T) {
		quinn.Post("/admin/users/" + ada.User.ID + "/restore").Want(303)
		s.LogInWithPasskey(key).Get("/settings").Want(200)
		v := s.HalfSignedIn("ada")
		v.Post("/login/second", "code", a.Codes[3]).Want(303)
		v.Get("/settings").Want(200)
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		s.Anonymous().Post(s.MailTo("ada@example.org").Link(t), "password", webtest.NewPassword).Want(200)
	})
}

// A session that had ended before the suspension learns nothing about the account, and costs no read of it.
func TestOnlySessionsEndedByTheSuspensionShowItsReason(t *testing.T) {
	for name, end := range map[string]func(ada, stolen *webtest.Visitor){
		"logged out": func(_, stolen *webtest.Visitor) { stolen.Post("/logout").Want(303) },
		"ended from another browser": func(ada, _ *webtest.Visitor) {
			ada.Post("/settings/sessions/end-others", "password", webtest.Password).Want(303)
		},
		"ended by a new password": func(ada, _ *webtest.Visitor) {
			ada.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).Want(303)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			stolen := s.Anonymous()
			stolen.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
			stolen.Get("/settings").Want(200)
			cookies := maps.Clone(stolen.Cookies)
			end(ada, stolen)
			stolen.Cookies = cookies
			s.SignUpAs("quinn", domain.RoleAdministrator).
				Post("/admin/users/"+ada.User.ID+"/suspend", "reason", "Sold <pills>.").Want(303)
			before := s.Data.Calls("Users.Account")
			stolen.Get("/").Want(200).Has("header", "Log in")
			stolen.Get("/settings").Want(303)
			stolen.Post("/posts", "title", "Mine", "content", "Mine.").HasNo("main:contains('pills')")
			if n := s.Data.Calls("Users.Account") - before; n != 0 {
				t.Errorf("the account was read %d times", n)
			}
			ada.Get("/").Want(403).Has("main", "Reason: Sold <pills>.")
		})
	}
	t.Run("and public pages stay readable when the account cannot be read", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		s.Suspend(ada)
		s.Data.Fail("Users.Account")
		ada.Get("/").Want(200).Has("header", "Log in")
		s.Data.Recover("Users.Account")
		ada.Get("/").Want(403).Has("main", "Reason: Sold <pills>.")
	})
}

func TestSuspendedUsersLoseNoText(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUpAs("quinn", domain.RoleAdministrator)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "Text.")
	s.Suspend(ada)
	const reason = "Reason: Sold <pills>."
	ada.Post("/posts", "post", domain.NewID(), "revision", "0", "version", "0", "do", "publish", "title", "Mine",
		"content", "What I wrote.").Want(403).Has(`[role="alert"]`, reason).Has("textarea[name=title]", "Mine").
		Has("textarea[name=content]", "What I wrote.")
	ada.Post("/posts/"+p.ID+"/comments", "content", "What I say.").Has("main", "What I say.")
}

// A log-in reads the item with the credentials once, to save request units.
func TestALogInReadsTheCredentialsOnce(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("ada")
	before := s.Data.Calls("Credentials.Get")
	s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).Want(303)
	if n := s.Data.Calls("Credentials.Get") - before; n != 1 {
		t.Errorf("the credentials were read %d times", n)
	}
}
