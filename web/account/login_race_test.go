package account_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web/site/session"
	"inkfeed/web/webtest"
)

// pausedSessions runs a function before the next session is created.
type pausedSessions struct {
	session.Store
	beforeCreate func()
	versionErr   error // returned by SetVersion
}

func (s *pausedSessions) SetVersion(ctx context.Context, userID, id string, version int) error {
	if s.versionErr != nil {
		return s.versionErr
	}
	return s.Store.SetVersion(ctx, userID, id, version)
}

func (s *pausedSessions) Create(ctx context.Context, session domain.Session) error {
	if pause := s.beforeCreate; pause != nil {
		s.beforeCreate = nil
		pause()
	}
	return s.Store.Create(ctx, session)
}

// pausedCredentials runs a function after the next read of credentials.
type pausedCredentials struct {
	*cosmos.Credentials
	afterRead func()
}

func (u *pausedCredentials) Get(ctx context.Context, userID string) (domain.Credentials, error) {
	c, err := u.Credentials.Get(ctx, userID)
	if pause := u.afterRead; pause != nil {
		u.afterRead = nil
		pause()
	}
	return c, err
}

// servers are two servers of one site, on the embedded engine.
type servers struct {
	first, second *webtest.Site
	store         *cosmos.Store // of the second server
	sessions      *pausedSessions
	credentials   *pausedCredentials
}

func newServers(t *testing.T) *servers {
	t.Helper()
	data := webtest.NewDatabase(t)
	other := data.OpenStore()
	t.Cleanup(other.Close)
	s := &servers{store: data.Store, sessions: &pausedSessions{Store: other.Sessions},
		credentials: &pausedCredentials{Credentials: other.Credentials}}
	s.first = serverOn(data, s.credentials, s.sessions, other)
	s.second = serverOn(data, &pausedCredentials{Credentials: data.Store.Credentials}, data.Store.Sessions, data.Store)
	return s
}

func serverOn(data *webtest.Database, credentials *pausedCredentials, sessions session.Store,
	store *cosmos.Store) *webtest.Site {
	data.T.Helper()
	s := &webtest.Site{T: data.T, Data: data, Log: &bytes.Buffer{}}
	c := webtest.Config(data, s.Log, webtest.KeyOne)
	c.Credentials, c.Sessions, c.Secrets = credentials, sessions, store.Secrets
	c.Users, c.Usernames, c.Accounts = store.Users, store.Usernames, store.Accounts
	c.Administrators = store.Administrators
	c.AccountDeletions, c.EmailAddresses, c.Profiles = store.AccountDeletions, store.EmailAddresses, store.Profiles
	c.Blocks, c.UserCopies, c.Notifications = store.Blocks, store.UserCopies, store.Notifications
	s.Restart(c)
	return s
}

// throughServer returns the same browser with another server.
func throughServer(v *webtest.Visitor, s *webtest.Site) *webtest.Visitor {
	moved := *v
	moved.Site = s
	return &moved
}

// owner is the user whose credentials change, in a browser at the second server.
type owner struct {
	*servers
	browser *webtest.Visitor
	app     *webtest.Authenticator // nil if the account has none
	phone   *webtest.Passkeys      // holds a passkey of the account
}

func (s *servers) newOwner(t *testing.T, withApp bool) *owner {
	t.Helper()
	browser := s.second.Anonymous()
	browser.Post("/signup", "username", "ada", "password", webtest.Password, "next", "/").
		WantRedirect(http.StatusSeeOther, "/")
	u, err := s.store.Users.ByName(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	browser.User = u
	browser.VerifyEmail("ada@example.org")
	o := &owner{servers: s, browser: browser, phone: browser.RegisterPasskey()}
	if withApp {
		o.app = browser.EnableAuthenticator()
	}
	if !throughServer(browser, s.first).IsSignedIn() { // the first server now caches the session for some seconds
		t.Fatal("the owner is not signed in")
	}
	return o
}

func (o *owner) credentials(t *testing.T) domain.Credentials {
	t.Helper()
	c, err := o.store.Credentials.Get(t.Context(), o.browser.User.ID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// loginWays are the ways of logging in. begin does all steps but the last, and returns the last.
var loginWays = []struct {
	name    string
	withApp bool
	begin   func(o *owner, v *webtest.Visitor) (last func() *webtest.Response)
}{
	{"a password", false, func(_ *owner, v *webtest.Visitor) func() *webtest.Response {
		return func() *webtest.Response { return v.Post("/login", "username", "ada", "password", webtest.Password) }
	}},
	{"a passkey", false, func(o *owner, v *webtest.Visitor) func() *webtest.Response {
		proof := o.phone.Sign(v.PasskeyOptions("login"))
		return func() *webtest.Response { return v.Post("/login", "passkey", proof) }
	}},
	{"a password and a code of an app", true, func(o *owner, v *webtest.Visitor) func() *webtest.Response {
		v.Post("/login", "username", "ada", "password", webtest.Password).WantRedirect(303, "/login/second?next=%2F")
		return func() *webtest.Response { return v.Post("/login/second", "code", o.app.Code(v.T, 0)) }
	}},
	{"a password and a recovery code", true, func(o *owner, v *webtest.Visitor) func() *webtest.Response {
		v.Post("/login", "username", "ada", "password", webtest.Password).WantRedirect(303, "/login/second?next=%2F")
		return func() *webtest.Response { return v.Post("/login/second", "code", o.app.Codes[3]) }
	}},
	{"a password and a passkey", true, func(o *owner, v *webtest.Visitor) func() *webtest.Response {
		v.Post("/login", "username", "ada", "password", webtest.Password).WantRedirect(303, "/login/second?next=%2F")
		proof := o.phone.Sign(v.PasskeyOptions("second"))
		return func() *webtest.Response { return v.Post("/login/second", "passkey", proof) }
	}},
}

// credentialChanges are the changes that end all sessions. If stays is set, the session that made the change stays
// valid.
var credentialChanges = []struct {
	name             string
	withApp, without bool // whether the change applies to accounts with an app, and without
	stays            bool
	do               func(t *testing.T, o *owner)
}{
	{"the password is changed", true, true, true, func(_ *testing.T, o *owner) {
		o.browser.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).Want(303)
	}},
	{"the password is reset by mail", true, true, false, func(t *testing.T, o *owner) {
		v := o.second.Anonymous()
		v.Post("/reset", "account", "ada").Want(200)
		v.Post(v.MailTo("ada@example.org").Link(t), "password", webtest.NewPassword).Want(200)
	}},
	{"the password is set by a command", true, true, false, func(t *testing.T, o *owner) {
		if err := o.store.Credentials.SetPassword(t.Context(), o.browser.User.ID, "another hash"); err != nil {
			t.Fatal(err)
		}
	}},
	{"the password is removed", true, true, true, func(_ *testing.T, o *owner) {
		o.browser.Post("/settings/security/password").Want(303)
	}},
	{"an app is set up", false, true, true, func(_ *testing.T, o *owner) { o.browser.EnableAuthenticator() }},
	{"the app is turned off", true, false, true, func(_ *testing.T, o *owner) {
		o.browser.Post("/settings/security/totp/delete").Want(303)
	}},
	{"the recovery codes are replaced", true, false, true, func(_ *testing.T, o *owner) {
		o.browser.Post("/settings/security/recovery").Want(200)
	}},
	{"the passkey is removed", true, true, true, func(_ *testing.T, o *owner) {
		href := o.browser.Get("/settings/security").Page().Find(`.passkeys a[href*="/passkeys/"]`).AttrOr("href", "")
		o.browser.Post(strings.TrimSuffix(href, "/delete")+"/delete").
			WantRedirect(303, "/settings/security?done=removed")
	}},
	{"the factors are cleared by a command", true, true, false, func(t *testing.T, o *owner) {
		if _, err := o.store.Credentials.ClearFactors(t.Context(), o.browser.User.ID); err != nil {
			t.Fatal(err)
		}
	}},
	{"the other sessions are ended", true, true, true, func(_ *testing.T, o *owner) {
		o.browser.Post("/settings/sessions/end-others", "password", webtest.Password).Want(303)
	}},
	{"the account is suspended and restored", true, true, false, func(t *testing.T, o *owner) {
		_, err := o.store.Accounts.Suspend(t.Context(), o.browser.User.ID, "By mistake.", time.Now())
		if err == nil {
			_, err = o.store.Accounts.Restore(t.Context(), o.browser.User.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}},
}

func TestALogInInProgressDoesNotSurviveAChangeOfCredentials(t *testing.T) {
	for _, way := range loginWays {
		for _, change := range credentialChanges {
			if way.withApp && !change.withApp || !way.withApp && !change.without {
				continue
			}
			for _, pause := range []string{"after its credentials are read", "before its session is created"} {
				t.Run(way.name+", "+change.name+" "+pause, func(t *testing.T) {
					s := newServers(t)
					o := s.newOwner(t, way.withApp)
					v := s.first.Anonymous()
					last := way.begin(o, v)
					changed := false
					do := func() { changed = true; change.do(t, o) }
					if strings.HasPrefix(pause, "after") {
						s.credentials.afterRead = do
					} else {
						s.sessions.beforeCreate = do
					}
					last()
					if !changed {
						t.Fatal("the change was not made during the log-in")
					}
					for _, server := range []*webtest.Site{s.first, s.second} {
						if throughServer(v, server).IsSignedIn() {
							t.Error("the log-in has survived")
						}
						if throughServer(o.browser, server).IsSignedIn() != change.stays {
							t.Errorf("the session that made the change is still valid: %t", !change.stays)
						}
					}
				})
			}
		}
	}
}

func TestASignUpInProgressDoesNotSurviveAChangeOfCredentials(t *testing.T) {
	for _, way := range []string{"a password", "a passkey"} {
		t.Run(way, func(t *testing.T) {
			s := newServers(t)
			v := s.first.Anonymous()
			s.sessions.beforeCreate = func() {
				u, err := s.store.Users.ByName(t.Context(), "ada")
				if err == nil {
					err = s.store.Credentials.SetPassword(t.Context(), u.ID, "another hash")
				}
				if err != nil {
					t.Error(err)
				}
			}
			if way == "a password" {
				v.Post("/signup", "username", "ada", "password", webtest.Password).Want(303)
			} else {
				signsUp(v, "ada").Want(303)
			}
			if v.IsSignedIn() || throughServer(v, s.second).IsSignedIn() {
				t.Error("the sign-up has survived")
			}
		})
	}
}

// endingsOfOtherSessions are ways in which the owner ends the session that was started last.
var endingsOfOtherSessions = map[string]func(t *testing.T, o *owner){
	"the password is changed": func(_ *testing.T, o *owner) {
		o.browser.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).Want(303)
	},
	"the session is ended": func(t *testing.T, o *owner) {
		all, err := o.store.Sessions.List(t.Context(), o.browser.User.ID)
		if err != nil {
			t.Fatal(err)
		}
		o.browser.Post("/settings/sessions/end", "session", all[0].ID).WantRedirect(303, "/settings/sessions?ended=yes")
	},
}

func TestARequestOfAnEndedSessionChangesNoCredentials(t *testing.T) {
	for _, attempt := range []struct {
		name  string
		begin func(thief *webtest.Visitor) (last func() *webtest.Response)
	}{
		{"registering a passkey", func(thief *webtest.Visitor) func() *webtest.Response {
			proof := webtest.NewPasskeys(t).Create(thief.PasskeyOptions("new"))
			return func() *webtest.Response {
				return thief.Post("/settings/security/passkeys/new", "name", "Mine", "passkey", proof)
			}
		}},
		{"removing the passkey", func(thief *webtest.Visitor) func() *webtest.Response {
			href := thief.Get("/settings/security").Page().Find(`.passkeys a[href*="/passkeys/"]`).AttrOr("href", "")
			return func() *webtest.Response { return thief.Post(strings.TrimSuffix(href, "/delete") + "/delete") }
		}},
		{"removing the password", func(thief *webtest.Visitor) func() *webtest.Response {
			return func() *webtest.Response { return thief.Post("/settings/security/password") }
		}},
		{"giving an e-mail address", func(thief *webtest.Visitor) func() *webtest.Response {
			return func() *webtest.Response { return thief.Post("/settings/email", "email", "thief@example.org") }
		}},
		{"cancelling an e-mail address", func(thief *webtest.Visitor) func() *webtest.Response {
			thief.Post("/settings/email", "email", "thief@example.org").Want(303)
			return func() *webtest.Response { return thief.Post("/settings/email/cancel") }
		}},
		{"verifying an e-mail address", func(thief *webtest.Visitor) func() *webtest.Response {
			thief.Post("/settings/email", "email", "thief@example.org").Want(303)
			link := thief.MailTo("thief@example.org").Link(thief.T)
			return func() *webtest.Response { return thief.Post(link) }
		}},
		{"removing the e-mail address", func(thief *webtest.Visitor) func() *webtest.Response {
			return func() *webtest.Response { return thief.Post("/settings/email/remove") }
		}},
	} {
		for name, end := range endingsOfOtherSessions {
			t.Run(attempt.name+", "+name, func(t *testing.T) {
				s := newServers(t)
				o := s.newOwner(t, false)
				thief := s.first.Anonymous()
				thief.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
				last := attempt.begin(thief)
				var want domain.Credentials
				s.credentials.afterRead = func() { // the request is authorised and about to write
					end(t, o)
					want = o.credentials(t)
				}
				last().Want(http.StatusUnauthorized)
				if got := o.credentials(t); got.Version != want.Version {
					t.Errorf("the credentials are %+v, want %+v", got, want)
				}
				if thief.IsSignedIn() || !o.browser.IsSignedIn() {
					t.Error("the wrong session has ended, or none")
				}
			})
		}
	}
}

func TestAChangeOfCredentialsIsConfirmedEvenIfItsSessionEnds(t *testing.T) {
	for _, change := range []struct {
		name    string
		withApp bool
		do      func(t *testing.T, o *owner, browser *webtest.Visitor)
	}{
		{"an app is set up", false, func(_ *testing.T, _ *owner, browser *webtest.Visitor) {
			browser.EnableAuthenticator() // this reads the recovery codes from the page
		}},
		{"the recovery codes are replaced", true, func(t *testing.T, o *owner, browser *webtest.Visitor) {
			a := browser.Post("/settings/security/recovery").Want(http.StatusOK)
			if n := a.Page().Find(".codes code").Length(); n != 10 {
				t.Errorf("the page shows %d recovery codes, want 10", n)
			}
		}},
		{"the password is removed", false, func(_ *testing.T, _ *owner, browser *webtest.Visitor) {
			browser.Post("/settings/security/password").WantRedirect(303, "/settings/security?done=password")
		}},
		{"the passkey is removed", false, func(_ *testing.T, _ *owner, browser *webtest.Visitor) {
			href := browser.Get("/settings/security").Page().Find(`.passkeys a[href*="/passkeys/"]`).AttrOr("href", "")
			browser.Post(strings.TrimSuffix(href, "/delete")+"/delete").
				WantRedirect(303, "/settings/security?done=removed")
		}},
	} {
		t.Run(change.name, func(t *testing.T) {
			s := newServers(t)
			o := s.newOwner(t, change.withApp)
			browser := throughServer(o.browser, s.first)
			mails := len(s.first.Data.Mails())
			s.sessions.versionErr = domain.NewError(domain.Unavailable, "")
			change.do(t, o, browser)
			if n := len(s.first.Data.Mails()) - mails; n != 1 {
				t.Errorf("the owner was sent %d mails, want 1", n)
			}
			if browser.IsSignedIn() {
				t.Error("the session is still valid")
			}
		})
	}
}

func TestParallelLogInsDoNotSurviveANewPassword(t *testing.T) {
	s := newServers(t)
	o := s.newOwner(t, false)
	const logins = 24
	visitors := make([]*webtest.Visitor, logins)
	var group sync.WaitGroup
	for i := range visitors {
		v := []*webtest.Site{s.first, s.second}[i%2].Anonymous().From("198.51.100." + string(rune('1'+i%9)))
		visitors[i] = v
		group.Go(func() { v.Post("/login", "username", "ada", "password", webtest.Password) })
		if i == logins/2 {
			o.browser.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).Want(303)
		}
	}
	group.Wait()
	for i, v := range visitors {
		if throughServer(v, s.first).IsSignedIn() || throughServer(v, s.second).IsSignedIn() {
			t.Errorf("log-in %d has survived", i)
		}
	}
	if !throughServer(o.browser, s.first).IsSignedIn() {
		t.Error("the session that changed the password has ended")
	}
}

func TestOtherSessionsAreEndedJustAfterANewPasswordAtAnotherServer(t *testing.T) {
	o := newServers(t).newOwner(t, false)
	o.browser.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).Want(303)
	throughServer(o.browser, o.first).Post("/settings/sessions/end-others", "password", webtest.NewPassword).
		WantRedirect(303, "/settings/sessions?ended=yes")
}
