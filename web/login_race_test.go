package web_test

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
	"inkfeed/web"
	"inkfeed/web/site/session"
)

// pausedSessions runs a function before the next session is created.
type pausedSessions struct {
	session.Store
	beforeCreate func()
	versionErr   error // of SetVersion
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

// pausedUsers runs a function after the next reading of credentials.
type pausedUsers struct {
	web.Users
	afterRead func()
}

func (u *pausedUsers) Credentials(ctx context.Context, userID string) (domain.Credentials, error) {
	c, err := u.Users.Credentials(ctx, userID)
	if pause := u.afterRead; pause != nil {
		u.afterRead = nil
		pause()
	}
	return c, err
}

// servers are two servers of one site, on the embedded engine.
type servers struct {
	first, second *site
	store         *cosmos.Store // the second server's
	sessions      *pausedSessions
	users         *pausedUsers
}

func newServers(t *testing.T) *servers {
	t.Helper()
	data := newDatabase(t)
	other := data.openStore()
	t.Cleanup(other.Close)
	s := &servers{store: data.store, sessions: &pausedSessions{Store: other.Sessions},
		users: &pausedUsers{Users: other.Users}}
	s.first = serverOn(data, s.users, s.sessions, other)
	s.second = serverOn(data, data.store.Users, data.store.Sessions, data.store)
	return s
}

func serverOn(data *database, users web.Users, sessions session.Store, store *cosmos.Store) *site {
	data.t.Helper()
	s := &site{t: data.t, data: data, log: &bytes.Buffer{}}
	c := config(data, s.log, keyOne)
	c.Users, c.Sessions, c.Secrets = users, sessions, store.Secrets
	s.restart(c)
	return s
}

// at returns the same browser, which sends its requests to another server.
func throughServer(v *visitor, s *site) *visitor {
	moved := *v
	moved.site = s
	return &moved
}

// owner is the user whose credentials change, in a browser at the second server.
type owner struct {
	*servers
	browser *visitor
	app     *app    // nil: the account has none
	phone   *device // holds a passkey of the account
}

func (s *servers) newOwner(t *testing.T, withApp bool) *owner {
	t.Helper()
	browser := s.second.stranger()
	browser.post("/signup", "username", "ada", "password", password, "next", "/").wantRedirect(http.StatusSeeOther, "/")
	u, err := s.store.Users.ByName(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	browser.user = u
	browser.verifies("ada@example.org")
	o := &owner{servers: s, browser: browser, phone: browser.registers()}
	if withApp {
		o.app = browser.enrols()
	}
	if !throughServer(browser, s.first).signedIn() { // which the first server now remembers for some seconds
		t.Fatal("the owner is not signed in")
	}
	return o
}

func (o *owner) credentials(t *testing.T) domain.Credentials {
	t.Helper()
	c, err := o.store.Users.Credentials(t.Context(), o.browser.user.ID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// loginWays are the ways of logging in. begin does all steps except the last, which it returns.
var loginWays = []struct {
	name    string
	withApp bool
	begin   func(o *owner, v *visitor) (last func() *answer)
}{
	{"a password", false, func(_ *owner, v *visitor) func() *answer {
		return func() *answer { return v.post("/login", "username", "ada", "password", password) }
	}},
	{"a passkey", false, func(o *owner, v *visitor) func() *answer {
		proof := o.phone.answers(v.challenged("login"))
		return func() *answer { return v.post("/login", "passkey", proof) }
	}},
	{"a password and a code of an app", true, func(o *owner, v *visitor) func() *answer {
		v.post("/login", "username", "ada", "password", password).wantRedirect(303, "/login/second?next=%2F")
		return func() *answer { return v.post("/login/second", "code", o.app.code(v.t, 0)) }
	}},
	{"a password and a recovery code", true, func(o *owner, v *visitor) func() *answer {
		v.post("/login", "username", "ada", "password", password).wantRedirect(303, "/login/second?next=%2F")
		return func() *answer { return v.post("/login/second", "code", o.app.codes[3]) }
	}},
	{"a password and a passkey", true, func(o *owner, v *visitor) func() *answer {
		v.post("/login", "username", "ada", "password", password).wantRedirect(303, "/login/second?next=%2F")
		proof := o.phone.answers(v.challenged("second"))
		return func() *answer { return v.post("/login/second", "passkey", proof) }
	}},
}

// credentialChanges end all sessions. If stays is set, the session that made the change stays
// valid.
var credentialChanges = []struct {
	name             string
	withApp, without bool // whether it is for accounts with an app, and without
	stays            bool
	do               func(t *testing.T, o *owner)
}{
	{"the password is changed", true, true, true, func(_ *testing.T, o *owner) {
		o.browser.post("/settings/password", "current", password, "password", newPassword).want(303)
	}},
	{"the password is reset by mail", true, true, false, func(t *testing.T, o *owner) {
		v := o.second.stranger()
		v.post("/reset", "account", "ada").want(200)
		v.post(v.mailed("ada@example.org").link(t), "password", newPassword).want(200)
	}},
	{"the password is set by a command", true, true, false, func(t *testing.T, o *owner) {
		if err := o.store.Users.SetPassword(t.Context(), o.browser.user.ID, "another hash"); err != nil {
			t.Fatal(err)
		}
	}},
	{"the password is removed", true, true, true, func(_ *testing.T, o *owner) {
		o.browser.post("/settings/security/password").want(303)
	}},
	{"an app is set up", false, true, true, func(_ *testing.T, o *owner) { o.browser.enrols() }},
	{"the app is turned off", true, false, true, func(_ *testing.T, o *owner) {
		o.browser.post("/settings/security/totp/delete").want(303)
	}},
	{"the recovery codes are replaced", true, false, true, func(_ *testing.T, o *owner) {
		o.browser.post("/settings/security/recovery").want(200)
	}},
	{"the passkey is removed", true, true, true, func(_ *testing.T, o *owner) {
		href := o.browser.get("/settings/security").page().Find(`.passkeys a[href*="/passkeys/"]`).AttrOr("href", "")
		o.browser.post(strings.TrimSuffix(href, "/delete")+"/delete").
			wantRedirect(303, "/settings/security?done=removed")
	}},
	{"the factors are cleared by a command", true, true, false, func(t *testing.T, o *owner) {
		if _, err := o.store.Users.ClearFactors(t.Context(), o.browser.user.ID); err != nil {
			t.Fatal(err)
		}
	}},
	{"the other sessions are ended", true, true, true, func(_ *testing.T, o *owner) {
		o.browser.post("/settings/sessions/end-others").want(303)
	}},
	{"the account is suspended and restored", true, true, false, func(t *testing.T, o *owner) {
		_, err := o.store.Users.Suspend(t.Context(), o.browser.user.ID, "By mistake.", time.Now())
		if err == nil {
			_, err = o.store.Users.Restore(t.Context(), o.browser.user.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}},
}

func TestALoginUnderWayDoesNotSurviveAChangeOfCredentials(t *testing.T) {
	for _, way := range loginWays {
		for _, change := range credentialChanges {
			if way.withApp && !change.withApp || !way.withApp && !change.without {
				continue
			}
			for _, pause := range []string{"after its credentials are read", "before its session is created"} {
				t.Run(way.name+", "+change.name+" "+pause, func(t *testing.T) {
					s := newServers(t)
					o := s.newOwner(t, way.withApp)
					v := s.first.stranger()
					last := way.begin(o, v)
					changed := false
					do := func() { changed = true; change.do(t, o) }
					if strings.HasPrefix(pause, "after") {
						s.users.afterRead = do
					} else {
						s.sessions.beforeCreate = do
					}
					last()
					if !changed {
						t.Fatal("the change was not made during the log-in")
					}
					for _, server := range []*site{s.first, s.second} {
						if throughServer(v, server).signedIn() {
							t.Error("the log-in has survived")
						}
						if throughServer(o.browser, server).signedIn() != change.stays {
							t.Errorf("the session that made the change goes on: %t", !change.stays)
						}
					}
				})
			}
		}
	}
}

func TestASignUpUnderWayDoesNotSurviveAChangeOfCredentials(t *testing.T) {
	for _, way := range []string{"a password", "a passkey"} {
		t.Run(way, func(t *testing.T) {
			s := newServers(t)
			v := s.first.stranger()
			s.sessions.beforeCreate = func() {
				u, err := s.store.Users.ByName(t.Context(), "ada")
				if err == nil {
					err = s.store.Users.SetPassword(t.Context(), u.ID, "another hash")
				}
				if err != nil {
					t.Error(err)
				}
			}
			if way == "a password" {
				v.post("/signup", "username", "ada", "password", password).want(303)
			} else {
				signsUp(v, "ada").want(303)
			}
			if v.signedIn() || throughServer(v, s.second).signedIn() {
				t.Error("the sign-up has survived")
			}
		})
	}
}

func TestARequestOfAnEndedSessionChangesNoCredentials(t *testing.T) {
	for _, attempt := range []struct {
		name  string
		begin func(thief *visitor) (last func() *answer)
	}{
		{"registering a passkey", func(thief *visitor) func() *answer {
			proof := newDevice(t).makes(thief.challenged("new"))
			return func() *answer {
				return thief.post("/settings/security/passkeys/new", "name", "Mine", "passkey", proof)
			}
		}},
		{"removing the passkey", func(thief *visitor) func() *answer {
			href := thief.get("/settings/security").page().Find(`.passkeys a[href*="/passkeys/"]`).AttrOr("href", "")
			return func() *answer { return thief.post(strings.TrimSuffix(href, "/delete") + "/delete") }
		}},
		{"removing the password", func(thief *visitor) func() *answer {
			return func() *answer { return thief.post("/settings/security/password") }
		}},
		{"giving an e-mail address", func(thief *visitor) func() *answer {
			return func() *answer { return thief.post("/settings/email", "email", "thief@example.org") }
		}},
		{"cancelling an e-mail address", func(thief *visitor) func() *answer {
			thief.post("/settings/email", "email", "thief@example.org").want(303)
			return func() *answer { return thief.post("/settings/email/cancel") }
		}},
		{"verifying an e-mail address", func(thief *visitor) func() *answer {
			thief.post("/settings/email", "email", "thief@example.org").want(303)
			link := thief.mailed("thief@example.org").link(thief.t)
			return func() *answer { return thief.post(link) }
		}},
		{"removing the e-mail address", func(thief *visitor) func() *answer {
			return func() *answer { return thief.post("/settings/email/remove") }
		}},
	} {
		t.Run(attempt.name, func(t *testing.T) {
			s := newServers(t)
			o := s.newOwner(t, false)
			thief := s.first.stranger()
			thief.post("/login", "username", "ada", "password", password).want(303)
			last := attempt.begin(thief)
			var want domain.Credentials
			s.users.afterRead = func() { // the request has been let in, and is about to write
				o.browser.post("/settings/password", "current", password, "password", newPassword).want(303)
				want = o.credentials(t)
			}
			last().want(http.StatusUnauthorized)
			if got := o.credentials(t); got.Version != want.Version {
				t.Errorf("the credentials are %+v, want %+v", got, want)
			}
			if thief.signedIn() || !o.browser.signedIn() {
				t.Error("the wrong session has ended, or none")
			}
		})
	}
}

func TestAChangeOfCredentialsIsShownAsMadeWhenItsSessionEnds(t *testing.T) {
	for _, change := range []struct {
		name    string
		withApp bool
		do      func(t *testing.T, o *owner, browser *visitor)
	}{
		{"an app is set up", false, func(_ *testing.T, _ *owner, browser *visitor) {
			browser.enrols() // which finds the recovery codes on the page
		}},
		{"the recovery codes are replaced", true, func(t *testing.T, o *owner, browser *visitor) {
			a := browser.post("/settings/security/recovery").want(http.StatusOK)
			if n := a.page().Find(".codes code").Length(); n != 10 {
				t.Errorf("the page shows %d recovery codes, want 10", n)
			}
		}},
		{"the password is removed", false, func(_ *testing.T, _ *owner, browser *visitor) {
			browser.post("/settings/security/password").wantRedirect(303, "/settings/security?done=password")
		}},
		{"the passkey is removed", false, func(_ *testing.T, _ *owner, browser *visitor) {
			href := browser.get("/settings/security").page().Find(`.passkeys a[href*="/passkeys/"]`).AttrOr("href", "")
			browser.post(strings.TrimSuffix(href, "/delete")+"/delete").wantRedirect(303, "/settings/security?done=removed")
		}},
	} {
		t.Run(change.name, func(t *testing.T) {
			s := newServers(t)
			o := s.newOwner(t, change.withApp)
			browser := throughServer(o.browser, s.first)
			mails := len(s.first.data.mail.mails)
			s.sessions.versionErr = domain.Errorf(domain.Unavailable, "")
			change.do(t, o, browser)
			if n := len(s.first.data.mail.mails) - mails; n != 1 {
				t.Errorf("the owner was sent %d mails, want 1", n)
			}
			if browser.signedIn() {
				t.Error("the session goes on")
			}
		})
	}
}

func TestParallelLoginsDoNotSurviveANewPassword(t *testing.T) {
	s := newServers(t)
	o := s.newOwner(t, false)
	const logins = 24
	visitors := make([]*visitor, logins)
	var group sync.WaitGroup
	for i := range visitors {
		v := []*site{s.first, s.second}[i%2].stranger().from("198.51.100." + string(rune('1'+i%9)))
		visitors[i] = v
		group.Go(func() { v.post("/login", "username", "ada", "password", password) })
		if i == logins/2 {
			o.browser.post("/settings/password", "current", password, "password", newPassword).want(303)
		}
	}
	group.Wait()
	for i, v := range visitors {
		if throughServer(v, s.first).signedIn() || throughServer(v, s.second).signedIn() {
			t.Errorf("log-in %d has survived", i)
		}
	}
	if !throughServer(o.browser, s.first).signedIn() {
		t.Error("the session that changed the password has ended")
	}
}
