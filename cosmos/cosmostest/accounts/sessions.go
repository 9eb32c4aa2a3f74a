package accounts

import (
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// mustSession creates a session with a time of last use.
func (s *suite) mustSession(t *testing.T, userID string, used time.Time) domain.Session {
	t.Helper()
	session := domain.Session{ID: domain.SecretDigest(rand.Text()), UserID: userID, Device: "Firefox on Windows",
		Created: fixture.Epoch, LastUsed: used, Confirmed: fixture.Epoch}
	fixture.Check(t, s.Sessions.Create(t.Context(), session))
	return session
}

func (s *suite) sessions(t *testing.T) {
	user, other := s.MustUser(t).ID, s.MustUser(t).ID
	list := func(t *testing.T, userID string) []domain.Session {
		t.Helper()
		return fixture.Must[[]domain.Session](t)(s.Sessions.List(t.Context(), userID))
	}
	fixture.Run(t, "a session is read as created", func(t *testing.T) {
		session := s.mustSession(t, user, fixture.At(1))
		fixture.Check(t, s.Sessions.Create(t.Context(), session)) // the response was lost
		if got := fixture.Must[domain.Session](t)(s.Sessions.Get(t.Context(), user, session.ID)); got != session {
			t.Errorf("got %+v, want %+v", got, session)
		}
	})
	fixture.Run(t, "only its user can read a session", func(t *testing.T) {
		session := s.mustSession(t, user, fixture.At(1))
		for _, whose := range []string{other, "", "..", session.ID} {
			_, err := s.Sessions.Get(t.Context(), whose, session.ID)
			fixture.WantKind(t, err, domain.NotFound)
		}
		fixture.Check(t, s.Sessions.Delete(t.Context(), other, session.ID))
		fixture.WantKind(t, s.Sessions.Touch(t.Context(), other, session.ID, fixture.At(2)), domain.NotFound)
		fixture.Must[domain.Session](t)(s.Sessions.Get(t.Context(), user, session.ID))
	})
	fixture.Run(t, "a session records its last use and the last confirmation", func(t *testing.T) {
		session := s.mustSession(t, user, fixture.At(1))
		fixture.Check(t, s.Sessions.Touch(t.Context(), user, session.ID, fixture.At(7)))
		fixture.Check(t, s.Sessions.Confirm(t.Context(), user, session.ID, fixture.At(8)))
		session.LastUsed, session.Confirmed = fixture.At(7), fixture.At(8)
		if got := fixture.Must[domain.Session](t)(s.Sessions.Get(t.Context(), user, session.ID)); got != session {
			t.Errorf("got %+v, want %+v", got, session)
		}
	})
	fixture.Run(t, "a session keeps its version until it gets a new one", func(t *testing.T) {
		session := s.mustSession(t, user, fixture.At(1))
		for version := range 3 {
			fixture.Check(t, s.Sessions.SetVersion(t.Context(), user, session.ID, version))
			if got := fixture.Must[domain.Session](t)(s.Sessions.Get(t.Context(), user,
				session.ID)); got.SessionVersion != version {
				t.Errorf("got %+v, want version %d", got, version)
			}
		}
	})
	fixture.Run(t, "an ended session stays ended", func(t *testing.T) {
		session := s.mustSession(t, user, fixture.At(1))
		for range 2 {
			fixture.Check(t, s.Sessions.Delete(t.Context(), user, session.ID))
		}
		fixture.WantKind(t, s.Sessions.Touch(t.Context(), user, session.ID, fixture.At(2)), domain.NotFound)
		fixture.WantKind(t, s.Sessions.Confirm(t.Context(), user, session.ID, fixture.At(2)), domain.NotFound)
		fixture.WantKind(t, s.Sessions.SetVersion(t.Context(), user, session.ID, 1), domain.NotFound)
		_, err := s.Sessions.Get(t.Context(), user, session.ID)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "sessions are listed by last use", func(t *testing.T) {
		user := s.MustUser(t).ID
		first, last, middle := s.mustSession(t, user, fixture.At(1)), s.mustSession(t, user, fixture.At(3)),
			s.mustSession(t, user, fixture.At(2))
		if got := list(t, user); !slices.Equal(got, []domain.Session{last, middle, first}) {
			t.Errorf("the sessions are %+v", got)
		}
	})
	fixture.Run(t, "all sessions, or all but one, end without affecting other users", func(t *testing.T) {
		user := s.MustUser(t).ID
		one, _, _, theirs := s.mustSession(t, user, fixture.At(1)), s.mustSession(t, user, fixture.At(3)),
			s.mustSession(t, user, fixture.At(2)), s.mustSession(t, other, fixture.At(1))
		fixture.Check(t, s.Sessions.DeleteOthers(t.Context(), user, one.ID))
		if got := list(t, user); !slices.Equal(got, []domain.Session{one}) {
			t.Errorf("the remaining sessions are %+v", got)
		}
		fixture.Check(t, s.Sessions.DeleteOthers(t.Context(), user, ""))
		if got := list(t, user); len(got) != 0 {
			t.Errorf("the remaining sessions are %+v", got)
		}
		fixture.Must[domain.Session](t)(s.Sessions.Get(t.Context(), other, theirs.ID))
	})
	fixture.Run(t, "the least recently used session is removed when there are too many", func(t *testing.T) {
		user := s.MustUser(t).ID
		oldest := s.mustSession(t, user, fixture.At(1))
		for i := range 50 {
			s.mustSession(t, user, fixture.At(2+i))
		}
		if got := list(t, user); len(got) != 50 || slices.Contains(got, oldest) {
			t.Errorf("%d sessions remain", len(got))
		}
	})
	fixture.Run(t, "raising the user's version ends all sessions", func(t *testing.T) {
		user := s.MustUser(t)
		session := s.mustSession(t, user.ID,
			fixture.At(1)) // without a version, like a session stored before versions existed
		if session.EndedFor(user) {
			t.Error("the session has ended before the version was raised")
		}
		fixture.Check(t, s.Credentials.EndSessions(t.Context(), session))
		user = fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
		if user.SessionVersion != 1 || !session.EndedFor(user) {
			t.Errorf("the user's version is %d, and the session goes on: %t", user.SessionVersion,
				!session.EndedFor(user))
		}
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user.ID))
		for _, unknown := range []string{user.ID, domain.NewUserID(nil), "", ".."} {
			session.UserID = unknown
			fixture.WantKind(t, s.Credentials.EndSessions(t.Context(), session), domain.NotFound)
		}
	})
	fixture.Run(t, "ending the other sessions again on behalf of the same session changes nothing", func(t *testing.T) {
		user := s.MustUser(t)
		session := s.mustSession(t, user.ID, fixture.At(1))
		for version := range 2 {
			session.SessionVersion = version
			for range 2 { // the first answer was lost, or a button was pressed twice
				fixture.Check(t, s.Credentials.EndSessions(t.Context(), session))
			}
			now := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID))
			if got := now.SessionVersion; got != version+1 {
				t.Errorf("the user's version is %d, want %d", got, version+1)
			}
		}
	})
	fixture.Run(t, "a session that another one has ended cannot end the others", func(t *testing.T) {
		user := s.MustUser(t)
		mine, ended := s.mustSession(t, user.ID, fixture.At(1)), s.mustSession(t, user.ID, fixture.At(1))
		fixture.Check(t, s.Credentials.EndSessions(t.Context(), mine))
		fixture.WantKind(t, s.Credentials.EndSessions(t.Context(), ended), domain.NotFound)
		fixture.Check(t, s.Credentials.SetPassword(t.Context(), user.ID, "another hash"))
		fixture.WantKind(t, s.Credentials.EndSessions(t.Context(), mine), domain.NotFound)
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)).SessionVersion; got != 2 {
			t.Errorf("the user's version is %d, want 2", got)
		}
	})
	fixture.Run(t, "sessions end with the account", func(t *testing.T) {
		user := s.MustUser(t).ID
		s.mustSession(t, user, fixture.At(1))
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user))
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), user))
		if got := list(t, user); len(got) != 0 {
			t.Errorf("the remaining sessions are %+v", got)
		}
	})
}

func freshEmail() string { return fixture.FreshName() + "@example.org" }

func (s *suite) emails(t *testing.T) {
	has := func(t *testing.T, user domain.User, email string, verified bool) {
		t.Helper()
		c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), user.ID))
		if c.Email != email || c.EmailVerified != verified || c.PasswordHash != "hash of "+user.Username {
			t.Errorf("the credentials are %+v, want %q, %t", c, email, verified)
		}
		found, err := s.EmailAddresses.Owner(t.Context(), email)
		if verified && (err != nil || found != user) {
			t.Errorf("the address belongs to %+v, %v", found, err)
		}
	}
	credentials := func(t *testing.T, user domain.User) domain.Credentials {
		t.Helper()
		return fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), user.ID))
	}
	mustVerify := func(t *testing.T, user domain.User, email, wantFormer string) {
		t.Helper()
		if former := fixture.Must[string](t)(s.EmailAddresses.Verify(t.Context(), credentials(t, user),
			email)); former != wantFormer {
			t.Errorf("the former address is %q, want %q", former, wantFormer)
		}
		has(t, user, email, true)
	}
	mustBeFree := func(t *testing.T, email string) {
		t.Helper()
		_, err := s.EmailAddresses.Owner(t.Context(), email)
		fixture.WantKind(t, err, domain.NotFound)
	}
	fixture.Run(t, "a verified address finds its user in any case", func(t *testing.T) {
		user, email := s.MustUser(t), freshEmail()
		mustBeFree(t, email)
		mustVerify(t, user, email, "")
		mustVerify(t, user, email, "") // idempotent
		found := fixture.Must[domain.User](t)(s.EmailAddresses.Owner(t.Context(), "T"+email[1:]))
		if found != user {
			t.Errorf("the address belongs to %+v", found)
		}
	})
	fixture.Run(t, "the old address stays valid until the next one is verified", func(t *testing.T) {
		user, old, next := s.MustUser(t), freshEmail(), freshEmail()
		mustVerify(t, user, old, "")
		c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), user.ID))
		fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), c.WithAwaitedEmail(next)))
		has(t, user, old, true)
		mustBeFree(t, next)
		if c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(),
			user.ID)); c.AwaitedEmail() != next {
			t.Errorf("the unverified address is %q", c.AwaitedEmail())
		}
		mustVerify(t, user, next, old)
		if c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), user.ID)); c.AwaitedEmail() != "" {
			t.Errorf("the unverified address is %q", c.AwaitedEmail())
		}
	})
	fixture.Run(t, "a verified address finds suspended users too", func(t *testing.T) {
		user, email := s.MustUser(t), freshEmail()
		mustVerify(t, user, email, "")
		fixture.Must[domain.User](t)(s.Accounts.Suspend(t.Context(), user.ID, "Spam.", time.Now()))
		if found := fixture.Must[domain.User](t)(s.EmailAddresses.Owner(t.Context(), email)); found.ID != user.ID ||
			found.SuspendedFor != "Spam." {
			t.Errorf("the address belongs to %+v", found)
		}
	})
	fixture.Run(t, "an address belongs to one account", func(t *testing.T) {
		user, other, email := s.MustUser(t), s.MustUser(t), freshEmail()
		mustVerify(t, user, email, "")
		_, err := s.EmailAddresses.Verify(t.Context(), credentials(t, other), email)
		fixture.WantKind(t, err, domain.Invalid)
		has(t, other, "", false)
		has(t, user, email, true)
	})
	fixture.Run(t, "an address replaced by another becomes free", func(t *testing.T) {
		user, other, first, second := s.MustUser(t), s.MustUser(t), freshEmail(), freshEmail()
		mustVerify(t, user, first, "")
		mustVerify(t, user, second, first)
		mustBeFree(t, first)
		mustVerify(t, other, first, "")
	})
	fixture.Run(t, "an address stays when the credentials have changed since they were read", func(t *testing.T) {
		user, email, next := s.MustUser(t), freshEmail(), freshEmail()
		mustVerify(t, user, email, "")
		read := credentials(t, user)
		changed := read
		changed.TOTPStep++
		fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), changed))
		_, err := s.EmailAddresses.Verify(t.Context(), read, next)
		fixture.WantKind(t, err, domain.Conflict)
		_, err = s.EmailAddresses.Remove(t.Context(), read)
		fixture.WantKind(t, err, domain.Conflict)
		has(t, user, email, true)
		mustBeFree(t, next)
	})
	fixture.Run(t, "a removed address belongs to no user", func(t *testing.T) {
		user, other, email := s.MustUser(t), s.MustUser(t), freshEmail()
		mustVerify(t, user, email, "")
		former := fixture.Must[string](t)(s.EmailAddresses.Remove(t.Context(), credentials(t, user)))
		if former != email {
			t.Errorf("removed %q", former)
		}
		fixture.Must[string](t)(s.EmailAddresses.Remove(t.Context(), credentials(t, user)))
		has(t, user, "", false)
		mustBeFree(t, email)
		mustVerify(t, other, email, "")
	})
	fixture.Run(t, "an unverified address finds no user and is not reserved", func(t *testing.T) {
		user, other, email := s.MustUser(t), s.MustUser(t), freshEmail()
		c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), user.ID))
		c.Email = email
		fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), c))
		mustBeFree(t, email)
		mustVerify(t, other, email, "")
	})
	fixture.Run(t, "the address of a deleted account is free", func(t *testing.T) {
		user, other, email := s.MustUser(t), s.MustUser(t), freshEmail()
		mustVerify(t, user, email, "")
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user.ID))
		mustBeFree(t, email)
		_, err := s.EmailAddresses.Verify(t.Context(), domain.Credentials{UserID: user.ID}, freshEmail())
		fixture.WantKind(t, err, domain.NotFound)
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), user.ID))
		mustVerify(t, other, email, "")
	})
}
